"""Suites: directories of case files, or of the JSON that `parte suite export` makes of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from parte.conformance.casefiles.cases import read_cases
from parte.conformance.exchange import fixture_from_json, fixture_to_json
from parte.conformance.fixtures import Fixture, FixtureError, Json, Suite
from parte.conformance.kit import KIT
from parte.conformance.protocol import DEFAULT_LANGUAGE
from parte.languages.language import Language
from parte.semantics.events.files import read_text, write_whole
from parte.semantics.events.strictjson import MalformedJson, decode, dumped

SUITE_FORMAT = "parte-suite"
SUITE_FILE = "suite.json"
MEASURED_FILE = "measured.json"
SCHEMA_FILE = "fixture.schema.json"
ENDING = ".cases"


def load_suite(language: Language, root: Path | None = None, tell: Callable[[str], None] | None = None) -> Suite:
    """Return all cases below a directory, or those of the project. FixtureError for a suite of another language.

    If some files cannot be read: FixtureError with all problems, or, with `tell`, a call of `tell` for each problem.
    """
    root = root or language[KIT].suite
    version = suite_version(root)
    if (actual := suite_language(root)) != language.name:
        raise FixtureError(f"{root / SUITE_FILE}: a suite of {actual}, not of {language.name}")
    cases, problems = read_suite(language, root)
    messages = [f"{root / where}: {message}" for where, message in problems]
    if messages and tell is None:
        raise FixtureError("\n".join(messages))
    if tell is not None:
        for line in messages:
            tell(line)
    parts: dict[str, list[Fixture]] = {}
    for case in cases.values():
        parts.setdefault(case.profile if case.profile in language[KIT].extensions else "", []).append(case)
    digests = {name: digest_of(part) for name, part in sorted(parts.items()) if name}
    return Suite(version, digest_of(parts.get("", ())), cases, digests)


def read_suite(language: Language, root: Path) -> tuple[dict[str, Fixture], list[tuple[str, str]]]:
    """Return the cases below a directory by id, in the order of their exported files, and the unreadable places as
    pairs of place and message."""
    cases: dict[str, Fixture] = {}
    problems: list[tuple[str, str]] = []
    measured: Mapping[str, tuple[str, ...]] = {}
    try:
        measured = measured_rules_of(root)
    except FixtureError as error:
        problems.append((MEASURED_FILE, str(error)))

    def add(case: Fixture, where: str) -> None:
        if case.id in cases:
            problems.append((where, f"the id {case.id} is used twice"))
        cases[case.id] = case

    for path in sorted(root.rglob("*")):
        where = path.relative_to(root).as_posix()
        try:
            if path.suffix == ENDING:
                content = read_cases(_text(path), language[KIT].notation)
                problems += [(f"{where}:{problem.line}", problem.message) for problem in content.problems]
                for line, case in content.cases:
                    add(replace(case, rules=measured.get(case.id, ())), f"{where}:{line}")
            elif path.suffix == ".json" and path.name not in (SUITE_FILE, MEASURED_FILE, SCHEMA_FILE):
                add(fixture_from_json(_decoded(path)), where)
        except FixtureError as error:
            problems.append((where, str(error)))
    return {id_: cases[id_] for id_ in sorted(cases, key="{}.json".format)}, problems


def suite_version(root: Path) -> str:
    """Return the version of a suite from its `suite.json`. FixtureError if it has none."""
    try:
        about = _decoded(root / SUITE_FILE)
        version = about.get("version")
        if about.get("format") != SUITE_FORMAT or not isinstance(version, str):
            raise FixtureError(f'expected {{"format": "{SUITE_FORMAT}", "version": "1.0"}} or the like')
    except FixtureError as error:
        raise FixtureError(f"{root / SUITE_FILE}: {error}") from None
    return version


def suite_language(root: Path) -> str:
    """Return the language of a suite from its `suite.json`; PARTElang if it names none."""
    return str(_decoded(root / SUITE_FILE).get("language", DEFAULT_LANGUAGE))


def measured_rules_of(root: Path) -> dict[str, tuple[str, ...]]:
    """Return the inference rules that fire in each measured case."""
    path = root / MEASURED_FILE
    measured = _decoded(path) if path.exists() else {}
    if not all(isinstance(rules, list) and all(isinstance(rule, str) for rule in rules) for rules in measured.values()):
        raise FixtureError("expected a list of the ids of inference rules for each case")
    return {id_: tuple(rules) for id_, rules in measured.items()}


def write_measured(root: Path, rules: Mapping[str, Iterable[str]]) -> None:
    """Write the measured rules of each case, a line a case."""
    lines = [f"{dumped(id_)}: {dumped(list(rules[id_]))}" for id_ in sorted(rules)]
    write_whole(root / MEASURED_FILE, "{\n" + ",\n".join(lines) + "\n}\n")


def _text(path: Path) -> str:
    try:
        return read_text(path)
    except OSError as error:
        raise FixtureError(error.strerror or str(error)) from None


def _decoded(path: Path) -> Mapping[str, Json]:
    try:
        content = decode(_text(path), finite=True)
    except MalformedJson as error:
        raise FixtureError(f"line {error.line}: {error}" if error.line else str(error)) from None
    if not isinstance(content, dict):
        raise FixtureError("expected an object")
    return content


def digest_of(cases: Iterable[Fixture]) -> str:
    """Return 16 hexadecimal digits that identify what the cases ask and expect; their descriptions may change.

    The first of SHA-256 over one line of JSON a case, in the order of the ids by code points: an array of its id, its
    text, domain, disorder, options if it has some, trace and expectation as they are exported, and its shares if it
    has some; keys sorted, no blanks, ASCII only.
    """
    digest = hashlib.sha256()
    for case in sorted(cases, key=lambda case: case.id):
        options = [case.options] if case.options else []
        question = [case.id, case.text, dict(case.domain), case.disorder, *options, case.trace]
        shares = [case.shares] if case.shares else []
        content = [*question, fixture_to_json(case)["expect"], *shares]
        digest.update(json.dumps(content, sort_keys=True, separators=(",", ":")).encode() + b"\n")
    return digest.hexdigest()[:16]
