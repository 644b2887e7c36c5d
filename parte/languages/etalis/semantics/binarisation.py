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
    """What events are called: a moment by its time, what a subpattern finds by its place, others by name.

    `order` orders kinds, `stratum` is how many rules there are at most on the way to it. `longest` is how long its
    events last at most, None if nobody can say; `horizon` how long at most if any answer needs them. `until` is when
    the last of them ends at the latest, None if nobody can say.
    """

    order: Order
    stratum: int = 0
    rank: int = 0
    longest: Number | None = 0
    horizon: Number | None = None
    until: Number | None = None

    @property
    def name(self) -> str | None:
        """The name that the text has for it."""
        return self.order[3] or None

    @property
    def moment(self) -> Number | None:
        """When it happens by itself."""
        return self.order[1] if self.order[0] == 0 else None


@dataclass(frozen=True, slots=True)
class Operand:
    """An event that a rule looks for: its kind, its variables, and what values they have for its arguments; None if
    the arguments do not match."""

    kind: Kind
    variables: tuple[str, ...]
    matched: Callable[[Arguments], Values | None]


@dataclass(frozen=True, slots=True)
class BinaryRule:
    """`target <- operands`, joined by an operator, in a negation without one: first, absent and last.

    `arguments` makes the arguments of the target of the values of all operands but an absent one, in order; None if
    one has no value. A rule of one operand has a `condition` or a `length`, or neither.
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
    """A program as binary rules. What is part of a pattern comes before it."""
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
        """The rules for a rule: the last of them makes its head."""
        head = self.kind((2, 0, (), rule.head.name))

        def arguments(variables: Sequence[str]) -> Callable[[Values], Arguments | None]:
            places = {name: place for place, name in reversed(list(enumerate(variables)))}
            return _calculated([evaluator(term, places) for term in rule.head.arguments])

        self.joining(rule.body, head, arguments, (number,))

    def operand(self, pattern: tree.Pattern, place: tuple[int, ...]) -> Operand:
        """The event that a part of a pattern is, if need be one that stands for what the part finds."""
        match pattern:
            case tree.EventPattern(name=name, arguments=terms):
                return _matching(self.kind((2, 0, (), name)), terms)
            case tree.Moment(time=time):
                return Operand(self.kind((0, time, (), "")), (), lambda arguments: arguments)
            case _:
                kind = self.kind((1, 0, place, ""))
                variables = tuple(sorted(tree.bound(pattern)))
                self.joining(pattern, kind, lambda found: picked([found.index(name) for name in variables]), place)
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
                one = self.operand(pattern, place)
                self.rules.append(BinaryRule(target, "COPY", (one,), arguments(one.variables)))
            case tree.Where(operand=operand, condition=condition):
                one = part(0, operand)
                test = evaluator(condition, {name: place for place, name in enumerate(one.variables)})
                self.rules.append(BinaryRule(target, "WHERE", (one,), arguments(one.variables), condition=test))
            case tree.Lasting(operand=operand, length=length):
                one = part(0, operand)
                self.rules.append(BinaryRule(target, "LASTING", (one,), arguments(one.variables), length=length))
            case tree.Joined(left=left, operator=tree.Operator.OR, right=right):
                one, other = part(0, left), part(1, right)
                self.rules.append(BinaryRule(target, "OR-LEFT", (one,), arguments(one.variables)))
                self.rules.append(BinaryRule(target, "OR-RIGHT", (other,), arguments(other.variables)))
            case tree.Joined(left=left, operator=operator, right=right):
                one, other = part(0, left), part(1, right)
                made = arguments((*one.variables, *other.variables))
                self.rules.append(BinaryRule(target, operator.value, (one, other), made))
            case tree.Negation(absent=absent, first=first, last=last):
                between, one, other = part(0, absent), part(1, first), part(2, last)
                made = arguments((*one.variables, *other.variables))
                self.rules.append(BinaryRule(target, "NOT", (one, between, other), made))


def _matching(kind: Kind, terms: Sequence[tree.Term]) -> Operand:
    """What an event must have as arguments, and which of them are values of variables."""
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
        for place, other in repeated:
            if arguments[place] != arguments[other]:
                return None
        return variables(arguments)

    if list(first.values()) == list(range(len(terms))):
        return Operand(kind, tuple(first), lambda arguments: arguments)
    return Operand(kind, tuple(first), matched)


def picked(places: Sequence[int]) -> Callable[[Values], Values]:
    """The values at these places."""
    match places:
        case []:
            return lambda _: ()
        case [one]:
            return lambda values: (values[one],)
        case _:
            return lambda values: tuple([values[place] for place in places])


def _calculated(terms: Sequence[Evaluator]) -> Callable[[Values], Arguments | None]:
    """The values of terms; None if one has none."""

    def arguments(values: Values) -> Arguments | None:
        found = []
        for term in terms:
            value = term(values)
            if value is None:
                return None
            found.append(value)
        return tuple(found)

    return arguments


# --- What is known of kinds -------------------------------------------------------------------------------------------


def _stratify(rules: Sequence[BinaryRule], kinds: Mapping[Order, Kind]) -> None:
    """Give each kind its stratum, one to those that need each other, and its rank by stratum and order."""
    needs: dict[Order, set[Order]] = {order: set() for order in kinds}
    for rule in rules:
        needs[rule.target.order] |= {operand.kind.order for operand in rule.operands}
    for group in components(needs):
        strata = [kinds[other].stratum for order in group for other in needs[order] if other not in group]
        for order in group:
            kinds[order].stratum = 1 + max(strata, default=0) if needs[order] else 0
    for rank, kind in enumerate(sorted(kinds.values(), key=lambda kind: (kind.stratum, kind.order))):
        kind.rank = rank


_ROUNDS = 4
"""Of looking for the longest events of rules that need each other; what still grows then is taken to have no end."""


def _measure(rules: Sequence[BinaryRule]) -> None:
    """Find out how long events last at most, and how long at most those that an answer needs."""
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
    """Find out until when there are events: points in time are over, and so is what subpatterns make of them."""
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
    """When the last event of a rule ends at the latest, as far as it is known of its operands."""
    match operator:
        case "AND" | "PAR":
            return _longer(*untils)
        case "EQUALS" | "FINISHES":
            return shorter(*untils)
        case _:
            return untils[-1]


def lasting_at_most(rule: BinaryRule) -> Number | None:
    """How long the events last at most that a rule makes, as far as is known of its operands."""
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
            one, other = lengths
            return None if one is None or other is None else one + other
        case _:
            return None


def shorter(one: Number | None, other: Number | None) -> Number | None:
    """The shorter of two lengths, of which None is without end."""
    return one if other is None else other if one is None else min(one, other)


def _longer(one: Number | None, other: Number | None) -> Number | None:
    return None if one is None or other is None else max(one, other)
