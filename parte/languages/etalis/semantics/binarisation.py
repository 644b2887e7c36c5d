"""Binarisation: rules of one operator over events (E §5, (2); specification: etalis-binarisation)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.streams import Arguments
from parte.languages.etalis.semantics.syntax.values import Number
from parte.languages.etalis.semantics.terms import Evaluator, Values, evaluator
from parte.semantics.source.graphs import components

Order = tuple[int, Number, tuple[int, ...], str]


@dataclass(slots=True)
class Kind:
    """A kind of events: a moment has its time as name, a subpattern its place, other events their name in the text.

    `order` orders kinds, `stratum` is the greatest number of rules on the way to the kind. `longest` is the greatest
    length of its events, None if unknown; `horizon` is the greatest length that an answer needs. `until` is the latest
    end of its events, None if unknown.
    """

    order: Order
    stratum: int = 0
    rank: int = 0
    longest: Number | None = 0
    horizon: Number | None = None
    until: Number | None = None

    @property
    def name(self) -> str | None:
        """The name in the text of the program."""
        return self.order[3] or None

    @property
    def moment(self) -> Number | None:
        """The time at which a moment happens."""
        return self.order[1] if self.order[0] == 0 else None


@dataclass(frozen=True, slots=True)
class Operand:
    """An event that a rule uses: its kind, its variables, and the function from arguments to the values of variables,
    which returns None if the arguments do not match."""

    kind: Kind
    variables: tuple[str, ...]
    matched: Callable[[Arguments], Values | None]


@dataclass(frozen=True, slots=True)
class BinaryRule:
    """`target <- operands`, joined by an operator. The operands of a negation are first, absent and last.

    `arguments` computes the arguments of the target from the values of all operands but an absent one, in order; None
    if one has no value. A rule of one operand has a `condition` or a `length`, or neither.
    """

    target: Kind
    operator: str
    operands: tuple[Operand, ...]
    arguments: Callable[[Values], Arguments | None]
    condition: Evaluator | None = None
    length: Number | None = None


@dataclass(frozen=True, slots=True)
class Binarised:
    """The binary rules of a program in the order of its text, and the kinds of events."""

    rules: tuple[BinaryRule, ...]
    kinds: Mapping[Order, Kind]


def binarised(program: tree.Program) -> Binarised:
    """Return a program as binary rules. The rules of a part of a pattern come before the rule of the pattern."""
    making = _Making()
    for number, rule in enumerate(program.rules):
        making.rule(rule, number)
    _stratify(making.rules, making.kinds)
    _measure(making.rules)
    _date(making.rules)
    return Binarised(tuple(making.rules), making.kinds)


@dataclass(slots=True)
class _Making:
    rules: list[BinaryRule] = field(default_factory=list)
    kinds: dict[Order, Kind] = field(default_factory=dict)

    def kind(self, order: Order) -> Kind:
        return self.kinds.setdefault(order, Kind(order))

    def rule(self, rule: tree.Rule, number: int) -> None:
        """Add the binary rules of a rule: the last of them derives its head."""
        head = self.kind((2, 0, (), rule.head.name))

        def arguments(variables: Sequence[str]) -> Callable[[Values], Arguments | None]:
            places = {name: place for place, name in reversed(list(enumerate(variables)))}
            return _calculated([evaluator(term, places) for term in rule.head.arguments])

        self.joining(rule.body, head, arguments, (number,))

    def operand(self, pattern: tree.Pattern, place: tuple[int, ...]) -> Operand:
        """Return the event of a part of a pattern, if necessary a new kind for the results of the part."""
        match pattern:
            case tree.EventPattern(name=name, arguments=terms):
                return _matching(self.kind((2, 0, (), name)), terms)
            case tree.Moment(time=time):
                return Operand(self.kind((0, time, (), "")), (), lambda arguments: arguments)
            case _:
                kind = self.kind((1, 0, place, ""))
                variables = tuple(sorted(tree.bound(pattern)))
                self.joining(pattern, kind, lambda names: picked([names.index(name) for name in variables]), place)
                return Operand(kind, variables, lambda arguments: arguments)

    def joining(
        self,
        pattern: tree.Pattern,
        target: Kind,
        arguments: Callable[[Sequence[str]], Callable[[Values], Arguments | None]],
        place: tuple[int, ...],
    ) -> None:
        """Add the rule that joins the parts of a pattern, after those for its parts."""

        def part(number: int, pattern: tree.Pattern) -> Operand:
            return self.operand(pattern, (*place, number))

        match pattern:
            case tree.EventPattern() | tree.Moment():
                source = self.operand(pattern, place)
                self.rules.append(BinaryRule(target, "COPY", (source,), arguments(source.variables)))
            case tree.Where(operand=operand, condition=condition):
                source = part(0, operand)
                test = evaluator(condition, {name: place for place, name in enumerate(source.variables)})
                self.rules.append(BinaryRule(target, "WHERE", (source,), arguments(source.variables), condition=test))
            case tree.Lasting(operand=operand, length=length):
                source = part(0, operand)
                self.rules.append(BinaryRule(target, "LASTING", (source,), arguments(source.variables), length=length))
            case tree.Joined(left=left, operator=tree.Operator.OR, right=right):
                one_side, other_side = part(0, left), part(1, right)
                self.rules.append(BinaryRule(target, "OR-LEFT", (one_side,), arguments(one_side.variables)))
                self.rules.append(BinaryRule(target, "OR-RIGHT", (other_side,), arguments(other_side.variables)))
            case tree.Joined(left=left, operator=operator, right=right):
                one_side, other_side = part(0, left), part(1, right)
                combined = arguments((*one_side.variables, *other_side.variables))
                self.rules.append(BinaryRule(target, operator.value, (one_side, other_side), combined))
            case tree.Negation(absent=absent, first=first, last=last):
                between, begin, end = part(0, absent), part(1, first), part(2, last)
                combined = arguments((*begin.variables, *end.variables))
                self.rules.append(BinaryRule(target, "NOT", (begin, between, end), combined))


def _matching(kind: Kind, terms: Sequence[tree.Term]) -> Operand:
    """Return the operand for an event with these terms as arguments: constants must match, variables get values."""
    first: dict[str, int] = {}
    constants: list[tuple[int, object]] = []
    repeated: list[tuple[int, int]] = []
    for place, term in enumerate(terms):
        if isinstance(term, tree.Constant):
            constants.append((place, term.value))
        elif isinstance(term, tree.Variable) and first.setdefault(term.name, place) != place:
            repeated.append((place, first[term.name]))
    variables = picked(list(first.values()))

    def matched(arguments: Arguments) -> Values | None:
        for place, value in constants:
            if arguments[place] != value:
                return None
        for place, earlier in repeated:
            if arguments[place] != arguments[earlier]:
                return None
        return variables(arguments)

    if list(first.values()) == list(range(len(terms))):
        return Operand(kind, tuple(first), lambda arguments: arguments)
    return Operand(kind, tuple(first), matched)


def picked(places: Sequence[int]) -> Callable[[Values], Values]:
    """Return a function that picks the values at these places."""
    match places:
        case []:
            return lambda _: ()
        case [place]:
            return lambda values: (values[place],)
        case _:
            return lambda values: tuple([values[place] for place in places])


def _calculated(terms: Sequence[Evaluator]) -> Callable[[Values], Arguments | None]:
    """Return a function that computes the values of terms; None if a term has no value."""

    def arguments(values: Values) -> Arguments | None:
        results = []
        for term in terms:
            value = term(values)
            if value is None:
                return None
            results.append(value)
        return tuple(results)

    return arguments


# --- Properties of kinds
# -----------------------------------------------------------------------------------------------


def _stratify(rules: Sequence[BinaryRule], kinds: Mapping[Order, Kind]) -> None:
    """Give each kind its stratum, the same to kinds that need each other, and its rank by stratum and order."""
    needs: dict[Order, set[Order]] = {order: set() for order in kinds}
    for rule in rules:
        needs[rule.target.order] |= {operand.kind.order for operand in rule.operands}
    for group in components(needs):
        strata = [kinds[needed].stratum for order in group for needed in needs[order] if needed not in group]
        for order in group:
            kinds[order].stratum = 1 + max(strata, default=0) if needs[order] else 0
    for rank, kind in enumerate(sorted(kinds.values(), key=lambda kind: (kind.stratum, kind.order))):
        kind.rank = rank


_ROUNDS = 4
"""The number of rounds for rules that need each other; lengths that still grow after them are taken as unbounded."""


def _measure(rules: Sequence[BinaryRule]) -> None:
    """Compute the greatest length of events, and the greatest length that an answer needs."""
    ordered = sorted(rules, key=lambda rule: rule.target.rank)
    for count in range(_ROUNDS + len(rules)):
        changed = False
        for rule in ordered:
            longest = _longer(rule.target.longest, lasting_at_most(rule))
            if longest != rule.target.longest:
                rule.target.longest, changed = (longest if count < _ROUNDS else None), True
        if not changed:
            break
    for rule in reversed(rules):
        for operand in rule.operands:
            if operand.kind.order[0] == 1:
                operand.kind.horizon = shorter(rule.length, rule.target.horizon)


def _date(rules: Sequence[BinaryRule]) -> None:
    """Compute the latest end of events: points in time end, and so do the subpatterns that use them."""
    dated: set[Order] = set()
    for rule in rules:
        for operand in rule.operands:
            operand.kind.until = operand.kind.until if operand.kind.moment is None else operand.kind.moment
        target = rule.target
        if target.order[0] == 1:
            last = ending_at_most(rule.operator, [operand.kind.until for operand in rule.operands])
            target.until = _longer(target.until, last) if target.order in dated else last
            dated.add(target.order)


def ending_at_most(operator: str, untils: Sequence[Number | None]) -> Number | None:
    """Return the latest end of the events of a rule, as far as the ends of its operands are known."""
    match operator:
        case "AND" | "PAR":
            return _longer(*untils)
        case "EQUALS" | "FINISHES":
            return shorter(*untils)
        case _:
            return untils[-1]


def lasting_at_most(rule: BinaryRule) -> Number | None:
    """Return the greatest length of the events of a rule, as far as the lengths of its operands are known."""
    lengths = [operand.kind.longest for operand in rule.operands]
    match rule.operator:
        case "COPY" | "WHERE" | "OR-LEFT" | "OR-RIGHT":
            return lengths[0]
        case "LASTING":
            return shorter(lengths[0], rule.length)
        case "EQUALS":
            return shorter(*lengths)
        case "DURING" | "STARTS" | "FINISHES":
            return lengths[1]
        case "PAR" | "MEETS":
            left, right = lengths
            return None if left is None or right is None else left + right
        case _:
            return None


def shorter(left: Number | None, right: Number | None) -> Number | None:
    """Return the shorter of two lengths; None is an unbounded length."""
    return left if right is None else right if left is None else min(left, right)


def _longer(left: Number | None, right: Number | None) -> Number | None:
    return None if left is None or right is None else max(left, right)
