"""Experiments from Python: `parte.experiment("sizes")`."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parte.semantics.source.similar import advice

if TYPE_CHECKING:
    from parte.experiments.running import Result


def experiment(
    name: str,
    *,
    scale: str = "default",
    parameters: Mapping[str, object] | None = None,
    out: str | PathLike[str] | None = None,
    jobs: int | None = 1,
    fresh: bool = False,
) -> Result:
    """Run an experiment. The result has its rows and its tables as DataFrames, and is displayed as its page.

    `scale` is "small", "default" or "full"; `parameters` replaces the values of some parameters, with lists for those
    that are tuples. With `out`, page, tables, plots and the rows measured so far are stored in a directory of that
    name, and an interrupted run is continued. `jobs` is the number of processes that measure, unless the clock is
    measured; None means as many as there are cores. A script with more than one process needs the guard
    `if __name__ == "__main__":`.

    Raises ValueError for an unknown name, scale or parameter, and `PackageMissing` (of
    `parte.semantics.source.packages`), an ImportError, without the extra `parte[experiments]`.
    """
    from parte.experiments.catalogue import BY_NAME
    from parte.experiments.experiment import Scale
    from parte.experiments.parameters import with_values
    from parte.experiments.running import run_experiment

    if name not in BY_NAME:
        raise ValueError(f"no experiment is called {name!r}; {advice(name, BY_NAME)}")
    chosen = BY_NAME[name]
    values: Any = with_values(chosen.scales[Scale(scale)], parameters or {}, "parameters")
    return run_experiment(chosen, values, None if out is None else Path(out), jobs=jobs, fresh=fresh)
