"""Speed and memory of the evaluator that is extracted from the theorem: `python -m benchmarks.proved [MOST_TRANSFERS]`.

Two tables. The first: events a second on scenarios A and B over 60 days, beside the sound machine and the indexed
evaluator in the same run. The second: the cost of an event at a fixed rate of arrival, which must not grow with the
length of the trace, nor may the memory of the extracted program, and the events that Python stores for it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path

from benchmarks import indexed, sound
from benchmarks.measuring import UNMEASURABLE, Measured, apart, show, timed, up_to
from benchmarks.scenarios import SCENARIOS, TEMPLATES, transfers, uncommon_route
from parte.proofs.partelang.evaluator.conversation import EVALUATOR
from parte.proofs.partelang.evaluator.evaluation import Evaluation, batched, execute
from parte.semantics.events.event import Arrival
from parte.semantics.events.promises import Promises
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.syntax import parse

SIZES = (10_000, 100_000)
ACCOUNTS = 10_000
LENGTHS = (10_000, 50_000, 250_000)
SMALLEST = ("1000",)
A_DAY = 200
"""Transfers a day in the second table, among a thousand accounts."""
_PREDICATES = {"uncommon_route": uncommon_route}


def measure(scenario: str, count: int, accounts: int, days: float) -> Measured:
    """Measure the evaluator on one trace, its process included; count matches."""
    situation = Scenario.of(parse(TEMPLATES + SCENARIOS[scenario]), transfers(count, accounts, days), _PREDICATES)
    return timed(lambda: len(execute(situation).matches))


def measure_memory(scenario: str, count: int) -> Measured:
    """Measure the evaluator on a trace that comes in batches; count the most events that are stored in Python.

    The peak memory is that of the extracted program.
    """
    program = parse(TEMPLATES + SCENARIOS[scenario])
    promises = Promises(frozenset())
    arrivals = [promises.arrival(event) for event in transfers(count, 1_000, count / A_DAY)]
    batches = chain(batched(arrivals), [list(promises.ends())])
    with closing(Evaluation(program, _PREDICATES, {"MoneyTransferred": ("bank",)})) as evaluation:

        def stored(batch: Sequence[Arrival]) -> int:
            evaluation.feed(batch)
            return evaluation.stored

        measured = timed(lambda: max(map(stored, batches)))
        status = Path(f"/proc/{evaluation.process}/status").read_text(encoding="ascii")
    (peak,) = re.findall(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
    return Measured(measured.seconds, int(peak) / 2**10, measured.counted)


def main(most: int = max(LENGTHS)) -> None:
    """Print both tables, of traces up to `most` transfers."""
    if not EVALUATOR.is_file():
        print("the evaluator was not built: `make rocq` does that", file=sys.stderr)
        sys.exit(UNMEASURABLE)
    rows = []
    for count in up_to(most, SIZES):
        for scenario in SCENARIOS:
            machine = apart(sound.measure, scenario, count, ACCOUNTS, 60)
            algebra = apart(indexed.measure, scenario, count, ACCOUNTS)
            proved = apart(measure, scenario, count, ACCOUNTS, 60)
            assert machine.counted == algebra.counted == proved.counted
            figures = (f"{proved.seconds:.2f}", f"{count / proved.seconds:,.0f}", f"{proved.counted:,}")
            ratios = (f"{proved.seconds / machine.seconds:.2f}", f"{proved.seconds / algebra.seconds:.2f}")
            rows.append((scenario, f"{count:,}", *figures, *ratios))
    columns = ("scenario", "transfers", "seconds", "events/s", "matches", "times sound", "times indexed")
    show("The proved evaluator: 60 days, 10,000 accounts", columns, rows)
    rows = []
    for scenario in SCENARIOS:
        first = None
        for count in up_to(most, LENGTHS):
            measured = apart(measure_memory, scenario, count)
            cost = measured.seconds / count
            first = first or cost
            figures = (f"{measured.seconds:.2f}", f"{cost * 1e6:.1f}", f"{cost / first:.2f}")
            rows.append((scenario, f"{count:,}", *figures, f"{measured.peak_mebibytes:,.0f}", f"{measured.counted:,}"))
    columns = ("scenario", "transfers", "seconds", "µs an event", "ratio", "peak MiB", "events in Python")
    note = "The peak is that of the extracted program."
    show("The proved evaluator: 200 transfers a day, 1,000 accounts", columns, rows, note)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
