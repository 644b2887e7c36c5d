"""What runs in a fork: the command, or what no command reads but at length."""

from __future__ import annotations

import io
import json
import sys
from collections import ChainMap
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import typer

from parte import api, cli, terminal
from parte.conformance.engines.server import serve
from parte.conformance.partelang.engines.reference import ReferenceEngine
from parte.conformance.protocol import Engine
from parte.conformance.suites import read_suite
from parte.experiments.catalogue import EXPERIMENTS
from parte.experiments.experiment import Scale
from parte.experiments.parameters import ParametersError, read_parameters
from parte.languages.partelang import PARTELANG
from parte.semantics.events.codec import FormatError
from parte.semantics.events.domain import load_domain
from parte.semantics.events.files import read_text
from parte.semantics.events.problems import InputError
from parte.semantics.events.strictjson import MalformedJson, decode
from parte.semantics.events.trace import load_trace
from parte.semantics.partelang.repairs import SOUND
from parte.semantics.partelang.schedules import RoundRobin
from parte.semantics.partelang.syntax.json_form import program_from_json, program_to_json
from parte.spark_adapter.errors import Unusable
from parte.spark_adapter.stream import checkpoint
from parte.spark_adapter.traces.files import write_fixtures
from parte.spark_adapter.traces.format import BadRow
from tests.campaigns.specimens import CHECKPOINT
from tests.guests import modules


@cache
def command() -> Any:
    """The command as its library has it, which takes longer to make than most inputs to read."""
    return typer.main.get_command(cli.app)


def main(arguments: tuple[str, ...]) -> int:
    """The command, or something that no command reads but at length."""

    if arguments[0].startswith("@"):
        return _directly()[arguments[0]]()
    cli.app = command()
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


def _parte() -> int:
    return engine(ReferenceEngine(SOUND, RoundRobin()))


def engine(engine: Engine) -> int:
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
    "@cases": _cases,
    "@edition": _read_edition,
}


@cache
def _directly() -> Mapping[str, Callable[[], int]]:
    """Those above, and those of guests."""
    guests = [getattr(module, "DIRECTLY", {}) for module in modules("campaigns/kinds")]
    return dict(ChainMap(*guests, dict(_DIRECTLY)))
