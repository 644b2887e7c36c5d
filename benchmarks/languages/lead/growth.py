"""Growth of the net of LEAD, construct by construct: `python -m benchmarks.languages.lead.growth [EVENTS]`.

One partition is fed fifty events a second. A row has the processor time of an event in the first tenth of the trace and
in the last, the tokens that are stored at their ends, and whether `parte check` has a bound for every place. `*` marks
a rule whose matches or tokens must grow: it is measured on a tenth of the trace.
"""

from __future__ import annotations

import sys
import time

from benchmarks.languages.lead.speed import log
from benchmarks.measuring import show
from parte.languages.lead.checker.places import bounds_of
from parte.languages.lead.semantics.feeding import Feeding
from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.syntax.parser import parse

EVENTS = 20_000
SMALLEST = ("500",)
CONSTRUCTS = (
    "A",
    "A FILTER (A.k < 5)",
    "every(A and B)",
    "all(A within 100 ms and B within 100 ms)",
    "every(A or B)",
    "every(A -> B)",
    "all(A -> B within 100 ms)",
    "all(A -> B within 100 ms -> C within 100 ms)",
    "all(A -> not B within 100 ms)",
    "all(A -> last(B) within 100 ms)",
    "all(A -> collect(B) within 100 ms)",
    "all(A -> wait(B, 100 ms))",
    "all(A within 100 ms from B)",
    "all(A -> B within 100 ms) consume(B)",
    "every(A -> B within 100 ms)",
    "every(adj(A -> B))",
    "every(adj(A and B))",
    "every(A -> not B -> C)",
    "every(last(A) -> B)",
    "every(collect(A) -> B)",
    "every(A -> collect(B) terminate (count() == 3) AS l)",
    "every(A -> max(collect(B) terminate (count() == 3) AS l, sum(l.k)))",
    "every(A -> collect(B) terminate (count() == 2) AS l) Subcontext(i ==> l (MATCH not C within 50 ms)) AS m",
    "* all(A and B within 100 ms)",
    "* all(A -> B)",
)


def measure(pattern: str, count: int) -> tuple[str, ...]:
    """Return a row."""
    growing = pattern.startswith("* ")
    rule = parse(f"FROM A, B, C MATCH {pattern.removeprefix('* ')}")
    machine = Machine(rule)
    bounds = bounds_of(machine.net, rule.times)
    bounded = all(place.number in bounds and bounds[place.number].bounded for place in machine.net.places if place.red)
    feeding, events = Feeding(machine), list(log(count // 10 if growing else count))
    part, costs, tokens = len(events) // 10, list[float](), list[int]()
    for begin in range(0, 10 * part, part):
        started = time.process_time()
        for event in events[begin : begin + part]:
            feeding.event(event)
        costs.append((time.process_time() - started) / part * 1e6)
        tokens.append(feeding.kept)
    ends = (costs[0], costs[-1])
    return (
        pattern,
        f"{len(events):,}",
        *(f"{cost:,.0f}" for cost in ends),
        f"{tokens[0]:,}",
        f"{tokens[-1]:,}",
        "yes" if bounded else "no",
    )


def main(count: int = EVENTS) -> None:
    """Print the table."""
    columns = ("construct", "events", "µs, first tenth", "µs, last", "tokens, first tenth", "tokens, last", "bounded")
    show("LEAD, construct by construct", columns, [measure(pattern, count) for pattern in CONSTRUCTS])


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
