"""The inputs of the command: the files that are beside each, what reads it, and how often it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from parte.conformance.casefiles.cases import read_cases
from parte.conformance.exchange import fixture_text
from parte.conformance.partelang.language import PARTELANG
from parte.conformance.reports import FORMATS
from parte.experiments.catalogue import EXPERIMENTS
from parte.experiments.experiment import Scale
from parte.experiments.parameters import to_toml
from tests.campaigns.specimens import (
    BASE,
    CAPACITIES,
    CASES,
    CHECKPOINT,
    DEPLOYMENT,
    DOMAIN,
    ENGINE,
    ETALIS_FILES,
    ETALIS_REQUESTS,
    KNOWN,
    LEAD_FILES,
    LEAD_REQUESTS,
    LINKS,
    PROGRAM,
    QUERY,
    REPLIES,
    REQUESTS,
    STREAM,
    SUITE,
    UNFOLDED,
    Files,
    edition,
    json_program,
    log,
    report,
    table,
)


@dataclass(frozen=True, slots=True)
class Kind:
    """One input: the files beside it, what reads it, and how often it is drawn."""

    files: Callable[[], Files]
    changed: str
    runs: tuple[tuple[tuple[str, ...], ...], ...]
    same: bool = False
    codes: frozenset[int] = frozenset({0, 1, 2})
    weight: int = 1
    parquet: Callable[[], Any] | None = None
    odd: bool = True
    places: tuple[str, ...] = ()
    """What else than a file an error may be about."""


def _run(
    *more: str, trace: str = "t.jsonl", models: tuple[str, ...] = ("sound", "indexed")
) -> tuple[tuple[str, ...], ...]:
    return tuple(("run", "p.parte", trace, "--domain", "d.json", "--model", model, *more) for model in models)


def _results(query: str) -> tuple[tuple[str, ...], ...]:
    return tuple(("run", query, "t.jsonl", "--model", model) for model in ("sound", "definition"))


def _derived(*options: str, policies: bool = False) -> tuple[tuple[str, ...], ...]:
    """A run of the machine and what is meant; under a policy recursion has no meaning, so that rules without it run."""
    program = "once.etalis" if policies else "r.etalis"
    return tuple(("run", program, "t.jsonl", *options, "--model", model) for model in ("sound", "definition"))


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
        codes=_RUNS | {1, 4},
        weight=6,
    )


_RUNS = frozenset({0, 2, 3})
_PARQUET_MODELS = ("sound", "indexed", "duckdb")
KINDS: Mapping[str, Kind] = {
    "program": Kind(
        lambda: BASE,
        "p.parte",
        (
            _run(),
            (("ast", "p.parte"), ("fmt", "p.parte")),
            (("graph", "p.parte"), ("graph", "p.parte", "--format", "dot")),
        ),
        same=True,
        codes=_RUNS,
        weight=8,
    ),
    "program, checked": Kind(
        lambda: BASE, "p.parte", ((("check", "p.parte", "--timeout", "0.2"),),), codes=frozenset({0, 1, 2, 4})
    ),
    "trace": Kind(
        lambda: BASE,
        "t.jsonl",
        (_run(), _run("--disorder", "5 seconds"), (("timeline", "p.parte", "t.jsonl", "--domain", "d.json"),)),
        same=True,
        codes=_RUNS,
        weight=8,
    ),
    "log in Parquet": Kind(
        lambda: BASE,
        "t.parquet",
        (_run(trace="t.parquet", models=_PARQUET_MODELS),),
        same=True,
        codes=_RUNS,
        weight=4,
        parquet=log,
    ),
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
        codes=_RUNS,
        weight=8,
    ),
    "query with links": Kind(
        lambda: {"q.ceql": LINKS, "t.jsonl": STREAM}, "q.ceql", (_results("q.ceql"),), same=True, codes=_RUNS, weight=3
    ),
    "query to translate": Kind(
        lambda: {"q.ceql": UNFOLDED, "p.parte": PROGRAM},
        "q.ceql",
        (
            (
                ("translate", "q.ceql", "--to", "parte"),
                ("translate", "q.ceql", "--to", "parte", "--templates", "p.parte"),
            ),
        ),
        codes=_RUNS,
        weight=4,
    ),
    "rule to translate": Kind(
        lambda: {"p.parte": PROGRAM[: PROGRAM.index(b"then")].replace(b"no n", b"n").replace(b"p(k)", b"k > 1")},
        "p.parte",
        ((("translate", "p.parte", "--to", "cel"),),),
        codes=_RUNS,
        weight=3,
    ),
    "stream": Kind(
        lambda: {"q.ceql": QUERY, "t.jsonl": STREAM},
        "t.jsonl",
        (_results("q.ceql"), (("timeline", "q.ceql", "t.jsonl"), ("graph", "q.ceql", "--trace", "t.jsonl"))),
        same=True,
        codes=_RUNS,
        weight=6,
    ),
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
        codes=_RUNS | {4},
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
        codes=_RUNS | {4},
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
        codes=_RUNS | {1, 4},
        weight=8,
    ),
    "requests of LEAD": Kind(lambda: {"requests": LEAD_REQUESTS}, "requests", ((("@lead",),),), weight=4, odd=False),
    "domain": Kind(lambda: BASE, "d.json", (_run(),), same=True, codes=_RUNS, weight=5),
    "table in JSON": Kind(
        lambda: {**BASE, "d.json": DOMAIN.replace(b"[[1], [2], [-3]]", b'"r.json"'), "r.json": b"[[1], [2], [-3]]"},
        "r.json",
        (_run(),),
        same=True,
        codes=_RUNS,
        weight=2,
    ),
    "table in CSV": Kind(
        lambda: {
            **BASE,
            "d.json": DOMAIN.replace(b'[["u", 1.25], ["v", 2]]', b'"r.csv"'),
            "r.csv": b'name,number\nu,1.25\n"v",2\n"w ""x""",-1e3\n',
        },
        "r.csv",
        (_run(),),
        same=True,
        codes=_RUNS,
        weight=2,
    ),
    "table in Parquet": Kind(
        lambda: {**BASE, "d.json": DOMAIN.replace(b"[[1], [2], [-3]]", b'"r.parquet"')},
        "r.parquet",
        (_run(),),
        same=True,
        codes=_RUNS,
        weight=3,
        parquet=table,
    ),
    "deployment": Kind(
        lambda: {
            "p.parte": b"template A { k : Integer } template B { } rule R where a : A, b : B when a in b [0 ms, 9 ms]",
            "deployment.toml": DEPLOYMENT,
        },
        "deployment.toml",
        ((("check", "p.parte", "--deployment", "deployment.toml", "--timeout", "0.5"),),),
        codes=frozenset({0, 1, 2, 4}),
        weight=4,
    ),
    "capacities": Kind(
        lambda: {**BASE, "c.json": CAPACITIES},
        "c.json",
        ((*_run("--capacities", "c.json", models=("sound",)), *_run(models=("indexed",))),),
        same=True,
        codes=_RUNS,
        weight=4,
    ),
    "cases": Kind(
        lambda: {**SUITE, "s/mutated.cases": CASES},
        "s/mutated.cases",
        (
            (("suite", "lint", "--suite", "s"),),
            (("suite", "list", "--suite", "s"),),
            (("conform", "model:indexed", "--suite", "s", "--jobs", "1"),),
            (("@cases",),),
        ),
        weight=8,
    ),
    "case in JSON": Kind(
        lambda: {**SUITE, "s/mutated.json": _exported()},
        "s/mutated.json",
        ((("suite", "lint", "--suite", "s"),), (("conform", "model:indexed", "--suite", "s", "--jobs", "1"),)),
        weight=3,
    ),
    "suite.json": Kind(
        lambda: SUITE, "s/suite.json", ((("suite", "list", "--suite", "s"),), (("suite", "lint", "--suite", "s"),))
    ),
    "measured.json": Kind(
        lambda: {**SUITE, "s/measured.json": b'{"good/one": ["PARTE/JOIN-LEFT"], "good/two": []}'},
        "s/measured.json",
        ((("suite", "list", "--suite", "s"),), (("suite", "lint", "--suite", "s"),)),
    ),
    "program in JSON": Kind(json_program, "p.json", ((("@program",),),), weight=6),
    "report": Kind(
        lambda: {"r.jsonl": report()},
        "r.jsonl",
        tuple((("report", "r.jsonl", "--format", form),) for form in FORMATS),
        weight=6,
    ),
    "parameters": Kind(lambda: {"x.toml": _parameters()}, "x.toml", ((("@parameters",),),), weight=4),
    "known failures": Kind(
        lambda: {**SUITE, "k.jsonl": KNOWN},
        "k.jsonl",
        ((("conform", "model:indexed", "--suite", "s", "--jobs", "1", "--known-failures", "k.jsonl"),),),
        weight=4,
    ),
    "replies": Kind(
        lambda: {**SUITE, "replies": REPLIES},
        "replies",
        (
            (
                (
                    "conform",
                    ENGINE,
                    "--suite",
                    "s",
                    "--jobs",
                    "1",
                    "--timeout",
                    "1",
                    "--report",
                    "o.jsonl",
                ),
            ),
        ),
        weight=3,
        odd=False,
        places=("python never started",),
    ),
    "requests": Kind(lambda: {"requests": REQUESTS}, "requests", ((("@engine",),),), weight=4, odd=False),
    "checkpoint": Kind(lambda: {"parte.json": CHECKPOINT}, "parte.json", ((("@checkpoint",),),), weight=3, odd=False),
    "edition": Kind(edition, "e/traces/part-0.parquet", ((("@edition",),),), weight=2, parquet=lambda: None),
}


PIPED = ("trace", "stream", "stream of ETALIS", "stream of LEAD")


def _exported() -> bytes:

    return fixture_text(read_cases(CASES.decode(), PARTELANG.notation).cases[0][1]).encode()


def _parameters() -> bytes:

    return to_toml(EXPERIMENTS[0].scales[Scale.SMALL]).encode()


@cache
def files_of(kind: str) -> Files:
    return KINDS[kind].files()
