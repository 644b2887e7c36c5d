"""The named repairs of E's algorithms, one for each separable defect of them (docs/etalis-defects.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from parte.semantics.rulebook.models import Switches


@dataclass(frozen=True, slots=True)
class Repairs(Switches):
    """The repairs of the clauses that E prints that are on. `published` includes those that it needs, in favour of E:
    without them nothing is found, a run does not end or throws, or there are no clauses."""

    NEEDED: ClassVar[frozenset[str]] = frozenset(
        {"one-name", "calls-rules", "bound-times", "absent-inside", "whole-language", "loops-for-all"}
    )
    unique: Annotated[bool, "what happens twice over one interval happens once", 10]
    one_name: Annotated[bool, "a goal is looked up by the name under which it is inserted", 11]
    calls_rules: Annotated[bool, "for_each calls the rules of an event, not the event itself", 12]
    goes_on: Annotated[bool, "for_each goes on after a rule that fails", 12]
    every_solution: Annotated[bool, "for_each takes every solution of a rule, if no goal is used up", 12]
    only_retract_goes: Annotated[bool, "without retract, a sequence still has its order", 13]
    goals_always: Annotated[bool, "a goal is inserted though the other event was there, if it has not been used up", 14]
    bound_times: Annotated[bool, "what inserts a goal of PAR compares no times that are unbound", 15]
    proper_overlap: Annotated[bool, "intervals overlap from the later start to the earlier end", 16]
    retract_last: Annotated[bool, "a goal of PAR is used up after the test, not before", 17]
    absent_inside: Annotated[bool, "the times of what is absent are compared inside the negation", 18]
    instants_too: Annotated[
        bool, "relations hold of instants, too, as in fig. 2: (12)-(15) without validTimeInterval", 19
    ]
    numeric: Annotated[bool, "times are compared as numbers, not in the standard order of terms", 20]
    both_sides: Annotated[bool, "EQUALS, MEETS and FINISHES look both ways", 21]
    whole_language: Annotated[
        bool, "numbers happen when they are due; OR, WHERE, (P).q and a lone event have rules", 22
    ]
    update_inserts: Annotated[bool, "a rule that is added inserts goals of its own first event", 23]
    loops_for_all: Annotated[bool, "an event without rules succeeds", 24]
    absent_apart: Annotated[bool, "what is absent is no goal of other rules", 33]


SOUND, PUBLISHED = Repairs.sound(), Repairs.published()
MODELS = {model.name: model for model in (SOUND, PUBLISHED)}
