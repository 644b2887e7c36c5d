"""Fixtures: the cases of the suite, one JSON file each (`fixture.schema.json`), and how they are read and written.

The id of a case is its path below `conformance/suite`, without the ending, and never changes. What is read here is
checked for its shape only; `conformance.lint` checks what it means.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semantics.events.strictjson import MalformedJson, decode
from semantics.syntax.limits import MAX_SOURCE_CHARACTERS

SUITE = Path(__file__).parent / "suite"
"""Where the suite is."""

FORMAT, VERSION = "parte-fixture", 1
SUITE_FORMAT = "parte-suite"
SUITE_FILE = "suite.json"
BY_HAND = "hand"
"""The origin of cases that a person wrote."""

_MAX_PROGRAM = 2 * MAX_SOURCE_CHARACTERS
"""Characters: more than any program may have, so that there can be a case of one that is too long."""

PROFILES = ("core", "negation", "emission", "functions", "out-of-order", "multi-source", "rejects")
"""What a case asks of an engine beyond `core`: the profiles of SPEC §7, in the order in which reports show them."""

Json = Any
"""A value of JSON; fixtures hold traces and matches as they are written, so nothing more is known of it."""


class FixtureError(ValueError):
    """A file that is no fixture; the message names it."""


@dataclass(frozen=True, slots=True)
class Place:
    """A diagnostic code, and where it is reported: line and column from 1, or for a trace its line alone."""

    code: str
    line: int
    column: int | None = None

    def to_json(self) -> dict[str, Json]:
        """As fixtures and replies write it."""
        written: dict[str, Json] = {"code": self.code, "line": self.line}
        return written if self.column is None else written | {"column": self.column}

    def __str__(self) -> str:
        where = f"line {self.line}" if self.column is None else f"{self.line}:{self.column}"
        return f"{self.code} at {where}"


@dataclass(frozen=True, slots=True)
class Expected:
    """What an engine must answer: a rejection, or matches in canonical order.

    `warnings` and `failures` (emissions without a value) are held against engines that report such things at all.
    """

    matches: tuple[Json, ...] = ()
    rejected: Place | None = None
    warnings: tuple[Place, ...] = ()
    failures: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class Fixture:
    """A case. `program` is what the file holds: text, or lines of which some are repeated; `text` is all of it.

    `rules` are the ids of the inference rules that fire in `sound`, which are measured. `since` is the version of the
    suite that the case came with, `origin` says who wrote it: a person, or which generator.
    """

    id: str
    description: str
    profile: str
    since: str
    sections: tuple[str, ...]
    rules: tuple[str, ...]
    origin: str
    program: Json
    domain: Mapping[str, Json]
    disorder: int
    trace: tuple[Json, ...]
    expected: Expected

    @property
    def text(self) -> str:
        """The text of the program."""
        if isinstance(self.program, str):
            return self.program
        return "\n".join(line if isinstance(line, str) else line["repeat"] * line["times"] for line in self.program)

    @property
    def trace_text(self) -> str:
        """The trace as JSON Lines."""
        return "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in self.trace)


@dataclass(frozen=True, slots=True)
class Suite:
    """A version of the suite: its cases by id, in order, and a digest of all that they hold."""

    version: str
    digest: str
    cases: Mapping[str, Fixture]

    def select(self, profiles: Iterable[str] = (), cases: Iterable[str] = ()) -> tuple[Fixture, ...]:
        """The cases of some profiles (all, if none is named) and with some ids or in some folders of ids.

        KeyError, with what was named, if nothing has that id.
        """
        profiles, named = set(profiles), tuple(cases)
        for name in named:
            if not any(_named_by(name, id_) for id_ in self.cases):
                raise KeyError(name)
        return tuple(
            case
            for case in self.cases.values()
            if (not profiles or case.profile in profiles)
            and (not named or any(_named_by(name, case.id) for name in named))
        )


def _named_by(name: str, id_: str) -> bool:
    return id_ == name or id_.startswith(name.removesuffix("/") + "/")


# --- Reading ----------------------------------------------------------------------------------------------------------


def load_suite(root: Path = SUITE) -> Suite:
    """All cases below a directory. FixtureError for the first file that is none."""
    version = suite_version(root)
    digest = hashlib.sha256()
    cases: dict[str, Fixture] = {}
    for path in fixture_files(root):
        digest.update(f"{path.relative_to(root).as_posix()}\0".encode())
        digest.update(path.read_bytes())
        case = load_fixture(path)
        if case.id in cases:
            raise FixtureError(f"{path}: the id {case.id} is used twice")
        cases[case.id] = case
    return Suite(version, digest.hexdigest()[:16], cases)


def suite_version(root: Path) -> str:
    """The version that a suite has by its `suite.json`. FixtureError if it has none."""
    about = _decoded(root / SUITE_FILE)
    version = about.get("version")
    if about.get("format") != SUITE_FORMAT or not isinstance(version, str):
        raise FixtureError(
            f'{root / SUITE_FILE}: expected {{"format": "{SUITE_FORMAT}", "version": "1.0"}} or the like'
        )
    return version


def fixture_files(root: Path = SUITE) -> Iterator[Path]:
    """The files of a suite, in the order of their ids."""
    yield from sorted((path for path in root.rglob("*.json") if path.name != SUITE_FILE), key=Path.as_posix)


def load_fixture(path: Path) -> Fixture:
    """The case in a file. FixtureError if it is none."""
    try:
        return fixture_from_json(_decoded(path))
    except FixtureError as error:
        raise FixtureError(f"{path}: {error}" if str(path) not in str(error) else str(error)) from None


def _decoded(path: Path) -> Mapping[str, Json]:
    try:
        content = decode(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FixtureError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise FixtureError(f"{path}: {error}") from None
    except MalformedJson as error:
        where = f"{path}, line {error.line}" if error.line else str(path)
        raise FixtureError(f"{where}: {error}") from None
    if not isinstance(content, dict):
        raise FixtureError(f"{path}: expected an object")
    return content


def fixture_from_json(data: Mapping[str, Json]) -> Fixture:
    """The case that an object writes. FixtureError if its shape is wrong."""
    try:
        if (data["format"], data["version"]) != (FORMAT, VERSION):
            raise FixtureError(f"expected {FORMAT} version {VERSION}")
        expect = data["expect"]
        return Fixture(
            str(data["id"]),
            str(data["description"]),
            str(data["profile"]),
            str(data["since"]),
            tuple(data["sections"]),
            tuple(data["rules"]),
            str(data["origin"]),
            _program(data["program"]),
            dict(data.get("domain", {})),
            int(data.get("disorder", 0)),
            tuple(_object(item) for item in data["trace"]),
            Expected(
                tuple(expect.get("matches", ())),
                _place(expect["rejected"]) if "rejected" in expect else None,
                tuple(_place(item) for item in expect.get("warnings", ())),
                tuple(expect.get("failures", ())),
            ),
        )
    except FixtureError:
        raise
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise FixtureError(f"not the shape of a fixture: {type(error).__name__} {error}") from None


def _program(written: Json) -> Json:
    """A program as the file holds it, once it is known to be text, and not far too long."""
    lines = [written] if isinstance(written, str) else written
    size = sum(len(line) if isinstance(line, str) else len(line["repeat"]) * int(line["times"]) for line in lines)
    if size > _MAX_PROGRAM:
        raise FixtureError(f"the program has {size:,} characters; at most {_MAX_PROGRAM:,} are taken")
    return written


def _object(item: Json) -> Json:
    if not isinstance(item, dict):
        raise FixtureError(f"an item of the trace is no object: {item!r}"[:200])
    return item


def _place(data: Mapping[str, Json]) -> Place:
    return Place(data["code"], data["line"], data.get("column"))


# --- Writing ----------------------------------------------------------------------------------------------------------


def fixture_to_json(case: Fixture) -> dict[str, Json]:
    """The object that writes a case; what has its default is left out."""
    expect: dict[str, Json] = {}
    if case.expected.rejected is not None:
        expect["rejected"] = case.expected.rejected.to_json()
    else:
        expect["matches"] = list(case.expected.matches)
        if case.expected.warnings:
            expect["warnings"] = [place.to_json() for place in case.expected.warnings]
        if case.expected.failures:
            expect["failures"] = list(case.expected.failures)
    written: dict[str, Json] = {
        "format": FORMAT,
        "version": VERSION,
        "id": case.id,
        "description": case.description,
        "profile": case.profile,
        "since": case.since,
        "sections": list(case.sections),
        "rules": list(case.rules),
        "origin": case.origin,
        "program": case.program,
    }
    if case.domain:
        written["domain"] = dict(case.domain)
    if case.disorder:
        written["disorder"] = case.disorder
    return written | {"trace": list(case.trace), "expect": expect}


def fixture_text(case: Fixture) -> str:
    """The file of a case: fields one below the other, and so the lines of programs and traces."""
    fields = []
    for name, value in fixture_to_json(case).items():
        if name in ("program", "trace") and isinstance(value, list) and value:
            written = _lines(value, "  ")
        elif name == "expect":
            inner = [
                f"{_dump(key)}: {_lines(part, '    ') if isinstance(part, list) and part else _dump(part)}"
                for key, part in value.items()
            ]
            written = "{\n    " + ",\n    ".join(inner) + "\n  }"
        else:
            written = _dump(value)
        fields.append(f"  {_dump(name)}: {written}")
    return "{\n" + ",\n".join(fields) + "\n}\n"


def _lines(items: list[Json], indent: str) -> str:
    return "[\n" + ",\n".join(f"{indent}  {_dump(item)}" for item in items) + f"\n{indent}]"


def _dump(value: Json) -> str:
    # A control character, or one that an editor would hide, is written as an escape.
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text if text.isprintable() else json.dumps(value, allow_nan=False)
