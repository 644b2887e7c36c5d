"""Checking a suite, and admitting new cases to it: the expectation of a case must equal the answers of the definition
and of `sound`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from parte.conformance.casefiles.cases import laid_out
from parte.conformance.coverage import coverage
from parte.conformance.fixtures import Fixture, FixtureError, Suite, is_case_id
from parte.conformance.kit import KIT
from parte.conformance.measure import measured_rules, objections
from parte.conformance.suites import (
    ENDING,
    SUITE_FILE,
    load_suite,
    measured_rules_of,
    read_suite,
    suite_version,
    write_measured,
)
from parte.languages.language import Language
from parte.semantics.events.files import read_text, write_whole

_VERSION = re.compile(r"[0-9]{1,4}\.[0-9]{1,4}")
_CLAUSE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Objection:
    """A problem in a file of the suite, or in the suite as a whole."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


def lint_suite(language: Language, root: Path | None = None, *, whole: bool = True) -> Iterator[Objection]:
    """Yield all problems of a suite: case by case, and then, if `whole`, what the suite does not cover."""
    root = root or language[KIT].suite
    faultless = True
    version = "0"
    try:
        version = suite_version(root)
        if not _VERSION.fullmatch(version):
            raise FixtureError(f"{root / SUITE_FILE}: the version is {version!r}; expected one like 1.0")
    except FixtureError as error:
        faultless = False
        yield Objection(SUITE_FILE, str(error))
    for objection in _parts(language, root, version):
        faultless = False
        yield objection
    if faultless and whole:
        yield from lint_whole(load_suite(language, root), language)


def _parts(language: Language, root: Path, version: str) -> Iterator[Objection]:
    cases, problems = read_suite(language, root)
    yield from (Objection(where, message) for where, message in problems)
    for path in sorted(root.rglob(f"*{ENDING}")):
        if not layout_is_right(path, language):
            yield Objection(path.relative_to(root).as_posix(), "not in the layout of `parte suite admit`")
    for case in cases.values():
        yield from (Objection(case.id, message) for message in lint_case(case, version, language))


def layout_is_right(path: Path, language: Language) -> bool:
    """Return whether a case file has the layout in which it would be written. True if it cannot be read."""
    try:
        text = read_text(path)
    except OSError:
        return True
    return laid_out(text, language[KIT].notation) == text


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def lint_case(case: Fixture, version: str, language: Language) -> Iterator[str]:
    """Yield the problems of a case: its metadata, its expectation, its profile, its rules."""
    yield from _metadata(case, version, language[KIT].profiles)
    wrong = list(objections(language, case, again=True))
    yield from wrong
    if wrong:
        return
    yield from _profile(case, language)
    rules = measured_rules(language, case)
    if case.rules != rules:
        yield f"the rules that fire are others: {', '.join(rules)}; `parte suite admit --all` measures them"


def _metadata(case: Fixture, version: str, profiles: Sequence[str]) -> Iterator[str]:
    if not is_case_id(case.id):
        yield "the id is none like windows/closed-at-both-ends"
    if not 10 <= len(case.description) <= 200 or not case.description.isprintable() or case.description.endswith("."):
        yield "expected one sentence about it, of 10 to 200 characters and without a full stop"
    if case.profile not in profiles:
        yield f"no profile is called {case.profile!r}; there are: {', '.join(profiles)}"
    if not _VERSION.fullmatch(case.since) or _number(case.since) > _number(version):
        yield f"came with version {case.since}, but this suite is {version}"
    if len(set(case.clauses)) < max(len(case.clauses), 1) or not all(map(_CLAUSE.fullmatch, case.clauses)):
        yield "expected anchors of the specification as clauses, each once"


def _profile(case: Fixture, language: Language) -> Iterator[str]:
    traits = language[KIT].measures().traits(case)
    traits = traits.intersection(language[KIT].extensions) or traits
    if case.profile not in traits:
        yield f"the profile {case.profile} does not fit: the case is of {', '.join(sorted(traits))}"


def admit(language: Language, root: Path | None = None, *, every: bool = False) -> Iterator[tuple[str, str]]:
    """Admit the new cases of a suite, or every case again: their expectations must be the answers of the definition and
    be confirmed by `sound`; the rules that fire are measured. Files get their layout.

    Yields the id of each examined case, with the reason if it is refused. FixtureError if a file cannot be read.
    """
    root = root or language[KIT].suite
    suite = load_suite(language, root)
    for path in root.rglob(f"*{ENDING}"):
        if not layout_is_right(path, language):
            write_whole(path, laid_out(read_text(path), language[KIT].notation))
    known = {} if every else measured_rules_of(root)
    rules = {id_: known[id_] for id_ in suite.cases if id_ in known}
    for case in suite.cases.values():
        if case.id in rules:
            continue
        refused = next(objections(language, case), "") or next(_profile(case, language), "")
        if not refused:
            rules[case.id] = measured_rules(language, case)
        yield case.id, refused
    write_measured(root, rules)


def lint_whole(suite: Suite, language: Language) -> Iterator[Objection]:
    """Yield what the suite as a whole does not cover: profiles, diagnostic codes, inference rules of `sound`."""
    profiles = {case.profile for case in suite.cases.values()}
    for profile in language[KIT].profiles:
        if profile not in profiles:
            yield Objection("suite", f"no case of the profile {profile}")
    covered = coverage(suite, language)
    for code, cases in covered.codes.items():
        if not cases:
            yield Objection("suite", f"no case for the diagnostic code {code}")
    for rule, cases in covered.rules.items():
        if not cases and rule not in covered.unreachable:
            yield Objection("suite", f"no case in which the inference rule {rule} fires")
