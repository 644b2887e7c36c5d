"""Findings: small, named divergences, and their fixtures (specification: fuzzing)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from parte.conformance.casefiles.cases import write_cases
from parte.conformance.fixtures import Expected, Fixture
from parte.conformance.fuzz.cases import Case, Generation, case_text
from parte.conformance.fuzz.naming import Likeness
from parte.conformance.fuzz.subject import symptoms
from parte.conformance.kit import KIT
from parte.conformance.measure import expected_of, measured_rules, objections
from parte.conformance.mutants import Mutant
from parte.conformance.protocol import DEFAULT_LANGUAGE
from parte.conformance.reports.wording import as_line
from parte.conformance.runner.judging import Judgement
from parte.conformance.suites import ENDING, SUITE_FILE, SUITE_FORMAT, measured_rules_of, write_measured
from parte.languages.language import Language
from parte.semantics.events.files import below, write_whole
from parte.semantics.rulebook.listing import RULES

FOLDER, SINCE = "fuzz", "1.0"
"""The area of the cases in a suite of findings, and the version of that suite."""

_MOST_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """A divergence, made small.

    `case` is its program and its trace. `likenesses` are the mutants that give the engine's answer, `step` is the
    inference rule and the step of `sound` whose effect is contradicted. `rule` is the rule that the engine contradicts,
    None if no rule is concerned, and `section` is its section in the source. `unstable` is not empty if the engine did
    not diverge when it was run again; the case is the drawn one then. `remedies` are the names of the changes after
    which the engine answers the case correctly, which identify its cause. `refused` is the reason why the reference
    itself does not confirm the case, which is an error of the project.
    """

    case: str
    judgement: Judgement
    likenesses: tuple[Likeness, ...]
    step: tuple[str, str] | None
    rule: str | None
    section: str
    fixture: Fixture
    refused: str = ""
    stderr: str = ""
    unstable: str = ""
    remedies: frozenset[str] = frozenset()

    @property
    def named(self) -> Likeness | None:
        """The first mutant that no tried case distinguishes from the engine."""
        return self.likenesses[0] if self.likenesses and self.likenesses[0].exact else None

    def explains(self, remedies: frozenset[str]) -> bool:
        """Return whether all remedies of this case are among those of another case."""
        return bool(self.remedies) and self.remedies <= remedies

    def shows(self, judgement: Judgement, remedies: frozenset[str]) -> bool:
        """Return whether a case with this judgement and these remedies has the cause of this one."""
        return bool(remedies) and remedies == self.remedies and symptoms(judgement) == symptoms(self.judgement)

    def lines(self) -> Iterator[str]:
        """Yield the lines that people read: the answer, the mutants that resemble it, and the case."""
        yield f"{self.judgement.verdict.value}: {_wrong(self.judgement)}"
        if self.unstable:
            yield self.unstable
        if self.rule is not None:
            yield f"contradicts the effect of {self.rule} ({self.section})"
        exact = [likeness for likeness in self.likenesses if likeness.exact]
        if exact and exact[0].mutant.clauses:
            yield f"clauses: {', '.join(exact[0].mutant.clauses)}"
        for likeness in exact[:_MOST_SHOWN]:
            yield f"behaves like {likeness}"
        if len(exact) > _MOST_SHOWN:
            yield f"and like {len(exact) - _MOST_SHOWN} more with the same symptoms"
        wrong = self.judgement.missing or self.judgement.spurious
        if wrong and not exact and not self.unstable:
            yield "no known mutant behaves like this"
            if self.likenesses:
                yield f"the nearest is {self.likenesses[0]}"
        if self.remedies:
            yield f"the engine is right as soon as {', or as '.join(sorted(self.remedies))}"
        if self.step is not None:
            yield self.step[1]
        for word, matches in (("missing", self.judgement.missing), ("spurious", self.judgement.spurious)):
            yield from (f"{word}: {as_line(match)}"[:400] for match in matches[:_MOST_SHOWN])
        if self.stderr:
            yield from (f"stderr: {line}" for line in self.stderr.rstrip("\n").split("\n")[-5:])
        if self.refused:
            yield f"THE REFERENCE DISAGREES WITH ITSELF, please report this: {self.refused}"
        yield ""
        yield from self.case.rstrip("\n").split("\n")


def _wrong(judgement: Judgement) -> str:
    counted = [
        f"{len(matches)} {word} match{'' if len(matches) == 1 else 'es'}"
        for word, matches in (("missing", judgement.missing), ("spurious", judgement.spurious))
        if matches
    ]
    return ", ".join(counted) or judgement.message


def finding(
    language: Language,
    case: Case,
    judgement: Judgement,
    likenesses: tuple[Likeness, ...] = (),
    step: tuple[str, str] | None = None,
    *,
    origin: str,
    stderr: str = "",
    unstable: str = "",
) -> Finding:
    """Return a finding with its fixture: the expectation is that of the definition, and `sound` confirms it."""
    fixture = measured(language, _drafted(language[KIT].generation(), case, judgement, likenesses, origin))
    refused = next(objections(language, fixture), "")
    rule = _contradicted(likenesses, step, fixture, language[KIT].published())
    section = "" if rule is None else f"{language.source} §{language[RULES].rules[rule].section}"
    text = case_text(case)
    return Finding(text, judgement, likenesses, step, rule, section, fixture, refused, stderr, unstable)


def _drafted(
    generation: Generation[Case], case: Case, judgement: Judgement, likenesses: tuple[Likeness, ...], origin: str
) -> Fixture:
    digest = hashlib.sha256(case_text(case).encode()).hexdigest()[:10]
    named = dict.fromkeys(name for likeness in likenesses[:1] for name in likeness.mutant.sections)
    clauses = [name for likeness in likenesses[:1] for name in likeness.mutant.clauses]
    kind = "lost" if judgement.missing else "spurious" if judgement.spurious else judgement.verdict.value
    return Fixture(
        f"{FOLDER}/{digest}",
        f"Found by fuzzing ({kind}): {case.summary}"[:200],
        "",
        SINCE,
        tuple(dict.fromkeys([*generation.clauses, *clauses])),
        tuple(name for name in named if name not in clauses),
        (),
        origin,
        tuple(case.text.rstrip("\n").split("\n")),
        {},
        0,
        dict(case.options),
        tuple(json.loads(line) for line in case.lines),
        Expected(),
    )


def measured(language: Language, case: Fixture) -> Fixture:
    """Return a case with its expectation, its profile, and the rules that fire."""
    case = replace(case, expected=expected_of(language, case))
    traits = language[KIT].measures().traits(case)
    profile = next(name for name in language[KIT].precedence if name in traits)
    return replace(case, profile=profile, rules=measured_rules(language, case))


def _contradicted(
    likenesses: Sequence[Likeness], step: tuple[str, str] | None, fixture: Fixture, published: Mutant | None
) -> str | None:
    """Return the inference rule whose effect the engine contradicts.

    Of the rules that the mutant contradicts it is the first that fires in the case: an error in windows concerns joins
    and negations, but where nothing is joined no rule of joins is contradicted.
    """
    if likenesses and likenesses[0].exact and likenesses[0].mutant != published:
        mutant = likenesses[0].mutant
        return next((rule for rule in mutant.rules if rule in fixture.rules), mutant.rules[0])
    return None if step is None else step[0]


# --- Writing ----------------------------------------------------------------------------------------------------------


def written(divergence: Finding, directory: Path, language: Language) -> Path:
    """Write the case into a suite of findings, which is created if there is none; OSError if that fails."""
    path = below(directory, f"{divergence.fixture.id}{ENDING}")
    about = directory / SUITE_FILE
    if not about.exists():
        named = {} if language.name == DEFAULT_LANGUAGE else {"language": language.name}
        write_whole(about, json.dumps({"format": SUITE_FORMAT, "version": SINCE} | named) + "\n")
    write_whole(path, write_cases([divergence.fixture], language[KIT].notation))
    write_measured(directory, {**measured_rules_of(directory), divergence.fixture.id: divergence.fixture.rules})
    return path
