"""A rule that runs: its net on the events of each partition (specification: lead-machine; L §5, figure 3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from parte.languages.lead.semantics.conditions import View
from parte.languages.lead.semantics.emission import Types, outcome
from parte.languages.lead.semantics.net import Net, Run, Schedule
from parte.languages.lead.semantics.partitioning import partitions, place_of
from parte.languages.lead.semantics.repairs import SOUND, Repairs
from parte.languages.lead.semantics.rulebook import rule
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Keys, Match, Occurrence
from parte.languages.lead.semantics.syntax.names import named
from parte.languages.lead.semantics.syntax.readings import USUAL, Readings
from parte.languages.lead.semantics.tokens import Token, match_of, order
from parte.languages.lead.semantics.translation import translated
from parte.semantics.rulebook.models import Model

R = TypeVar("R", bound=Run)


@dataclass(slots=True)
class Machine:
    """The net of a rule, with repairs, under readings. `schedule` chooses among transitions of equal rank. Raise
    NoNet if there is no such net."""

    rule: tree.Rule
    model: Model = SOUND
    schedule: Schedule | None = None
    readings: Readings = USUAL
    fired: dict[str, int] = field(default_factory=dict)
    repairs: Repairs = field(init=False)
    net: Net = field(init=False)
    types: Types = field(init=False)

    def __post_init__(self) -> None:
        self.repairs = Repairs.of(self.model)
        self.net = translated(self.rule, named(self.rule.pattern), self.readings)
        types: dict[str, tuple[tree.Attribute, ...]] = {}
        for declared in self.rule.types:
            types[declared.name] = (*types.get(declared.name, ()), *declared.attributes)
        self.types = types

    def run(self, events: Sequence[Occurrence]) -> list[Match]:
        """Return the matches on a whole trace, by end, with their emitted events and their partition."""
        matches: list[Match] = []
        for keys, group in partitions(self.rule, events):
            run = self.begun(Run)
            matches += self.reported(run.run(group), keys)
            for identity, count in run.fired.items():
                self.fired[identity] = self.fired.get(identity, 0) + count
        return in_order(matches)

    def begun(self, kind: type[R]) -> R:
        """Return a run of the net, for one partition."""
        return kind(self.net, self.repairs, {time.name: time for time in self.rule.times}, self.types, self.schedule)

    def reported(self, tokens: Sequence[Token], keys: Keys) -> list[Match]:
        """Return the matches of a partition from the tokens in the sink of its run."""
        return [sink(token, self.rule, keys, self.types) for token in tokens]


def in_order(matches: Iterable[Match]) -> list[Match]:
    """Return the matches in the order in which they are printed, each once. In what identifies them, `1` is not
    `TRUE`."""
    distinct = {(match, repr(match.emits), repr(match.partition)): match for match in matches}
    return sorted(distinct.values(), key=lambda match: (order(match), place_of(match.partition), repr(match.emits)))


@rule("SINK", "sink", "5, figure 3")
def sink(token: Token, whole: tree.Rule, keys: Keys, types: Types) -> Match:
    """A match of the rule's pattern is reported, with its partition and the events that EMIT or CHECK emits."""
    match = match_of(token)
    values = {key.attribute: value for key, value in zip(whole.keys, keys, strict=True) if key.length is None}
    view = View(dict(match.bindings), None, values)
    emits = (*match.emits, *outcome(whole.outcome, view, match.end, types))
    return replace(match, emits=emits, partition=keys)
