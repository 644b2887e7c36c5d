"""Inputs of the command in LEAD, and what reads them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from parte.languages.lead.conformance.engine import LeadEngine
from tests.campaigns import direct
from tests.campaigns.kind import RUNS, Kind
from tests.campaigns.specimens import Files

LEAD_RULE = b"""// A bit of everything.
FROM A, B AS b, C
DEFINE TimeEvent t(x.event_time, x.event_time + 9 ms)
    EventType E(int n (7), string s ('it''s'))
MATCH every(A AS x FILTER (x.k >= 0 and not x.s == 'v') -> collect(b AS y) accept (y.k < 25) terminate (!t or
    count() >= 2) AS l) Subcontext(i ==> l.RANGE(1, 2).FILTER(i.k > 0) (MATCH not C within 5 ms
    EMIT Event F(i.k, -1))) AS m
PARTITION BY A.part, window(1 hour)
CHECK FIRST
    WHERE (ANY (l.k > 1) or count(m) > 0)
        EMIT Event E(count(l), part)
    WHERE (sum(l.k) * 2 - 1 != -3)
        CHECK ANY
            WHERE (avg(l.k) <= 1 ms)
                EMIT Event E()
        END
END
"""
LEAD_WIDE = b"""FROM A, B, C
MATCH all((A and B FILTER (B.k > 0)) or (last(B) -> C AS z) or adj(A -> C) or wait(first(A -> not B -> C), 3 ms)
    or max(collect(C AS c) terminate (count() > 1) AS l, sum(l.k)) or (C within 9 ms from A)) consume (A, z)
EMIT Event E(A.s, 'x')
"""
LEAD_STREAM = b"".join(
    json.dumps(
        {
            "id": f"e{n}",
            "template": name,
            "timestamp": n * 7 // 2,
            "attributes": {"k": n % 3, "part": 1, "s": "u", "b": n > 1},
        }
    ).encode()
    + b"\n"
    for n, name in enumerate("AABBCABA")
)
LEAD_REQUESTS = b"""{"seq": 0, "request": "hello", "protocol": 2}
{"seq": 1, "request": "load", "program": {"text": "FROM A, B MATCH every(A -> B within 9 ms)"}, "domain": {}, \
"deployment": {"disorder": 0, "sources": []}, "options": {}}
{"seq": 2, "request": "run", "trace": [{"id": "a", "template": "A", "timestamp": 1, "attributes": {"k": 1}}, \
{"id": "b", "template": "B", "timestamp": 5}]}
{"seq": 3, "request": "feed", "trace": [{"id": "c", "template": "A", "timestamp": 9, "attributes": {"k": "x"}}]}
{"seq": 4, "request": "advance", "until": null}
{"seq": 5, "request": "bye"}
"""
LEAD_FILES: Files = {"r.lead": LEAD_RULE, "w.lead": LEAD_WIDE, "t.jsonl": LEAD_STREAM}


def _rule(rule: str) -> Kind:
    """A rule of LEAD, run and drawn."""
    matches = tuple(("run", rule, "t.jsonl", "--model", model) for model in ("sound", "definition"))
    return Kind(
        lambda: LEAD_FILES,
        rule,
        (
            matches,
            (("ast", rule), ("fmt", rule)),
            (("graph", rule), ("graph", rule, "--format", "dot"), ("graph", rule, "--format", "pnml")),
            (("timeline", rule, "t.jsonl"), ("explore", rule, "t.jsonl", "--max-states", "20", "--time", "1")),
            (("run", rule, "t.jsonl", "--model", "published"),),
        ),
        same=True,
        codes=RUNS | {1, 4},
        weight=6,
    )


KINDS: Mapping[str, Kind] = {
    "rule of LEAD": _rule("r.lead"),
    "wide rule of LEAD": _rule("w.lead"),
    "rule of LEAD, checked": Kind(
        lambda: LEAD_FILES, "w.lead", ((("check", "w.lead", "--timeout", "0.2"),),), codes=frozenset({0, 1, 2, 4})
    ),
    "stream of LEAD": Kind(
        lambda: LEAD_FILES,
        "t.jsonl",
        (
            *(
                tuple(
                    ("run", rule, "t.jsonl", "--model", model, "--disorder", "2 ms")
                    for model in ("sound", "definition")
                )
                for rule in ("r.lead", "w.lead")
            ),
            (("timeline", "r.lead", "t.jsonl"), ("explore", "r.lead", "t.jsonl", "--max-states", "20")),
        ),
        same=True,
        codes=RUNS | {1, 4},
        weight=8,
    ),
    "requests of LEAD": Kind(lambda: {"requests": LEAD_REQUESTS}, "requests", ((("@lead",),),), weight=4, odd=False),
}
DIRECTLY: Mapping[str, Callable[[], int]] = {"@lead": lambda: direct.engine(LeadEngine("sound"))}
