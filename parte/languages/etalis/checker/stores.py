"""The stores of the machine: for each operand of a binary rule the time, the number, and the reasons (specification:
etalis-kept)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from parte.languages.etalis.algebra.readings import Readings
from parte.languages.etalis.semantics.binarisation import Binarised, BinaryRule, shorter
from parte.languages.etalis.semantics.machine import Machine
from parte.languages.etalis.semantics.nodes import Joined, Negated, needed_at_most, reach, superseded_after
from parte.languages.etalis.semantics.operators import OPERATORS
from parte.languages.etalis.semantics.policies import POLICIES, Choice
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.printer import pattern_text
from parte.languages.etalis.semantics.syntax.values import Number, text_of


@dataclass(frozen=True, slots=True)
class Store:
    """The store of an operand of a pattern that joins others.

    `node` is the place of its binary rule in the machine, `side` that of the operand there. After an instant the goals
    that ended `age` before it or earlier are dropped; None if age does not matter. With `last`, of the goals with equal
    values of the variables `keys` all but the last are dropped; with a `slack` those also stay that ended at most this
    long before it, and the one before these. Events longer than `most` are not stored at all. `lasts` is True if only
    events with a length are stored, False if only instants are.
    """

    rule: tree.Rule
    pattern: tree.Joined | tree.Negation
    operand: tree.Pattern
    node: int
    side: int
    absent: bool
    age: Number | None
    most: Number | None
    last: bool
    slack: Number | None
    keys: tuple[str, ...]
    lasts: bool | None
    why: tuple[str, ...]

    @property
    def bounded(self) -> bool:
        """True if age or later events bound it."""
        return self.age is not None or self.last

    @property
    def name(self) -> str:
        """The name in reports."""
        operator = "NOT" if isinstance(self.pattern, tree.Negation) else self.pattern.operator.value
        role = "absent" if self.absent else "before" if self.side == 0 else "behind"
        return f"`{pattern_text(self.operand)}`, {role} in {operator}, line {self.pattern.span.start.line}"

    def in_words(self) -> str:
        """Return the bound in words."""
        parts = []
        if self.age == 0:
            return "until its instant is over"
        if self.last:
            per_key = f" for each {', '.join(self.keys)}" if self.keys else ""
            since = "ends with it" if self.slack == 0 else f"ended at most {text_of(self.slack or 0)} before it"
            also = "" if self.slack is None else f", what {since}, and the one before"
            parts.append(f"the last one{per_key}{also}")
        if self.age is not None:
            parts.append(f"less than {text_of(self.age)} after its end")
        if self.most is not None:
            parts.append(f"none that lasts longer than {text_of(self.most)}")
        return "; ".join(parts) if self.bounded else "; ".join(["without end", *parts])

    def size(self, machine: Machine) -> int:
        """Return the number of goals or absent events that a machine stores."""
        node = machine.nodes[self.node]
        if isinstance(node, Negated):
            return sum(len(blocks.ends) for blocks in node.blocks.values()) if self.absent else len(node.store)
        assert isinstance(node, Joined)
        return len(node.stores[self.side])


def stores(program: tree.Program, whole: Binarised, policy: str, readings: Readings) -> Iterator[Store]:
    """Yield all stores, in the order of the binary rules."""
    joining = [
        (number, rule)
        for number, rule in enumerate(whole.rules)
        if rule.operator in OPERATORS or rule.operator == "NOT"
    ]
    patterns = [(rule, node) for rule in program.rules for node in _inside_out(rule.body)]
    for (number, binary), (rule, pattern) in zip(joining, patterns, strict=True):
        if isinstance(pattern, tree.Negation):
            yield from _of_negation(rule, pattern, number, binary, policy, readings)
        else:
            yield from _of_joined(rule, pattern, number, binary, policy, readings)


def _inside_out(pattern: tree.Pattern) -> Iterator[tree.Joined | tree.Negation]:
    """Yield the joining patterns in a pattern, parts first, in the order of binary rules."""
    for part in tree.PATTERNS.parts(pattern):
        yield from _inside_out(part)
    if isinstance(pattern, tree.Negation) or (
        isinstance(pattern, tree.Joined) and pattern.operator is not tree.Operator.OR
    ):
        yield pattern


_LASTING = {("DURING", 0): True, ("PAR", 0): True, ("PAR", 1): True, ("FINISHES", 1): True, ("MEETS", 1): False}
"""For some operators and sides: True if only events with a length are stored, False if only instants are."""


def _of_joined(
    rule: tree.Rule, pattern: tree.Joined, number: int, binary: BinaryRule, policy: str, readings: Readings
) -> Iterator[Store]:
    chosen = POLICIES[policy]
    joining = OPERATORS[binary.operator]
    left, right = binary.operands
    horizon = needed_at_most(binary.target, chosen, joining.two_sided)
    reached = reach(binary.operator, left.kind.longest, right.kind.longest)
    last = superseded_after(binary.operator, right.kind.longest, chosen) is not None
    operands = (pattern.left, pattern.right)
    for side, (how, operand) in enumerate(zip((joining.left, joining.right), operands, strict=True)):
        if how.keep is None:
            continue
        age = shorter(reached[side], horizon)
        lasts = _LASTING.get((binary.operator, side))
        if readings.during == "instants" and binary.operator == "DURING":
            lasts = None
        yield Store(
            rule,
            pattern,
            operand,
            number,
            side,
            False,
            age,
            horizon if chosen.choice is Choice.ALL else None,
            last,
            right.kind.longest if last and binary.operator == "SEQ" else None,
            _shared(left.variables, right.variables),
            lasts,
            tuple(_why(age, horizon, reached[side], last, policy, operands[1 - side])),
        )


def _of_negation(
    rule: tree.Rule, pattern: tree.Negation, number: int, binary: BinaryRule, policy: str, readings: Readings
) -> Iterator[Store]:
    chosen = POLICIES[policy]
    first, absent, last = binary.operands
    horizon = needed_at_most(binary.target, chosen, two_sided=False)
    ends = {*first.variables, *last.variables}
    shared = set(absent.variables) & ends
    uniform = shared <= set(first.variables) & set(last.variables) and readings.negation == "pairs"
    superseded = uniform and superseded_after("NOT", last.kind.longest, chosen) is not None
    reasons = tuple(_why(horizon, horizon, None, superseded, policy, pattern.last))
    keys = _shared(first.variables, last.variables)
    slack = last.kind.longest if superseded else None
    yield Store(rule, pattern, pattern.first, number, 0, False, horizon, None, superseded, slack, keys, None, reasons)
    known = last.kind.longest
    lasting = () if known is None else (_at_most(pattern.last, known),)
    why = (*_why(horizon, horizon, None, False, policy, pattern.last), *lasting)
    keys = tuple(sorted(shared))
    only_last = known is not None
    yield Store(rule, pattern, pattern.absent, number, 1, True, horizon, None, only_last, known, keys, None, why)


def _shared(left: Sequence[str], right: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(set(left) & set(right)))


def _at_most(pattern: tree.Pattern, length: Number) -> str:
    text = f"`{pattern_text(pattern)}` happens at instants" if length == 0 else ""
    return text or f"`{pattern_text(pattern)}` lasts at most {text_of(length)}"


def _why(
    age: Number | None, horizon: Number | None, reached: Number | None, last: bool, policy: str, awaited: tree.Pattern
) -> Iterator[str]:
    if age is not None and age == horizon:
        yield f"the lengths around it admit nothing longer than {text_of(age)}"
    elif age is not None and reached == 0:
        yield "what fits ends with it"
    elif age is not None and reached is not None:
        yield _at_most(awaited, reached)
    if last:
        yield f"`{policy}` takes the last one"
