"""How plots look: made without a screen, with colours that the colour-blind can tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""The palette of Okabe and Ito."""

MARKERS = "osD^vPX"


def plain_axes(width: float = 7.0, height: float = 4.2) -> tuple[Figure, Axes]:
    """A figure with one pair of axes, its size in inches."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.grid(True, which="major", linewidth=0.4, alpha=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes
