"""Checking the suite: shape, metadata, and expectations. Needs jsonschema (`pip install 'parte[conformance]'`)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.fixtures import (
    PROFILES,
    SUITE,
    SUITE_FILE,
    Fixture,
    FixtureError,
    Suite,
    fixture_files,
    fixture_text,
    load_fixture,
    load_suite,
    suite_version,
)
from conformance.measure import CONFIRMING_AGAIN, measured_rules, objections, traits
from semantics.rules.registry import all_rules
from semantics.syntax.codes import CODES

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

SCHEMAS = Path(__file__).parent
_VERSION = re.compile(r"[0-9]{1,4}\.[0-9]{1,4}")


class SchemaLibraryMissing(ImportError):
    """jsonschema is not installed."""


@dataclass(frozen=True, slots=True)
class Objection:
    """What is wrong with a file of the suite, or with the suite as a whole."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


def schema_validator(name: str) -> Draft202012Validator:
    """The validator of `fixture`, `protocol` or `report`. SchemaLibraryMissing without jsonschema."""
    try:
        from jsonschema import Draft202012Validator
    except ImportError:
        raise SchemaLibraryMissing("jsonschema is not installed") from None
    return Draft202012Validator(json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")))


@cache
def _fixture_validator() -> Draft202012Validator:
    return schema_validator("fixture")


def lint_suite(root: Path = SUITE, *, whole: bool = True) -> Iterator[Objection]:
    """Everything that is wrong with a suite: file by file, then as a whole, unless it need not cover everything."""
    _fixture_validator()
    faultless = True
    version = "0"
    try:
        version = suite_version(root)
        if not _VERSION.fullmatch(version):
            raise FixtureError(f"the version is {version!r}; expected one like 1.0")
    except FixtureError as error:
        faultless = False
        yield Objection(SUITE_FILE, str(error))
    for path in fixture_files(root):
        for message in lint_file(path, root, version):
            faultless = False
            yield Objection(path.relative_to(root).as_posix(), message)
    if faultless and whole:
        yield from lint_whole(load_suite(root))


def lint_file(path: Path, root: Path, version: str) -> Iterator[str]:
    """What is wrong with one file."""
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text)
    except (OSError, ValueError) as error:
        yield f"not JSON: {error}"
        return
    broken = sorted(_fixture_validator().iter_errors(content), key=lambda error: error.json_path)
    for violation in broken:
        yield f"{violation.json_path}: {violation.message[:300]}"
    if broken:
        return
    try:
        case = load_fixture(path)
    except FixtureError as error:
        yield str(error)
        return
    place = path.relative_to(root).with_suffix("").as_posix()
    if case.id != place:
        yield f"the id {case.id} is not its path {place}"
    if _number(case.since) > _number(version):
        yield f"came with version {case.since}, but this suite is {version}"
    if fixture_text(case) != text:
        yield "not in the layout of `python -m conformance.authoring --format`"
    yield from lint_case(case)


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def lint_case(case: Fixture) -> Iterator[str]:
    """What is wrong with what a case says: its expectation, its profile, its rules."""
    wrong = list(objections(case, CONFIRMING_AGAIN))
    yield from wrong
    if wrong:
        return
    found = traits(case)
    if case.profile not in found:
        yield f"the profile {case.profile} does not fit: the case is of {', '.join(sorted(found))}"
    if case.rules != measured_rules(case):
        yield f"the rules that fire are others: {', '.join(measured_rules(case))}"


def lint_whole(suite: Suite) -> Iterator[Objection]:
    """What the suite as a whole lacks: profiles, diagnostic codes, inference rules of `sound`."""
    cases = suite.cases.values()
    for profile in PROFILES:
        if not any(case.profile == profile for case in cases):
            yield Objection("suite", f"no case of the profile {profile}")
    for code in missing_codes(suite):
        yield Objection("suite", f"no case for the diagnostic code {code}")
    for rule in missing_rules(suite):
        yield Objection("suite", f"no case in which the inference rule {rule} fires")


UNREACHABLE = {"ENTRY-NOMATCHTEMPLATE": "events reach the entry node of their own template only (docs/machine.md)"}
"""Rules of the sound machine that no case can exercise, and why."""


def missing_codes(suite: Suite) -> list[str]:
    """The diagnostic codes that no case provokes."""
    found = {code for case in suite.cases.values() for code in codes_of(case)}
    return [code for code in CODES if code not in found]


def codes_of(case: Fixture) -> tuple[str, ...]:
    """The diagnostic codes that a case expects, warnings included."""
    rejected = () if case.expected.rejected is None else (case.expected.rejected.code,)
    return (*rejected, *dict.fromkeys(place.code for place in case.expected.warnings))


def missing_rules(suite: Suite) -> list[str]:
    """The inference rules of `sound` that fire in no case, though they could."""
    fired = {rule for case in suite.cases.values() for rule in case.rules}
    ids = [info.id for info in all_rules() if "sound" in info.models]
    return [rule for rule in ids if rule not in fired and rule not in UNREACHABLE]
