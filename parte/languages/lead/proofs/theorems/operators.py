"""Lemmas on single constructs: the net of each finds what its formula says, whatever its operands match.

This is the step of an induction over patterns. The operands are arbitrary, but their number of matches is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from parte.languages.lead.proofs.operands import compared
from parte.proofs.lemma import HOLDS, IN_SOUND, REPAIRED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.symbolic import Claims, Run
from parte.semantics.events.records import read_records
from parte.semantics.source.packages import data_file

_MACHINE = "parte.languages.lead.semantics"


@dataclass(frozen=True, slots=True)
class Construct:
    """A pattern over operands. Operands have names as streams do; a number stands for a match, and matches with the
    same number have the same event. `defects` of L make the lemma fail in `published`; it is empty if the
    lemma holds there too, and None if the lemma is about `sound` alone."""

    name: str
    text: str
    operands: Mapping[str, Sequence[int]]
    rules: tuple[str, ...]
    section: str
    mutant: tuple[str, str, str, str]
    valued: bool = False
    every_schedule: bool = False
    defects: tuple[int, ...] | None = None

    @property
    def rule(self) -> str:
        """A rule with this pattern."""
        if self.text.startswith("FROM"):
            return self.text
        return f"FROM {', '.join(self.operands)} MATCH {self.text}"


CONSTRUCTS = read_records(data_file("parte.languages.lead.proofs.theorems", "operators.toml"), "construct", Construct)


def finds(run: Run, construct: Construct) -> Claims:
    """A construct, from its enabling until no guard is due."""
    both = compared(
        run, construct.rule, construct.operands, valued=construct.valued, every_schedule=construct.every_schedule
    )
    return (
        ("there are as many matches as the formula says", len(both.matches) == len(both.meant)),
        ("they are these", both.matches == both.meant),
    )


def _lemma(construct: Construct) -> Lemma:
    counts = ", ".join(f"{operand} with {len(numbers)}" for operand, numbers in construct.operands.items())
    numbers = [number for matches in construct.operands.values() for number in matches]
    shared = ", of which some may share an event" if len(set(numbers)) != len(numbers) else ""
    identity, place, before, after = construct.mutant
    schedules = "; every schedule" if construct.every_schedule else ""
    return Lemma(
        f"construct-{construct.name}",
        f"The net of `{construct.text}` finds what the formula says, whatever its operands match.",
        construct.section,
        tuple(f"LEAD/{rule}" for rule in construct.rules),
        f"operands {counts} matches at any times{shared}; any durations and numbers{schedules}",
        partial(finds, construct=construct),
        Mutant(identity, f"{_MACHINE}.{place}", before, after),
        IN_SOUND if construct.defects is None else REPAIRED if construct.defects else HOLDS,
        construct.defects or (),
    )


LEMMAS = tuple(map(_lemma, CONSTRUCTS))
