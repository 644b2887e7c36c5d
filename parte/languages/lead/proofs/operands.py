"""Arbitrary operands, for lemmas about one construct at a time.

An operand has a few matches of one event each, which begin and end at any times. Its matches are those that begin no
earlier than the operand is enabled, and whose event is not used up. In place of the net of an operand, the net of a
construct gets one transition that fires at the end of each match. In place of an event, the definition gets the match
of the operand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from parte.languages.lead.algebra.formulas import Context, Denotation
from parte.languages.lead.algebra.unions import precedes
from parte.languages.lead.proofs.settings import AnySchedule, decided, rule_of
from parte.languages.lead.semantics.net import Net, Phase
from parte.languages.lead.semantics.net import Run as Firing
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Match, Occurrence
from parte.languages.lead.semantics.syntax.names import named
from parte.languages.lead.semantics.syntax.readings import Readings
from parte.languages.lead.semantics.tokens import Token, match_of, order
from parte.languages.lead.semantics.translation import Part, _Translation
from parte.proofs.statements import at_most
from parte.proofs.symbolic import Run
from parte.semantics.events.event import Event, Value

Supply = Mapping[str, Sequence[Match]]
"""The matches of each operand, by its name."""


def supply_of(run: Run, enabled: int, operands: Mapping[str, Sequence[int]], valued: bool = False) -> Supply:
    """Return operands with a match for each number, from an instant on. Matches with the same number have the same
    event."""
    events: dict[int, Occurrence] = {}
    supply: dict[str, list[Match]] = {}
    for name, numbers in operands.items():
        for place, number in enumerate(numbers, 1):
            if number not in events:
                attributes: dict[str, Value] = {"v": decided(run, f"v of event {number}")} if valued else {}
                time = decided(run, f"time of event {number}")
                run.assume(at_most(enabled, time))
                events[number] = Occurrence((time, number), Event(f"e{number}", "T", time, attributes))
            event = events[number]
            end = decided(run, f"end of {name} {place}")
            run.assume(at_most(event.time, end))
            match = Match(((name, event),), end, event.time, frozenset({event.position}))
            supply.setdefault(name, []).append(match)
    return supply


class Supplied(Denotation):
    """The definition, with the matches of operands in place of events."""

    def __init__(self, rule: tree.Rule, supply: Supply) -> None:
        super().__init__(rule, (), {}, Readings())
        self._supply = supply

    def event(self, pattern: tree.Atom, enabled: int, left: Context) -> Iterable[Match]:
        """Yield the matches of the operand from `enabled` on, of events that are not used up."""
        for match in self._supply[pattern.stream]:
            if match.start >= enabled and match.events.isdisjoint(left.used):
                (_, event), *_ = match.bindings
                yield Match(((pattern.name or pattern.stream, event),), match.end, match.start, match.events)


class Translating(_Translation):
    """The translation, with the matches of operands in place of the net of an event."""

    def __init__(self, rule: tree.Rule, supply: Supply) -> None:
        super().__init__(rule)
        self._supply = supply

    def _source(self, pattern: tree.Atom) -> Part:
        net, name = self.net, pattern.name or pattern.stream
        start, matches, out = net.place("enable"), net.place("matches"), net.place("out")

        def begin(run: Firing, token: Token) -> None:
            activation = token.activation
            for match in self._supply[pattern.stream]:
                free = match.events.isdisjoint(activation.used | activation.spent)
                if match.start >= activation.enabled and free:
                    (_, event), *_ = match.bindings
                    ended = Match(((name, event),), match.end, match.start, match.events)
                    run.due(ends, match.end, Token(activation, ended))

        def end(run: Firing, token: Token) -> None:
            run.put(out, token)

        net.transition("SOURCE", 0, start, begin)
        ends = net.transition("SOURCE", 0, matches, end, phase=Phase.DUE_LATER)
        return Part(start, out, 1)


@dataclass(slots=True)
class Compared:
    """The matches of a construct over operands: `matches` of its net, `meant` by the definition; in the order ≺."""

    matches: list[Match] = field(default_factory=list)
    meant: list[Match] = field(default_factory=list)


def compared(
    run: Run, text: str, operands: Mapping[str, Sequence[int]], *, valued: bool = False, every_schedule: bool = False
) -> Compared:
    """Compare net and definition on a pattern over such operands, enabled at any instant."""
    rule = rule_of(run, text)
    enabled = decided(run, "when it is enabled")
    supply = supply_of(run, enabled, operands, valued)
    pattern = named(rule.pattern)
    translating = Translating(rule, supply)
    whole = translating.part(pattern, {})
    net: Net = translating.net
    net.root, net.sink = whole.enable, whole.out
    times = {time.name: time for time in rule.times}
    firing = Firing(net, run.repairs, times, {}, AnySchedule(run) if every_schedule else None)
    matches = [
        match_of(token) for token in firing.run([Occurrence((enabled, -1), Event("e", "no stream", enabled, {}))])
    ]
    meant = Supplied(rule, supply).denote(pattern, enabled, Context())
    return Compared(sorted(matches, key=order), sorted(meant, key=precedes))
