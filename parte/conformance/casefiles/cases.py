"""Reading and writing case files: the meaning of entries and their fields (docs/conformance.md, Cases).

An entry is a `case`, whose fields are those of `FIELDS` in that order; a `text`, lines with which the programs below
that name it begin; `events`, the attributes of events in the short notation; or a setting, a field that the cases below
have if they do not state it. Answers are in the notation of the language; every language shares the lines `rejected
CODE at LINE:COLUMN` (`at line LINE` in a trace), `warning CODE at …`, and `nothing` where there is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple, TypeVar

from parte.conformance.casefiles.events import Defaults, read_defaults, read_trace, write_defaults, write_items
from parte.conformance.casefiles.layout import (
    Entry,
    Field,
    Misread,
    Problem,
    filled,
    read_json,
    read_layout,
    read_value,
    write_layout,
    write_value,
)
from parte.conformance.fixtures import BY_HAND, Expected, Fixture, FixtureError, Json, Line, Place, check_size
from parte.semantics.events.strictjson import dumped

SETTINGS = ("profile", "since", "origin", "clauses", "sources")
FIELDS = ("about", *SETTINGS, "program", "domain", "disorder", "options", "shares", "trace", "expect")
_NEEDED = ("about", "profile", "since", "clauses", "expect")

_CALLED = 120
"""Characters of an id in a message; no valid id has more."""

_T = TypeVar("_T")
_Program = tuple[tuple[str, ...], tuple[Line, ...]]
_NO_PROGRAM: _Program = ((), ())


class Answers(NamedTuple):
    """Matches, emissions without a value, and suppressed emissions."""

    matches: tuple[Json, ...]
    failures: tuple[Json, ...] = ()
    suppressed: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class Notation:
    """The notation in which a language writes answers, in lines. `read` ignores empty lines, and raises Misread.

    Likewise for traces, unless they consist of events with ids and attributes (`parte.conformance.casefiles.events`).
    """

    read: Callable[[Sequence[str]], Answers]
    write: Callable[[Answers], Sequence[str]]
    read_items: Callable[[Sequence[str], Defaults], tuple[Json, ...]] = read_trace
    write_items: Callable[[Sequence[Json], Defaults], Iterable[str]] = write_items


def notation_of(
    read: Callable[[str], Json],
    write: Callable[[Json], str],
    read_items: Callable[[Sequence[str], Defaults], tuple[Json, ...]] = read_trace,
    write_items: Callable[[Sequence[Json], Defaults], Iterable[str]] = write_items,
) -> Notation:
    """Return the notation of a language whose answers are matches, one a line. What `write` cannot express so that
    `read` returns it is written as JSON."""

    def matches(lines: Sequence[str]) -> Answers:
        answers: list[Json] = []
        for offset, line in enumerate(lines):
            try:
                if line:
                    answers.append(read_json(line) if line.startswith("{") else read(line))
            except Misread as error:
                raise Misread(str(error), offset) from None
        return Answers(tuple(answers))

    def written(match: Json) -> str:
        try:
            line = write(match)
            if line.isprintable() and dumped(read(line)) == dumped(match):
                return line
        except (Misread, AttributeError, KeyError, TypeError):
            pass
        return dumped(match)

    return Notation(matches, lambda answers: [written(match) for match in answers.matches], read_items, write_items)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings for the cases below: the written values of fields, attributes of events, and texts."""

    values: Mapping[str, str] = field(default_factory=lambda: {"origin": BY_HAND, "sources": "[]"})
    events: Defaults = field(default_factory=dict)
    texts: Mapping[str, tuple[Line, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CaseFile:
    """The content of a file: its cases, each with the line where it begins, and the problems.

    A case with a problem is left out.
    """

    cases: tuple[tuple[int, Fixture], ...]
    problems: tuple[Problem, ...]


@lru_cache(maxsize=512)  # a suite is read often in one process, and has fewer files
def read_cases(text: str, notation: Notation) -> CaseFile:
    """Return the cases of a file."""
    entries, _, problems = read_layout(text)
    cases = []
    for entry, _, case, _, wrong in _read(entries, notation):
        problems += wrong
        if case is not None:
            cases.append((entry.head.line, case))
    return CaseFile(tuple(cases), tuple(sorted(problems, key=lambda problem: problem.line)))


def laid_out(text: str, notation: Notation) -> str:
    """Return the text of a file in its layout; entries that cannot be read keep their text."""
    entries, remarks, _ = read_layout(text)
    for entry, settings, case, texts, _ in _read(entries, notation):
        if case is not None:
            entry.fields = list(_fields(case, settings, texts, notation))
    return write_layout(entries, remarks)


def _read(
    entries: Iterable[Entry], notation: Notation
) -> Iterator[tuple[Entry, Settings, Fixture | None, tuple[str, ...], list[Problem]]]:
    """Yield each entry, with the settings there, its case if it is one, the texts that the case uses, and its
    problems."""
    settings = Settings()
    for entry in entries:
        if entry.head.word == "case":
            case, texts, faults = _case(entry, settings, notation)
            yield entry, settings, None if faults or entry.broken else case, texts, faults
            continue
        faults = []
        try:
            settings = _setting(entry, settings)
        except Misread as error:
            faults.append(Problem(entry.head.number(error.offset), str(error)))
        yield entry, settings, None, (), faults


def write_cases(cases: Iterable[Fixture], notation: Notation) -> str:
    """Return the text of a file of cases, each of which states all its fields."""
    entries = []
    for case in cases:
        fields = list(_fields(case, Settings(), (), notation))
        entries.append(Entry(Field("case", write_value(case.id), 0), [], fields))
    return write_layout(entries, ())


def _setting(entry: Entry, settings: Settings) -> Settings:
    """Return the settings with those of an entry, and put the entry into its layout. Misread if it is not a setting."""
    head = entry.head
    if entry.fields:
        raise Misread("only a case has fields below it")
    match head.word:
        case "text" if re.fullmatch(r"[\w-]+", head.value) and head.value not in settings.texts:
            return replace(settings, texts={**settings.texts, head.value: tuple(head.body)})
        case "text":
            raise Misread(f"expected a name that no other text has, found {dumped(head.value)}"[:200])
        case "events":
            events = read_defaults(head.lines())
            entry.head = filled("events", write_defaults(events))
            return replace(settings, events={**settings.events, **events})
        case word if word in SETTINGS:
            value = " ".join(head.lines())
            entry.head = filled(word, value.split(" "))
            return replace(settings, values={**settings.values, word: value})
    raise Misread(f"expected case, text, events, {', '.join(SETTINGS)}; found {dumped(head.word)}"[:200])


# --- Reading a case ---------------------------------------------------------------------------------------------------


def _case(entry: Entry, settings: Settings, notation: Notation) -> tuple[Fixture, tuple[str, ...], list[Problem]]:
    """Return the case of an entry, the texts that its program begins with, and the problems; with any, ignore the
    case."""
    head = entry.head
    fields = {word: Field(word, value, head.line) for word, value in settings.values.items()}
    problems: list[Problem] = []
    called = head.value[:_CALLED]
    stated = set[str]()
    for part in entry.fields:
        if part.word not in FIELDS or part.word in stated:
            known = f"it has {', '.join(FIELDS)}, each once"
            problems.append(Problem(part.line, f"{called}: a case has no further {part.word}; {known}"[:200]))
        stated.add(part.word)
        fields[part.word] = part
    problems += [Problem(head.line, f"{called}: {word} is missing") for word in _NEEDED if word not in fields]

    def take(word: str, read: Callable[[Field], _T], otherwise: _T) -> _T:
        source = fields.get(word)
        try:
            return otherwise if source is None else read(source)
        except Misread as error:
            assert source is not None
            problems.append(Problem(source.number(error.offset), f"{called}: {error}"))
            return otherwise

    fields["case"] = head
    texts, program = take("program", lambda source: _program(source, settings), _NO_PROGRAM)
    case = Fixture(
        take("case", read_id, ""),
        take("about", read_text, ""),
        take("profile", read_text, ""),
        take("since", read_text, ""),
        take("clauses", lambda source: _list(source, " "), ()),
        take("sources", lambda source: _list(source, "; "), ()),
        (),
        take("origin", read_text, ""),
        program,
        take("domain", read_named, {}),
        take("disorder", _disorder, 0),
        take("options", read_options, {}),
        take("trace", lambda source: notation.read_items(source.lines(), settings.events), ()),
        take("expect", lambda source: _expected(source.lines(), notation), Expected()),
        take("shares", _shares, ()),
    )
    return case, texts, problems


def read_id(part: Field) -> str:
    """Return the id of a case."""
    if part.body or not part.value:
        raise Misread("expected the id of a case, and its fields below")
    return read_value(part.value)


def read_text(part: Field) -> str:
    """Return a sentence or a name."""
    return read_value(" ".join(part.lines()))


def _list(part: Field, separator: str) -> tuple[str, ...]:
    value = " ".join(part.lines())
    if not value.startswith("["):
        return tuple(value.split(separator))
    items = read_json(value)
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise Misread("expected a list of JSON strings")
    return tuple(items)


def _program(part: Field, settings: Settings) -> _Program:
    names = tuple(part.value.split())
    for name in names:
        if name not in settings.texts:
            raise Misread(f"there is no text {dumped(name)} above"[:200])
    program = (*(line for name in names for line in settings.texts[name]), *part.body)
    try:
        check_size(program)
    except FixtureError as error:
        raise Misread(str(error)) from None
    return names, program


def read_named(part: Field) -> dict[str, Json]:
    """Return values in JSON by their names."""
    values: dict[str, Json] = {}
    for offset, line in enumerate(part.lines()):
        name, _, value = line.partition(" ")
        try:
            more = read_json(line) if line.startswith("{") else {name: read_json(value)}
        except Misread as error:
            raise Misread(str(error), offset) from None
        assert isinstance(more, dict)  # nothing else begins with a brace
        values |= more
    return values


def _disorder(part: Field) -> int:
    if not re.fullmatch(r"\d{1,20}", part.value) or part.body:
        raise Misread("expected a number of milliseconds")
    return int(part.value)


def read_options(part: Field) -> dict[str, str]:
    """Return strings by their names."""
    options = read_named(part)
    if not all(isinstance(value, str) for value in options.values()):
        raise Misread("expected a name and a JSON string a line")
    return options


def _shares(part: Field) -> tuple[int, ...]:
    if not re.fullmatch(r"\d{1,9}( \d{1,9})*", part.value) or part.body:
        raise Misread("expected how many matches each process reports")
    return tuple(map(int, part.value.split(" ")))


PLACE = re.compile(r"(rejected|warning) (\S+) at (?:line (\d{1,9})|(\d{1,9}):(\d{1,9}))")
"""An answer about a place of the program or the trace."""


def _expected(lines: Sequence[str], notation: Notation) -> Expected:
    rejected: list[Place] = []
    warnings: list[Place] = []
    answers: list[str] = []
    for line in lines:
        parsed = PLACE.fullmatch(line)
        answers.append("" if parsed or line == "nothing" else line)
        if parsed:
            word, code, alone, row, column = parsed.groups()
            place = Place(code, int(alone)) if alone else Place(code, int(row), int(column))
            (rejected if word == "rejected" else warnings).append(place)
    if not lines or (rejected and len(lines) > 1):
        raise Misread("expected answers and warnings, `nothing`, or one rejection and nothing else")
    matches, failures, suppressed = notation.read(answers)
    return Expected(matches, rejected[0] if rejected else None, tuple(warnings), failures, suppressed)


# --- Writing a case ---------------------------------------------------------------------------------------------------


def _fields(case: Fixture, settings: Settings, texts: tuple[str, ...], notation: Notation) -> Iterator[Field]:
    yield Field("about", write_value(case.description), 0)
    for word, value in (
        ("profile", write_value(case.profile)),
        ("since", write_value(case.since)),
        ("origin", write_value(case.origin)),
        ("clauses", _written_list(case.clauses, " ")),
        ("sources", _written_list(case.sources, "; ")),
    ):
        if settings.values.get(word) != value:
            yield filled(word, value.split(" "))
    if case.program:
        head = sum(len(settings.texts[name]) for name in texts)
        yield Field("program", " ".join(texts), 0, list(case.program[head:]))
    if case.domain:
        yield _below("domain", _written_values(case.domain))
    if case.disorder:
        yield Field("disorder", str(case.disorder), 0)
    if case.options:
        yield _below("options", _written_values(case.options))
    if case.shares:
        yield Field("shares", " ".join(map(str, case.shares)), 0)
    if case.trace:
        yield filled("trace", list(notation.write_items(case.trace, settings.events)))
    yield _below("expect", write_expected(case.expected, notation))


def _written_values(values: Mapping[str, Json]) -> list[str]:
    plain = all(re.fullmatch(r"\w+", name) for name in values)
    return [f"{name} {dumped(value)}" for name, value in values.items()] if plain else [dumped(values)]


def _written_list(items: Sequence[str], separator: str) -> str:
    plain = all(item and item == item.strip() and item.isprintable() and separator[0] not in item for item in items)
    joined = separator.join(items)
    return joined if plain and joined and "  " not in joined and joined[0] != "[" else dumped(list(items))


def _below(word: str, lines: list[str]) -> Field:
    """Return a field with its lines below it, or beside it if there is only one."""
    return Field(word, lines[0], 0) if len(lines) == 1 else Field(word, "", 0, list[Line](lines))


def write_expected(expected: Expected, notation: Notation) -> list[str]:
    """Return the lines that state what is expected."""
    if expected.rejected is not None:
        return [f"rejected {expected.rejected}"]
    answers = notation.write(Answers(expected.matches, expected.failures, expected.suppressed))
    return [*([] if expected.matches else ["nothing"]), *answers, *(f"warning {place}" for place in expected.warnings)]
