"""Inputs of the command in CEL, and what reads them."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tests.campaigns.kind import RUNS, Kind

QUERY = b"""-- A bit of everything.
SELECT MAX x, A, B
FROM default, s
WHERE A AS x; (B OR PROJ (A) (A:B))+ : A:+ FILTER x[k >= 0 AND NOT s = 'it''s'] AND (B[k < 2.5e3] OR A[b = TRUE])
PARTITION BY [all], k
WITHIN 1 MINUTES 5 MS
CONSUME BY PARTITION
"""
LINKS = b"SELECT x WHERE (A AS x; B AS y)+ FILTER x[k] = y[k] AND y[s] != x[s] WITHIN 9 EVENTS\n"
STREAM = b"".join(
    json.dumps(
        {
            "id": f"e{n}",
            "template": name,
            "timestamp": n * 7,
            "attributes": {"k": n % 2, "all": 1, "s": "u", "b": n > 1},
        }
    ).encode()
    + b"\n"
    for n, name in enumerate("AABBAABA")
)


def _results(query: str) -> tuple[tuple[str, ...], ...]:
    return tuple(("run", query, "t.jsonl", "--model", model) for model in ("sound", "definition"))


KINDS: Mapping[str, Kind] = {
    "query": Kind(
        lambda: {"q.ceql": QUERY, "t.jsonl": STREAM},
        "q.ceql",
        (
            _results("q.ceql"),
            (("ast", "q.ceql"), ("fmt", "q.ceql")),
            (("graph", "q.ceql"), ("graph", "q.ceql", "--format", "dot"), ("graph", "q.ceql", "--trace", "t.jsonl")),
            (("timeline", "q.ceql", "t.jsonl"), ("explore", "q.ceql", "t.jsonl", "--length", "3")),
        ),
        same=True,
        codes=RUNS,
        weight=8,
    ),
    "query with links": Kind(
        lambda: {"q.ceql": LINKS, "t.jsonl": STREAM}, "q.ceql", (_results("q.ceql"),), same=True, codes=RUNS, weight=3
    ),
    "stream": Kind(
        lambda: {"q.ceql": QUERY, "t.jsonl": STREAM},
        "t.jsonl",
        (_results("q.ceql"), (("timeline", "q.ceql", "t.jsonl"), ("graph", "q.ceql", "--trace", "t.jsonl"))),
        same=True,
        codes=RUNS,
        weight=6,
    ),
}
