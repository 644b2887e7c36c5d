"""What plots share: lines that would hide each other are one, axes have labels that can be read."""

from __future__ import annotations

import pytest

from parte.experiments.experiment import Scale
from parte.experiments.plots import log_ticks, merged, panels, plain_axes
from parte.experiments.sizes import SIZES, Parameters
from tests.parte.experiments.recording import recorded_rows


def test_lines_that_hide_each_other_are_one() -> None:
    lines = [("a", [100.0, 1000.0]), ("b", [50.0, 1000.0]), ("c", [100.5, 991.0])]
    assert merged(lines) == [("within 1%:\na\nc", [100.0, 1000.0]), ("b", [50.0, 1000.0])]


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ((1, 30), {"1", "2", "5", "10", "20"}),
        ((4_000, 36_000), {"5,000", "10,000", "20,000"}),
        ((0.2, 5), {"0.2", "0.5", "1", "2", "5"}),
        ((1, 90_000), {"1", "10", "100", "1,000", "10,000"}),
        ((10**6, 10**9), {r"$\mathdefault{10^{6}}$", r"$\mathdefault{10^{9}}$"}),
    ],
)
def test_a_logarithmic_axis_has_labels(values: tuple[float, float], labels: set[str]) -> None:
    figure, axes = plain_axes()
    axes.loglog([1, 2], values)
    log_ticks(axes.xaxis, [1, 2])
    log_ticks(axes.yaxis)
    figure.draw_without_rendering()
    assert labels <= {label.get_text() for label in axes.get_yticklabels()}
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2"]


def test_panels_that_are_not_needed_are_not_seen() -> None:
    figure, every = panels(3)
    assert len(every) == 3
    assert [axes.get_visible() for axes in figure.axes] == [True, True, True, False]


def test_every_series_of_the_sizes_is_seen() -> None:
    import pandas as pd

    parameters: Parameters = SIZES.scales[Scale.SMALL]
    plots = {plot.name: plot for plot in SIZES.present(parameters, pd.DataFrame(recorded_rows("sizes"))).plots}
    of_c, of_b = plots["sizes-of-D"].draw().axes
    assert [len(axes.lines) for axes in (of_c, of_b)] == [2 * 3 + 1, 2 * 2 + 1]
    assert len(plots["sizes-A"].draw().axes[0].lines) == 1
    assert len(plots["sizes-B"].draw().axes[0].lines) == 4
