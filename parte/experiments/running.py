"""The run of an experiment: it measures the missing units, shows progress, and writes page, tables and plots."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from parte.experiments.experiment import Experiment, Presentation, Row, Unit
from parte.experiments.page import page, with_plots_inside, write_page
from parte.experiments.parameters import ParametersError, to_toml
from parte.experiments.store import ROWS, Store, key_of, writable
from parte.experiments.workers import in_processes
from parte.proofs.variants import current
from parte.semantics.events.locks import held
from parte.semantics.source.packages import require

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

P = TypeVar("P")

EXTRA = ("matplotlib", "pandas", "tabulate", "tomli_w")


@dataclass(frozen=True, slots=True)
class Result:
    """A finished run: every row and its presentation. A notebook displays it as its page with plots."""

    name: str
    rows: pd.DataFrame
    presentation: Presentation
    markdown: str

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the tables of the page by their titles."""
        return {table.title: table.frame for table in self.presentation.tables}

    def _repr_markdown_(self) -> str:
        return with_plots_inside(self.presentation, self.markdown)


def run_experiment(
    experiment: Experiment[P],
    parameters: P,
    directory: Path | None = None,
    *,
    jobs: int | None = None,
    fresh: bool = False,
    progress: Console | None = None,
) -> Result:
    """Run an experiment. With a directory, units are stored there as they are measured, and the page at the end.

    `jobs` processes measure at the same time (by default as many as there are cores), unless the experiment measures by
    the clock. `progress` is the console for a progress bar. Raise ParametersError if the directory contains another run
    or rows that do not fit, if it cannot be written, if another process runs an experiment there, or if the run is
    under a variant and the experiment does not vary. Under a variant everything is measured in this process.
    """
    if (variant := current()) is not None and not experiment.varies:
        raise ParametersError(
            f"the experiment {experiment.name} does not run PARTElang's machine in this process, so the variant "
            f"{variant.name} changes nothing of it"
        )
    require("experiments", *EXTRA)
    with ExitStack() as stack:
        if directory is not None:
            with writable(directory):
                stack.enter_context(held(directory))
        return _run(experiment, parameters, directory, jobs, fresh, progress)


def _run(
    experiment: Experiment[P],
    parameters: P,
    directory: Path | None,
    jobs: int | None,
    fresh: bool,
    progress: Console | None,
) -> Result:
    variant = current()
    text = (f"# variant: {variant.name}\n" if variant else "") + to_toml(parameters)
    units = list(experiment.units(parameters))
    store = None if directory is None else Store(directory)
    done = {} if store is None else store.prepare(text, fresh=fresh)
    if unknown := sorted(done.keys() - {key_of(unit) for unit in units}):
        raise ParametersError(
            f"{directory}: {ROWS} has rows of {unknown[0]}, which is no unit of this experiment, perhaps of another "
            "version; --fresh begins anew"
        )
    resumed = bool(done)
    missing = [unit for unit in units if key_of(unit) not in done]
    with _bar(experiment.title, len(units), len(units) - len(missing), progress) as step:

        def keep(unit: Unit, rows: Sequence[Row]) -> None:
            if store is not None:
                store.add(unit, rows)
            done[key_of(unit)] = list(rows)
            step()

        _measure_all(experiment, parameters, missing, jobs, keep)
    try:
        result = presented(experiment, parameters, units, done)
    except (KeyError, TypeError) as problem:
        if not resumed:
            raise
        raise ParametersError(
            f"{directory}: the rows in {ROWS} do not fit this experiment ({problem!r}); --fresh begins anew"
        ) from problem
    if directory is not None:
        with writable(directory):
            write_page(directory, result.presentation, result.markdown)
    return result


def presented(experiment: Experiment[P], parameters: P, units: Sequence[Unit], done: dict[str, list[Row]]) -> Result:
    """Return the result for rows that were measured before. Raise KeyError if those of a unit are missing."""
    import pandas as pd

    rows = pd.DataFrame([{**unit, **row} for unit in units for row in done[key_of(unit)]])
    presentation = experiment.present(parameters, rows)
    return Result(experiment.name, rows, presentation, page(experiment, parameters, presentation))


def _measure_all(
    experiment: Experiment[P],
    parameters: P,
    missing: Sequence[Unit],
    jobs: int | None,
    keep: Callable[[Unit, Sequence[Row]], None],
) -> None:
    processes = 1 if experiment.alone or current() else min(jobs or os.cpu_count() or 1, max(1, len(missing)))
    if processes > 1:
        in_processes(processes, partial(experiment.measure, parameters), missing, keep)
        return
    for unit in missing:
        keep(unit, experiment.measure(parameters, unit))


@contextmanager
def _bar(title: str, total: int, done: int, console: Console | None) -> Iterator[Callable[[], None]]:
    if console is None:
        yield lambda: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console) as bar:
        task = bar.add_task(title, total=total, completed=done)
        yield lambda: bar.advance(task)
