"""The public API: `import parte`."""

from __future__ import annotations

import importlib
import sys

import pytest

import parte
from parte.languages.language import Language
from parte.languages.registry import languages
from parte.proofs.partelang.evaluator.conversation import EVALUATOR
from parte.semantics.partelang.repairs import MODELS
from tests.parte.examples import FRAUD, PAIR, PAIR_MATCH, PAIR_TRACE

BUILT = tuple(name for name in parte.MODEL_NAMES if name != "proved" or EVALUATOR.is_file())
"""The models without what `make rocq` builds, where it was not run."""

FAILING = """\
template A { k : Integer }
template B { k : Integer }
rule Next where a : A then emit B at a.timestamp with { k = a.k + 1 }
"""
GREATEST = 2**63 - 1
PREDICATE = """\
template A { k : Integer }
predicate good(Integer)
rule Good where a : A { good(k) }
"""


def trace(*values: int) -> list[parte.Event]:
    return [parte.Event(f"a{number}", "A", number, {"k": value}) for number, value in enumerate(values, 1)]


def ids_of(matches: list[parte.Match]) -> list[str]:
    return [match.bindings[0][1] for match in matches]


# --- Running ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["algebra", "indexed", "sound", "rudimentary", parte.SOUND])
def test_run_gives_the_matches(model: str | parte.Model) -> None:
    matches = parte.run(parte.parse(PAIR), parte.read_trace(PAIR_TRACE), model=model)
    assert [match.to_json() + "\n" for match in matches] == [PAIR_MATCH]


def test_the_published_machine_loses_the_match() -> None:
    assert parte.run(parte.parse(PAIR), parte.read_trace(PAIR_TRACE), model="published") == []
    repaired = parte.PUBLISHED.repaired("expire-by-lifetime")
    assert len(parte.run(parte.parse(PAIR), parte.read_trace(PAIR_TRACE), model=repaired)) == 1


@pytest.mark.parametrize("model", ["algebra", "indexed", "sound"])
def test_the_fraud_example(model: str) -> None:
    program = parte.parse((FRAUD / "scenarios.parte").read_text(encoding="utf-8"))
    events = parte.load_trace(FRAUD / "trace.jsonl")
    domain = parte.load_domain(FRAUD / "domain.json")
    lines = [match.to_json() for match in parte.run(program, events, model=model, domain=domain)]
    assert lines == (FRAUD / "expected.jsonl").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("schedule", "seed"),
    [
        ("round-robin", None),
        ("random", None),
        ("random", 7),
        ("adversarial", 3),
        (parte.RoundRobin(), None),
        (parte.SeededRandom(4), None),
        (parte.Adversarial(1), None),
    ],
)
def test_every_schedule_gives_the_same(schedule: str | parte.Schedule, seed: int | None) -> None:
    matches = parte.run(parte.parse(PAIR), parte.read_trace(PAIR_TRACE), schedule=schedule, seed=seed)
    assert [match.to_json() + "\n" for match in matches] == [PAIR_MATCH]


def test_the_model_names_are_the_evaluators_and_the_machines() -> None:
    assert set(parte.MODEL_NAMES) == {"algebra", "indexed", "duckdb", "proved"} | set(MODELS)


def test_everything_that_is_exported_exists() -> None:
    assert len(set(parte.__all__)) == len(parte.__all__)
    assert all(hasattr(parte, name) for name in parte.__all__)


@pytest.mark.parametrize("language", languages()[1:], ids=lambda language: language.name)
def test_a_language_is_imported_by_its_name_in_small_letters(language: Language) -> None:
    name = f"parte.{language.name.lower()}"
    functions = importlib.import_module(name)
    assert functions is getattr(parte, language.name.lower()) is sys.modules[name]
    assert functions.__spec__ is not None
    assert functions.__spec__.name == functions.__name__ != name
    assert functions.parse


def test_no_language_is_imported_by_another_name() -> None:
    for name in ("parte.absent", "parte.CEL", "parte.Lead"):
        with pytest.raises(ModuleNotFoundError, match=name):
            importlib.import_module(name)


# --- Arguments that do not go together --------------------------------------------------------------------------------


def test_an_unknown_model() -> None:
    with pytest.raises(
        ValueError, match="no model is called 'soud'; there are: algebra, indexed, duckdb, proved, sound"
    ):
        parte.run(parte.parse(PAIR), [], model="soud")


def test_an_unknown_schedule() -> None:
    with pytest.raises(ValueError, match="no schedule is called 'rondom'"):
        parte.run(parte.parse(PAIR), [], schedule="rondom")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"schedule": "random"}, "takes no steps"),
        ({"seed": 1}, "makes no choices"),
        ({"capacities": parte.Capacities()}, "has no nodes"),
    ],
)
def test_the_algebra_refuses_what_is_for_machines(arguments: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parte.run(parte.parse(PAIR), [], model="algebra", **arguments)  # type: ignore[arg-type] # any of three types


def test_a_seed_that_changes_nothing() -> None:
    with pytest.raises(ValueError, match="a seed changes nothing with the schedule 'round-robin'"):
        parte.run(parte.parse(PAIR), [], seed=1)
    with pytest.raises(ValueError, match="has its own seed"):
        parte.run(parte.parse(PAIR), [], schedule=parte.SeededRandom(1), seed=1)


def test_capacities_of_a_node_that_does_not_exist() -> None:
    capacities = parte.Capacities(nodes={"join:Pair.c": parte.NodeCapacities(left=1)})
    with pytest.raises(parte.CapacitiesError, match=r"no node of the program is called 'join:Pair\.c'; did you mean"):
        parte.run(parte.parse(PAIR), [], capacities=capacities)


# --- Domains ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "relation",
    [
        lambda k: k == 2,
        {"true_for": [[2]]},
        {"false_for": [[1], [3]]},
        parte.DomainTable(frozenset({(2,)}), True),
        parte.read_domain('{"good": {"true_for": [[2]]}}')["good"],
    ],
)
def test_a_predicate_in_every_form(relation: parte.DomainTable) -> None:
    program = parte.parse(PREDICATE)
    for model in BUILT:
        assert ids_of(parte.run(program, trace(1, 2, 3), model=model, domain={"good": relation})) == ["a2"]


def test_a_predicate_that_is_missing() -> None:
    with pytest.raises(parte.DomainError, match="no relation is supplied"):
        parte.run(parte.parse(PREDICATE), [])


def test_a_table_that_does_not_fit() -> None:
    with pytest.raises(parte.DomainError, match="expected 1 value, found 2"):
        parte.run(parte.parse(PREDICATE), [], domain={"good": {"true_for": [[1, 2]]}})


# --- Traces -----------------------------------------------------------------------------------------------------------


def test_a_trace_that_does_not_fit() -> None:
    with pytest.raises(parte.TraceError, match='event "x": the attribute "k" is missing'):
        parte.run(parte.parse(PAIR), [parte.Event("x", "A", 0, {})])


@pytest.mark.parametrize("model", ["algebra", "sound"])
def test_a_broken_promise_is_an_error_of_the_trace_whatever_the_model(model: str) -> None:
    late = [parte.Event("a1", "A", 9, {"k": 1}), parte.Event("a2", "A", 5, {"k": 1})]
    with pytest.raises(parte.TraceError, match=r"trace\.jsonl: event \"a2\""):
        parte.run(parte.parse(PAIR), late, model=model)
    assert parte.run(parte.parse(PAIR), late, model=model, disorder=4) == []


def test_the_name_of_the_trace_is_kept() -> None:
    events = parte.read_trace(
        [
            '{"id":"a1","template":"A","timestamp":9,"attributes":{"k":1}}',
            '{"id":"a2","template":"A","timestamp":5,"attributes":{"k":1}}',
        ],
        filename="bank.jsonl",
    )
    with pytest.raises(parte.TraceError, match=r"bank\.jsonl:2:"):
        parte.run(parte.parse(PAIR), events)


def test_progress_is_part_of_a_trace() -> None:
    items: list[parte.Event | parte.Progress] = [parte.Progress("s", "A", 3), parte.Event("a1", "A", 3, {"k": 1}, "s")]
    assert parte.run(parte.parse(PAIR), items) == []


# --- Programs ---------------------------------------------------------------------------------------------------------


def test_a_program_with_errors() -> None:
    with pytest.raises(parte.ProgramError) as caught:
        parte.parse("rule R where a : Nothing\nrule R where b : Nowhere")
    assert {diagnostic.code for diagnostic in caught.value.diagnostics} >= {"unknown-template", "duplicate-name"}


def test_format_program_keeps_the_meaning() -> None:
    ugly = PAIR.replace("\n", " ").replace(" k ", "k")
    assert parte.parse(parte.format_program(ugly)) == parte.parse(PAIR)
    assert parte.format_program(PAIR) == PAIR


# --- What must not be overlooked --------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", BUILT)
def test_an_emission_without_a_value_is_a_warning(model: str) -> None:
    with pytest.warns(parte.EmissionWarning, match=r"Next\(a=a2\): emission 1 emits nothing"):
        matches = parte.run(parte.parse(FAILING), trace(1, GREATEST, 3), model=model)
    assert [len(match.emits) for match in matches] == [1, 0, 1]


def test_many_failures_are_counted() -> None:
    with pytest.warns(parte.EmissionWarning, match="and 3 more"):
        parte.run(parte.parse(FAILING), trace(*[GREATEST] * 8))


def test_execute_returns_all_without_warning() -> None:
    outcomes = [parte.execute(parte.parse(FAILING), trace(GREATEST, 1, GREATEST), model=model) for model in BUILT]
    expected = tuple(parte.EmissionFailure("Next", 1, (("a", name),)) for name in ("a1", "a3"))
    assert [outcome.failures for outcome in outcomes] == [expected] * len(outcomes)
    assert [outcome.steps is None for outcome in outcomes] == [model not in MODELS for model in BUILT]


def test_a_blocked_machine() -> None:
    program, events = parte.parse(PAIR), parte.read_trace(PAIR_TRACE)
    capacities = parte.Capacities(parte.NodeCapacities(outbox=0))
    with pytest.raises(parte.Blocked, match="entry:A is blocked") as caught:
        parte.run(program, events, capacities=capacities)
    outcome = parte.execute(program, events, capacities=capacities)
    assert outcome.blocked is not None
    assert outcome.blocked.render() == str(caught.value)
    assert outcome.matches == ()
