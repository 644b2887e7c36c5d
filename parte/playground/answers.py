"""Requests of the page and their answers: `answer` takes a request as JSON and returns its answer as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from parte import api
from parte.checker.report.facet import CHECK
from parte.conformance.kit import KIT
from parte.conformance.protocol import DEFAULT_LANGUAGE
from parte.languages.language import Language
from parte.languages.registry import language_called
from parte.playground import partelang
from parte.playground.exchange import ANSWERS, PLAYGROUND, REQUESTS, Answer, Mark, Request, Task, errors, matches_in
from parte.playground.marks import marks_of, problems, reported
from parte.semantics.events.codec import FormatError
from parte.semantics.events.problems import DomainError, InputError
from parte.semantics.events.strictjson import MalformedJson, decode
from parte.semantics.rulebook import running
from parte.semantics.rulebook.running import RUN
from parte.semantics.source.diagnostics import ProgramError
from parte.semantics.source.packages import Unavailable
from parte.semantics.source.text import TEXT

MOST_MATCHES = 1_000
"""The greatest number of matches of a run that the page gets."""
LONGEST = 200_000
"""The length of the longest text that the page gets, in characters."""
LARGEST = 4_000_000
"""The length of the largest drawing or page that the page gets, in characters."""


def answer(request: str) -> str:
    """Return the answer to a request, both as JSON. Any failure is an answer too."""
    try:
        decoded = REQUESTS.decode(decode(request))
    except (FormatError, MalformedJson) as error:
        return _written(errors("settings", [str(error)]))
    return _written(_bounded(answered(decoded)))


def answered(request: Request) -> Answer:
    """Return the answer to a request."""
    try:
        language = language_called(request.language)
    except KeyError:
        return errors("settings", [f"no language is called {request.language!r}"])
    if request.task != "read" and request.task not in tasks_of(language):
        return errors("settings", [f"{language.name} has no {request.task}"])
    try:
        syntax = language[TEXT]
        program = syntax.parse(request.program)
        result = _tasks(language)[request.task](request) if request.task != "read" else Answer(True)
        return replace(
            result, marks=(*marks_of(syntax.warnings(program)), *result.marks), rules=_rules(language, request)
        )
    except ProgramError as error:
        return Answer(False, marks=marks_of(error.diagnostics))
    except InputError as error:
        return Answer(False, marks=problems("domain" if isinstance(error, DomainError) else "trace", error))
    except Unavailable as error:
        return Answer(False, marks=(Mark("settings", "error", error.message, error.hint),))
    except (MemoryError, RecursionError) as error:
        return errors("settings", [f"this is too large for the playground: {type(error).__name__}"])
    except (ValueError, RuntimeError) as error:  # limits of a model, and runs without end
        return errors("settings", [str(error)])
    except Exception as fault:
        return errors("settings", [f"a fault in PARTE, please report it: {type(fault).__name__}: {fault}"[:500]])


def tasks_of(language: Language) -> tuple[Task, ...]:
    """Return the tasks for programs in a language."""
    return tuple(_tasks(language))


def _tasks(language: Language) -> dict[Task, Callable[[Request], Answer]]:
    tasks: dict[Task, Callable[[Request], Answer]] = {
        "run": lambda request: _run(language, request),
        "compare": lambda request: _compare(language, request),
    }
    if language.has(CHECK):
        tasks["check"] = lambda request: _check(language, request)
    return tasks | (language[PLAYGROUND] if language.has(PLAYGROUND) else {})


# --- Any language -----------------------------------------------------------------------------------------------------


def _run(language: Language, request: Request) -> Answer:
    matches = _matches(language, request, request.model)
    lines = language[TEXT].match_lines(matches)
    return Answer(True, "".join(f"{line}\n" for line in lines), matches=matches_in(lines))


def _compare(language: Language, request: Request) -> Answer:
    text, definition = language[TEXT], language[KIT].definition
    expected, actual = (_matches(language, request, model) for model in (definition, request.model))
    key = text.key(text.parse(request.program))
    return Answer(*text.comparison(request.model, definition, expected, actual, key))


def _matches(language: Language, request: Request, model: str) -> Sequence[object]:
    runner = language[RUN]
    if model not in runner.models:
        raise ValueError(f"no model is called {model!r}; there are: {', '.join(runner.models)}")
    settings = running.Request(model, disorder=request.lag, filename="trace")
    try:
        return runner.evaluate(language[TEXT].parse(request.program), request.trace.split("\n"), settings)
    except runner.refusals as error:
        raise ValueError(runner.refusal(error, settings)) from None


def _check(language: Language, request: Request) -> Answer:
    assert language.has(CHECK)
    return reported(language[CHECK](request.program, api.CHECK_TIMEOUT))


def _rules(language: Language, request: Request) -> tuple[str, ...]:
    return partelang.rules_of(request.program) if language.name == DEFAULT_LANGUAGE else ()


def _bounded(result: Answer) -> Answer:
    """Return the answer, cut to the limits of a page."""
    marks, text = list(result.marks), result.text
    if len(text) > LONGEST:
        text = text[:LONGEST].rpartition("\n")[0] + "\n"
        marks.append(Mark("settings", "note", f"the text is cut: {len(result.text):,} characters"))
    drawing, page = (markup if len(markup) <= LARGEST else "" for markup in (result.drawing, result.page))
    if (drawing, page) != (result.drawing, result.page):
        marks.append(Mark("settings", "note", "the drawing is too large to be shown: take a smaller program or trace"))
    count = max(result.count, len(result.matches))
    return replace(
        result,
        text=text,
        marks=tuple(marks),
        matches=result.matches[:MOST_MATCHES],
        count=count,
        drawing=drawing,
        page=page,
    )


def _written(result: Answer) -> str:
    return json.dumps(ANSWERS.encode(result), ensure_ascii=False, allow_nan=False)
