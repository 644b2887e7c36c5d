"""What ends a command from outside, or by a fault of its own: exit codes, one line, nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

from parte.faults import report_fault
from tests.parte.examples import PAIR

ROOT = Path(__file__).parents[2]
MAIN = "import sys; sys.argv = ['parte', {arguments}]; from parte.__main__ import main; {before}; main()"
POSIX = pytest.mark.skipif(os.name != "posix", reason="sends signals")


def code_of(*arguments: object, before: str = "pass") -> list[str]:
    quoted = ", ".join(repr(str(argument)) for argument in arguments)
    return [sys.executable, "-c", MAIN.format(arguments=quoted, before=before)]


def ended(command: list[str], number: int, after: float, said: bytes = b"") -> tuple[int, bytes]:
    """The exit code, and what is on standard error, of a command that gets a signal so long after it said something."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        if said:
            assert run.stdout.readline() == said
        time.sleep(after)
        run.send_signal(number)
        try:
            _, errors = run.communicate(timeout=20)
        finally:
            run.kill()
    return run.returncode, errors


@POSIX
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_it_imports(number: signal.Signals) -> None:
    command = code_of("conform", "--help", before="print('ready', flush=True)")
    assert ended(command, number, 0.15, b"ready\n") == (128 + number, b"")


@POSIX
def test_a_signal_while_it_runs(tmp_path: Path) -> None:
    program = tmp_path / "pair.parte"
    program.write_text(PAIR, encoding="utf-8")
    command = code_of("run", program, "-", before="import parte.cli; print('ready', flush=True)")
    assert ended(command, signal.SIGTERM, 0.3, b"ready\n") == (143, b"")


@POSIX
def test_a_signal_within_code_that_is_made_from_text() -> None:
    """Python by itself would end with the code of Ctrl-C."""
    text = "import time; print('ready', flush=True); time.sleep(60)"
    code = f"from parte import interruptions as i\ni.install()\ntry: exec({text!r})\nexcept KeyboardInterrupt: i.end()"
    assert ended([sys.executable, "-c", code], signal.SIGTERM, 0.0, b"ready\n") == (143, b"")


@POSIX
def test_a_signal_that_was_switched_off_stays_so(tmp_path: Path) -> None:
    program = tmp_path / "pair.parte"
    program.write_text(PAIR, encoding="utf-8")
    before = f"import signal; signal.signal({int(signal.SIGHUP)}, signal.SIG_IGN); print('ready', flush=True)"
    command = code_of("run", program, "-", before=before)
    assert ended(command, signal.SIGHUP, 0.0, b"ready\n") == (0, b"")


@pytest.mark.parametrize(
    ("fault", "code", "said"),
    [
        (KeyError("x\x1b[2J"), 70, "a fault in PARTE: KeyError: 'x\\x1b[2J'"),
        (MemoryError(), 71, "memory does not suffice: MemoryError"),
        (OSError(12, "Cannot allocate memory"), 71, "memory does not suffice: OSError: [Errno 12]"),
        (RecursionError("deep\nand deeper"), 70, "a fault in PARTE: RecursionError: deep and deeper"),
        (FileNotFoundError(2, "No such file", "gone"), 70, "a fault in PARTE: FileNotFoundError"),
        (OSError(36, "File name too long", "a" * 300), 2, "a name of 300 characters is too long for a file: aaa"),
        (duckdb.OutOfMemoryException("full"), 71, "memory does not suffice: OutOfMemoryException: full"),
    ],
)
def test_a_fault_is_told_in_one_line(
    fault: Exception, code: int, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert report_fault(fault) == code
    first, *more = capsys.readouterr().err.splitlines()
    assert first.startswith(f"error: {said}")
    assert [line[:8] for line in more] == ["  hint: "]
    monkeypatch.setenv("PARTE_TRACEBACK", "1")
    assert (report_fault(fault), type(fault).__name__ in capsys.readouterr().err.splitlines()[0]) == (code, True)


@pytest.mark.parametrize(
    "arguments",
    [
        ("suite", "export", "LONG"),
        ("conform", "LONG"),
        ("conform", "model:sound", "--report", "LONG", "--case", "defects/01-expire-by-lifetime"),
        (
            "spark",
            "match",
            str(ROOT / "examples" / "factory" / "line.parte"),
            str(ROOT / "examples" / "factory" / "trace.jsonl"),
            "--out",
            "LONG",
        ),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_a_name_that_is_too_long_is_no_fault_of_ours(arguments: tuple[str, ...], tmp_path: Path) -> None:
    words = ["a" * 300 if argument == "LONG" else argument for argument in arguments]
    command = [sys.executable, "-m", "parte", *words]
    done = subprocess.run(
        command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "is too long for a file: aaa" in done.stderr) == (2, True), done.stderr
    assert not list(tmp_path.iterdir())


def test_a_fault_ends_the_command_with_a_code_of_its_own() -> None:
    plant = "import parte.cli\ndef fail(*_, **__): raise LookupError('planted')\nparte.cli.app = fail"
    command = [sys.executable, "-c", f"import sys; sys.argv = ['parte']\n{plant}\nimport parte.__main__ as m; m.main()"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (70, "")
    assert done.stderr.startswith("error: a fault in PARTE: LookupError: planted")
