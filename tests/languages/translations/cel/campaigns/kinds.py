"""Programs that are translated from and to CEL, as inputs of the command."""

from __future__ import annotations

from collections.abc import Mapping

from tests.campaigns.kind import RUNS, Kind
from tests.campaigns.specimens import PROGRAM

UNFOLDED = b"SELECT x WHERE A AS x; B+ FILTER x[k > 1 OR NOT k < -2.5] AND B[s = 'u'] PARTITION BY k WITHIN 3 MS\n"
KINDS: Mapping[str, Kind] = {
    "query to translate": Kind(
        lambda: {"q.ceql": UNFOLDED, "p.parte": PROGRAM},
        "q.ceql",
        (
            (
                ("translate", "q.ceql", "--to", "parte"),
                ("translate", "q.ceql", "--to", "parte", "--templates", "p.parte"),
            ),
        ),
        codes=RUNS,
        weight=4,
    ),
    "rule to translate": Kind(
        lambda: {"p.parte": PROGRAM[: PROGRAM.index(b"then")].replace(b"no n", b"n").replace(b"p(k)", b"k > 1")},
        "p.parte",
        ((("translate", "p.parte", "--to", "cel"),),),
        codes=RUNS,
        weight=3,
    ),
}
