"""The style of the plots: drawn without a screen, in colours that colour-blind readers can distinguish."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""The palette of Okabe and Ito."""

MARKERS = "osD^vPX"


def plain_axes(width: float = 7.0, height: float = 4.2) -> tuple[Figure, Axes]:
    """Return a figure with one pair of axes; its size is in inches."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.grid(True, which="major", linewidth=0.4, alpha=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def panels(count: int, height: float = 3.0, *, shared: bool = True) -> tuple[Figure, list[Axes]]:
    """Return a figure with `count` axes, two in a row, with common scales if `shared`; `height` (inches) is a row's."""
    from matplotlib.figure import Figure

    rows = (count + 1) // 2
    figure = Figure(figsize=(8.6, height * rows), layout="constrained")
    grid = figure.subplots(rows, min(2, count), sharex=shared, sharey=shared, squeeze=False)
    every: list[Axes] = list(grid.flat)
    for axes in every:
        axes.grid(True, which="major", linewidth=0.4, alpha=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    for unused in every[count:]:
        unused.set_visible(False)
    return figure, every[:count]


def log_ticks(axis: Axis, ticks: Sequence[int] = ()) -> None:
    """Label a logarithmic axis readably: at `ticks`, or at 1, 2 and 5 times the powers of ten.

    If the axis spans more than a factor of `MANY`, only at the powers.
    """
    from matplotlib.ticker import FixedLocator, LogFormatterSciNotation, LogLocator, NullLocator, StrMethodFormatter

    axis.set_minor_locator(NullLocator())
    least, greatest = axis.get_view_interval()
    if ticks:
        axis.set_major_locator(FixedLocator(ticks))
    else:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if greatest < MANY * least else (1,), numticks=20))
    plain = StrMethodFormatter("{x:,.5g}" if greatest < 10 else "{x:,.0f}")
    axis.set_major_formatter(plain if greatest < LARGE else LogFormatterSciNotation(labelOnlyBase=False))


MANY = 5_000
"""An axis that spans a larger factor is labelled at the powers of ten only."""
LARGE = 10**6
"""Numbers up to this are written in full."""


def merged(lines: Sequence[tuple[str, Sequence[float]]]) -> list[tuple[str, Sequence[float]]]:
    """Return the lines of a plot; lines that would hide each other become one, with a label that says so."""
    groups: list[tuple[list[str], Sequence[float]]] = []
    for label, values in lines:
        for labels, others in groups:
            if all(abs(first - second) <= ALIKE * second for first, second in zip(values, others, strict=True)):
                labels.append(label)
                break
        else:
            groups.append(([label], values))
    return [(f"within {ALIKE:.0%}:\n" * (len(labels) > 1) + "\n".join(labels), values) for labels, values in groups]


ALIKE = 0.01
"""Lines whose values differ by at most this fraction would hide each other."""
