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
from parte.conformance.kit import KIT
from parte.conformance.results import CaseVerdict, EngineInfo, Report, Result, report_lines
from parte.languages.partelang import PARTELANG
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
        write_edition(root, [case for _, case in read_cases(GOOD.decode(), PARTELANG[KIT].notation).cases], "1.0")
        return {f"e/{path.relative_to(root)}": path.read_bytes() for path in root.rglob("*.parquet")}


def json_program() -> Files:
    """The program as JSON, beside the trace and the domain."""
    return {**BASE, "p.json": json.dumps(program_to_json(parse(PROGRAM.decode()))).encode()}
