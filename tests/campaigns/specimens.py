"""Inputs of the command as they should be, of every kind that there is: what the campaign `inputs` mutates."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from parte.algebra.partelang.relational.parquet import log_of
from parte.conformance.casefiles.cases import read_cases
from parte.conformance.partelang.language import PARTELANG
from parte.conformance.results import CaseVerdict, EngineInfo, Report, Result, report_lines
from parte.semantics.events.trace import read_trace
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.partelang.syntax.json_form import program_to_json
from parte.spark_adapter.traces.files import write_edition
from tests.campaigns.mutations import Content

PROGRAM = b"""// A bit of everything.
type Name = String
template A { k : Integer, x : Float, s : Name, b : Boolean, l : [Integer; 3] }
template B { k : Integer, s : String }
template D { k : Integer, x : Float, l : [Integer; 3] }
predicate p(Integer)
predicate q(String, Float)

rule R where
    a : A { k >= 0, x < 1.5e3 },
    no n : B { k = a.k, s != "x" },
    b : B { p(k), s = a.s },
when b in a [0 ms, 5 seconds], no n in a [-1 second, 10 ms],
then emit D at max(a.timestamp, b.timestamp) + 1 ms with { k = a.k + 2 * b.k, x = avg(a.x, 2), l = list(b.k, 7) }

rule S where d : D { (k > 1) = true }, a : A { q(s, d.x) = false } when a in d [-1 minutes, 1 minutes]
"""

_EVENTS: list[dict[str, Any]] = [
    {"id": "a1", "template": "A", "timestamp": 0, "attributes": {"k": 1, "x": 0.5, "s": "u", "b": True, "l": [1, 2]}},
    {"id": "b1", "template": "B", "timestamp": 20, "source": "s", "attributes": {"k": 1, "s": "u"}},
    {"id": "a2", "template": "A", "timestamp": 30, "attributes": {"k": 2, "x": 2, "s": "v", "b": False, "l": []}},
    {"id": "b2", "template": "B", "timestamp": 40, "source": "s", "attributes": {"k": 2, "s": "v"}},
]
TRACE = b"".join(
    json.dumps(line).encode() + b"\n"
    for line in (
        *_EVENTS[:3],
        {"source": "s", "template": "B", "progress": 25},
        _EVENTS[3],
        {
            "id": "b3",
            "template": "B",
            "timestamp": "1970-01-01T00:00:05.030Z",
            "source": "s",
            "attributes": {"k": 1, "s": "v"},
        },
    )
)
QUERY = b"""-- A bit of everything.
SELECT MAX x, A, B
FROM default, s
WHERE A AS x; (B OR PROJ (A) (A:B))+ : A:+ FILTER x[k >= 0 AND NOT s = 'it''s'] AND (B[k < 2.5e3] OR A[b = TRUE])
PARTITION BY [all], k
WITHIN 1 MINUTES 5 MS
CONSUME BY PARTITION
"""
LINKS = b"SELECT x WHERE (A AS x; B AS y)+ FILTER x[k] = y[k] AND y[s] != x[s] WITHIN 9 EVENTS\n"
UNFOLDED = b"SELECT x WHERE A AS x; B+ FILTER x[k > 1 OR NOT k < -2.5] AND B[s = 'u'] PARTITION BY k WITHIN 3 MS\n"
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
RULES = b"""% A bit of everything.
s(X, 1) <- a(X).
s(X + Y * 2, N + 1) <- (s(X, N) SEQ a(Y)).15/2 WHERE N < 4.
e(X, "u", true) <- NOT((c(Z)).5).[a(X), b(X, "v") AND 28] WHERE X / 3 - 1 != -1/3.
f(X) <- (a(X) MEETS b(X, "u")) OR (b(X, "u") DURING s(X, 2)) WHERE (X <= 2) = true.
g <- s(X, N) PAR (c(Z) SEQ e(X, Y, B)) STARTS s(X, M).
h <- not(f(X)).[g EQUALS g, 60] finishes 2.5.
"""
INSTANTS = b"".join(
    json.dumps({"template": name, "timestamp": time, "arguments": arguments}).encode() + b"\n"
    for name, time, arguments in (
        *(("a", 0, [1]), ("a", 0, [2]), ("c", "5/2", [False]), ("a", 7, ["3/2"]), ("a", 7, [1]), ("b", 7, [1, "u"])),
        *(("b", 28, [1, "v"]), ("c", 29, [0]), ("a", 31, [2])),
    )
)
ETALIS_REQUESTS = b"""{"seq": 0, "request": "hello", "protocol": 2}
{"seq": 1, "request": "load", "program": {"text": "e(X) <- (a(X) SEQ b).3/2. f <- 9."}, "domain": {}, \
"deployment": {"disorder": 0, "sources": []}, "options": {"policy": "recent", "lasting": "within"}}
{"seq": 2, "request": "run", "trace": [{"template": "a", "timestamp": 1, "arguments": [1]}, {"template": "b", \
"timestamp": "5/2"}]}
{"seq": 3, "request": "feed", "trace": [{"template": "a", "timestamp": "3/1", "arguments": ["x"]}]}
{"seq": 4, "request": "advance", "until": null}
{"seq": 5, "request": "bye"}
"""
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
DOMAIN = b'{"p": {"true_for": [[1], [2], [-3]]}, "q": {"false_for": [["u", 1.25], ["v", 2]]}}\n'
DEPLOYMENT = b"""event_bytes = 256
steps_per_second = 1_000_000
[[source]]
name = "s"
late = "5 seconds"
[[source.emits]]
template = "A"
every = "20 seconds"
[[source.emits]]
template = "B"
at_most = 3
per = "1 minutes"
[[cardinality]]
template = "A"
attribute = "k"
at_most = 2
per = "86400000 ms"
distinct = 1000
"""
CAPACITIES = b"""{"default": {"inbox": 1, "outbox": 9},
 "nodes": {"join:R.b": {"left": 30, "right": 20, "outbox": 40}, "not:R.n": {"left": 5}}}
"""
CASES = b"""profile core
since 1.0
events V(i=0, f=0.0)

text V
    template V { i : Integer, f : Float }

case mutated/one
  about Products bind more tightly than sums
  clauses precedence
  program V
    rule R where a : V { i + 2 * 3 = 8 }
  = "// \\u0007"
  = {"repeat": "/", "times": 9}
  disorder 5
  trace v1@1(i=2) v2@2 V>=3
    {"id": "v3", "template": "V", "timestamp": 9, "source": "t", "attributes": {"i": 2, "f": 1}}
  expect
    R a=v1
    R a=v3

case mutated/two
  about A name that nothing declares is refused
  clauses undeclared-names
  program V
    predicate p(Integer)
    rule R where a : W { p(i) }
  domain {"p": {"true_for": [[1]]}}
  expect rejected unknown-template at 3:18
"""
GOOD = CASES.replace(b"mutated/", b"good/")
KNOWN = b"""{"engine": "e", "case": "good/one", "verdict": "fail"}
{"engine": "f", "case": "good/two", "verdict": "timeout"}
"""
REPLIES = b"""{"seq": 1, "reply": "hello", "protocol": 2, "name": "e", "version": "1", "features": ["incremental"]}
{"seq": 2, "reply": "ok"}
{"seq": 3, "reply": "matches", "matches": [{"rule": "R", "bindings": {"a": "v1"}, "emits": []}], "failures": []}
{"seq": 4, "reply": "rejected", "diagnostics": [{"code": "unknown-template", "line": 3, "column": 18}]}
{"seq": 5, "reply": "bye"}
"""
ENGINE = f"""{sys.executable} -ISc '
import sys
replies = open("replies", "rb")
for request in sys.stdin.buffer:
    sys.stdout.buffer.write(replies.readline())
    sys.stdout.flush()
'"""
REQUESTS = b"""{"seq": 0, "request": "hello", "protocol": 2}
{"seq": 1, "request": "load", "program": {"text": "template A { k : Integer } rule R where a : A { k > 0 }"}, \
"domain": {}, "deployment": {"disorder": 0, "sources": []}}
{"seq": 2, "request": "run", "trace": [{"id": "a1", "template": "A", "timestamp": 1, "attributes": {"k": 1}}]}
{"seq": 3, "request": "bye"}
"""
CHECKPOINT = json.dumps(
    {"version": 2, "disorder": 0, "output": "file:/out", "programs": {"j": "abc"}, "domains": {"j": "d"}}
).encode()

Files = Mapping[str, Content]
"""The contents of files by their paths."""

BASE: Files = {"p.parte": PROGRAM, "t.jsonl": TRACE, "d.json": DOMAIN}
ETALIS_FILES: Files = {
    "r.etalis": RULES,
    "once.etalis": b"".join(line for line in RULES.splitlines(keepends=True) if line[:1] not in b"sh"),
    "t.jsonl": INSTANTS,
}
LEAD_FILES: Files = {"r.lead": LEAD_RULE, "w.lead": LEAD_WIDE, "t.jsonl": LEAD_STREAM}
SUITE: Files = {"s/suite.json": b'{"format": "parte-suite", "version": "1.0"}', "s/good.cases": GOOD}


def table() -> Any:
    """A domain table in Parquet."""
    return pa.table({"k": [1, 2, -3]})


def log() -> Any:
    """The trace as a log in Parquet."""
    return log_of(parse(PROGRAM.decode()), read_trace(TRACE.decode()))


def report() -> bytes:
    """A report of two results."""
    match = {"rule": "R", "bindings": {"a": "a1"}, "emits": []}
    failed = Result("e", "a/b", "core", "Something happens", CaseVerdict.FAIL, 0.25, "wrong", (match,), (match,), 1, 1)
    results = failed, Result("e", "a/c", "core", "Nothing happens", CaseVerdict.PASS, 1.0)
    engines = (EngineInfo("e", "engine --x", "E", "1", ("incremental",)),)
    report = Report("1.0", "0123456789abcdef", "2024-05-01T08:00:00+00:00", engines, results)
    return "".join(f"{line}\n" for line in report_lines(report)).encode()


def edition() -> Files:
    """An edition of the two cases, as `parte spark convert` makes it."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory) / "e"
        write_edition(root, [case for _, case in read_cases(GOOD.decode(), PARTELANG.notation).cases], "1.0")
        return {f"e/{path.relative_to(root)}": path.read_bytes() for path in root.rglob("*.parquet")}


def json_program() -> Files:
    """The program as JSON, beside the trace and the domain."""
    return {**BASE, "p.json": json.dumps(program_to_json(parse(PROGRAM.decode()))).encode()}
