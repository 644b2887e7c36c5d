"""Every input of the command, mutated: it is used as it should be, or refused with its place and exit code 2.

What must not happen: a traceback, more than `SECONDS` or a GiB, an exit code that is none of the command's, an error
that does not say where, two evaluators that answer differently, one bad file that spoils another's cases.
"""

from __future__ import annotations

import io
import itertools
import json
import os
import random
import re
import shlex
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import typer

from parte import api, cli, terminal
from parte.conformance.casefiles.cases import read_cases
from parte.conformance.engines.server import serve
from parte.conformance.etalis.engine import EtalisEngine
from parte.conformance.exchange import fixture_text
from parte.conformance.lead.engine import LeadEngine
from parte.conformance.parte.engines.reference import ReferenceEngine
from parte.conformance.parte.language import PARTELANG
from parte.conformance.protocol import Engine
from parte.conformance.suites import read_suite
from parte.experiments.catalogue import EXPERIMENTS
from parte.experiments.experiment import Scale
from parte.experiments.parameters import ParametersError, read_parameters, to_toml
from parte.semantics.events.codec import FormatError
from parte.semantics.events.domain import bind_domain, load_domain, read_domain
from parte.semantics.events.files import read_text
from parte.semantics.events.problems import InputError
from parte.semantics.events.strictjson import MalformedJson, decode
from parte.semantics.events.trace import load_trace, read_trace
from parte.semantics.parte.repairs import SOUND
from parte.semantics.parte.schedules import RoundRobin
from parte.semantics.parte.syntax.elaborate import parse
from parte.semantics.parte.syntax.json_form import program_from_json, program_to_json
from parte.spark_adapter.errors import Unusable
from parte.spark_adapter.stream import checkpoint
from parte.spark_adapter.traces.files import write_fixtures
from parte.spark_adapter.traces.format import BadRow
from tests.campaigns.forked import RAISED, Ended, Workers
from tests.campaigns.mutations import Content, Odd, bomb, hostile_parquet, mutated
from tests.campaigns.running import Broken
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
    TRACE,
    UNFOLDED,
    Files,
    edition,
    json_program,
    log,
    report,
    table,
)

SECONDS = 10.0
"""Of computing, for a machine may be busy with other things; of waiting, `PATIENCE`."""
PATIENCE = 40.0
KILOBYTES = 2**20


@dataclass(frozen=True, slots=True)
class Mutated:
    """Files, the one of them that was changed, and what is run with them: command lines, each in order.

    `same`: those that can be used give the same output. `codes` are those that a command may end with.
    """

    kind: str
    files: Files
    changed: str
    runs: tuple[tuple[str, ...], ...]
    same: bool = False
    codes: frozenset[int] = frozenset({0, 1, 2})


@dataclass(frozen=True, slots=True)
class _Kind:
    """One input: the files beside it, what reads it, and how often it is drawn."""

    files: Callable[[], Files]
    changed: str
    runs: tuple[tuple[tuple[str, ...], ...], ...]
    same: bool = False
    codes: frozenset[int] = frozenset({0, 1, 2})
    weight: int = 1
    parquet: Callable[[], Any] | None = None
    odd: bool = True


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


def _rule(rule: str) -> _Kind:
    """A rule of LEAD, run and drawn."""
    matches = tuple(("run", rule, "t.jsonl", "--model", model) for model in ("sound", "definition"))
    return _Kind(
        lambda: LEAD_FILES,
        rule,
        (
            matches,
            (("ast", rule), ("fmt", rule)),
            (("graph", rule), ("graph", rule, "--format", "dot"), ("graph", rule, "--format", "pnml")),
            (("timeline", rule, "t.jsonl"), ("explore", rule, "t.jsonl", "--max-states", "20", "--seconds", "1")),
            (("run", rule, "t.jsonl", "--model", "published"),),
        ),
        same=True,
        codes=_RUNS | {1, 4},
        weight=6,
    )


_RUNS = frozenset({0, 2, 3})
_PARQUET_MODELS = ("sound", "indexed", "duckdb")
_KINDS: Mapping[str, _Kind] = {
    "program": _Kind(
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
    "program, checked": _Kind(
        lambda: BASE, "p.parte", ((("check", "p.parte", "--timeout", "0.2"),),), codes=frozenset({0, 1, 2, 4})
    ),
    "trace": _Kind(
        lambda: BASE,
        "t.jsonl",
        (_run(), _run("--disorder", "5 seconds"), (("timeline", "p.parte", "t.jsonl", "--domain", "d.json"),)),
        same=True,
        codes=_RUNS,
        weight=8,
    ),
    "log in Parquet": _Kind(
        lambda: BASE,
        "t.parquet",
        (_run(trace="t.parquet", models=_PARQUET_MODELS),),
        same=True,
        codes=_RUNS,
        weight=4,
        parquet=log,
    ),
    "query": _Kind(
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
    "query with links": _Kind(
        lambda: {"q.ceql": LINKS, "t.jsonl": STREAM}, "q.ceql", (_results("q.ceql"),), same=True, codes=_RUNS, weight=3
    ),
    "query to translate": _Kind(
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
    "rule to translate": _Kind(
        lambda: {"p.parte": PROGRAM[: PROGRAM.index(b"then")].replace(b"no n", b"n").replace(b"p(k)", b"k > 1")},
        "p.parte",
        ((("translate", "p.parte", "--to", "cel"),),),
        codes=_RUNS,
        weight=3,
    ),
    "stream": _Kind(
        lambda: {"q.ceql": QUERY, "t.jsonl": STREAM},
        "t.jsonl",
        (_results("q.ceql"), (("timeline", "q.ceql", "t.jsonl"), ("graph", "q.ceql", "--trace", "t.jsonl"))),
        same=True,
        codes=_RUNS,
        weight=6,
    ),
    "rules of ETALIS": _Kind(
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
    "rules of ETALIS, checked": _Kind(
        lambda: ETALIS_FILES, "r.etalis", ((("check", "r.etalis", "--timeout", "0.2"),),), codes=frozenset({0, 1, 2, 4})
    ),
    "stream of ETALIS": _Kind(
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
    "policy of ETALIS": _Kind(
        lambda: {**ETALIS_FILES, "--policy": b"recent-consuming-shortest"},
        "--policy",
        ((("@option",),),),
        weight=2,
        odd=False,
    ),
    "reading of ETALIS": _Kind(
        lambda: {**ETALIS_FILES, "--reading": b"negation=intervals"},
        "--reading",
        ((("@option",),),),
        weight=2,
        odd=False,
    ),
    "requests of ETALIS": _Kind(
        lambda: {"requests": ETALIS_REQUESTS}, "requests", ((("@etalis",),),), weight=4, odd=False
    ),
    "rule of LEAD": _rule("r.lead"),
    "wide rule of LEAD": _rule("w.lead"),
    "rule of LEAD, checked": _Kind(
        lambda: LEAD_FILES, "w.lead", ((("check", "w.lead", "--timeout", "0.2"),),), codes=frozenset({0, 1, 2, 4})
    ),
    "stream of LEAD": _Kind(
        lambda: LEAD_FILES,
        "t.jsonl",
        (
            *(
                tuple(
                    ("run", rule, "t.jsonl", "--model", model, "--disorder", "2") for model in ("sound", "definition")
                )
                for rule in ("r.lead", "w.lead")
            ),
            (("timeline", "r.lead", "t.jsonl"), ("explore", "r.lead", "t.jsonl", "--max-states", "20")),
        ),
        same=True,
        codes=_RUNS | {1, 4},
        weight=8,
    ),
    "requests of LEAD": _Kind(lambda: {"requests": LEAD_REQUESTS}, "requests", ((("@lead",),),), weight=4, odd=False),
    "domain": _Kind(lambda: BASE, "d.json", (_run(),), same=True, codes=_RUNS, weight=5),
    "table in JSON": _Kind(
        lambda: {**BASE, "d.json": DOMAIN.replace(b"[[1], [2], [-3]]", b'"r.json"'), "r.json": b"[[1], [2], [-3]]"},
        "r.json",
        (_run(),),
        same=True,
        codes=_RUNS,
        weight=2,
    ),
    "table in CSV": _Kind(
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
    "table in Parquet": _Kind(
        lambda: {**BASE, "d.json": DOMAIN.replace(b"[[1], [2], [-3]]", b'"r.parquet"')},
        "r.parquet",
        (_run(),),
        same=True,
        codes=_RUNS,
        weight=3,
        parquet=table,
    ),
    "deployment": _Kind(
        lambda: {
            "p.parte": b"template A { k : Integer } template B { } rule R where a : A, b : B when a in b [0 ms, 9 ms]",
            "deployment.toml": DEPLOYMENT,
        },
        "deployment.toml",
        ((("check", "p.parte", "--deployment", "deployment.toml", "--timeout", "0.5"),),),
        codes=frozenset({0, 1, 2, 4}),
        weight=4,
    ),
    "capacities": _Kind(
        lambda: {**BASE, "c.json": CAPACITIES},
        "c.json",
        ((*_run("--capacities", "c.json", models=("sound",)), *_run(models=("indexed",))),),
        same=True,
        codes=_RUNS,
        weight=4,
    ),
    "cases": _Kind(
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
    "case in JSON": _Kind(
        lambda: {**SUITE, "s/mutated.json": _exported()},
        "s/mutated.json",
        ((("suite", "lint", "--suite", "s"),), (("conform", "model:indexed", "--suite", "s", "--jobs", "1"),)),
        weight=3,
    ),
    "suite.json": _Kind(
        lambda: SUITE, "s/suite.json", ((("suite", "list", "--suite", "s"),), (("suite", "lint", "--suite", "s"),))
    ),
    "measured.json": _Kind(
        lambda: {**SUITE, "s/measured.json": b'{"good/one": ["PARTE/JOIN-LEFT"], "good/two": []}'},
        "s/measured.json",
        ((("suite", "list", "--suite", "s"),), (("suite", "lint", "--suite", "s"),)),
    ),
    "program in JSON": _Kind(json_program, "p.json", ((("@program",),),), weight=6),
    "report": _Kind(
        lambda: {"r.jsonl": report()},
        "r.jsonl",
        tuple((("report", "r.jsonl", "--format", form),) for form in ("table", "junit", "tap", "html", "badge")),
        weight=6,
    ),
    "parameters": _Kind(lambda: {"x.toml": _parameters()}, "x.toml", ((("@parameters",),),), weight=4),
    "known failures": _Kind(
        lambda: {**SUITE, "k.jsonl": KNOWN},
        "k.jsonl",
        ((("conform", "model:indexed", "--suite", "s", "--jobs", "1", "--known-failures", "k.jsonl"),),),
        weight=4,
    ),
    "replies": _Kind(
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
    ),
    "requests": _Kind(lambda: {"requests": REQUESTS}, "requests", ((("@engine",),),), weight=4, odd=False),
    "checkpoint": _Kind(lambda: {"parte.json": CHECKPOINT}, "parte.json", ((("@checkpoint",),),), weight=3, odd=False),
    "edition": _Kind(edition, "e/traces/part-0.parquet", ((("@edition",),),), weight=2, parquet=lambda: None),
}


_PIPED = ("trace", "stream", "stream of ETALIS", "stream of LEAD")


def _exported() -> bytes:

    return fixture_text(read_cases(CASES.decode(), PARTELANG.notation).cases[0][1]).encode()


def _parameters() -> bytes:

    return to_toml(EXPERIMENTS[0].scales[Scale.SMALL]).encode()


@cache
def _files(kind: str) -> Files:
    return _KINDS[kind].files()


_LAZILY = (
    "duckdb",
    "rich.table",
    "typer.rich_utils",
    "parte.algebra.parte.relational.duckdb",
    "parte.algebra.parte.relational.logs",
    "parte.checker.parte.check",
    "parte.checker.parte.deployment",
    "parte.checker.report.json_form",
    "parte.checker.report.text",
    "parte.conformance.lint",
    "parte.conformance.parte.engines.table",
    "parte.conformance.reports.page",
)
"""What commands import when they need it: here before they are forked."""


class Inputs:
    """The campaign."""

    name = "inputs"

    def __init__(self) -> None:
        self._workers: Workers | None = None

    def draw(self, source: random.Random) -> Mutated:
        """An input, changed."""
        self._workers = self._workers or _prepared()
        name = source.choice([name for name, kind in _KINDS.items() for _ in range(kind.weight)])
        kind, files = _KINDS[name], _files(name)
        content: Content
        if kind.odd and source.random() < 0.03:
            # A trace may come through a pipe, for whose writer is waited.
            content = source.choice([odd for odd in Odd if odd is not Odd.FIFO or name not in _PIPED])
        elif kind.parquet is None:
            original = files[kind.changed]
            assert isinstance(original, bytes)
            content = mutated(source, original)
        elif kind.changed in files:
            content = hostile_parquet(
                source, pyarrow.parquet.read_table(_opened(files[kind.changed]), use_threads=False)
            )
        else:
            content = bomb(10**9) if source.random() < 0.005 else hostile_parquet(source, kind.parquet())
        runs = source.choice(kind.runs)
        same = kind.same and runs[0][0] == "run"
        return Mutated(name, {**files, kind.changed: content}, kind.changed, runs, same, kind.codes)

    def smaller(self, case: Mutated) -> Iterator[Mutated]:
        """The changed file with less in it."""
        content = case.files[case.changed]
        if isinstance(content, Odd) or _KINDS[case.kind].parquet is not None:
            return
        for less in itertools.chain(_less(content, b"\n"), _less(content, b"")):
            yield replace(case, files={**case.files, case.changed: less})

    def show(self, case: Mutated) -> str:
        """The command lines and the changed file."""
        content = case.files[case.changed]
        lines = [f"parte {shlex.join(run)}" for run in case.runs]
        shown = content.value if isinstance(content, Odd) else repr(content[:3000])
        return "\n".join([*lines, f"{case.changed} is {shown}"])

    def attack(self, case: Mutated, counts: Counter[str]) -> None:
        """Run the commands on the files, and judge how they end; what breaks must break in a fresh process too."""
        workers = self._workers
        assert workers is not None  # there is a case
        counts[case.kind] += 1
        try:
            _attack(case, workers, counts)
        except Broken:
            workers.renew()
            _attack(case, workers, Counter())
            workers.renew()
            raise


def _attack(case: Mutated, workers: Workers, counts: Counter[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="parte-") as name:
        directory = Path(name)
        for path, content in case.files.items():
            _write(directory / path, content)
        ends = []
        for run in case.runs:
            end = workers.run(run, directory, PATIENCE)
            _judge(case, run, end, counts)
            ends.append(end)
        if case.same:
            _compare(case, ends)


def _prepared() -> Workers:
    """Workers that are forked when all is there that commands import or make when they first need it."""
    for module in _LAZILY:
        import_module(module)
    program = parse(PROGRAM.decode())
    relations = bind_domain(program, read_domain(DOMAIN.decode()))
    for model in ("sound", "indexed"):
        api.execute(program, read_trace(TRACE.decode()), model=model, domain=relations)
    import_module("parte.algebra.parte.relational.duckdb").planned(program, relations)
    _command()
    return Workers(_main)


@cache
def _command() -> Any:
    """The command as its library has it, which takes longer to make than most inputs to read."""
    return typer.main.get_command(cli.app)


def _opened(content: Content) -> Any:

    assert isinstance(content, bytes)
    return pa.BufferReader(content)


def _less(content: bytes, separator: bytes) -> Iterator[bytes]:
    """The content with fewer and fewer parts left out."""
    parts = content.split(separator) if separator else [bytes([byte]) for byte in content[:20_000]]
    size = len(parts) // 2
    while size:
        for start in range(0, len(parts), size):
            yield separator.join(parts[:start] + parts[start + size :])
        size //= 2


def _write(path: Path, content: Content) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    match content:
        case bytes():
            path.write_bytes(content)
        case Odd.FIFO:
            os.mkfifo(path)
        case Odd.DIRECTORY:
            path.mkdir()
        case Odd.LOOP:
            path.symlink_to(path.name)
        case Odd.ENDLESS:
            path.symlink_to("/dev/zero")
        case Odd.FAILING:
            path.symlink_to("/proc/self/mem")
        case Odd.HUGE:
            with path.open("wb") as file:
                file.truncate(2**33)


# --- In the fork ------------------------------------------------------------------------------------------------------


def _main(arguments: tuple[str, ...]) -> int:
    """The command, or something that no command reads but at length."""

    if arguments[0].startswith("@"):
        return _DIRECTLY[arguments[0]]()
    cli.app = _command()
    sys.argv = ["parte", *arguments]
    try:
        cli.main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    return 0


def _refused(problem: object) -> int:

    terminal.error(str(problem))
    return 2


def _program() -> int:
    """A program as JSON: what is accepted is run by both sides, which agree."""

    try:
        program = program_from_json(decode(read_text("p.json")))
    except (FormatError, MalformedJson, OSError) as problem:
        return _refused(f"p.json: {problem}")
    assert program_from_json(program_to_json(program)) == program
    try:
        outcomes = [
            api.execute(program, load_trace("t.jsonl"), model=model, domain=load_domain("d.json"))
            for model in ("sound", "indexed", "algebra")
        ]
    except InputError as problem:
        return _refused(problem)
    assert outcomes[0].matches == outcomes[1].matches == outcomes[2].matches
    return 0


def _read_parameters() -> int:

    try:
        read_parameters(Path("x.toml"), EXPERIMENTS[0].scales[Scale.SMALL])
    except ParametersError as problem:
        return _refused(problem)
    return 0


def _checkpoint() -> int:

    text = Path("parte.json").read_bytes().decode("utf-8", "replace")  # as the file systems of Spark do it
    try:
        checkpoint._compare("parte.json", text, json.loads(CHECKPOINT))
    except checkpoint.CheckpointError as problem:
        return _refused(problem)
    assert json.loads(text) == json.loads(CHECKPOINT) | json.loads(text)
    return 0


def _option() -> int:
    """A run of ETALIS with an option as a file says it; a command line has no character 0, and is not as long."""
    (option,) = (name for name in ("--policy", "--reading") if Path(name).exists())
    asked = Path(option).read_bytes().decode("utf-8", "surrogateescape").replace("\0", "")[:100_000]
    return _main(("run", "r.etalis", "t.jsonl", f"{option}={asked}"))


def _etalis() -> int:
    return _engine(EtalisEngine("sound"))


def _lead() -> int:
    return _engine(LeadEngine("sound"))


def _parte() -> int:
    return _engine(ReferenceEngine(SOUND, RoundRobin()))


def _engine(engine: Engine) -> int:
    """An engine of this project, asked what the file says: each line that is not empty has its reply."""

    content = Path("requests").read_bytes()
    if content.count(b"\n") > 10_000:  # each has its reply, which takes its time
        return 0
    replies, errors = io.BytesIO(), io.BytesIO()
    serve(engine, io.BytesIO(content), replies, errors)
    for line in replies.getvalue().decode().split("\n")[:-1]:
        assert isinstance(json.loads(line), dict)
    if errors.getvalue():
        raise AssertionError(errors.getvalue().decode())
    return 0


def _cases() -> int:
    """The cases of a suite, whatever is wrong with a file of it: the other file has lost none."""

    cases, problems = read_suite(PARTELANG, Path("s"))
    lost = {"good/one", "good/two"} - cases.keys()
    assert not lost, f"{lost} {problems}"
    return _refused("\n".join(f"s/{where}: {message}" for where, message in problems)) if problems else 0


def _read_edition() -> int:

    try:
        write_fixtures(Path("out"), Path("e"))
    except (Unusable, BadRow) as problem:
        return _refused(f"{problem} (in e/traces/part-0.parquet)")
    return 0


_DIRECTLY: Mapping[str, Callable[[], int]] = {
    "@program": _program,
    "@parameters": _read_parameters,
    "@checkpoint": _checkpoint,
    "@engine": _parte,
    "@etalis": _etalis,
    "@lead": _lead,
    "@option": _option,
    "@cases": _cases,
    "@edition": _read_edition,
}


# --- Judging ----------------------------------------------------------------------------------------------------------

_FRAME = re.compile(r'File "[^"]*?/(\w+\.py)", line \d+, in (\w+)')


def _judge(case: Mutated, run: tuple[str, ...], end: Ended, counts: Counter[str]) -> None:
    where = f"{case.kind}, {run[0]}" + (f" {run[-1]}" if run[0] in ("report", "run") else "")
    counts[f"exit code {end.code}"] += 1
    if end.code is None or end.seconds > SECONDS:
        raise Broken(f"{where}: takes longer than {SECONDS:.0f} s", end.errors[-3000:])
    if "Traceback (most recent call last)" in end.errors or end.code == RAISED:
        frames = _FRAME.findall(end.errors) or [("?", "?")]
        last = next((line for line in reversed(end.errors.split("\n")) if line and line[0].isalpha()), "?")
        raise Broken(f"{where}: {last.partition(':')[0]} in {':'.join(frames[-1])}", end.errors[-3000:])
    if end.kilobytes > KILOBYTES:
        raise Broken(f"{where}: more than 1 GiB of memory", f"{end.kilobytes} kB")
    if end.code not in case.codes:
        raise Broken(f"{where}: exit code {end.code}", end.errors[-2000:])
    for character in "\x1b\x00\x9b":
        if character in end.errors:
            raise Broken(f"{where}: the error holds {character!r}", repr(end.errors[:500]))
    if end.code == 2:
        named = (*case.files, *map(_last, case.files))
        if not any(name in end.errors for name in named):
            raise Broken(f"{where}: an error without its place", end.errors[:2000] or "nothing is said")
        if len(end.errors) > 2**20:
            raise Broken(f"{where}: an error of {len(end.errors)} characters")


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _compare(case: Mutated, ends: list[Ended]) -> None:
    """All give one answer; those that read the same files all refuse them or none does.

    But DuckDB takes a log whose rows, which mean nothing by their order there, come too late.
    """
    excused = ("Unsupported", "without recursion", "run a machine", "below the promise in force")
    alike = "--capacities" not in case.runs[0] and not any(word in end.errors for end in ends for word in excused)
    if alike and len({end.code for end in ends if end.code != 3}) > 1:
        shown = "\n".join(f"{end.code}: {end.errors[:500]}" for end in ends)
        raise Broken(f"{case.kind}: one evaluator accepts what another refuses", shown)
    outputs = [end.output for end in ends if end.code == 0]
    if len(set(outputs)) > 1:
        raise Broken(f"{case.kind}: evaluators differ", "\n---\n".join(output[:1000] for output in outputs))
