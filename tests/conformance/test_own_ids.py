"""Engines that name emitted events in a way of their own: who declares it is judged by what emits what."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from parte.conformance.diagnosis.contrasts import contrasts
from parte.conformance.diagnosis.grouping import causes
from parte.conformance.partelang.engines.reference import ReferenceEngine
from parte.conformance.partelang.own_ids import renaming
from parte.conformance.protocol import Found, Greeting, Reply
from parte.conformance.results import CaseVerdict, EngineInfo, Report, Result, read_report, report_lines
from parte.conformance.runner.judging import prepare
from parte.conformance.runner.running import Settings, run_engine
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG
from tests.conformance.wrong_engines import Altered, spec, unaltered

Json = Any
SUITE = load_suite(PARTELANG)
EMITTING = ["emission", "strata"]
CASES = {case.id: prepare(case, PARTELANG) for case in SUITE.select((), EMITTING)}


def substituted(value: Json, names: dict[str, str]) -> Json:
    """Ids replaced wherever they stand but in attributes."""
    if isinstance(value, dict):
        return {key: part if key == "attributes" else substituted(part, names) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [substituted(part, names) for part in value]
    return names.get(value, value) if isinstance(value, str) else value


@dataclass(slots=True)
class Numbering(Altered):
    """The reference, but emitted events are called what `name` makes of their number."""

    name: Callable[[int], str] = "#{}".format
    features: tuple[str, ...] = ("own-ids",)
    inner: ReferenceEngine = field(default_factory=lambda: ReferenceEngine("indexed"))

    def hello(self) -> Greeting:
        return Greeting("numbering", "1", self.features)

    def run(self, trace: Sequence[Json]) -> Reply:
        reply = self.inner.run(trace)
        if not isinstance(reply, Found):
            return reply
        ids = [event["id"] for match in reply.matches for event in match["emits"]]
        names = {identity: self.name(number) for number, identity in enumerate(dict.fromkeys(ids), 1)}
        matches = self.alter(tuple(substituted(match, names) for match in reply.matches))
        return replace(reply, matches=matches, failures=tuple(substituted(reply.failures or (), names)))


def results(engine: Numbering) -> dict[str, Result]:
    run = run_engine(spec("numbering", lambda: engine), list(CASES.values()), Settings())
    return {result.case: result for result in run.results}


BY_ITS_VALUE = {
    case for case, prepared in CASES.items() if any(word in prepared.fixture.text for word in (".id", "id =", "id !"))
}
"""Cases whose programs may do something with the id of an emitted event."""


def test_an_engine_that_declares_own_ids_is_judged_by_what_emits_what() -> None:
    results_by_name = results(Numbering(unaltered))
    bad = {case for case, result in results_by_name.items() if result.verdict.bad}
    assert bad <= BY_ITS_VALUE
    assert len(results_by_name) - len(BY_ITS_VALUE) > 20


def test_own_ids_hide_no_error() -> None:
    """Attributes, times, bindings and the number of matches are judged as ever."""

    def later(matches: tuple[Json, ...]) -> tuple[Json, ...]:
        return tuple(
            {**match, "emits": [{**event, "timestamp": event["timestamp"] + 1} for event in match["emits"]]}
            for match in matches
        )

    def crossed(matches: tuple[Json, ...]) -> tuple[Json, ...]:
        """Who binds an emitted event binds another one."""
        ids = [event["id"] for match in matches for event in match["emits"]]
        return tuple(
            {**match, "bindings": substituted(match["bindings"], dict(zip(ids, ids[1:] + ids[:1], strict=True)))}
            for match in matches
        )

    assert results(Numbering(later))["emission/at-shifted-later"].verdict is CaseVerdict.FAIL
    wrong = [case for case, result in results(Numbering(crossed)).items() if result.verdict.bad]
    assert any(case.startswith("strata/") for case in wrong)
    twice = results(Numbering(lambda matches: matches * 2))["emission/at-shifted-later"]
    expected = CASES["emission/at-shifted-later"].fixture.expected.matches
    assert (twice.missing_count, twice.spurious_count) == (0, len(expected))


@pytest.mark.parametrize(
    ("name", "words"),
    [(lambda _: "x", "several emitted events"), (lambda number: f"a{number}", "the id of an event of the trace")],
)
def test_ids_that_stand_for_two_events_are_refused(name: Callable[[int], str], words: str) -> None:
    assert any(words in result.message for result in results(Numbering(unaltered, name=name)).values())


@pytest.mark.exhaustive
def test_who_does_not_declare_it_is_told_once() -> None:
    results_by_name = results(Numbering(unaltered, features=()))
    first, *_ = causes(tuple(results_by_name.values()), CASES, PARTELANG, 10.0)
    assert first.clauses == ("emitted-ids",)
    assert "'own-ids'" in first.summary
    assert len(first.cases) > 20


def test_nonsense_is_renamed_without_a_fault() -> None:
    loop = {"rule": "R", "bindings": {"a": "y"}, "emits": [{"id": "x"}]}
    back = {"rule": "R", "bindings": {"a": "x"}, "emits": [{"id": "y"}]}
    wild: list[Json] = [
        loop,
        back,
        None,
        3,
        {"emits": 5, "bindings": []},
        {"emits": [None, {"id": []}], "bindings": {"a": [1]}},
    ]
    for some in itertools.permutations(wild, 3):
        renamer = renaming(some, [{}])
        assert len([renamer.rename(match) for match in some]) == 3
    assert renaming([loop, back], []).rename(loop) != renaming([loop, back], []).rename(back)


def test_long_chains_of_strata_are_renamed() -> None:
    chain = [{"rule": f"R{n}", "bindings": {"a": f"x{n - 1}"}, "emits": [{"id": f"x{n}"}]} for n in range(3000)]
    renamer = renaming(chain[::-1], [])
    assert renamer.clash == ""
    assert len({renamer.rename(match)["emits"][0]["id"] for match in chain}) == 3000


def test_the_difference_of_two_matches_is_told() -> None:
    event = {"id": "R(a=a1)", "template": "D", "timestamp": 5, "attributes": {"k": 3, "on": True}}
    match = {"rule": "R", "bindings": {"a": "a1"}, "emits": [event]}
    renamed = {**match, "emits": [{**event, "id": "7", "attributes": {"k": 4.0, "on": 1}}]}
    (line,) = contrasts([match], [{"rule": "Q", "bindings": {}}, renamed])
    assert line == (
        'emits[0].id: expected "R(a=a1)", got "7"; emits[0].attributes.k: expected 3, got 4.0; '
        "emits[0].attributes.on: expected true, got 1"
    )
    assert list(contrasts([match], [{"rule": "Q", "bindings": {"x": "x1"}, "emits": []}])) == []
    assert list(contrasts([match], [{**match, "emits": []}])) == []
    (line,) = contrasts([match], [{**match, "bindings": {}}])
    assert line == 'bindings.a: expected "a1", got nothing; bindings: expected nothing, got {}'


def test_a_report_of_such_an_engine_tells_of_it() -> None:
    info = EngineInfo("one", "cmd", "n", "1", ("own-ids",))
    report = Report("1.0", "d", "now", (info,), ())
    assert read_report(report_lines(report)).engines[0].features == ("own-ids",)
