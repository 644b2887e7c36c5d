"""Speed of the machine of ETALIS: `python -m benchmarks.languages.etalis.speed [MOST_EVENTS]`.

Two tables. The first: a sequence of three types with a key within a minute, as a rule of PARTElang and in ETALIS, on
one log, after a check that both find the same. The second: the cost of an event for programs whose memory is bounded;
it must not grow with the length of the stream, and the ratio is to the shortest. `parte experiment etalis` compares the
machine with the authors' own engine.

Times are processor times of separate processes; each is measured `ROUNDS` times, in turn with the others of its row or
program, and the median counts; the spread is from the least to the most.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from statistics import median

from benchmarks.common import COMMON, log
from benchmarks.measuring import Measured, apart, show, spread, timed, up_to
from parte.languages.etalis.semantics.machine import Machine
from parte.languages.etalis.semantics.policies import POLICIES
from parte.languages.etalis.semantics.syntax.parser import parse as parse_etalis
from parte.languages.etalis.semantics.syntax.streams import Arguments, Instant
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.syntax import parse

ROUNDS = 3
LENGTHS = (1_000, 10_000, 100_000)
SMALLEST = ("2000",)
IN_ETALIS = "hasty(I, J, K) <- (login(I, U) SEQ order(J, U) SEQ refund(K, U)).60000."
"""The rule, with the ids of the events."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A program and a policy whose memory is bounded."""

    text: str
    policy: str = "unrestricted"


PROGRAMS = (
    Asked("e(K) <- (a(K) SEQ b(K)).300."),
    Asked("e <- ((a(K) AND b(K)).40 PAR (c(K) SEQ d(K)).40).60."),
    Asked("e(K) <- NOT(c(K)).[a(K), b(K)].", "recent"),
    Asked("e(K) <- a(K) SEQ b(K) SEQ c(K).", "recent"),
)
KEYS = 20


def processor(work: Callable[[], int]) -> Measured:
    """Measure the processor time of work, which excludes the other load of the machine."""
    before = time.process_time()
    measured = timed(work)
    return replace(measured, seconds=time.process_time() - before)


def instants(count: int) -> list[Instant]:
    """Return the log as a stream: events at one time come together."""
    atoms_by_time: dict[int, set[tuple[str, Arguments]]] = {}
    for event in log(count):
        user = event.attributes["user"]
        assert isinstance(user, int)
        atoms_by_time.setdefault(event.timestamp, set()).add((event.template.lower(), (event.id, user)))
    return [Instant(time_, frozenset(atoms)) for time_, atoms in atoms_by_time.items()]


def machine_of_parte(count: int) -> Measured:
    """Measure the sound machine of PARTElang on the log."""
    scenario = Scenario.of(parse(COMMON), log(count), {})
    return processor(lambda: len(execute(scenario).matches))


def machine_of_etalis(count: int) -> Measured:
    """Measure the machine of ETALIS on the log."""
    machine, moments = Machine(parse_etalis(IN_ETALIS)), instants(count)
    return processor(lambda: sum(1 for _ in machine.run(moments)))


def check(count: int) -> int:
    """Check that both find the same events; return the number of matches."""
    matches = execute(Scenario.of(parse(COMMON), log(count), {})).matches
    bindings = {event.arguments for event in Machine(parse_etalis(IN_ETALIS)).run(instants(count))}
    assert bindings == {tuple(identity for _, identity in match.bindings) for match in matches}
    return len(bindings)


def stream(count: int) -> Iterator[Instant]:
    """Yield a stream for the programs."""
    rng = Random(2)
    for position in range(count):
        yield Instant(position, frozenset({(rng.choice("abcd"), (rng.randrange(KEYS),))}))


def cost(case: Asked, count: int) -> tuple[Measured, int]:
    """Measure a program on the stream: return the events found, and the most goals stored after an event."""
    machine, moments = Machine(parse_etalis(case.text), POLICIES[case.policy]), list(stream(count))
    watched = Machine(parse_etalis(case.text), POLICIES[case.policy])
    measured = processor(lambda: sum(len(machine.instant(moment)) for moment in moments))
    most = 0
    for moment in moments:
        watched.instant(moment)
        most = max(most, watched.kept)
    return measured, most


def main(most: int = max(LENGTHS)) -> None:
    """Print both tables, of streams up to `most` events."""
    lengths = up_to(most, LENGTHS)
    rows: list[Sequence[str]] = []
    for count in lengths[1:] or lengths:
        matches = check(count)
        pairs = [(apart(machine_of_parte, count), apart(machine_of_etalis, count)) for _ in range(ROUNDS)]
        ratios = [etalis.seconds / parte.seconds for parte, etalis in pairs]
        speeds = (f"{median(count / run.seconds for run in engine):,.0f}" for engine in zip(*pairs, strict=True))
        rows.append((f"{count:,}", f"{matches:,}", *speeds, f"{median(ratios):.2f}", spread(ratios)))
    columns: tuple[str, ...]
    columns = ("events", "matches", "PARTElang, events/s", "ETALIS, events/s", "ETALIS's time by PARTElang's", "spread")
    show("A sequence of three types with a key, within a minute", columns, rows)
    rows = []
    for case in PROGRAMS:
        rounds = [[cost(case, count) for count in lengths] for _ in range(ROUNDS)]
        costs = [[run.seconds / count for (run, _), count in zip(some, lengths, strict=True)] for some in rounds]
        for index, count in enumerate(lengths):
            ratios = [some[index] / some[0] for some in costs]
            seconds = median(some[index] for some in costs)
            (measured, stored) = rounds[0][index]
            figures = (f"{measured.counted:,}", f"{stored:,}", f"{1 / seconds:,.0f}", f"{seconds * 1e6:.1f}")
            rows.append((f"{case.text} {case.policy}", f"{count:,}", *figures, f"{median(ratios):.2f}", spread(ratios)))
    columns = ("program, policy", "events", "found", "most kept", "events/s", "µs an event", "ratio", "spread")
    show("The machine of ETALIS", columns, rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
