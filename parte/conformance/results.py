"""Results of the suite, and the report that contains them: JSON Lines (`report.schema.json`).

The first line describes the run and its engines, each further line is the result of one case with one engine; then
come the contents of the cases that an engine failed, and the causes of these failures. The last line counts the
results, so that a report that was cut off is recognized.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import islice
from typing import Any, Literal

from parte.conformance.kit import KIT
from parte.conformance.protocol import DEFAULT_LANGUAGE
from parte.languages.registry import language_called
from parte.semantics.events.bounds import Natural, Seconds, Text
from parte.semantics.events.codec import Codec, FormatError, Tagged
from parte.semantics.events.strictjson import MalformedJson, check_text, decode

Json = Any

FORMAT: Literal["parte-report"] = "parte-report"
VERSION: Literal[2] = 2
"""Version 1 had neither the contents of cases nor causes, and can still be read."""

_NO_BEGINNING = f"the first line is not the beginning of a report ({FORMAT} version 1 or {VERSION})"
_LONGEST_MATCH = 4_000
_LONGEST_MATCHES = 12_000
MOST_MATCHES = 20
"""Matches of a kind that a result stores."""
LONGEST_TEXT = 4_000
"""Characters of an engine's output that a result stores."""


class ReportError(ValueError):
    """Lines that are not a report."""


class CaseVerdict(Enum):
    """The verdict on a case."""

    PASS = "pass"
    FAIL = "fail"
    ERROR = "error"
    TIMEOUT = "timeout"
    UNSUPPORTED = "unsupported"

    @property
    def bad(self) -> bool:
        """True if the verdict counts as a failure of the engine."""
        return self in (CaseVerdict.FAIL, CaseVerdict.ERROR, CaseVerdict.TIMEOUT)


@dataclass(frozen=True, slots=True)
class Earned:
    """The constructs that an engine supports by its answers: with them it would run `asked` cases, and pass
    `passed`."""

    constructs: tuple[str, ...]
    asked: Natural
    passed: Natural


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """An engine: the label of its column, its command, and its own name, version and features (empty if it never
    started).

    `failure` is the reason if it never started. `constructs` are the declared ones, None if it declares none, `remarks`
    the contradictions with its answers, and `earned` the constructs that it may declare, if they differ.
    """

    label: Text
    command: str
    name: str = ""
    version: str = ""
    features: tuple[str, ...] = ()
    failure: str = ""
    constructs: tuple[str, ...] | None = None
    remarks: tuple[str, ...] = ()
    earned: Earned | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a case with one engine.

    `missing` and `spurious` are the first few matches of their kind, `missing_count` and `spurious_count` the numbers
    of all of them. `message` describes the error or the unsupported construct. `known` marks a failure that was listed
    before the run.
    """

    engine: Text
    case: Text
    profile: Text
    description: str
    verdict: CaseVerdict
    seconds: Seconds
    message: str = ""
    missing: tuple[Json, ...] = ()
    spurious: tuple[Json, ...] = ()
    missing_count: Natural = 0
    spurious_count: Natural = 0
    stderr: str = ""
    rerun: str = ""
    known: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """The content of a case that an engine failed, as far as reports show it: program and trace in lines, `settings`
    beside them, and of the expectation the first of `expected_count` matches, or the rejection."""

    case: Text
    clauses: tuple[str, ...]
    sources: tuple[str, ...]
    program: tuple[str, ...]
    trace: tuple[str, ...]
    settings: tuple[str, ...] = ()
    expected: tuple[Json, ...] = ()
    expected_count: Natural = 0
    rejected: str = ""


@dataclass(frozen=True, slots=True)
class Cause:
    """Failures of an engine that seem to have one cause: their cases, the plainest first.

    `mutant` is the known error with the same behaviour, and `clauses` are those that the failures contradict, if known.
    """

    engine: Text
    summary: Text
    cases: tuple[Text, ...]
    mutant: str = ""
    clauses: tuple[str, ...] = ()


def some_matches(matches: Iterable[Json]) -> tuple[Json, ...]:
    """Return the first few matches, each cut to a size that a report can store, and fewer if they are long."""
    stored: list[Json] = []
    room = _LONGEST_MATCHES
    for match in islice(matches, MOST_MATCHES):
        text = json.dumps(match, ensure_ascii=False)
        room -= min(len(text), _LONGEST_MATCH)
        if room < 0:
            break
        stored.append(match if len(text) <= _LONGEST_MATCH else {"cut": text[:_LONGEST_MATCH]})
    return tuple(stored)


@dataclass(frozen=True, slots=True)
class Report:
    """The description of a run, and all results, in the order of the cases and for each case of the engines; the
    contents of the cases that an engine failed, and the causes of the failures, if they were diagnosed."""

    suite: str
    digest: str
    started: str
    engines: tuple[EngineInfo, ...]
    results: tuple[Result, ...]
    complete: bool = True
    language: str = DEFAULT_LANGUAGE
    asked: tuple[Asked, ...] = ()
    causes: tuple[Cause, ...] = ()
    extensions: Mapping[str, str] = field(default_factory=dict)

    def of(self, engine: str) -> tuple[Result, ...]:
        """Return the results of one engine."""
        return tuple(result for result in self.results if result.engine == engine)

    def counts(self, engine: str, profile: str | None = None) -> Counter[CaseVerdict]:
        """Return how often an engine got each verdict, in one profile or in all."""
        return Counter(r.verdict for r in self.results if r.engine == engine and profile in (None, r.profile))

    def profiles(self) -> tuple[str, ...]:
        """Return the profiles that occur: the known ones in their order, then others."""
        occurring = dict.fromkeys(result.profile for result in self.results)
        try:
            known = language_called(self.language)[KIT].profiles
        except KeyError:  # a report of a language that is not installed here
            known = ()
        return (*(name for name in known if name in occurring), *(name for name in occurring if name not in known))


# --- JSON Lines -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Head:
    """The first line. The digest is of all cases of the suite, so that two runs of one suite are known as such; the
    cases of each of the `extensions` of the language have a digest of their own."""

    format: Literal["parte-report"]
    version: Literal[1, 2]
    suite: str
    digest: str
    started: str
    engines: tuple[EngineInfo, ...]
    language: str = DEFAULT_LANGUAGE
    extensions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class End:
    """The last line: how many results stand before it."""

    results: Natural


Line = Head | Result | Asked | Cause | End
CODEC: Codec[Line] = Codec(
    Line,
    Tagged("line", {Head: "run", Result: "result", Asked: "case", Cause: "cause", End: "end"}),
    sparse={Head: ..., Result: ..., Asked: ..., Cause: ..., EngineInfo: ["failure", "constructs", "remarks", "earned"]},
    optional={},
)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a line."""
    return CODEC.schema(
        f"https://parte.example/schemas/report-{VERSION}.json", "A line of a report of the conformance suite"
    )


def report_lines(report: Report) -> Iterable[str]:
    """Yield a report as lines, without line ends; long texts are cut."""
    head = (report.suite, report.digest, report.started, report.engines, report.language, report.extensions)
    yield _dump(Head(FORMAT, VERSION, *head))
    yield from map(result_line, report.results)
    yield from map(_dump, report.asked)
    yield from map(_dump, report.causes)
    if report.complete:
        yield _dump(End(len(report.results)))


def result_line(result: Result) -> str:
    """Return a result as a line of a report."""
    message, stderr = result.message[:LONGEST_TEXT], result.stderr[-LONGEST_TEXT:]
    return _dump(replace(result, seconds=round(result.seconds, 4), message=message, stderr=stderr))


def _dump(line: Line) -> str:
    text = json.dumps(CODEC.encode(line), ensure_ascii=False)
    try:
        check_text(text)
    except MalformedJson:  # half a surrogate pair, which an engine may have sent as an escape, is not UTF-8
        return json.dumps(CODEC.encode(line))
    return text


def read_report(lines: Iterable[str]) -> Report:
    """Return the report in these lines; one that was cut off, even in the middle of a line, is not complete.

    ReportError if the lines are not a report.
    """
    read: list[Line] = []
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    for number, line in numbered:
        try:
            read.append(CODEC.decode(decode(line, finite=True, surrogates=True)))
        except FormatError as error:
            raise ReportError(f"line {number}: {error}" if read else _no_beginning(line)) from None
        except ValueError as error:
            if read and number == numbered[-1][0]:
                break  # at least the line that counts the results is missing
            raise ReportError(f"line {number} is not JSON: {error}") from None
    if not read or not isinstance(read[0], Head):
        raise ReportError(_NO_BEGINNING)
    head = read[0]
    results = tuple(line for line in read if isinstance(line, Result))
    contents = tuple(line for line in read if isinstance(line, Asked))
    causes = tuple(line for line in read if isinstance(line, Cause))
    complete = [line for line in read if isinstance(line, End)] == [End(len(results))]
    about = (head.suite, head.digest, head.started, head.engines)
    return Report(*about, results, complete, head.language, contents, causes, head.extensions)


def _no_beginning(line: str) -> str:
    """Return what is wrong with a first line; for a report of a newer version the message says so."""
    value = decode(line)
    version = value.get("version") if isinstance(value, dict) and value.get("format") == FORMAT else None
    if isinstance(version, int) and version > VERSION:
        return f"a report of version {version}, which is newer than this parte: it reads versions 1 and {VERSION}"
    return _NO_BEGINNING
