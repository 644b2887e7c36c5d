"""Speed of the machine of ETALIS: `python -m benchmarks.languages.etalis.speed [MOST_EVENTS]`.

Two tables. The first: a sequence of three types with a key within a minute, as a rule of PARTElang and in ETALIS, on
one log, after a look whether both find the same. The second: what an event costs where what is kept has a bound; it
must not grow with the length of the stream, and the ratio is to the shortest. Beside the authors' own engine it runs in
`parte experiment etalis`.

Processor time counts, of processes of their own; each is measured `ROUNDS` times, in turn with the others of its row or
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
    """A program and a policy that keep no more than a bound."""

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
    """The processor time of work, whatever else the machine does."""
    before = time.process_time()
    measured = timed(work)
    return replace(measured, seconds=time.process_time() - before)


def instants(count: int) -> list[Instant]:
    """The log as a stream: what happens at one time comes together."""
    found: dict[int, set[tuple[str, Arguments]]] = {}
    for event in log(count):
        user = event.attributes["user"]
        assert isinstance(user, int)
        found.setdefault(event.timestamp, set()).add((event.template.lower(), (event.id, user)))
    return [Instant(each, frozenset(atoms)) for each, atoms in found.items()]


def machine_of_parte(count: int) -> Measured:
    """The sound machine of PARTElang on the log."""
    given = Scenario.of(parse(COMMON), log(count), {})
    return processor(lambda: len(execute(given).matches))


def machine_of_etalis(count: int) -> Measured:
    """The machine of ETALIS on the log."""
    machine, given = Machine(parse_etalis(IN_ETALIS)), instants(count)
    return processor(lambda: sum(1 for _ in machine.run(given)))


def check(count: int) -> int:
    """That both find the same events; how many matches there are."""
    matches = execute(Scenario.of(parse(COMMON), log(count), {})).matches
    found = {event.arguments for event in Machine(parse_etalis(IN_ETALIS)).run(instants(count))}
    assert found == {tuple(identity for _, identity in match.bindings) for match in matches}
    return len(found)


def stream(count: int) -> Iterator[Instant]:
    """A stream for the programs."""
    rng = Random(2)
    for position in range(count):
        yield Instant(position, frozenset({(rng.choice("abcd"), (rng.randrange(KEYS),))}))


def cost(asked: Asked, count: int) -> tuple[Measured, int]:
    """A program on the stream: events found, and the most goals that are kept after an event."""
    machine, given = Machine(parse_etalis(asked.text), POLICIES[asked.policy]), list(stream(count))
    watched = Machine(parse_etalis(asked.text), POLICIES[asked.policy])
    measured = processor(lambda: sum(len(machine.instant(each)) for each in given))
    most = 0
    for each in given:
        watched.instant(each)
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
        speeds = (f"{median(count / each.seconds for each in one):,.0f}" for one in zip(*pairs, strict=True))
        rows.append((f"{count:,}", f"{matches:,}", *speeds, f"{median(ratios):.2f}", spread(ratios)))
    columns: tuple[str, ...]
    columns = ("events", "matches", "PARTElang, events/s", "ETALIS, events/s", "ETALIS's time by PARTElang's", "spread")
    show("A sequence of three types with a key, within a minute", columns, rows)
    rows = []
    for asked in PROGRAMS:
        rounds = [[cost(asked, count) for count in lengths] for _ in range(ROUNDS)]
        costs = [[each.seconds / count for (each, _), count in zip(some, lengths, strict=True)] for some in rounds]
        for index, count in enumerate(lengths):
            ratios = [some[index] / some[0] for some in costs]
            each = median(some[index] for some in costs)
            (measured, kept) = rounds[0][index]
            figures = (f"{measured.counted:,}", f"{kept:,}", f"{1 / each:,.0f}", f"{each * 1e6:.1f}")
            rows.append(
                (f"{asked.text} {asked.policy}", f"{count:,}", *figures, f"{median(ratios):.2f}", spread(ratios))
            )
    columns = ("program, policy", "events", "found", "most kept", "events/s", "µs an event", "ratio", "spread")
    show("The machine of ETALIS", columns, rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
