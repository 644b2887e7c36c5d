"""Findings: what was found, small and named, and its fixture (SPEC §7)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from conformance.authoring.drafts import SINCE, Draft, Refused, admit
from conformance.fixtures import SUITE_FILE, SUITE_FORMAT, Expected, Fixture, fixture_text
from conformance.fuzz.cases import Case
from conformance.fuzz.naming import AS_PUBLISHED, Likeness
from conformance.measure import expected_of, measured_rules, traits
from conformance.reports.wording import as_line
from conformance.runner.judging import Judgement
from semantics.events.event import Event
from semantics.events.trace import trace_lines
from semantics.rules.registry import all_rules

FOLDER = "fuzz"
_SECTION = re.compile(r"SPEC [0-9]+|D §[0-9A-Z.]+|docs/[a-z]+\.md")
_MOST_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """A divergence, made small.

    `likenesses` are the mutants that answer it as the engine does, `step` is the inference rule and the step of `sound`
    whose effect is contradicted. `unstable` says that the engine did not diverge when it was asked again; the case is
    as it was drawn then. `refused` is why the reference itself does not confirm the case: a mistake of the project.
    """

    case: Case
    judgement: Judgement
    likenesses: tuple[Likeness, ...]
    step: tuple[str, str] | None
    fixture: Fixture
    refused: str = ""
    stderr: str = ""
    unstable: str = ""

    @property
    def named(self) -> Likeness | None:
        """The first mutant that nothing tells from the engine."""
        return self.likenesses[0] if self.likenesses and self.likenesses[0].exact else None

    @property
    def rule(self) -> str | None:
        """The inference rule whose effect the engine contradicts; None if no rule is concerned.

        Of the rules that the mutant contradicts it is the first that fires in the case: an error in windows concerns
        joins and negations, but where nothing is joined no rule of joins is contradicted.
        """
        if self.named is not None and self.named.mutant != AS_PUBLISHED:
            return next((rule for rule in self.named.mutant.rules if rule in self.fixture.rules), self.named.rule)
        return None if self.step is None else self.step[0]

    def lines(self) -> Iterator[str]:
        """What people are told: the answer, whom it is like, and the case."""
        yield f"{self.judgement.verdict.value}: {_wrong(self.judgement)}"
        if self.unstable:
            yield self.unstable
        if self.rule is not None:
            section = next((info.section for info in all_rules() if info.id == self.rule), "?")
            yield f"contradicts the effect of {self.rule} (D §{section})"
        exact = [each for each in self.likenesses if each.exact]
        for each in exact[:_MOST_SHOWN]:
            yield f"behaves like {each}"
        if len(exact) > _MOST_SHOWN:
            yield f"and like {len(exact) - _MOST_SHOWN} more that nothing told apart"
        wrong = self.judgement.missing or self.judgement.spurious
        if wrong and not exact and not self.unstable:
            yield "no known mutant behaves like this"
            if self.likenesses:
                yield f"the nearest is {self.likenesses[0]}"
        if self.step is not None:
            yield self.step[1]
        for word, matches in (("missing", self.judgement.missing), ("spurious", self.judgement.spurious)):
            yield from (f"{word}: {as_line(match)}"[:400] for match in matches[:_MOST_SHOWN])
        if self.stderr:
            yield from (f"stderr: {line}" for line in self.stderr.rstrip("\n").split("\n")[-5:])
        if self.refused:
            yield f"THE REFERENCE DISAGREES WITH ITSELF, please report this: {self.refused}"
        yield ""
        yield from str(self.case).rstrip("\n").split("\n")


def _wrong(judgement: Judgement) -> str:
    counted = [
        f"{len(matches)} {word} match{'' if len(matches) == 1 else 'es'}"
        for word, matches in (("missing", judgement.missing), ("spurious", judgement.spurious))
        if matches
    ]
    return ", ".join(counted) or judgement.message


def finding(
    case: Case,
    judgement: Judgement,
    likenesses: tuple[Likeness, ...],
    step: tuple[str, str] | None,
    *,
    origin: str,
    stderr: str = "",
    unstable: str = "",
) -> Finding:
    """A finding with its fixture: what is expected comes from the algebra, and `sound` confirms it."""
    trace = [json.loads(line) for line in trace_lines(case.items)]
    digest = hashlib.sha256(str(case).encode()).hexdigest()[:10]
    sections = [name for each in likenesses[:1] for name in each.mutant.sections if _SECTION.fullmatch(name)]
    draft = Draft(
        f"{FOLDER}/{digest}",
        _described(case, judgement),
        case.text.rstrip("\n").split("\n"),
        trace,
        sections=tuple(dict.fromkeys(["SPEC 4", *sections])),
        origin=origin,
    )
    try:
        return Finding(case, judgement, likenesses, step, admit(draft), "", stderr, unstable)
    except Refused as reason:
        return Finding(case, judgement, likenesses, step, _unconfirmed(draft), str(reason), stderr, unstable)


def _unconfirmed(draft: Draft) -> Fixture:
    """The fixture of a draft that the reference does not agree about, as the algebra has it."""
    fixture = Fixture(
        draft.id,
        draft.description,
        "core",
        SINCE,
        tuple(draft.sections),
        (),
        draft.origin,
        draft.program,
        draft.domain,
        draft.disorder,
        tuple(draft.trace),
        Expected(),
    )
    fixture = replace(fixture, expected=expected_of(fixture))
    return replace(fixture, profile=min(traits(fixture)), rules=measured_rules(fixture))


def _described(case: Case, judgement: Judgement) -> str:
    patterns = [("no " if p.negated else "") + p.template for rule in case.rules for p in rule.patterns]
    events = sum(isinstance(item, Event) for item in case.items)
    promises = len(case.items) - events
    told = f"{_count(events, 'event')}" + (f", {_count(promises, 'promise')}" if promises else "")
    kind = "lost" if judgement.missing else "spurious" if judgement.spurious else judgement.verdict.value
    return f"Found by fuzzing ({kind}): {_count(len(case.rules), 'rule')} over {', '.join(patterns)}; {told}"[:200]


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


# --- Writing ----------------------------------------------------------------------------------------------------------


def written(found: Finding, directory: Path) -> Path:
    """Write the fixture into a suite of findings, which is made if there is none; OSError if that is impossible."""
    path = directory / f"{found.fixture.id}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    about = directory / SUITE_FILE
    if not about.exists():
        about.write_text(json.dumps({"format": SUITE_FORMAT, "version": SINCE}) + "\n", encoding="utf-8")
    path.write_text(fixture_text(found.fixture), encoding="utf-8", newline="\n")
    return path
