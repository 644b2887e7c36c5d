"""CLIPS against the suite: a strict list of known failures, each with its cause, and how programs are put to CLIPS."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given, settings

from parte.conformance.engines import registry
from parte.conformance.engines.foreign import ForeignEngine
from parte.conformance.engines.registry import engine_called
from parte.conformance.partelang.engines.clips.adapter import ClipsAdapter
from parte.conformance.partelang.engines.clips.constructs import constructs
from parte.conformance.partelang.engines.clips.expressions import FLOOR_DIV
from parte.conformance.partelang.engines.clips.manifest import DECLARED
from parte.conformance.partelang.engines.table import ENGINES
from parte.conformance.partelang.strategies import Case
from parte.conformance.protocol import Failed, Found, Json, Load, Unsupported
from parte.conformance.results import CaseVerdict
from parte.conformance.runner.running import Settings, run_engine
from parte.conformance.runner.specs import SpecError, spec_of
from parte.semantics.events.domain import bind_domain, read_domain
from parte.semantics.events.installation import install_command
from parte.semantics.partelang.syntax import parse
from tests.conformance.engines import level_2
from tests.conformance.engines.agreement import (
    caused_by,
    differing,
    failures_now_and_known,
    prepared,
    with_integers,
    wrapped,
)
from tests.sampling import WHOLE

TEMPLATES = "template A { k : Integer }\ntemplate B { k : Integer }\n"


@pytest.mark.parametrize("label", ["clips", pytest.param("clips-eager", marks=WHOLE)])
def test_the_failures_are_those_that_are_known(label: str) -> None:
    """If this fails after a change of the suite, docs/conformance.md (Foreign engines) says what to run."""
    failures, listed = failures_now_and_known(label)
    assert failures == listed


def test_the_algebra_with_wrapping_integers_says_what_clips_says(monkeypatch: pytest.MonkeyPatch) -> None:
    with_integers(monkeypatch, wrapped)
    assert not differing("clips", caused_by("clips", "integers-wrap"))


@given(level_2.drawn(DECLARED))
@settings(max_examples=25)
def test_clips_finds_at_level_2_what_the_definition_finds(case: Case) -> None:
    level_2.as_the_definition(ClipsAdapter(), case)


# --- What CLIPS is given ----------------------------------------------------------------------------------------------


def test_a_program_as_constructs() -> None:
    program = parse(
        TEMPLATES + "template C { k : Integer }\npredicate odd(Integer)\n"
        "rule R where a : A { k > 1 }, no b : B { k = a.k, odd(k) } when no b in a [-1 ms, 2 ms] "
        "then emit C at a.timestamp + 3 ms with { k = -a.k }"
    )
    domain = bind_domain(program, read_domain({"odd": {"true_for": [[1], [3]]}}))
    assert list(constructs(program, domain)) == [
        FLOOR_DIV,
        "(deftemplate match (slot rule) (multislot bindings))",
        "(deftemplate event.A (slot /id) (slot /component) (slot /timestamp) (slot /cause) (slot /position) (slot k))",
        "(deftemplate event.B (slot /id) (slot /component) (slot /timestamp) (slot /cause) (slot /position) (slot k))",
        "(deftemplate event.C (slot /id) (slot /component) (slot /timestamp) (slot /cause) (slot /position) (slot k))",
        "(deftemplate domain.odd (slot c1))",
        "(deffunction holds.odd (?p1)"
        " (if (any-factp ((?row domain.odd)) (and TRUE (= ?row:c1 ?p1))) then TRUE else FALSE))",
        """(defrule rule.R (declare (salience 0))
  (event.A (/id ?a/id) (/component ?a/component) (/timestamp ?a/timestamp) (k ?a.k)) (test (> ?a.k 1))
  (not (and (event.B (/timestamp ?b/timestamp) (k ?a.k)) (test (<= (+ ?a/timestamp -1) ?b/timestamp))\
 (test (<= ?b/timestamp (+ ?a/timestamp 2))) (domain.odd (c1 ?a.k))))
  =>
  (bind ?match (assert (match (rule "R") (bindings ?a/id))))
  (bind ?id (shortened (str-cat "R(a=" ?a/component ")")))
  (assert (event.C (/id ?id) (/component ?id) (/timestamp (+ ?a/timestamp 3)) (/cause (fact-index ?match))\
 (/position 1) (k (- 0 ?a.k)))))""",
    ]


def test_a_program_of_level_2_as_constructs() -> None:
    program = parse(
        "level 2 template A { k : Integer? } template C { k : Integer?, n : Integer }\n"
        "rule R where a : A { not k = 1 or k is missing }, first b : A { k = a.k }, all c : A { k = a.k, k in (2, 5) } "
        "when b in a [0 ms, 9 ms], c in a [-ever, 5 ms] having sum(c.k) > 3 "
        "then emit C at max(a.timestamp, b.timestamp) with { k = b.k, n = max(c.k) }"
    )
    assert list(constructs(program, {}))[-1] == (
        """(defrule rule.R (declare (salience 0))
  (event.A (/id ?a/id) (/component ?a/component) (/timestamp ?a/timestamp) (k ?a.k))\
 (test (or (and (neq ?a.k nil) (not (= ?a.k 1))) (not (neq ?a.k nil))))
  (event.A (/id ?b/id) (/component ?b/component) (/timestamp ?b/timestamp) (k ?b.k))\
 (test (and (neq ?b.k nil) (neq ?a.k nil) (= ?b.k ?a.k)))\
 (test (<= (+ ?a/timestamp 0) ?b/timestamp)) (test (<= ?b/timestamp (+ ?a/timestamp 9)))
  (not (and (event.A (/timestamp ?first/b/timestamp) (k ?first/b.k))\
 (test (and (neq ?first/b.k nil) (neq ?a.k nil) (= ?first/b.k ?a.k)))\
 (test (<= (+ ?a/timestamp 0) ?first/b/timestamp)) (test (<= ?first/b/timestamp (+ ?a/timestamp 9)))\
 (test (<= (+ ?b/timestamp -9) ?first/b/timestamp)) (test (<= ?first/b/timestamp (+ ?b/timestamp -1)))))
  =>
  (bind ?c/set (find-all-facts ((?c event.A)) (and (and (neq ?c:k nil) (neq ?a.k nil) (= ?c:k ?a.k))\
 (or (and (neq ?c:k nil) (= ?c:k 2)) (and (neq ?c:k nil) (= ?c:k 5))) (<= ?c:/timestamp (+ ?a/timestamp 5)))))
  (bind ?c/sum/k (whole-sum (values-of k ?c/set)))
  (bind ?c/max/k (greatest > (values-of k ?c/set)))
  (if (and (neq ?c/sum/k nil) (> ?c/sum/k 3)) then
  (bind ?match (assert (match (rule "R") (bindings ?a/id ?b/id))))
  (bind ?id (shortened (str-cat "R(a=" ?a/component ",b=" ?b/component ")")))
  (if (neq ?c/max/k nil) then (assert (event.C (/id ?id) (/component ?id)\
 (/timestamp (max ?a/timestamp ?b/timestamp)) (/cause (fact-index ?match)) (/position 1)\
 (k (if (neq ?b.k nil) then ?b.k else nil)) (n ?c/max/k))))
  ))"""
    )


def patterns_of(conditions: str) -> str:
    """What CLIPS is given of b: B, after a: A, with conditions of b; `near` is a table of what is false."""
    attributes = "{ i : Integer, s : String, f : Float, t : Boolean }"
    program = parse(
        f"template A {attributes}\ntemplate B {attributes}\npredicate near(Integer, String)\n"
        f"predicate hot(Float)\nrule R where a : A, b : B {{ {conditions} }} when b in a [0 ms, 2 ms]"
    )
    domain = bind_domain(program, read_domain({"near": {"false_for": [[1, "x"]]}, "hot": {"true_for": [[0.5]]}}))
    pattern = list(constructs(program, domain))[-1].splitlines()[2]
    return pattern.split("(/timestamp ?b/timestamp)")[1].split(" (test (<= (+ ?a/timestamp 0)")[0].strip()


@pytest.mark.parametrize(
    ("conditions", "text"),
    [
        ("i = a.i, a.s = s, t = a.t", "(i ?a.i) (s ?a.s) (t ?a.t))"),
        # 0.0 and -0.0 are equal Floats, and two values of CLIPS.
        ("f = a.f", "(f ?b.f)) (test (= ?b.f ?a.f))"),
        ("i = a.f", "(i ?b.i)) (test (= (float ?b.i) ?a.f))"),
        ("i > 1, i = a.i, i < 9", "(i ?a.i)) (test (> ?a.i 1)) (test (< ?a.i 9))"),
        ("i = a.i + 1", "(i ?b.i)) (test (= ?b.i (+ ?a.i 1)))"),
        ("hot(f)", "(f ?b.f)) (test (holds.hot ?b.f))"),
        ("near(i + 1, s)", "(i ?b.i) (s ?b.s)) (test (holds.near (+ ?b.i 1) ?b.s))"),
    ],
)
def test_clips_looks_up_what_is_equal_just_when_it_is_the_same(conditions: str, text: str) -> None:
    assert patterns_of(conditions) == text


def test_what_a_table_says_is_false_is_a_row_that_is_not_there() -> None:
    assert patterns_of('near(i, "x"), s = a.s').startswith("(i ?b.i) (s ?a.s))")
    program = (
        "template A { i : Integer, s : String }\npredicate near(Integer, String)\n"
        "rule R where a : A, b : A { s = a.s, i != a.i, near(a.i, s) } when b in a [0 ms, 9 ms]"
    )
    engine = engine_called(ENGINES, "clips")
    engine.load(Load(program, None, {"near": {"false_for": [[1, "x"]]}}))
    reply = engine.run(
        [event("a1", "A", 1, i=1, s="x"), event("a2", "A", 2, i=2, s="x"), event("a3", "A", 3, i=3, s="x")]
    )
    assert isinstance(reply, Found)
    assert [match["bindings"] for match in reply.matches] == [{"a": "a2", "b": "a3"}]


def matches_of(program: str, trace: list[Json], engine: str = "clips") -> list[Json]:
    reply = reply_to(program, trace, engine)
    assert isinstance(reply, Found), reply
    return sorted(reply.matches, key=str)


def reply_to(program: str, trace: list[Json], engine: str = "clips") -> Any:
    served = engine_called(ENGINES, engine)
    loaded = served.load(Load(program, None))
    return loaded if isinstance(loaded, Unsupported) else served.run(trace)


def event(id_: str, template: str, timestamp: int, **attributes: Json) -> Json:
    return {"id": id_, "template": template, "timestamp": timestamp, "attributes": attributes}


def test_means_are_rounded_downwards_and_lists_are_emitted() -> None:
    program = (
        "template A { k : Integer }\ntemplate L { ks : [Integer; 2], flag : Boolean }\n"
        "rule R where a : A { k = 1 }, b : A { k = 2 } when b in a [0 ms, 9 ms] "
        "then emit L at avg(a.timestamp, b.timestamp) with { ks = list(a.k, b.k), flag = true }"
    )
    (match,) = matches_of(program, [event("a", "A", -6, k=1), event("b", "A", -1, k=2)])
    (emitted,) = match["emits"]
    assert emitted["timestamp"] == -4
    assert emitted["attributes"] == {"ks": [1, 2], "flag": True}


def test_a_late_event_withdraws_what_its_absence_had_made() -> None:
    program = TEMPLATES + "rule R where a : A, no b : B when no b in a [0 ms, 9 ms]"
    trace = [event("a1", "A", 5, k=0), event("a2", "A", 50, k=0), event("b1", "B", 6, k=0)]
    assert [match["bindings"] for match in matches_of(program, trace)] == [{"a": "a2"}]
    assert [match["bindings"] for match in matches_of(program, trace, engine="clips-eager")] == [
        {"a": "a1"},
        {"a": "a2"},
    ]


def test_an_error_on_the_right_hand_side_is_told() -> None:
    program = TEMPLATES + "template F { x : Float }\nrule R where a : A then emit F at a.timestamp with { x = 1 / a.k }"
    reply = reply_to(program, [event("a1", "A", 5, k=0)])
    assert isinstance(reply, Failed)
    assert "divide by zero" in reply.message


def test_what_clips_cannot_be_asked() -> None:
    text = "template T { s : String }\n"
    unsupported = reply_to(text + "rule R where a : T", [event("a1", "T", 5, s="x\0y")])
    assert isinstance(unsupported, Unsupported)
    assert "U+0000" in unsupported.reason
    constant = reply_to(text + 'rule R where a : T { s = "\\u0000" }', [])
    assert isinstance(constant, Unsupported)
    engine = engine_called(ENGINES, "clips")
    assert isinstance(engine.run([]), Failed)
    assert isinstance(engine.feed([]), Unsupported)
    assert isinstance(engine.advance(), Unsupported)
    assert isinstance(engine.load(Load("rule", None)), Unsupported)


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda _: None)
    with pytest.raises(SpecError, match=r"clips, which is not installed$") as error:
        spec_of("model:clips", ENGINES)
    assert error.value.hint == install_command("clips")
    monkeypatch.undo()
    assert isinstance(engine_called(ENGINES, "clips"), ForeignEngine)


def test_clips_is_served_to_runners_elsewhere() -> None:
    cases = [case for case in prepared() if case.fixture.id in ("ties/many", "novalue/integer-sum")]
    run = run_engine(spec_of(f"clips={sys.executable} -m parte engine clips", ENGINES), cases, Settings(timeout=60))
    assert run.info.name == "CLIPS"
    assert {result.case: result.verdict for result in run.results} == {
        "ties/many": CaseVerdict.PASS,
        "novalue/integer-sum": CaseVerdict.FAIL,
    }
