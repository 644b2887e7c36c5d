"""Measurement of a function in a separate process, and the table of the results."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import ParamSpec

from rich.console import Console
from rich.table import Table

Arguments = ParamSpec("Arguments")

UNMEASURABLE = 3
"""Exit status of a benchmark whose times say nothing, for instance because the machine was busy."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The wall-clock time of a call, the peak memory of its process, and its count."""

    seconds: float
    peak_mebibytes: float
    counted: int


def timed(work: Callable[[], int]) -> Measured:
    """Run `work`, which returns a count, and measure it. The peak memory is that of the whole process so far."""
    start = time.perf_counter()
    counted = work()
    seconds = time.perf_counter() - start
    return Measured(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10, counted)


def apart(function: Callable[Arguments, Measured], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Measured:
    """Call a function of a module in a new process, so that memory and caches of other rows do not count."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(function, *args, **kwargs).result()


def up_to(most: int, sizes: Iterable[int]) -> list[int]:
    """Return the sizes that are at most `most`; if there is none, `most` itself, so that something is measured."""
    return [size for size in sizes if size <= most] or [most]


def spread(ratios: Sequence[float]) -> str:
    """Return the least and the greatest ratio as text."""
    return f"{min(ratios):.2f} – {max(ratios):.2f}"


def show(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], note: str = "") -> None:
    """Print a table; the first column is text, the others are numbers."""
    table = Table(title=title, title_justify="left", caption=note, caption_justify="left")
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index else "left", no_wrap=not index)
    for row in rows:
        table.add_row(*row)
    Console(markup=False).print(table)
