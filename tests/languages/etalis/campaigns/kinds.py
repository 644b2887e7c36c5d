"""Inputs of the command in ETALIS, and what reads them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from parte.languages.etalis.conformance.engine import EtalisEngine
from tests.campaigns import direct
from tests.campaigns.kind import RUNS, Kind
from tests.campaigns.specimens import Files

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
ETALIS_FILES: Files = {
    "r.etalis": RULES,
    "once.etalis": b"".join(line for line in RULES.splitlines(keepends=True) if line[:1] not in b"sh"),
    "t.jsonl": INSTANTS,
}


def _derived(*options: str, policies: bool = False) -> tuple[tuple[str, ...], ...]:
    """A run of the machine and what is meant; under a policy recursion has no meaning, so that rules without it run."""
    program = "once.etalis" if policies else "r.etalis"
    return tuple(("run", program, "t.jsonl", *options, "--model", model) for model in ("sound", "definition"))


KINDS: Mapping[str, Kind] = {
    "rules of ETALIS": Kind(
        lambda: ETALIS_FILES,
        "r.etalis",
        (
            _derived(),
            _derived("--policy", "recent-consuming-shortest", "--reading", "during=instants"),
            _derived("--reading", "negation=intervals", "--reading", "lasting=exactly"),
            (("ast", "r.etalis"), ("fmt", "r.etalis")),
            (("graph", "r.etalis"), ("graph", "r.etalis", "--format", "dot")),
            (("graph", "r.etalis", "--trace", "t.jsonl", "--policy", "recent"), ("timeline", "r.etalis", "t.jsonl")),
            (("explore", "r.etalis", "t.jsonl", "--policy", "recent", "--runs", "20"),),
        ),
        same=True,
        codes=RUNS | {4},
        weight=8,
    ),
    "rules of ETALIS, checked": Kind(
        lambda: ETALIS_FILES, "r.etalis", ((("check", "r.etalis", "--timeout", "0.2"),),), codes=frozenset({0, 1, 2, 4})
    ),
    "stream of ETALIS": Kind(
        lambda: ETALIS_FILES,
        "t.jsonl",
        (
            _derived(),
            _derived("--policy", "chronological", policies=True),
            (("timeline", "r.etalis", "t.jsonl"), ("timeline", "r.etalis", "t.jsonl", "--format", "text")),
            (("graph", "r.etalis", "--trace", "t.jsonl"), ("explore", "r.etalis", "t.jsonl", "--runs", "20")),
        ),
        same=True,
        codes=RUNS | {4},
        weight=8,
    ),
    "policy of ETALIS": Kind(
        lambda: {**ETALIS_FILES, "--policy": b"recent-consuming-shortest"},
        "--policy",
        ((("@option",),),),
        weight=2,
        odd=False,
    ),
    "reading of ETALIS": Kind(
        lambda: {**ETALIS_FILES, "--reading": b"negation=intervals"},
        "--reading",
        ((("@option",),),),
        weight=2,
        odd=False,
    ),
    "requests of ETALIS": Kind(
        lambda: {"requests": ETALIS_REQUESTS}, "requests", ((("@etalis",),),), weight=4, odd=False
    ),
}


def _option() -> int:
    """A run of ETALIS with an option as a file says it; a command line has no character 0, and is not as long."""
    (option,) = (name for name in ("--policy", "--reading") if Path(name).exists())
    value = Path(option).read_bytes().decode("utf-8", "surrogateescape").replace("\0", "")[:100_000]
    return direct.main(("run", "r.etalis", "t.jsonl", f"{option}={value}"))


DIRECTLY: Mapping[str, Callable[[], int]] = {
    "@etalis": lambda: direct.engine(EtalisEngine("sound")),
    "@option": _option,
}
