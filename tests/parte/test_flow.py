"""`parte run` on a trace that still comes, on a long one, and within a budget."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from parte.commands import flow
from parte.semantics.events.long_traces import Speakers
from tests.parte.examples import PAIR_MATCH, PAIR_TRACE, Command

Files = tuple[Path, Path]
DOOR = "template A {} template B {} rule R where a : A no b : B when no b in a [0 ms, 9 ms]"


@contextmanager
def live(program: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The command, with a pipe that stays open as standard input."""
    command = [sys.executable, "-m", "parte", "run", str(program), "-", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, encoding="utf-8") as running:
        try:
            yield running
        finally:
            running.kill()


def write(running: subprocess.Popen[str], text: str) -> None:
    assert running.stdin is not None
    running.stdin.write(text)
    running.stdin.flush()


def read(running: subprocess.Popen[str]) -> str:
    assert running.stdout is not None
    return running.stdout.readline()


def test_answers_while_input_comes(pair: Files) -> None:
    with live(pair[0]) as running:
        write(running, PAIR_TRACE)
        assert read(running) == PAIR_MATCH
        write(running, '{"id":"b3","template":"B","timestamp":5,"attributes":{"k":1}}\n')
        assert json.loads(read(running))["bindings"] == {"a": "a1", "b": "b3"}
        running.send_signal(signal.SIGINT)  # what was found is printed already
        assert running.wait(30) == 130
        assert running.stdout is not None
        assert running.stdout.read() == ""


def test_a_reader_that_has_gone_ends_it(pair: Files) -> None:
    with live(pair[0]) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        write(running, PAIR_TRACE)
        assert running.wait(30) == 1
        assert running.stderr.read() == ""


def test_an_absence_is_told_when_it_is_promised(tmp_path: Path) -> None:
    program = tmp_path / "p"
    program.write_text(DOOR, encoding="utf-8")
    with live(program) as running:
        write(running, '{"id":"a","template":"A","timestamp":0}\n{"template":"B","progress":10}\n')
        assert json.loads(read(running))["bindings"] == {"a": "a"}
        write(running, '{"id":"x","template":"A","timestamp":20}\n{"id":"y","template":"A","timestamp":19}\n')
        assert running.wait(30) == 2
        assert running.stderr is not None
        assert "<stdin>:4: event" in running.stderr.read()


@pytest.mark.parametrize("model", ["sound", "published", "rudimentary"])
def test_every_machine_answers_line_by_line(command: Command, pair: Files, model: str) -> None:
    result = command("run", pair[0], "-", "--model", model, stdin=PAIR_TRACE)
    assert result.code == 0
    assert sorted(result.out.splitlines()) == command("run", *pair, "--model", model).out.splitlines()


@pytest.mark.parametrize(
    "arguments", [("--model", "algebra"), ("--schedule", "random"), ("--derivation", "Pair(a=a1,b=b2)")]
)
def test_the_others_read_it_whole(command: Command, pair: Files, arguments: tuple[str, ...]) -> None:
    assert command("run", pair[0], "-", *arguments, stdin=PAIR_TRACE).out == PAIR_MATCH


def many(tmp_path: Path, events: int) -> Files:
    """Every two events match."""
    program, trace = tmp_path / "many.parte", tmp_path / "many.jsonl"
    program.write_text("template A {} rule R where a : A b : A when b in a [0 ms, 1 days]", encoding="utf-8")
    lines = (f'{{"id":"e{number}","template":"A","timestamp":{number}}}\n' for number in range(events))
    trace.write_text("".join(lines), encoding="utf-8")
    return program, trace


def test_results_that_are_put_aside_come_in_order(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = many(tmp_path, 30)
    expected = command("run", *files, "--model", "indexed").out
    monkeypatch.setattr(flow, "_HELD", 7)
    assert command("run", *files).out == expected
    assert expected.count("\n") == 30 * 31 / 2


def test_a_budget_stops_a_run_and_says_what_grows(command: Command, tmp_path: Path) -> None:
    files = many(tmp_path, 200)
    whole = set(command("run", *files).out.splitlines())
    stopped = command("run", *files, "--budget", "100")
    assert stopped.code == 4
    assert "the budget of 100 partial matches is spent after" in stopped.err
    assert "join:R.b left stores" in stopped.err
    assert set(stopped.out.splitlines()) < whole
    assert stopped.out == "".join(f"{line}\n" for line in sorted(stopped.out.splitlines()))
    live = command("run", files[0], "-", "--budget", "100", stdin=files[1].read_bytes())
    assert (live.code, set(live.out.splitlines()) < whole) == (4, True)
    slow = command("run", *files, "--budget", "1 ms", "--budget", "1_000_000")
    assert "the budget of 0.001 seconds is spent after" in slow.err
    assert command("run", *files, "--budget", "1 days").code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--budget", "much"), "expected a duration such as"),
        (("--budget", "0"), "above zero"),
        (("--budget", "1", "--budget", "2"), "expected one duration"),
        (("--budget", "1", "--model", "algebra"), "only a machine by round-robin"),
        (("--budget", "1", "--schedule", "random"), "only a machine by round-robin"),
    ],
)
def test_budgets_that_are_none(command: Command, pair: Files, arguments: tuple[str, ...], message: str) -> None:
    result = command("run", *pair, *arguments)
    assert result.code == 2
    assert message in " ".join(result.err.replace("│", " ").split())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_cannot_be_read_twice(command: Command, pair: Files, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    result = command("run", pair[0], pipe, "--budget", "1")
    assert result.code == 2
    assert "can be read only once" in " ".join(result.err.split())


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers of the system")
@pytest.mark.parametrize("text", ["", PAIR_TRACE, PAIR_TRACE[:-30]], ids=["silent", "some", "half-a-line"])
def test_a_budget_stops_while_nothing_comes(pair: Files, text: str) -> None:
    with live(pair[0], "--budget", "1 seconds") as running:
        write(running, text)
        assert running.wait(30) == 4  # standard input stays open
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.read() == (PAIR_MATCH if text == PAIR_TRACE else "")
        assert f"the budget of 1 seconds is spent after {text.count(chr(10))} lines" in running.stderr.read()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers of the system")
def test_a_budget_stops_within_an_event_that_has_too_many_matches(command: Command, tmp_path: Path) -> None:
    program, trace = tmp_path / "star.parte", tmp_path / "star.jsonl"
    program.write_text(
        "template A {} template B {} rule R where b : B, c : A, d : A, e : A, f : A "
        "when c in b [-1 days, 0 ms], d in b [-1 days, 0 ms], e in b [-1 days, 0 ms], f in b [-1 days, 0 ms]",
        encoding="utf-8",
    )
    lines = (f'{{"id":"e{number}","template":"A","timestamp":{number}}}\n' for number in range(300))
    trace.write_text("".join([*lines, '{"id":"b","template":"B","timestamp":300}\n']), encoding="utf-8")
    begun = time.monotonic()
    result = command("run", program, trace, "--budget", "2 seconds")
    assert (result.code, time.monotonic() - begun < 30) == (4, True)  # there would be 300 ** 4 matches
    assert "the budget of 2 seconds is spent after" in result.err  # a busy machine may not read all lines in time
    assert signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, None)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers of the system")
def test_a_budget_counts_the_first_reading_of_a_file(
    command: Command, pair: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(_: object) -> Speakers:
        time.sleep(60)
        raise AssertionError

    monkeypatch.setattr("parte.commands.run.speakers", slow)
    result = command("run", *pair, "--budget", "1 seconds")
    assert result.code == 4
    assert "the budget of 1 seconds is spent after 0 lines" in result.err
