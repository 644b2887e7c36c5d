"""Claims over the events that a rule's variables are bound to: the statements that the solver decides.

Claims are data. `parte.checker.partelang.encoding` turns them into formulas, and `parte.checker.partelang.witness`
decides them for given events, by the code that the machine runs: so every model is checked with the arithmetic that it
models.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, assert_never

from parte.semantics.partelang.syntax import core
from parte.semantics.source.trees import Tree


@dataclass(frozen=True, slots=True)
class Holds:
    """The condition has a value, and it is true."""

    condition: core.Expression


@dataclass(frozen=True, slots=True)
class HasValue:
    """The expression has a value: nothing in it overflows or divides by zero."""

    expression: core.Expression


@dataclass(frozen=True, slots=True)
class Window:
    """`lower <= subject.timestamp - reference.timestamp <= upper`; the variables may be the same."""

    subject: str
    reference: str
    lower: int
    upper: int


@dataclass(frozen=True, slots=True)
class Not:
    """The claim does not hold. This is true for a condition without value."""

    claim: Claim


@dataclass(frozen=True, slots=True)
class Every:
    """All the claims hold."""

    claims: tuple[Claim, ...]


Claim = Holds | HasValue | Window | Not | Every

CLAIMS: Final[Tree[Claim]] = Tree(Claim)
"""Claims as trees; the expressions in them are not parts of the trees."""


def expressions_in(claim: Claim) -> Iterator[core.Expression]:
    """Yield the expressions in a claim."""
    for part in CLAIMS.within(claim):
        if isinstance(part, Holds):
            yield part.condition
        elif isinstance(part, HasValue):
            yield part.expression


def renamed(claim: Claim, names: Mapping[str, str]) -> Claim:
    """Return the claim about other variables; a variable that is not in `names` keeps its name."""

    def change(part: Claim) -> Claim:
        match part:
            case Holds(condition=condition):
                return Holds(core.renamed(condition, names))
            case HasValue(expression=expression):
                return HasValue(core.renamed(expression, names))
            case Window(subject=subject, reference=reference):
                return replace(part, subject=names.get(subject, subject), reference=names.get(reference, reference))
            case Not() | Every():
                return part
            case _:
                assert_never(part)

    return CLAIMS.mapped(claim, change)
