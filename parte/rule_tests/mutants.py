"""Edits of rules that no test notices, and tests that would notice them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import islice
from typing import Any, Final

from parte.conformance.casefiles.cases import Answers
from parte.conformance.casefiles.events import SOURCE
from parte.conformance.casefiles.layout import Entry, Field, filled, write_layout, write_value
from parte.conformance.casefiles.rule_tests import RuleTest
from parte.conformance.kit import KIT
from parte.conformance.protocol import Found
from parte.conformance.results import CaseVerdict
from parte.rule_tests.discovery import Program
from parte.rule_tests.running import (
    Engines,
    Input,
    Outcome,
    UnsupportedTest,
    Unusable,
    answered,
    input_of,
    without_emits,
)
from parte.rule_tests.support import SUPPORT, Edit, Sample
from parte.semantics.events.differences import Key, differences
from parte.semantics.events.strictjson import dumped

Json = Any

MOST_EDITS: Final = 2_000
"""Edits of a program that are tried."""
MOST_SAMPLES: Final = 10
"""Samples on which an edited rule differs by itself that are tried on the whole program."""
_LONGEST_ABOUT = 160

Run = Callable[[str, RuleTest, Program], Outcome]
"""Runs a test within its time limit."""


class Status(Enum):
    """An edit is noticed by a test, has the same matches on every trace, or is not noticed."""

    NOTICED = "noticed"
    SAME = "same matches"
    UNNOTICED = "not noticed"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A test that an edit fails: as text, for a file of tests."""

    test: RuleTest
    text: str


@dataclass(frozen=True, slots=True)
class Examined:
    """An edit, what became of it, and a test that would notice it, or the first one that did."""

    edit: Edit
    status: Status
    by: str = ""
    samples: tuple[Sample, ...] = ()
    suggestion: Suggestion | None = None


@dataclass(frozen=True, slots=True)
class Survey:
    """The edits of a program; `beyond` if there are more than were tried."""

    program: Program
    edits: tuple[Examined, ...]
    beyond: bool = False

    def having(self, status: Status) -> tuple[Examined, ...]:
        """Return the edits of which this became."""
        return tuple(examined for examined in self.edits if examined.status is status)


@dataclass(slots=True)
class Surveyor:
    """Makes surveys with the tests that pass. `seconds` limit one question to the solver."""

    run: Run
    engines: Engines
    seconds: float
    include: tuple[str, ...] = ()
    tell: Callable[[str], None] = field(default=lambda _: None)

    def survey(self, program: Program, tests: Sequence[tuple[str, RuleTest]], *, suggest: bool) -> Survey:
        """Return what becomes of each edit of a program; with `suggest`, with tests for those that are not noticed."""
        support = program.language[SUPPORT]
        edits = list(islice(support.edits(program, self.include), MOST_EDITS + 1))
        examined: list[Examined] = []
        for number, edit in enumerate(edits[:MOST_EDITS], 1):
            self.tell(f"{program.path}: edit {number} of {len(edits)}")
            examined.append(self._examined(program, edit, tests))
        survey = Survey(program, tuple(examined), len(edits) > MOST_EDITS)
        return self._suggested(survey, tests) if suggest else survey

    def _examined(self, program: Program, edit: Edit, tests: Sequence[tuple[str, RuleTest]]) -> Examined:
        for file, test in tests:
            if self.run(file, test, edit.program).verdict is not CaseVerdict.PASS:
                return Examined(edit, Status.NOTICED, test.id)
        compared = program.language[SUPPORT].compared(program, edit.program, self.seconds)
        if compared.same:
            return Examined(edit, Status.SAME)
        return Examined(edit, Status.UNNOTICED, samples=compared.samples)

    # --- Suggestions ---

    def _suggested(self, survey: Survey, tests: Sequence[tuple[str, RuleTest]]) -> Survey:
        """Return the survey with a test for each edit that is not noticed; a test may notice several."""
        inputs = [
            Sample(test_input.trace, test_input.domain) for file, test in tests if (test_input := _given(file, test))
        ]
        taken = {test.id for _, test in tests}
        pieces: list[tuple[str, Suggestion]] = []
        edits: list[Examined] = []
        for examined in survey.edits:
            if examined.status is Status.UNNOTICED:
                self.tell(f"{survey.program.path}: a test for line {examined.edit.line}")
                own = (suggestion for name, suggestion in pieces if name == examined.edit.name)
                earlier = next(
                    (suggestion for suggestion in own if self._notices(suggestion.test, examined.edit)), None
                )
                suggestion = earlier or self._suggestion(survey.program, examined, inputs, taken)
                if suggestion is not None and earlier is None:
                    pieces.append((examined.edit.name, suggestion))
                    taken.add(suggestion.test.id)
                examined = replace(examined, suggestion=suggestion)
            edits.append(examined)
        return replace(survey, edits=tuple(edits))

    def _notices(self, test: RuleTest, edit: Edit) -> bool:
        return self.run("", test, edit.program).verdict is not CaseVerdict.PASS

    def _suggestion(
        self, program: Program, examined: Examined, inputs: Sequence[Sample], taken: Iterable[str]
    ) -> Suggestion | None:
        """Return a test that passes on a program and fails on an edit; None if none is found."""
        edit = examined.edit
        separating = program.language[SUPPORT].separating(program, edit.program, inputs, examined.samples)
        for sample in map(_tidied, islice(separating, MOST_SAMPLES)):
            if (suggestion := self._written(program, edit, sample, taken)) is not None:
                return suggestion
        return None

    def _written(self, program: Program, edit: Edit, sample: Sample, taken: Iterable[str]) -> Suggestion | None:
        results, edited = (self._found(version, sample) for version in (program, edit.program))
        if results is None or edited is None:
            return None
        emits = not _differ(results, edited, program.key)
        matches = results.matches if emits else tuple(map(without_emits, results.matches))
        id_ = _free(f"line-{edit.line}-{re.sub('[^a-z]+', '-', edit.kind)}", taken)
        test = RuleTest(id_, 1, _about(edit), trace=sample.trace, domain=sample.domain, expected=Answers(matches))
        if self.run("", test, program).verdict is not CaseVerdict.PASS or not self._notices(test, edit):
            return None
        return Suggestion(test, _text(test, matches, program))

    def _found(self, program: Program, sample: Sample) -> Found | None:
        """Return the answer of the model; None if it does not accept the sample."""
        test_input = Input(sample.trace, tuple(("", 1) for _ in sample.trace), sample.domain)
        try:
            return answered("", RuleTest("", 1), program, test_input, self.engines.of(program.language))
        except (Unusable, UnsupportedTest):
            return None


def _given(file: str, test: RuleTest) -> Input | None:
    try:
        return input_of(file, test)
    except Unusable:
        return None


def _differ(results: Found, edited: Found, key: Key) -> bool:
    """Return whether the matches differ, whatever they emit."""
    return any(differences(map(without_emits, results.matches), map(without_emits, edited.matches), key))


def _tidied(sample: Sample) -> Sample:
    """Return a sample with its events in the order of time and short ids that begin with their templates' letters."""
    events = sorted(sample.trace, key=lambda event: event["timestamp"])
    numbers: dict[str, int] = {}
    tidy: list[Json] = []
    for event in events:
        letter = str(event["template"])[:1].lower()
        numbers[letter] = numbers.get(letter, 0) + 1
        known = {"id": f"{letter}{numbers[letter]}", "template": event["template"], "timestamp": event["timestamp"]}
        tidy.append({**known, "source": SOURCE, "attributes": event.get("attributes", {})})
    return replace(sample, trace=tuple(tidy))


def _free(name: str, taken: Iterable[str]) -> str:
    names = set(taken)
    return next(free for free in _numbered(name) if free not in names)


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}-{number}"
        number += 1


def _about(edit: Edit) -> str:
    changed = f"`{edit.before}` is not `{edit.after}`" if edit.after else f"`{edit.before}` matters"
    about = f"{edit.name}: {changed}"
    return about if len(about) <= _LONGEST_ABOUT else about[: _LONGEST_ABOUT - 1] + "…"


def _text(test: RuleTest, matches: Sequence[Json], program: Program) -> str:
    """Return a test as it stands in a file."""
    notation = program.language[KIT].notation
    fields = [Field("about", write_value(test.about), 0)]
    if test.domain:
        fields.append(_below("domain", [f"{name} {dumped(table)}" for name, table in test.domain.items()]))
    fields.append(filled("trace", list(notation.write_items(test.trace, {}))))
    fields.append(_below("expect", list(notation.write(Answers(tuple(matches)))) or ["nothing"]))
    return write_layout([Entry(Field("case", write_value(test.id), 0), [], fields)], ())


def _below(word: str, lines: list[str]) -> Field:
    return Field(word, lines[0], 0) if len(lines) == 1 else Field(word, "", 0, [*lines])
