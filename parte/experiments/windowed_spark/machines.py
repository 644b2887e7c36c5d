"""The machines on the traces of D §7.4: at the sizes they prescribe, and the reason why one of them loses frauds.

`published` may lose frauds because its histories are too small or because its rules are wrong. Two more machines
decide: `published` without limits, and `sound` with D's sizes. The last one is `published` at D's sizes with as few
repairs as are enough.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

from parte.experiments.experiment import Row
from parte.experiments.page import span
from parte.experiments.scenarios import TRANSFER, scenario
from parte.experiments.windowed_spark.generator import RATE, SOURCES, Shape, candidates, transfers, uncommon_route
from parte.semantics.events.event import Event
from parte.semantics.events.rates import Rate
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import UNBOUNDED
from parte.semantics.partelang.execution import execute, network_of
from parte.semantics.partelang.repairs import PUBLISHED, SOUND, Repairs, repair_names
from parte.semantics.partelang.sizes import prescribed_capacities
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.rulebook.models import Model

if TYPE_CHECKING:
    import pandas as pd

AT_OWN, AT_D, UNLIMITED, MENDED = "sound", "published", "published, no limits", "published, repaired"
SOUND_AT_D = "sound, D's sizes"
MODELS: Mapping[str, Model] = {
    AT_OWN: SOUND,
    AT_D: PUBLISHED,
    # Without this repair the sizes are those of D's formula; everything else is sound.
    SOUND_AT_D: SOUND.without("retention-sizes"),
    UNLIMITED: PUBLISHED,
}
MACHINES = (*MODELS, MENDED)
"""The machines that are tried, as `engine` of a unit."""

MOST_REPAIRS = 2
"""The most repairs of the sets that are tried: there are 78 sets of one or two repairs."""


@cache
def _program() -> core.Program:
    return parse(scenario("B diffusion", "ms"))


def measured(machine: str, shape: Shape, seed: int) -> Row:
    """Return the row of one machine on one trace, whose two sources may send half of the greatest rate each."""
    trace = transfers(shape, seed)
    start = time.perf_counter()
    if machine == MENDED:
        result = _mended(trace, shape.frauds)
    else:
        result = _outcome(MODELS[machine], trace, limited=machine != UNLIMITED)
    return {
        "seed": seed,
        "factor": 1,
        "frauds": shape.frauds,
        "candidates": candidates(trace),
        **result,
        "seconds": time.perf_counter() - start,
    }


def _outcome(model: Model, trace: Sequence[Event], *, limited: bool = True) -> dict[str, int | bool]:
    """Return how many frauds a model finds, and whether it blocks, at the sizes that it prescribes."""
    scenario = Scenario.of(_program(), trace, {"uncommon_route": uncommon_route})
    capacities = UNBOUNDED
    if limited:
        rates = {(source, TRANSFER): Rate(RATE // len(SOURCES), 1) for source in SOURCES}
        capacities = prescribed_capacities(network_of(scenario, model), rates, model)
    execution = execute(scenario, model=model, capacities=capacities)
    return {
        "found": len({match.bindings[0][1] for match in execution.matches}),
        "blocked": execution.blocked is not None,
    }


def _mended(trace: Sequence[Event], frauds: int) -> Row:
    """Return the result of `published` with the first of the smallest sets of repairs that are enough.

    They are enough if it finds all frauds and does not block; sets of one size are in the order of the defects. All
    repairs if no set of `MOST_REPAIRS` is enough.
    """
    for names in _sets():
        result = _outcome(PUBLISHED.repaired(*names), trace)
        if result == {"found": frauds, "blocked": False}:
            break
    return {**result, "repairs": ", ".join(names)}


def _sets() -> Iterator[tuple[str, ...]]:
    names = repair_names()
    for size in range(MOST_REPAIRS + 1):
        yield from combinations(names, size)
    yield names


# --- Presentation
# ------------------------------------------------------------------------------------------------------

NOTE = (
    "`sound` has the viable sizes of its entries' lifetimes, `published` those of D's formula, which are D's minimum "
    "viable sizes; both for two sources that send half of the greatest rate each. `published, no limits` and "
    "`sound, D's sizes` tell rules from sizes. `published, repaired` is `published` at D's sizes with the smallest "
    f"set of repairs under which it finds everything and does not block (sets of up to {MOST_REPAIRS} are tried, in "
    "the order of the defects of [defects.md](../../defects.md)). A run that blocks stops with transfers left. The "
    "schedule is round robin, and the trace is merged by timestamp."
)


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return how many frauds each machine finds, by the shape of the trace, and whether it blocks."""
    import pandas as pd

    lines = []
    for (groups, unrelated), shape in rows[rows["engine"].isin(MACHINES)].groupby(["groups", "unrelated"], sort=False):
        by_machine = {str(machine): machine_rows for machine, machine_rows in shape.groupby("engine")}
        line: dict[str, object] = {"groups": groups, "unrelated": unrelated}
        line["frauds"] = int(by_machine[AT_OWN]["frauds"].sum())
        line |= {machine: _frauds_text(by_machine[machine]) for machine in MACHINES}
        line["repairs"] = "; ".join(sorted(set(by_machine[MENDED]["repairs"])))
        lines.append(line)
    return pd.DataFrame(lines, dtype=object)


def _frauds_text(runs: pd.DataFrame) -> str:
    count, blocked = f"{int(runs['found'].sum()):,}", int(runs["blocked"].sum())
    if not blocked:
        return count
    return f"{count}, blocks" + f" in {blocked} of {len(runs)}" * (len(runs) > 1)


def answer(rows: pd.DataFrame) -> Iterator[str]:
    """Yield sentences on the frauds that the machines find, and the reason why one of them loses frauds."""
    yield f"`sound` at its own sizes {_finds(rows, AT_OWN)}."
    if _all_found(rows, AT_D):
        yield f"`published` at D's sizes {_finds(rows, AT_D)}."
        return
    yield (
        "**D §7.4.2 reports that its implementation finds every fraud at these sizes; the rules that D prints do "
        f"not**: `published` at D's sizes {_finds(rows, AT_D)}."
    )
    at_d, unlimited = _all_found(rows, SOUND_AT_D), _all_found(rows, UNLIMITED)
    cause = {
        (True, False): "The rules are the cause, not the sizes",
        (False, True): "The sizes are the cause, not the rules",
        (False, False): "Both rules and sizes are a cause",
        (True, True): "Only rules and sizes together are the cause",
    }[at_d, unlimited]
    yield (
        f"{cause}: `sound` at D's sizes {_finds(rows, SOUND_AT_D)}, and `published` without limits "
        f"{_finds(rows, UNLIMITED)}."
    )
    yield _blame(rows[rows["engine"] == MENDED])


def _finds(rows: pd.DataFrame, machine: str) -> str:
    machine_rows = rows[rows["engine"] == machine]
    percent = 100 * machine_rows["found"] / machine_rows["frauds"]
    return (
        f"finds {int(machine_rows['found'].sum()):,} of {int(machine_rows['frauds'].sum()):,} frauds "
        f"({span(percent.min(), percent.max())} % of those in a trace) and blocks in "
        f"{int(machine_rows['blocked'].sum())} of {len(machine_rows)} runs"
    )


def _all_found(rows: pd.DataFrame, machine: str) -> bool:
    machine_rows = rows[rows["engine"] == machine]
    return bool((machine_rows["found"] == machine_rows["frauds"]).all()) and not machine_rows["blocked"].any()


def _blame(mended: pd.DataFrame) -> str:
    parts: list[str] = []
    used: set[str] = set()
    for repairs, group in mended.groupby("repairs", sort=False):
        chosen = str(repairs).split(", ") if repairs else []
        few = 0 < len(chosen) <= MOST_REPAIRS
        words = " and ".join(chosen) if few else f"more than {MOST_REPAIRS} repairs" if chosen else "none"
        parts.append(f"{words} in {len(group)} of {len(mended)} runs")
        used.update(chosen if few else ())
    names = repair_names()
    declared = Repairs.declared()
    meanings = [f"{name} is of defect {names.index(name) + 1}: {declared[name].text}" for name in names if name in used]
    return f"The fewest repairs that mend `published` at D's sizes: {', '.join(parts)} ({'; '.join(meanings)})."
