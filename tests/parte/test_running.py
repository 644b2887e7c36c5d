"""One way to run: the programs of every language, on a trace that arrives, on a file, and within a budget."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from parte.commands import flow
from parte.conformance.fuzz.draw import seeded
from parte.conformance.kit import KIT
from parte.languages.language import Language
from parte.languages.registry import languages
from parte.semantics.rulebook.running import RUN, Request
from parte.semantics.source.text import TEXT
from tests.parte.examples import Command
from tests.parte.guest import GUESTS
from tests.parte.test_flow import read, write

EXAMPLES = Path(__file__).parents[2] / "parte" / "examples"
GUEST_LANGUAGES = [language for language in languages()[1:] if language.has(RUN)]
DRAWN = 300


def example(language: Language) -> tuple[Path, Path, str]:
    """A program of a language with a trace and the expected matches."""
    program = min(EXAMPLES.glob(f"*/*{language.ending}"))
    return program, program.with_name("trace.jsonl"), program.with_name("expected.jsonl").read_text(encoding="utf-8")


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


@pytest.mark.parametrize("language", GUEST_LANGUAGES, ids=lambda language: language.name)
def test_a_match_is_printed_while_the_trace_still_arrives(language: Language) -> None:
    program, trace, expected = example(language)
    with live(program) as running:
        write(running, trace.read_text(encoding="utf-8"))
        assert read(running) == expected.splitlines(keepends=True)[0]


@pytest.mark.parametrize("language", languages(), ids=lambda language: language.name)
@pytest.mark.parametrize("model", ["sound", ""])
def test_standard_input_and_a_file_give_the_same(language: Language, model: str, command: Command) -> None:
    program, trace, expected = example(language)
    model = model or language[KIT].definition
    options = ("--domain", program.with_name("domain.json")) if program.with_name("domain.json").exists() else ()
    arriving = command("run", program, "-", "--model", model, *options, stdin=trace.read_bytes())
    assert (arriving.code, sorted(arriving.out.splitlines())) == (0, sorted(expected.splitlines())), arriving.err
    assert command("run", program, trace, "--model", model, *options).out == expected


@pytest.mark.parametrize("language", GUEST_LANGUAGES, ids=lambda language: language.name)
def test_a_run_line_by_line_finds_in_canonical_order_what_a_whole_run_finds(language: Language) -> None:
    """On drawn programs and traces; so results of a file need no sorting, and nothing is found twice."""
    runner, text, generation = language[RUN], language[TEXT], language[KIT].generation()
    refusals = runner.refusals
    compared = matched = 0
    for seed in range(DRAWN):
        case = generation.drawn(seeded(seed))
        request = Request("sound", case.options)
        program = text.parse(case.text)
        try:
            expected = text.match_lines(runner.evaluate(program, case.lines, request))
        except refusals:
            continue
        running = runner.begin(program, request)
        lines: list[str] = []
        for batch in (*running.feed(case.lines[:2]), *running.feed(case.lines[2:]), *running.end()):
            lines += text.match_lines(batch)
        results = lines if runner.in_order else sorted(lines)
        assert results == expected, (case.text, case.lines)
        assert running.lines == len(case.lines)
        compared, matched = compared + 1, matched + bool(lines)
    assert compared > DRAWN // 2
    assert matched > DRAWN // 20


@pytest.mark.parametrize("language", GUEST_LANGUAGES, ids=lambda language: language.name)
def test_a_budget_stops_a_machine_and_says_what_it_stores(language: Language, command: Command) -> None:
    program, trace, _ = example(language)
    stopped = command("run", program, trace, "--budget", "1")
    assert stopped.code == 4, stopped.err
    assert f"the budget of 1 {language[RUN].stored} is spent after" in stopped.err
    assert f"{language[RUN].stored} stored:" in stopped.err
    assert " stores " in stopped.err
    assert command("run", program, trace, "--budget", "1000000").out == command("run", program, trace).out != ""


@pytest.mark.parametrize("language", GUEST_LANGUAGES, ids=lambda language: language.name)
def test_a_wrong_line_of_an_arriving_trace_is_reported_with_its_place(
    language: Language, tmp_path: Path, command: Command
) -> None:
    program = tmp_path / f"p{language.ending}"
    guest = GUESTS[language.name]
    program.write_text(guest.program, encoding="utf-8")
    broken = command("run", program, "-", stdin=f"{guest.trace}[]\n".encode())
    assert broken.code == 2
    assert f"<stdin>:{guest.trace.count(chr(10)) + 1}: expected a JSON object" in broken.err
    file = tmp_path / "trace.jsonl"
    file.write_text(f"{guest.trace}[]\n[]\n", encoding="utf-8")
    of_file = command("run", program, file)
    assert (of_file.code, of_file.out) == (2, "")
    assert of_file.err.count("expected a JSON object") >= 1


@pytest.mark.parametrize("language", GUEST_LANGUAGES, ids=lambda language: language.name)
def test_a_definition_has_no_budget(language: Language, command: Command) -> None:
    program, trace, _ = example(language)
    refused = command("run", program, trace, "--model", language[KIT].definition, "--budget", "1 seconds")
    assert refused.code == 2
    assert "runs whole traces only" in " ".join(refused.err.split())


@pytest.mark.parametrize("language", languages(), ids=lambda language: language.name)
def test_a_run_imports_nothing_of_the_kit_the_checker_or_the_proofs(language: Language) -> None:
    program, trace, _ = example(language)
    domain = program.with_name("domain.json")
    arguments = ["parte", "run", str(program), str(trace), *(["--domain", str(domain)] if domain.exists() else [])]
    code = (
        f"import atexit, runpy, sys; sys.argv = {arguments!r}; "
        "atexit.register(lambda: print(*sys.modules, file=sys.stderr)); runpy.run_module('parte', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    modules = [name.split(".") for name in done.stderr.split() if name.startswith("parte.")]
    assert len(modules) > 50
    assert [name for name in modules if {"conformance", "checker", "proofs"} & {*name}] == []


@pytest.mark.parametrize("language", GUEST_LANGUAGES, ids=lambda language: language.name)
def test_a_byte_order_mark_is_no_part_of_a_trace(language: Language, tmp_path: Path, command: Command) -> None:
    program, trace, expected = example(language)
    marked = tmp_path / "marked.jsonl"
    marked.write_bytes(b"\xef\xbb\xbf" + trace.read_bytes())
    for model in ("sound", language[KIT].definition):
        assert command("run", program, marked, "--model", model).out == expected
        assert command("run", program, "-", "--model", model, stdin=marked.read_bytes()).out == expected
    assert command("run", program, marked, "--budget", "1").code == 4


def test_a_run_that_has_ended_is_not_stopped(command: Command) -> None:
    program, trace = EXAMPLES / "factory" / "line.parte", EXAMPLES / "factory" / "trace.jsonl"
    whole = command("run", program, trace)
    assert whole.out
    assert command("run", program, trace, "--budget", "1000") == whole


def test_results_in_order_wait_in_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow, "_HELD", 2)
    lines = flow.Lines(in_order=True)
    words = ["d", "b", "c", "a", "e"]
    for word in words:
        lines.add(word)
    assert len(lines._aside) == 1
    assert list(lines) == words


@pytest.mark.parametrize("language", GUEST_LANGUAGES, ids=lambda language: language.name)
def test_the_runner_and_the_kit_have_the_same_models(language: Language) -> None:
    runner, kit = language[RUN], language[KIT]
    assert runner.models == kit.models
    assert runner.models[0] == kit.definition in runner.whole < set(runner.models)
