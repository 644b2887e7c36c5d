"""What D prints, for experiments to stand beside. Figures only; the formulas are in `checker.parte.bounds.figures`."""

from __future__ import annotations

FIGURE_5_8 = {
    1: (244, 246_140, 1),
    2: (1_953, 1_969_120, 2),
    3: (6_593, 6_645_780, 4),
    4: (15_629, 15_752_961, 7),
    5: (30_525, 30_767_501, 10),
    6: (52_747, 53_166_243, 14),
    7: (83_760, 84_426_025, 17),
    8: (125_029, 126_023_688, 21),
    9: (178_019, 179_436_071, 25),
}
"""Transfers in five minutes; size for driver scenario C, Cartesian size, triangle query, all in units of 2**30."""

FIGURE_5_9 = {
    1: (122, 3),
    2: (976, 7),
    3: (3_296, 11),
    4: (7_814, 15),
    5: (15_262, 19),
    6: (26_373, 23),
    7: (41_880, 27),
    8: (62_514, 31),
    9: (89_009, 35),
}
"""Transfers in five minutes; size for driver scenario B in units of 2**30, with aggregation in units of 2**10."""
