"""Requests of the page and their answers: `answer` takes the JSON of one and gives that of the other."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from parte import api
from parte.asking import Refused, comparison, matches_of
from parte.checker.report.facet import CHECK
from parte.conformance.engines.registry import engine_called
from parte.conformance.kit import KIT
from parte.conformance.protocol import DEFAULT_LANGUAGE
from parte.conformance.runner.judging import told
from parte.languages.language import Language
from parte.languages.registry import language_called
from parte.playground import partelang
from parte.playground.exchange import ANSWERS, PLAYGROUND, REQUESTS, Answer, Mark, Request, Task, errors, matches_in
from parte.playground.marks import marks_of, problems, reported
from parte.semantics.events.codec import FormatError
from parte.semantics.events.problems import DomainError, InputError
from parte.semantics.events.strictjson import MalformedJson, decode
from parte.semantics.events.trace import read_records
from parte.semantics.source.diagnostics import ProgramError
from parte.semantics.source.packages import Unavailable
from parte.semantics.source.text import TEXT

MOST_MATCHES = 1_000
"""So many matches of a run are handed to the page."""
LONGEST = 200_000
"""The longest text that is, in characters."""
LARGEST = 4_000_000
"""The largest drawing or page that is, in characters."""


def answer(request: str) -> str:
    """The answer to a request, both as JSON. Whatever goes wrong is an answer too."""
    try:
        asked = REQUESTS.decode(decode(request))
    except (FormatError, MalformedJson) as error:
        return _written(errors("settings", [str(error)]))
    return _written(_bounded(answered(asked)))


def answered(asked: Request) -> Answer:
    """The answer to a request."""
    try:
        language = language_called(asked.language)
    except KeyError:
        return errors("settings", [f"no language is called {asked.language!r}"])
    if asked.task != "read" and asked.task not in tasks_of(language):
        return errors("settings", [f"{language.name} has no {asked.task}"])
    try:
        syntax = language[TEXT]
        program = syntax.parse(asked.program)
        found = _tasks(language)[asked.task](asked) if asked.task != "read" else Answer(True)
        return replace(found, marks=(*marks_of(syntax.warnings(program)), *found.marks), rules=_rules(language, asked))
    except ProgramError as error:
        return Answer(False, marks=marks_of(error.diagnostics))
    except InputError as error:
        return Answer(False, marks=problems("domain" if isinstance(error, DomainError) else "trace", error))
    except Refused as refusal:
        return Answer(
            False,
            marks=tuple(
                Mark("trace" if each.of_trace else "settings", "error", each.message, line=each.line)
                for each in refusal.complaints
            ),
        )
    except Unavailable as error:
        return Answer(False, marks=(Mark("settings", "error", error.message, error.hint),))
    except (MemoryError, RecursionError) as error:
        return errors("settings", [f"this is too large for the playground: {type(error).__name__}"])
    except (ValueError, RuntimeError) as error:  # what a model does not have, and runs without end
        return errors("settings", [str(error)])
    except Exception as fault:
        return errors("settings", [f"a fault in PARTE, please report it: {type(fault).__name__}: {fault}"[:500]])


def tasks_of(language: Language) -> tuple[Task, ...]:
    """What can be asked of programs in a language."""
    return tuple(_tasks(language))


def _tasks(language: Language) -> dict[Task, Callable[[Request], Answer]]:
    found: dict[Task, Callable[[Request], Answer]] = {
        "run": lambda asked: _run(language, asked),
        "compare": lambda asked: _compare(language, asked),
    }
    if language.has(CHECK):
        found["check"] = lambda asked: _check(language, asked)
    return found | (language[PLAYGROUND] if language.has(PLAYGROUND) else {})


# --- Any language -----------------------------------------------------------------------------------------------------


def _run(language: Language, asked: Request) -> Answer:
    found = _matches(language, asked, asked.model)
    lines = language[TEXT].shown(found)
    return Answer(True, "".join(f"{line}\n" for line in lines), matches=matches_in(lines))


def _compare(language: Language, asked: Request) -> Answer:
    expected, found = (_matches(language, asked, model) for model in (language[KIT].definition, asked.model))
    _, key = told(language, asked.program, ())
    return Answer(*comparison(language, asked.model, expected, found, key))


def _matches(language: Language, asked: Request, model: str) -> Sequence[object]:
    if model not in language[KIT].models:
        raise ValueError(f"no model is called {model!r}; there are: {', '.join(language[KIT].models)}")
    lines = read_records(asked.trace, filename="trace")
    load, _ = told(language, asked.program, [record for _, record in lines], disorder=asked.lag)
    return matches_of(engine_called(language[KIT].engines(), model), load, lines)


def _check(language: Language, asked: Request) -> Answer:
    assert language.has(CHECK)
    return reported(language[CHECK](asked.program, api.CHECK_TIMEOUT))


def _rules(language: Language, asked: Request) -> tuple[str, ...]:
    return partelang.rules_of(asked.program) if language.name == DEFAULT_LANGUAGE else ()


def _bounded(found: Answer) -> Answer:
    """The answer, cut to what a page can show."""
    marks, text = list(found.marks), found.text
    if len(text) > LONGEST:
        text = text[:LONGEST].rpartition("\n")[0] + "\n"
        marks.append(Mark("settings", "note", f"the text is cut: {len(found.text):,} characters"))
    drawing, page = (each if len(each) <= LARGEST else "" for each in (found.drawing, found.page))
    if (drawing, page) != (found.drawing, found.page):
        marks.append(Mark("settings", "note", "the drawing is too large to be shown: take a smaller program or trace"))
    count = max(found.count, len(found.matches))
    return replace(
        found,
        text=text,
        marks=tuple(marks),
        matches=found.matches[:MOST_MATCHES],
        count=count,
        drawing=drawing,
        page=page,
    )


def _written(found: Answer) -> str:
    return json.dumps(ANSWERS.encode(found), ensure_ascii=False, allow_nan=False)
