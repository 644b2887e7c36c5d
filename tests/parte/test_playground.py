"""What the page of the playground is answered, in an ordinary Python."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from parte.checker.solver import queries
from parte.conformance.kit import KIT
from parte.languages.language import Language
from parte.languages.registry import languages
from parte.playground import answers
from parte.playground.answers import tasks_of
from parte.playground.exchange import PLAYGROUND
from parte.proofs.partelang.variants import VARIANTS
from tests.parte.examples import PAIR, PAIR_MATCH, PAIR_TRACE

ROOT = Path(__file__).parents[2]
EACH = pytest.mark.parametrize("language", languages(), ids=lambda language: str(language.name))


def ask(task: str, program: str = PAIR, trace: str = PAIR_TRACE, **settings: object) -> dict[str, Any]:
    """The answer to a request of the page."""
    request = {"task": task, "language": "PARTElang", "program": program, "trace": trace, **settings}
    answered = json.loads(answers.answer(json.dumps(request)))
    assert isinstance(answered, dict)
    return answered


def of_example(language: Language, task: str, **settings: object) -> dict[str, Any]:
    """The answer to a request about the example of a language."""
    trace = "".join(f"{json.dumps(item)}\n" for item in language[KIT].example.trace)
    return ask(task, language[KIT].example.program, trace, language=language.name, **settings)


def places(answer: dict[str, Any]) -> list[tuple[str, str, int, int]]:
    return [(mark["where"], mark["code"], mark["line"], mark["column"]) for mark in answer["marks"]]


def test_import_parte_imports_nothing_from_elsewhere() -> None:
    code = "import sys, parte; print(*{'typer', 'click', 'rich', 'lark', 'msgspec', 'z3'} & sys.modules.keys())"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


def test_no_task_needs_a_command_line() -> None:
    """The browser has lark, msgspec and z3, and no other package; nor has it threads that would start a solver."""
    code = """if True:
        import json, sys
        sys.modules.update(dict.fromkeys(("typer", "click", "rich", "hypothesis", "duckdb", "pyarrow", "numpy")))
        sys.platform = "emscripten"
        from parte.languages.registry import languages
        from parte.playground.answers import answer, tasks_of
        from parte.conformance.kit import KIT
        for language in languages():
            example = language[KIT].example
            trace = "".join(json.dumps(item) + "\\n" for item in example.trace)
            for task in tasks_of(language):
                asked = {"task": task, "language": language.name, "program": example.program, "trace": trace}
                found = json.loads(answer(json.dumps(asked)))
                errors = [mark["message"] for mark in found["marks"] if mark["severity"] == "error"]
                print(language.name, task, found["good"], errors)
    """
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    lines = run.stdout.splitlines()
    assert len(lines) == sum(len(tasks_of(language)) for language in languages())
    assert [line for line in lines if not line.endswith(" True []")] == []


@EACH
def test_every_language_runs_its_example(language: Language) -> None:
    for model in (
        {*language[KIT].models} - {"published", "rudimentary", "duckdb"} - {variant.name for variant in VARIANTS}
    ):
        answer = of_example(language, "run", model=model)
        assert (answer["matches"], answer["count"], answer["marks"]) == ([language[KIT].example.match], 1, [])


def offered(language: Language, *tasks: str) -> list[str]:
    """Those of some tasks that the playground has for a language: all, if it has drawings."""
    known: list[str] = [task for task in tasks if task in ("read", *tasks_of(language))]
    assert len(known) == len(tasks) or not language.has(PLAYGROUND)
    return known


@EACH
def test_every_language_says_where_a_program_is_wrong(language: Language) -> None:
    for task in offered(language, "read", "run", "timeline"):
        answer = ask(task, language[KIT].example.invalid, "", language=language.name)
        assert not answer["good"]
        (first, *_) = answer["marks"]
        assert (first["where"], first["severity"], first["line"]) == ("program", "error", 1)
        assert first["column"] > 0
        assert first["end_column"] > 0
        assert first["hint"]


@EACH
def test_every_language_says_where_a_trace_is_wrong(language: Language) -> None:
    good = json.dumps(language[KIT].example.trace[0])
    for task in offered(language, "run", "compare", "timeline"):
        answer = ask(task, language[KIT].example.program, f"{good}\n\n{{}}\n", language=language.name)
        assert {(where, line) for where, _, line, _ in places(answer)} == {("trace", 3)}


@EACH
def test_drawings(language: Language) -> None:
    for task in offered(language, "timeline", "network"):
        answer = of_example(language, task)
        assert answer["good"]
        assert answer["drawing"].startswith("<svg ")


def test_matches_are_those_of_the_command() -> None:
    answer = ask("run", schedule="random", seed=7)
    assert (answer["text"], answer["rules"]) == (PAIR_MATCH, ["Pair"])


def test_integers_that_a_page_would_round_come_as_text() -> None:
    program = "template A { k : Integer } rule R where a : A then emit A2 at a.timestamp with { k = a.k } "
    trace = "".join(
        json.dumps({"id": f"e{k}", "template": "A", "timestamp": 0, "attributes": {"k": k}}) + "\n"
        for k in (2**53 - 1, 2**53 + 1)
    )
    answer = ask("run", program=program + "template A2 { k : Integer }", trace=trace)
    assert [match["emits"][0]["attributes"]["k"] for match in answer["matches"]] == [2**53 - 1, str(2**53 + 1)]


def test_a_model_that_differs() -> None:
    assert ask("compare")["good"]
    answer = ask("compare", model="published")
    assert not answer["good"]
    assert answer["text"].startswith("published differs from the algebra")


def test_why() -> None:
    assert ask("why", rule="Pair", bindings="a=a1, b=b2")["good"]
    assert not ask("why", bindings="a=a2,b=b2")["good"]
    for wrong in ("a=a9", "a"):
        assert places(ask("why", bindings=wrong)) == [("settings", "", 0, 0)]


def test_steps() -> None:
    answer = ask("step")
    assert answer["good"]
    assert answer["page"].startswith("<!DOCTYPE html>")
    assert not ask("step", model="published")["good"]
    assert places(ask("step", model="algebra")) == places(ask("step", model="rudimentary")) == [("settings", "", 0, 0)]


def test_domain_and_disorder() -> None:
    program = "template A {}\npredicate p(Integer)\ntemplate B { k : Integer }\nrule R where b : B { p(k) }\n"
    trace = (
        '{"id":"x","template":"B","timestamp":5,"attributes":{"k":1}}\n'
        '{"id":"y","template":"B","timestamp":1,"attributes":{"k":2}}\n'
    )
    assert places(ask("run", program, trace))[0][0] == "domain"
    domain = '{"p": {"true_for": [[2]]}}'
    assert places(ask("run", program, trace, domain=domain)) == [("trace", "", 2, 0)]
    answer = ask("run", program, trace, domain=domain, disorder="4 ms")
    assert [match["bindings"] for match in answer["matches"]] == [{"b": "y"}]
    for wrong in ("4", "-1 ms"):
        assert places(ask("run", program, trace, domain=domain, disorder=wrong)) == [("settings", "", 0, 0)]


def test_warnings_come_with_results() -> None:
    answer = ask("run", PAIR + "template Unused {}\n")
    assert answer["good"]
    assert [mark["severity"] for mark in answer["marks"]] == ["warning"]


@pytest.mark.parametrize(
    "request_",
    [
        "",
        "[]",
        "{",
        '{"task": "run"}',
        '{"task": "run", "language": "PARTElang", "program": "", "more": 1}',
        '{"task": "launch", "language": "PARTElang", "program": ""}',
        '{"task": "run", "language": "Prolog", "program": ""}',
        *(
            json.dumps({"language": language.name, "program": language[KIT].example.program, **request})
            for language in languages()[1:]
            for request in ({"task": "why"}, {"task": "run", "model": "other"})
        ),
        '{"task": "run", "language": "PARTElang", "program": "", "model": "other"}',
        '{"task": "run", "language": "PARTElang", "program": "", "schedule": "other"}',
        '{"task": "compare", "language": "PARTElang", "program": "", "model": "algebra"}',
    ],
)
def test_what_cannot_be_asked(request_: str) -> None:
    answer = json.loads(answers.answer(request_))
    assert not answer["good"]
    assert [mark["where"] for mark in answer["marks"]] == ["settings"]
    assert answer["marks"][0]["message"]


def test_long_answers_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = "".join(f'{{"template":"A","timestamp":{time},"attributes":{{"k":1}}}}\n' for time in range(20))
    program = "template A { k : Integer }\nrule R where a : A\n"
    monkeypatch.setattr(answers, "MOST_MATCHES", 5)
    monkeypatch.setattr(answers, "LONGEST", 100)
    monkeypatch.setattr(answers, "LARGEST", 100)
    answer = ask("run", program, trace)
    assert (len(answer["matches"]), answer["count"], answer["text"].count("\n")) == (5, 20, 2)
    assert "the text is cut" in answer["marks"][0]["message"]
    drawn = ask("timeline", program, trace)
    assert (drawn["drawing"], len(drawn["marks"])) == ("", 1)
    stepped = ask("step", program, trace)
    assert (stepped["page"], len(stepped["marks"])) == ("", 1)


def test_a_solver_without_threads_answers_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    before = ask("check", PAIR)
    monkeypatch.setattr(queries, "_THREADS", False)
    after = ask("check", PAIR)
    verdicts = [answer["text"].splitlines()[:-1] for answer in (before, after)]
    assert verdicts[0] == verdicts[1]
    assert "proved" in before["text"]
