"""Random programs of ETALIS and streams: conditions and heads use variables that a pattern binds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import count

from parte.conformance.fuzz.draw import Draw
from parte.languages.etalis.running import CHOSEN
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.parser import parse
from parte.languages.etalis.semantics.syntax.printer import print_program
from parte.languages.etalis.semantics.syntax.values import Number, Truth, Value
from parte.semantics.source.diagnostics import ProgramError

STREAM = "abcd"
"""The names of events in streams; later letters are names of derived events, which streams may contain too."""
HEADS = "efgh"
VARIABLES = "XYZ"
VALUES: tuple[Value, ...] = (0, 1, 2, -1, Fraction(1, 2), "x", Truth.TRUE)
GAPS: tuple[Number, ...] = (0, 0, 1, 1, 1, 2, 3, Fraction(1, 2))
LENGTHS: tuple[Number, ...] = (0, 1, 2, 3, 5, Fraction(1, 2))
MOMENTS: tuple[Number, ...] = (0, 1, 2, 4, 6, Fraction(5, 2))
RELATIONS = [operator for operator in tree.Operator if operator.value not in ("SEQ", "OR")]


@dataclass(frozen=True, slots=True)
class Item:
    """An event of a stream."""

    template: str
    arguments: tuple[Value, ...]
    timestamp: Number


@dataclass(frozen=True, slots=True)
class Shape:
    """The constructs that random programs may have: the number and depth of rules, arguments, recursion, numbers,
    operators; and options that are no defaults."""

    rules: int = 3
    depth: int = 2
    arguments: bool = True
    recursion: bool = True
    moments: bool = True
    operators: tuple[tree.Operator, ...] = tuple(tree.Operator)
    negations: bool = True
    options: bool = False
    events: int = 8


def drawn_program(draw: Draw, shape: Shape) -> tree.Program:
    """Return a random program that passes the checks."""
    while True:
        program = draw.part(partial(_program, draw, shape))
        try:
            return parse(print_program(program))
        except ProgramError:
            continue


def drawn_items(draw: Draw, program: tree.Program, most: int) -> tuple[Item, ...]:
    """Return a stream in order of time, of the events of a program."""
    arities = {
        node.name: len(node.arguments)
        for rule in program.rules
        for node in tree.within(rule.body)
        if isinstance(node, tree.EventPattern)
    }
    names = [name for name in sorted(arities) for _ in range(4 if name in STREAM else 1)] or ["a"]
    few = draw.subset(VALUES, 3, 3)
    now: Number = draw.choice((0, 0, 1))

    def item() -> Item:
        nonlocal now
        name = draw.choice(names)
        event = Item(name, tuple(draw.choice(few) for _ in range(arities.get(name, 0))), now)
        now += draw.choice(GAPS)
        return event

    return draw.several(item, 0, most)


def drawn_options(draw: Draw, program: tree.Program) -> tuple[tuple[str, str], ...]:
    """Return options that are compatible: a policy that selects needs a program without recursion, and negation by
    pairs."""
    options = {name: draw.choice(choices) for name, choices in CHOSEN.items()}
    if is_recursive(program):
        options["policy"] = "unrestricted"
    if options["policy"] != "unrestricted":
        options["negation"] = "pairs"
    return tuple((name, value) for name, value in options.items() if value != CHOSEN[name][0])


def is_recursive(program: tree.Program) -> bool:
    """Return whether the rules for a name depend on it, directly or not."""
    needs: dict[str, set[str]] = {}
    for rule in program.rules:
        needs.setdefault(rule.head.name, set()).update(
            node.name for node in tree.within(rule.body) if isinstance(node, tree.EventPattern)
        )
    for _ in needs:
        needs = {
            name: names.union(*(needs.get(name_needed, ()) for name_needed in names)) for name, names in needs.items()
        }
    return any(name in names for name, names in needs.items())


def drawn_related(draw: Draw) -> tuple[tree.Program, tuple[Item, ...]]:
    """Return a program about a relation of two intervals, and a stream in which intervals touch, overlap and have
    common ends; few events, so that no other pair hides the effect of one."""
    few = draw.subset(STREAM, 2, 4)

    def name() -> tree.Pattern:
        return tree.EventPattern(draw.choice(few), ())

    def side() -> tree.Pattern:
        operator = draw.choice((tree.Operator.SEQ, tree.Operator.SEQ, tree.Operator.AND))
        return name() if draw.chance(15) else tree.Joined(name(), operator, name())

    body: tree.Pattern = tree.Joined(side(), draw.choice(RELATIONS), side())
    if draw.chance(20):
        body = tree.Joined(body, draw.choice(RELATIONS), side())
    named = sorted({node.name for node in tree.within(body) if isinstance(node, tree.EventPattern)})
    latest = draw.choice((2, 4))
    names = [*named, *draw.several(lambda: draw.choice(named), 0, 3)]
    items = [Item(event_name, (), draw.integer(0, latest)) for event_name in names]
    program = tree.Program((tree.Rule(tree.EventPattern("e", ()), body),))
    return program, tuple(sorted(items, key=lambda item: item.timestamp))


# --- Programs ---------------------------------------------------------------------------------------------------------


def _program(draw: Draw, shape: Shape) -> tree.Program:
    arities = {name: draw.choice((0, 0, 1, 1, 2)) if shape.arguments else 0 for name in STREAM + HEADS}
    heads: list[str] = []

    def rule() -> tree.Rule:
        name = draw.choice(HEADS)
        earlier = [head for head in heads if head < name]
        heads.append(name)
        known = (HEADS if draw.chance(40) else sorted(set(heads))) if shape.recursion else earlier
        patterns = _Patterns(draw, shape, arities, (*STREAM, *known))
        body = _apart(draw.part(partial(patterns.pattern, shape.depth)))
        arguments = tuple(_argument(draw, sorted(tree.bound(body))) for _ in range(arities[name]))
        return tree.Rule(tree.EventPattern(name, arguments), body)

    return tree.Program(draw.several(rule, 1, shape.rules))


def _argument(draw: Draw, bound: Sequence[str]) -> tree.Term:
    if not bound or draw.chance(20):
        return tree.Constant(draw.choice(VALUES))
    variable = tree.Variable(draw.choice(bound))
    if draw.chance(20):
        return tree.Calculation(variable, draw.choice(list(tree.Arithmetic)), tree.Constant(draw.choice((1, 2))))
    return variable


def _apart(body: tree.Pattern) -> tree.Pattern:
    """Return a body with fresh names of the variables that only an absent part has."""
    numbers = count(1)

    def renamed(node: tree.Pattern) -> tree.Pattern:
        if not isinstance(node, tree.Negation):
            return node
        lacking = sorted(tree.variables(node.absent) - tree.bound(node))
        fresh = {name: f"W{next(numbers)}" for name in lacking}

        def with_fresh_name(part: tree.Node) -> tree.Node:
            return replace(part, name=fresh.get(part.name, part.name)) if isinstance(part, tree.Variable) else part

        return replace(node, absent=tree.TREE.mapped(node.absent, with_fresh_name))

    return tree.PATTERNS.mapped(body, renamed)


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Patterns over events of some names."""

    draw: Draw
    shape: Shape
    arities: Mapping[str, int]
    names: Sequence[str]

    def pattern(self, depth: int) -> tree.Pattern:
        """Return a pattern of at most `depth` nested operators."""
        if depth == 0:
            return self._event()

        def inner() -> tree.Pattern:
            return self.draw.part(partial(self.pattern, depth - 1))

        return self.draw.one_of(
            (15, self._event),
            (60, lambda: self._joined(inner)),
            (15, lambda: tree.Lasting(inner(), self.draw.choice(LENGTHS))),
            (15 if self.shape.negations else 0, lambda: tree.Negation(inner(), inner(), inner())),
            (12 if self.shape.arguments else 0, lambda: self._filtered(inner())),
            (5 if self.shape.moments else 0, lambda: tree.Moment(self.draw.choice(MOMENTS))),
        )

    def _event(self) -> tree.Pattern:
        name = self.draw.choice(self.names)
        return tree.EventPattern(name, tuple(self._term(VARIABLES, 85) for _ in range(self.arities[name])))

    def _term(self, variables: Sequence[str], percent: int) -> tree.Term:
        """Return a variable with this probability, or a constant."""
        if not variables or self.draw.chance(100 - percent):
            return tree.Constant(self.draw.choice(VALUES))
        return tree.Variable(self.draw.choice(variables))

    def _joined(self, inner: Callable[[], tree.Pattern]) -> tree.Pattern:
        left, operator = inner(), self.draw.choice(self.shape.operators)
        right = inner()
        if operator is tree.Operator.OR and tree.bound(left) != tree.bound(right):
            right = tree.PATTERNS.mapped(left, self._renamed)
        return tree.Joined(left, operator, right)

    def _renamed(self, node: tree.Pattern) -> tree.Pattern:
        """Return an event that binds the same variables."""
        if not isinstance(node, tree.EventPattern):
            return node
        return replace(
            node, name=self.draw.choice([name for name in self.names if self.arities[name] == len(node.arguments)])
        )

    def _filtered(self, operand: tree.Pattern) -> tree.Pattern:
        bound = sorted(tree.bound(operand))
        left = self._term(bound, 65)
        if bound and self.draw.chance(20):
            left = tree.Calculation(left, self.draw.choice(list(tree.Arithmetic)), self._term(bound, 65))
        comparison = tree.Comparison(left, self.draw.choice(list(tree.Relation)), self._term(bound, 65))
        return tree.Where(operand, comparison)
