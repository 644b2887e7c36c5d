"""The inputs of the command."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from functools import cache

from parte.conformance.casefiles.cases import read_cases
from parte.conformance.exchange import fixture_text
from parte.conformance.kit import KIT
from parte.conformance.reports import FORMATS
from parte.experiments.catalogue import EXPERIMENTS
from parte.experiments.experiment import Scale
from parte.experiments.parameters import to_toml
from parte.languages.partelang import PARTELANG
from tests.campaigns.kind import RUNS, Kind
from tests.campaigns.specimens import (
    BASE,
    CAPACITIES,
    CASES,
    CHECKPOINT,
    DEPLOYMENT,
    DOMAIN,
    ENGINE,
    KNOWN,
    REPLIES,
    REQUESTS,
    SUITE,
    Files,
    edition,
    json_program,
    log,
    report,
    table,
)
from tests.guests import modules


def _run(
    *more: str, trace: str = "t.jsonl", models: tuple[str, ...] = ("sound", "indexed")
) -> tuple[tuple[str, ...], ...]:
    return tuple(("run", "p.parte", trace, "--domain", "d.json", "--model", model, *more) for model in models)


_PARQUET_MODELS = ("sound", "indexed", "duckdb")
_GENERAL: Mapping[str, Kind] = {
    "program": Kind(
        lambda: BASE,
        "p.parte",
        (
            _run(),
            (("ast", "p.parte"), ("fmt", "p.parte")),
            (("graph", "p.parte"), ("graph", "p.parte", "--format", "dot")),
        ),
        same=True,
        codes=RUNS,
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
        codes=RUNS,
        weight=8,
    ),
    "log in Parquet": Kind(
        lambda: BASE,
        "t.parquet",
        (_run(trace="t.parquet", models=_PARQUET_MODELS),),
        same=True,
        codes=RUNS,
        weight=4,
        parquet=log,
    ),
    "domain": Kind(lambda: BASE, "d.json", (_run(),), same=True, codes=RUNS, weight=5),
    "table in JSON": Kind(
        lambda: {**BASE, "d.json": DOMAIN.replace(b"[[1], [2], [-3]]", b'"r.json"'), "r.json": b"[[1], [2], [-3]]"},
        "r.json",
        (_run(),),
        same=True,
        codes=RUNS,
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
        codes=RUNS,
        weight=2,
    ),
    "table in Parquet": Kind(
        lambda: {**BASE, "d.json": DOMAIN.replace(b"[[1], [2], [-3]]", b'"r.parquet"')},
        "r.parquet",
        (_run(),),
        same=True,
        codes=RUNS,
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
        codes=RUNS,
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


KINDS: Mapping[str, Kind] = dict(ChainMap(*(module.KINDS for module in modules("campaigns/kinds")), dict(_GENERAL)))
"""Those above, and those of guests."""


def _exported() -> bytes:

    return fixture_text(read_cases(CASES.decode(), PARTELANG[KIT].notation).cases[0][1]).encode()


def _parameters() -> bytes:

    return to_toml(EXPERIMENTS[0].scales[Scale.SMALL]).encode()


@cache
def files_of(kind: str) -> Files:
    return KINDS[kind].files()
