"""The evaluator that is extracted from the theorem, where it was built: its values, its matches, what it stores."""

from __future__ import annotations

import random
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import parte
from parte.algebra.partelang.programs import run
from parte.conformance.partelang.engines.table import ENGINES
from parte.conformance.results import CaseVerdict
from parte.conformance.runner.judging import prepare
from parte.conformance.runner.running import run_engine
from parte.conformance.runner.specs import SpecError, spec_of
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG
from parte.proofs.partelang.evaluator import conversation, words
from parte.proofs.partelang.evaluator.conversation import EVALUATOR, Conversation, EvaluatorEnded
from parte.proofs.partelang.evaluator.evaluation import Evaluation, batched, execute
from parte.proofs.partelang.evaluator.words import Numbered
from parte.semantics.events.event import POSITIVE_INFINITY, Arrival, Event, Value
from parte.semantics.events.promises import Promises
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.source.packages import Unavailable
from tests.campaigns.proved import Proved
from tests.campaigns.running import run as campaign

extracted = pytest.mark.skipif(not EVALUATOR.is_file(), reason="the theorem was not built, which `make test` says")

PAIRS = """template A { user : String, n : Integer }
template B { user : String, n : Integer }
template P { user : String }
rule R where a : A, b : B { user = a.user, n != a.n } when b in a [0 ms, 10 ms]
  then emit P at a.timestamp with { user = b.user }
rule S where p : P, no c : A { user = p.user } when no c in p [1 ms, 5 ms]
"""


def verdicts(every: int = 1) -> Counter[CaseVerdict]:
    """How often each verdict was given, over one case in so many."""
    chosen = [prepare(case, PARTELANG) for case in list(load_suite(PARTELANG).cases.values())[::every]]
    return Counter(result.verdict for result in run_engine(spec_of("model:proved", ENGINES), chosen).results)


@extracted
def test_the_evaluator_passes_a_sample_of_the_suite() -> None:
    counts = verdicts(every=11)
    assert set(counts) == {CaseVerdict.PASS, CaseVerdict.UNSUPPORTED}
    assert counts[CaseVerdict.PASS] > 60


@extracted
@pytest.mark.exhaustive
def test_the_evaluator_passes_the_suite() -> None:
    suite = load_suite(PARTELANG)
    left_out = sum(case.expected.rejected is not None for case in suite.cases.values())
    passed = len(suite.cases) - left_out
    assert verdicts() == {CaseVerdict.PASS: passed, CaseVerdict.UNSUPPORTED: left_out}
    assert left_out < passed / 3


@extracted
def test_it_finds_what_the_indexed_evaluator_finds_on_drawn_programs() -> None:
    failures, counts = campaign(Proved(), seed=3, seconds=600, cases=60, say=lambda _: None)
    assert failures == []
    assert counts["matches before the last batch"] > 0
    assert counts["emitted events"] > 0
    assert counts["suppressed events"] > 0


@extracted
def test_a_window_that_is_wrong_changes_the_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Numbered._rule

    def narrowed(numbered: Numbered, rule: core.Rule) -> Iterator[object]:
        return whole(
            numbered, replace(rule, constraints=tuple(replace(c, upper=c.upper - 1) for c in rule.constraints))
        )

    monkeypatch.setattr(Numbered, "_rule", narrowed)
    assert verdicts(every=11)[CaseVerdict.FAIL] > 10


# --- Values -----------------------------------------------------------------------------------------------------------

VALUES = """level 2
template A {{ i : Integer, f : Float, s : String, b : Boolean, o : Integer? }}
rule R where a : A, z : A {{ {condition} }} when z in a [1 ms, 1 ms]
"""
LEAST, GREATEST = -(2**63), 2**63 - 1
CONDITIONS = (
    "i + a.i > a.i",
    "i - a.i < 0",
    "i * a.i >= a.i",
    "-i > a.i",
    "abs(i) + a.i >= a.i",
    "not (i + a.i > 0)",
    "i + a.i > 0 or a.b = true",
    "i + a.i > 0 and a.b = true",
    "i + a.i is present or a.b = true",
    "o = a.o",
    "o is missing and a.o is present",
    "i = a.i",
    "f = a.f",
    "f / a.f > 0.5",
    "f * a.f >= a.f",
    "f + a.f < f",
    "i + a.f > f",
    "s = a.s",
    "s != a.s",
    "s < a.s",
    "s >= a.s",
    "b = a.b",
    "b = true or a.b = true",
    "length(s) > length(a.s)",
    "contains(s, a.s)",
    "concat(s, a.s) = s",
    's in ("x y", "ü😀", "") or b = a.b',
)
INTEGERS = (LEAST, -1, 0, 1, 2**32, GREATEST)
FLOATS = (-0.0, 0.0, 0.1, 1e308, -5e-324, 9007199254740993.0)
STRINGS = ("", "x y", "x\ty\\n", "\n", "ü\U0001f600", "\uffff", "x")


@extracted
@pytest.mark.parametrize("condition", CONDITIONS)
def test_values_are_those_of_the_definition(condition: str) -> None:
    rng = random.Random(condition)
    program = parse(VALUES.format(condition=condition))

    def event(number: int) -> Event:
        attributes: dict[str, Value] = {"i": rng.choice(INTEGERS), "f": rng.choice(FLOATS)}
        attributes |= {"s": rng.choice(STRINGS), "b": rng.random() < 0.5}
        if rng.random() < 0.7:
            attributes["o"] = rng.choice(INTEGERS)
        return Event(f"e{number}", "A", number // 12, attributes)

    scenario = Scenario.of(program, [event(number) for number in range(240)])
    truth = run(program, scenario.items)
    assert 0 < len(truth.matches) < 11 * 12 * 12 * 2
    assert execute(scenario).matches == truth.matches


def test_which_expressions_are_computed_elsewhere() -> None:
    numbered = Numbered(
        parse(VALUES.format(condition='contains(s, a.s), starts_with(s, "x"), length(a.s) < length(s)'))
    )
    assert [delegated.variables for delegated in numbered.delegated] == [("a", "z")]
    assert len(numbered.columns["A"]) == 2  # starts_with and length
    assert "computed" in numbered.words


def test_an_equality_that_can_be_a_key_comes_first() -> None:
    text = (
        "template A { f : Float, s : String }\nrule R where a : A, b : A { f = a.f, s = a.s } when b in a [0 ms, 1 ms]"
    )
    said = " ".join(map(str, Numbered(parse(text)).words))
    assert said.index("= attribute 1 0 attribute 0 0") < said.index("= attribute 1 1 attribute 0 1")
    assert [column.attribute for column in Numbered(parse(text)).columns["A"]] == ["s", "f"]  # type: ignore[union-attr]


# --- Streams ----------------------------------------------------------------------------------------------------------


def long_trace(events: int) -> list[Arrival]:
    """Arrivals of both templates, one a millisecond, for users who come and go."""
    promises = Promises(frozenset())
    return [
        promises.arrival(
            Event(f"e{t}", "AB"[t % 2], t, {"user": f"u{t // 20}-{t % 3}", "n": t % 5}, "s"),
        )
        for t in range(events)
    ]


@extracted
def test_it_reports_while_the_trace_comes_and_forgets() -> None:
    program = parse(PAIRS)
    arrivals = long_trace(20_000)
    with closing(Evaluation(program, {}, {"A": ("s",), "B": ("s",)})) as evaluation:
        stored, early = 0, []
        for batch in batched(arrivals):
            early += evaluation.feed(batch)
            stored = max(stored, evaluation.stored)
        ends = [Arrival("s", template, POSITIVE_INFINITY, None) for template in "AB"]
        late = evaluation.feed(ends)
    truth = run(program, [arrival.event for arrival in arrivals if arrival.event is not None], evaluator="indexed")
    assert sorted(match.to_json() for match in [*early, *late]) == [match.to_json() for match in truth.matches]
    assert len(late) < 50 < len(early)
    assert stored < 10_000


@extracted
def test_nothing_is_reported_before_its_window_has_passed() -> None:
    program = parse("template A {}\ntemplate B {}\nrule R where a : A, no b : B when no b in a [1 ms, 5 ms]")
    with closing(Evaluation(program, {}, {"A": ("s",), "B": ("s", "t")})) as evaluation:
        assert evaluation.feed([Arrival("s", "A", 0, Event("a", "A", 0, {}, "s"))]) == []
        assert evaluation.feed([Arrival("s", "A", 9, None), Arrival("s", "B", 9, None)]) == []
        assert evaluation.feed([Arrival("t", "B", 5, None)]) == []
        (match,) = evaluation.feed([Arrival("t", "B", 6, None)])
    assert match.bindings == (("a", "a"),)


ALERTS = """level 2
template A { user : String?, f : Float }
template P { user : String?, f : Float, n : Integer }
template Q { f : Float }
rule R where either a : A { f < 2.0 } or a : A { f >= 2.0 }, no b : A { user = a.user } when no b in a [-ever, -20 ms]
  then emit P at a.timestamp with { user = a.user, f = a.f, n = 1 } once per (user, f) in 3 ms
rule S where p : P then emit Q at p.timestamp with { f = p.f } once in 1 ms
"""


def alerts(events: int) -> list[Event]:
    """Events of which several have one timestamp, and some lack the user of the key."""
    rng = random.Random(5)

    def event(number: int) -> Event:
        attributes: dict[str, Value] = {"f": rng.choice((0.0, -0.0, 2.0))}
        if rng.random() < 0.5:
            attributes["user"] = "u"
        return Event(f"e{rng.randrange(10**6)}", "A", number // 3, attributes)

    return [event(number) for number in range(events)]


@extracted
def test_suppression_takes_the_events_in_the_order_of_their_ids() -> None:
    program = parse(ALERTS)
    scenario = Scenario.of(program, alerts(60))
    truth = run(program, scenario.items)
    outcome = execute(scenario)
    assert outcome.matches == truth.matches
    assert outcome.suppressed == truth.suppressed
    assert len(truth.suppressed) > 20
    assert any(match.rule == "S" and match.emits for match in truth.matches)


@extracted
def test_a_match_is_reported_when_its_emissions_are_decided() -> None:
    program = parse("level 2\ntemplate A {}\ntemplate P {}\nrule R where a : A then emit P at a.timestamp once in 5 ms")
    with closing(Evaluation(program, {}, {"A": ("s",)})) as evaluation:
        assert evaluation.feed([Arrival("s", "A", 7, Event("a", "A", 7, {}, "s"))]) == []
        (match,) = evaluation.feed([Arrival("s", "A", 9, Event("b", "A", 9, {}, "s"))])
        assert [event.id for event in match.emits] == ["R(a=a)"]
        (match,) = evaluation.feed([Arrival("s", "A", POSITIVE_INFINITY, None)])
        assert match.emits == ()
        (suppressed,) = evaluation.suppressed()
    assert (suppressed.event, suppressed.passed) == ("R(a=b)", "R(a=a)")


@extracted
def test_what_a_rule_without_a_beginning_emits_is_read_before_the_end() -> None:
    program = parse(
        "level 2\ntemplate A {}\ntemplate P {}\n"
        "rule R where a : A, no b : A when no b in a [-ever, -1 ms] then emit P at a.timestamp\nrule S where p : P"
    )
    with closing(Evaluation(program, {}, {"A": ("s",)})) as evaluation:
        evaluation.feed([Arrival("s", "A", 7, Event("a", "A", 7, {}, "s"))])
        matches = evaluation.feed([Arrival("s", "A", 9, Event("b", "A", 9, {}, "s"))])
    assert [match.rule for match in matches] == ["R", "S"]


# --- What is refused --------------------------------------------------------------------------------------------------


@extracted
@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("nonsense", 'expected program, found "nonsense"'),
        ("program 1 1", "the program ends too early"),
        # A pattern that no constraint relates to the first one, and a template that there is not.
        ("program 1 1 1 0 0 0 1 0 0 0 0 0 0 0 0", "rule 0 is not admitted"),
        ("program 1 1 1 7 0 0 0 0 0 0 0", "rule 0 is not admitted"),
    ],
)
def test_damaged_input_ends_the_process_with_a_reason(said: str, reason: str) -> None:
    with pytest.raises(EvaluatorEnded, match=re.escape(reason)):
        Conversation([said], lambda _: "")


@extracted
def test_an_emission_of_another_time_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "timestamp", lambda *_: iter(("s", "1", "v", 0)))
    program = parse(PAIRS)
    items = [Event("a", "A", 0, {"user": "u", "n": 1}), Event("b", "B", 1, {"user": "u", "n": 2})]
    with pytest.raises(EvaluatorEnded, match="emission 1 of rule 0 has another template or timestamp"):
        execute(Scenario.of(program, items))


def test_without_the_extracted_program_the_message_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(conversation, "EVALUATOR", tmp_path / "evaluator")
    with pytest.raises(Unavailable, match=r"`make rocq` extracts, .*: run `make rocq-setup && make rocq`"):
        parte.run(parse(PAIRS), [], model="proved")
    with pytest.raises(SpecError, match="`make rocq` extracts"):
        spec_of("model:proved", ENGINES)


@extracted
def test_the_process_ends_with_whoever_talks_to_it() -> None:
    done = subprocess.run([EVALUATOR], input="", text=True, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "")
