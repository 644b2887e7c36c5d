"""Speed of exploration: `python -m benchmarks.exploration [MOST_STATES]`.

For each entry of the catalogue at viable sizes: the states that the unreduced search visits, in total and per second,
and the states that the reduced search for the same results visits. A search stops at MOST_STATES.
"""

from __future__ import annotations

import sys

from benchmarks.measuring import Measured, apart, show, timed
from parte.proofs.partelang.exploration.catalogue import CATALOGUE, Entry
from parte.proofs.partelang.exploration.reduction import reduced
from parte.proofs.partelang.exploration.search import search
from parte.proofs.partelang.exploration.states import Space
from parte.semantics.partelang.execution import network_of
from parte.semantics.partelang.repairs import SOUND

MOST = 500_000
SMALLEST = ("100",)


def measure(name: str, most: int, reduce: bool) -> Measured:
    """Measure one search, without results of earlier ones; count states."""
    (entry,) = (entry for entry in CATALOGUE if entry.name == name)
    space = _space(entry)
    return timed(lambda: search(space, reduced(space) if reduce else space.steps, most).states)


def _space(entry: Entry) -> Space:
    scenario = entry.scenario
    return Space(network_of(scenario), scenario.arrivals, SOUND, entry.capacities)


def main(most: int = MOST) -> None:
    """Print the table."""
    rows = []
    for entry in CATALOGUE:
        whole, part = (apart(measure, entry.name, most, reduce) for reduce in (False, True))
        patterns = max(len(rule.patterns) for rule in entry.program.rules)
        stopped = "stopped at " if whole.counted == most else ""
        rows.append(
            (
                entry.name,
                str(patterns),
                f"{stopped}{whole.counted:,}",
                f"{whole.seconds:.2f}",
                f"{whole.counted / whole.seconds:,.0f}",
                f"{part.counted:,}",
                f"{whole.peak_mebibytes:,.0f}",
            )
        )
    columns = ("entry", "patterns", "states", "seconds", "states/s", "reduced to", "peak MiB")
    show("Exploration of sound at viable sizes", columns, rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
