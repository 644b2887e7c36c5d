"""What the tests of the API and of the command share."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from parte.cli import app
from parte.conformance.languages import languages
from tests.parte.advice import advised_in_vain
from tests.parte.examples import PAIR, PAIR_TRACE, Command, Finished


@pytest.fixture
def command() -> Command:
    """Run the command with arguments, in this process. What its messages advise it must have."""

    def run(*arguments: object, stdin: str | bytes | None = None, **environment: str) -> Finished:
        runner = CliRunner(env={"FORCE_COLOR": None, "NO_COLOR": None, "COLUMNS": "80", **environment})
        result = runner.invoke(app, [str(argument) for argument in arguments], input=stdin, prog_name="parte")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        # What the commands of another language take is not asked of these.
        endings = {Path(str(argument)).suffix for argument in arguments} & {each.ending for each in languages()[1:]}
        if arguments and "--language" not in arguments and not endings:
            assert not advised_in_vain([str(argument) for argument in arguments], result.stderr), result.stderr
        return Finished(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """The small program and its trace, as files."""
    program, trace = tmp_path / "pair.parte", tmp_path / "pair.jsonl"
    program.write_text(PAIR, encoding="utf-8")
    trace.write_text(PAIR_TRACE, encoding="utf-8")
    return program, trace
