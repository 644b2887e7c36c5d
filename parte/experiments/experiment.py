"""The parts of an experiment: units of work that return rows, and the presentation of all rows.

A unit is identified by plain values, so that an interrupted run can find the finished ones. The columns that are
measured by the clock are named, since they differ between runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from parte.languages.language import Facet

if TYPE_CHECKING:  # both belong to the extra `experiments`
    import pandas as pd
    from matplotlib.figure import Figure

Scalar = str | int | float | bool | None
Unit = Mapping[str, Scalar]
"""The name of one piece of work, with all that it needs besides the parameters."""

Row = Mapping[str, Scalar]
"""One line of the results; the columns of its unit are added to it."""


class Scale(StrEnum):
    """The amount of work of an experiment."""

    SMALL = "small"
    """Seconds: the tests compare it with the recorded results."""
    DEFAULT = "default"
    """At most ten minutes on two cores."""
    FULL = "full"
    """The dissertation's size, or as near to it as is practical."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the page: a title, the rows, and a note for the reader."""

    title: str
    frame: pd.DataFrame
    note: str = ""


@dataclass(frozen=True, slots=True)
class Plot:
    """One plot of the page. `name` is that of its files; `draw` returns a new figure at each call."""

    name: str
    caption: str
    draw: Callable[[], Figure]


@dataclass(frozen=True, slots=True)
class Presentation:
    """The presentation of the rows: tables, plots, and the answer in Markdown, computed from the rows."""

    tables: Sequence[Table]
    plots: Sequence[Plot]
    answer: str


P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Experiment(Generic[P]):
    """An experiment with parameters of type `P`, a frozen dataclass of numbers, strings and tuples of them.

    `question` and `data` are Markdown for the page. `units` returns the work; `measure` does one unit of it, in any
    process, and returns its rows. `clocked` are the columns that differ from run to run, or as the suite grows. With
    `alone`, no two units are measured at the same time, because they would disturb each other's times. With `varies`,
    it can be run under a variant: it measures PARTElang's machine in the calling process. `inputs` are the parameters
    that are folders of the reader, of which it needs at least one.
    """

    name: str
    title: str
    question: str
    data: str
    scales: Mapping[Scale, P]
    units: Callable[[P], Sequence[Unit]]
    measure: Callable[[P, Unit], Sequence[Row]]
    present: Callable[[P, pd.DataFrame], Presentation]
    clocked: frozenset[str] = field(default_factory=frozenset)
    alone: bool = False
    varies: bool = False
    inputs: tuple[str, ...] = ()


EXPERIMENT: Facet[Experiment[Any]] = Facet("experiment", "experiment")
