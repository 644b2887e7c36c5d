"""Speed of the net of LEAD that is fed events as they come: `python -m benchmarks.languages.lead.speed [MOST_EVENTS]`.

Two tables. The first: a sequence with a key and times, and the rule of PARTElang that `parte translate` makes of it, on
one log, after a check that both find as many. The second: the cost of an event in longer and longer streams, of rules
whose windows bound their memory and of one whose memory grows; the ratio is to the shortest. Each is measured `ROUNDS`
times, and the median counts.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from random import Random
from statistics import median
from time import perf_counter

from benchmarks import common
from benchmarks.measuring import up_to
from parte.languages.lead.semantics.feeding import Feeding
from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.syntax.parser import parse
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.languages.translations.lead.to_parte import to_parte
from parte.semantics.events.event import Event
from parte.semantics.events.scenario import Scenario
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.execution import execute

ROUNDS = 3
LENGTHS = (500, 1_000, 2_000, 4_000)
SMALLEST = ("500",)
RULES = (
    "FROM A, B, C MATCH every(A -> B within 1 s)",
    "FROM A, B, C MATCH all(A -> B) PARTITION BY window(20)",
    "FROM A, B, C MATCH all(A -> not B within 200 ms) PARTITION BY window(2 s)",
    "FROM A, B, C MATCH every(A -> collect(B) terminate (count() == 5) AS l) PARTITION BY A.k",
    "FROM A, B, C MATCH all(A -> not B within 200 ms)",
)
"""The last rule stores the partial matches of all of its past."""


def log(count: int) -> Iterator[Event]:
    """Yield fifty events a second."""
    rng = Random(1)
    for position in range(count):
        yield Event(f"e{position}", rng.choice("ABC"), position * 20, {"k": rng.randrange(10)})


def cost(rule: str, count: int) -> float:
    """Return the microseconds for an event."""
    feeding, events = Feeding(Machine(parse(rule))), list(log(count))
    started = perf_counter()
    for event in events:
        feeding.event(event)
    return (perf_counter() - started) / count * 1e6


COMMON = "FROM Login, Order, Refund MATCH all(Login -> Order within 1 minutes -> Refund within 1 minutes) "
COMMON += "PARTITION BY Login.user"
TYPES = {name: {"user": Scalar.INTEGER} for name in ("Login", "Order", "Refund")}


def beside(count: int) -> str:
    """Return a row of the first table."""
    rule, events = parse(COMMON), [event for event in common.log(count) if event.template in TYPES]
    scenario = Scenario.of(to_parte(rule, COMMON, TYPES).program, events, {})
    parte, lead, counts = [], [], set[int]()
    for _ in range(ROUNDS):
        started = perf_counter()
        counts.add(len(execute(scenario).matches))
        middle = perf_counter()
        counts.add(len(Machine(rule).run(occurrences(rule, events))))
        parte.append(middle - started)
        lead.append(perf_counter() - middle)
    (matches,) = counts
    ratio = median(lead) / median(parte)
    return f"| {count:,} | {matches:,} | {median(parte):.2f} s | {median(lead):.2f} s | {ratio:.2f} |"


def main(most: int = LENGTHS[-1]) -> None:
    """Print both tables."""
    print("| events | matches | PARTElang, sound | LEAD, sound | ratio |\n|---:|---:|---:|---:|---:|")
    for count in up_to(2 * most, (2_000, 4_000, 8_000)):
        print(beside(count), flush=True)
    print()
    lengths = up_to(most, LENGTHS)
    print(f"| rule | {' | '.join(f'{length:,} events' for length in lengths)} |")
    print(f"|---|{'---:|' * len(lengths)}")
    for rule in RULES:
        costs = [median(cost(rule, length) for _ in range(ROUNDS)) for length in lengths]
        cells = [f"{time:,.0f} µs, {time / costs[0]:.2f}" for time in costs]
        print(f"| `{rule.removeprefix('FROM A, B, C ')}` | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
