"""The figures that D prints, for comparison with experiments; their formulas are in
`parte.checker.partelang.bounds.figures`."""

from __future__ import annotations

import csv
from importlib import resources


def _printed(name: str) -> dict[int, tuple[int, ...]]:
    _, *rows = csv.reader(resources.files(__package__).joinpath(name).read_text(encoding="utf-8").splitlines())
    return {int(key): tuple(map(int, values)) for key, *values in rows}


FIGURE_5_8 = _printed("figure_5_8.csv")
"""Transfers in five minutes; size for driver scenario C, Cartesian size, triangle query, all in units of 2**30."""

FIGURE_5_9 = _printed("figure_5_9.csv")
"""Transfers in five minutes; size for driver scenario B in units of 2**30, with aggregation in units of 2**10."""
