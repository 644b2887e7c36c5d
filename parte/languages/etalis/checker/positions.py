"""Recursion that can derive new values without end at one instant (specification: etalis-ends).

Events of an instant have one end, and finitely many beginnings: an interval that consists of shorter ones is later than
these. So only rules that derive an event from one with the very same interval can continue without end, and only if
they calculate a value from one that they derived before: copied values are finitely many.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from parte.languages.etalis.semantics.syntax import tree
from parte.semantics.source.graphs import components

Position = tuple[str, int]
"""An argument of the events of a name."""


@dataclass(frozen=True, slots=True)
class Step:
    """A rule that derives an argument from another one, of an event with the same interval: from the value of
    `variable` there; it `calculates` a new value, or copies it."""

    rule: tree.Rule
    source: Position
    variable: str
    target: Position
    term: tree.Term

    @property
    def calculates(self) -> bool:
        """True if the value is a new one."""
        return isinstance(self.term, tree.Calculation)


def level(pattern: tree.Pattern) -> Iterator[tree.EventPattern]:
    """Yield the events of a pattern that may have its interval."""
    match pattern:
        case tree.EventPattern():
            yield pattern
        case tree.Where(operand=operand) | tree.Lasting(operand=operand):
            yield from level(operand)
        case tree.Joined(operator=tree.Operator.SEQ):
            return
        case tree.Joined(operator=tree.Operator.DURING | tree.Operator.STARTS | tree.Operator.FINISHES, right=right):
            yield from level(right)
        case tree.Joined(left=left, right=right):
            yield from level(left)
            yield from level(right)


def known_before(pattern: tree.Pattern) -> frozenset[str]:
    """Return the variables whose values always come from events with a shorter interval, or an earlier end."""
    match pattern:
        case tree.Where(operand=operand) | tree.Lasting(operand=operand):
            return known_before(operand)
        case tree.Joined(operator=tree.Operator.SEQ) | tree.Negation():
            return tree.bound(pattern)
        case tree.Joined(operator=tree.Operator.OR, left=left, right=right):
            return known_before(left) & known_before(right)
        case tree.Joined(
            operator=tree.Operator.DURING | tree.Operator.STARTS | tree.Operator.FINISHES, left=left, right=right
        ):
            return tree.bound(left) | known_before(right)
        case tree.Joined(left=left, right=right):
            return known_before(left) | known_before(right)
        case _:
            return frozenset()


def endless(program: tree.Program) -> list[list[Step]]:
    """Return the cycles of steps that may derive new values without end at one instant, each as its steps; empty if all
    recursion ends."""
    steps = list(_steps(program))
    finite: set[Position] = set()
    while True:
        # A variable that is also an argument with finitely many values has finitely many values.
        left = [step for step in steps if not _known(step, finite)]
        graph: dict[Position, set[Position]] = {place: set() for step in left for place in (step.target, step.source)}
        for step in left:
            graph[step.target].add(step.source)
        cycles: list[list[Step]] = []
        ended: set[Position] = set()
        for group in components(graph):  # dependencies of a position come before it
            members = set(group)
            inside = [step for step in left if step.target in members and step.source in members]
            if any(step.calculates for step in inside):
                cycles.append(inside)
            elif {source for position in group for source in graph[position]} <= ended | finite | members:
                ended |= members
        mentioned = {step.source for step in steps} | {step.target for step in steps}
        more = (ended | (mentioned - set(graph))) - finite
        if not more:
            return cycles
        finite |= more


def _steps(program: tree.Program) -> Iterator[Step]:
    for rule in program.rules:
        before = known_before(rule.body)
        for event in level(rule.body):
            for place, argument in enumerate(event.arguments):
                if isinstance(argument, tree.Variable) and argument.name not in before:
                    for target, term in enumerate(rule.head.arguments):
                        if argument.name in tree.variables(term) and not isinstance(term, tree.Comparison):
                            source = (event.name, place)
                            yield Step(rule, source, argument.name, (rule.head.name, target), term)


def _known(step: Step, finite: set[Position]) -> bool:
    """Return whether the variable is always also an argument with finitely many known values."""
    return step.variable in _finite(step.rule.body, finite)


def _finite(pattern: tree.Pattern, finite: set[Position]) -> frozenset[str]:
    match pattern:
        case tree.EventPattern(name=name, arguments=arguments):
            return frozenset(
                term.name
                for place, term in enumerate(arguments)
                if isinstance(term, tree.Variable) and (name, place) in finite
            )
        case tree.Moment():
            return frozenset()
        case tree.Where(operand=operand) | tree.Lasting(operand=operand):
            return _finite(operand, finite)
        case tree.Joined(operator=tree.Operator.OR, left=left, right=right):
            return _finite(left, finite) & _finite(right, finite)
        case tree.Joined(left=left, right=right):
            return _finite(left, finite) | _finite(right, finite)
        case tree.Negation(first=first, last=last):
            return _finite(first, finite) | _finite(last, finite)


def through_negations(program: tree.Program) -> Iterator[tuple[tree.Rule, tree.Negation, str]]:
    """Yield the negations in which the absent event depends on the head of their own rule."""
    from_: dict[str, set[str]] = {}
    for rule in program.rules:
        from_.setdefault(rule.head.name, set()).update(
            node.name for node in tree.within(rule.body) if isinstance(node, tree.EventPattern)
        )
    reach = {name: _reached(from_, name) for name in from_}
    for rule in program.rules:
        for node in tree.within(rule.body):
            if isinstance(node, tree.Negation):
                for part in tree.within(node.absent):
                    if isinstance(part, tree.EventPattern) and rule.head.name in {part.name, *reach.get(part.name, ())}:
                        yield rule, node, part.name
                        break


def _reached(graph: dict[str, set[str]], name: str) -> set[str]:
    reached: set[str] = set()
    left = [name]
    while left:
        for following in graph.get(left.pop(), ()):
            if following not in reached:
                reached.add(following)
                left.append(following)
    return reached
