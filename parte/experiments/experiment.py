"""What an experiment is: units of work that give rows, and what the rows together show.

A unit is named by plain values, so that a run that was interrupted knows which ones it has. Columns that are measured
by the clock are named, since no two runs agree on them.
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
"""What names one piece of work, and all that it needs besides the parameters."""

Row = Mapping[str, Scalar]
"""One line of the results; the columns of its unit are added to it."""


class Scale(StrEnum):
    """How much work an experiment does."""

    SMALL = "small"
    """Seconds: what the tests compare with what is recorded."""
    DEFAULT = "default"
    """At most ten minutes on two cores."""
    FULL = "full"
    """The dissertation's size, or as near as anybody would wait for."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the page: a title, the rows, and what the reader should know about them."""

    title: str
    frame: pd.DataFrame
    note: str = ""


@dataclass(frozen=True, slots=True)
class Plot:
    """One plot of the page. `name` is that of its files; `draw` gives a new figure at each call."""

    name: str
    caption: str
    draw: Callable[[], Figure]


@dataclass(frozen=True, slots=True)
class Presentation:
    """What the rows show: tables, plots, and the answer to the question, in Markdown, computed from the rows."""

    tables: Sequence[Table]
    plots: Sequence[Plot]
    answer: str


P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Experiment(Generic[P]):
    """An experiment with parameters of type `P`, a frozen dataclass of numbers, strings and tuples of them.

    `question` and `data` are Markdown for the page. `units` lists the work; `measure` does one unit of it, in whatever
    process it is called, and gives its rows. `clocked` names the columns that differ from run to run, or as
    the suite grows.
    If `alone`, no two units are measured at the same time, for their times would disturb each other. If it `varies`, it
    can be run under a variant: it measures PARTElang's machine, in the process that is asked.
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


EXPERIMENT: Facet[Experiment[Any]] = Facet("experiment", "experiment")
