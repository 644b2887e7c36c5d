"""A trace becomes a row, whatever is wrong with it. What Spark's workers run is called here without Spark."""

from __future__ import annotations

import gc
import itertools
import json
import signal
import sys
import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from parte.algebra.partelang.effort import Effort
from parte.algebra.partelang.programs import run
from parte.conformance.fixtures import Fixture
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG
from parte.proofs.partelang.defects import DEFECTS
from parte.proofs.partelang.evaluator import conversation, evaluation, words
from parte.proofs.partelang.evaluator.conversation import EVALUATOR
from parte.proofs.partelang.evaluator.words import NotAdmitted
from parte.semantics.events.outcome import Outcome
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.repairs import SOUND
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.implementations import Implementations
from parte.semantics.rulebook.models import Model
from parte.spark_adapter.errors import Unusable
from parte.spark_adapter.replay.batches import replay_batches, replay_numbers
from parte.spark_adapter.replay.budget import OverBudget, Unbudgeted, within
from parte.spark_adapter.replay.plan import Plan
from parte.spark_adapter.replay.rows import MOST_MESSAGE
from parte.spark_adapter.traces.format import BadRow, fixture_rows, item_line, item_row, items_rows
from parte.spark_adapter.traces.random import Recipe, random_case

WITHOUT_SPARK = True

Row = Mapping[str, Any]
COLUMNS = ("trace_id", "program", "program_id", "domain_id", "disorder", "events", "fixture")
JOINED = ("text", "escaped", "document")

PROGRAM = """
template A { k: Integer }
rule R where a: A, b: A { k = a.k } when b in a [1 ms, 5 ms] then
"""
EVENTS = [
    {"template": "A", "timestamp": 0, "attributes": '{"k": 1}'},
    {"template": "A", "timestamp": 3, "attributes": '{"k": 1}'},
]
LOSING = PROGRAM.replace("[1 ms, 5 ms]", "[2 ms, 5 ms]")
"""The published machine loses the match: the window does not begin at zero."""

EXPLODING = (
    "template A { k: Integer }\nrule R where a: A, "
    + ", ".join(f"{name}: A" for name in "bcdef")
    + (" when " + ", ".join(f"{name} in a [-1 seconds, 1 seconds]" for name in "bcdef") + " then")
)
CROWD = [{"template": "A", "timestamp": number, "attributes": '{"k": 1}'} for number in range(60)]
"""With `EXPLODING`, 4.6e10 matches."""


def batch(*rows: Row) -> pa.RecordBatch:
    """Rows as the workers get them: every column there, the absent ones null."""
    full = [{name: row.get(name) for name in COLUMNS + JOINED} for row in rows]
    for row in full:
        if row["events"] is not None:
            empty = dict.fromkeys(("id", "template", "timestamp", "source", "attributes", "progress", "line"))
            row["events"] = [None if event is None else empty | event for event in row["events"]]
    return pa.RecordBatch.from_pylist(full)


def replayed(plan: Plan, *rows: Row) -> list[Any]:
    """The results for rows."""
    return list(itertools.chain.from_iterable(results.to_pylist() for results in replay_batches(plan, [batch(*rows)])))


def case_row(fixture: Fixture) -> Row:
    """A case of the suite as the workers get it."""
    trace, program, domain = fixture_rows(fixture)
    return {**trace, **program, "document": None if domain is None else domain["document"]}


# --- Verdicts --------------------------------------------------------------------------------------------------------


proved_built = pytest.mark.skipif(not EVALUATOR.is_file(), reason="the theorem was not built, which `make test` says")


@proved_built
def test_the_proved_evaluator_judges_models() -> None:
    row = {"trace_id": "1", "program": LOSING, "events": EVENTS}
    (agreeing,) = replayed(Plan(("algebra", "sound"), against="proved"), row)
    assert (agreeing["verdict"], len(agreeing["matches"])) == ("agree", 1)
    assert [run["model"] for run in agreeing["runs"]] == ["proved", "algebra", "sound"]
    (differing,) = replayed(Plan(("published",), against="proved"), row)
    assert differing["verdict"] == "differ"
    assert "1 missing, compared with proved" in differing["message"]


@proved_built
def test_another_answer_of_the_proved_evaluator_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = evaluation.execute
    monkeypatch.setattr(evaluation, "execute", lambda scenario: replace(whole(scenario), matches=()))
    (row,) = replayed(Plan(("proved",)), {"trace_id": "1", "program": PROGRAM, "events": EVENTS})
    assert (row["verdict"], row["message"]) == ("differ", "proved: 1 missing, compared with algebra")


@proved_built
def test_a_program_that_the_proved_evaluator_does_not_run_is_rejected_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    without_words: Implementations[str] = Implementations({}, lambda function: NotAdmitted(f"the function {function}"))
    monkeypatch.setattr(words, "TIMESTAMP_FUNCTIONS", without_words)
    program = PROGRAM + "emit P at min(a.timestamp, b.timestamp)\ntemplate P {}\nrule S where p: P"
    (row,) = replayed(Plan(against="proved"), {"trace_id": "1", "program": program, "events": EVENTS})
    assert (row["verdict"], row["cause"]) == ("error", "rejected")
    assert row["message"] == "the model proved does not run this program: the function min"


def test_the_proved_evaluator_has_to_be_built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(conversation, "EVALUATOR", tmp_path / "evaluator")
    with pytest.raises(Unusable, match="`make rocq` extracts, and there is no"):
        Plan(against="proved")
    with pytest.raises(Unusable, match="`parte conform model:proved` runs it on the suite"):
        Plan(("proved",), against="expected")


def test_a_trace_on_which_the_models_agree() -> None:
    (row,) = replayed(Plan(("sound", "indexed"), schedules=2), {"trace_id": "t", "program": PROGRAM, "events": EVENTS})
    assert (row["trace_id"], row["verdict"], row["cause"], row["message"]) == ("t", "agree", None, None)
    assert row["matches"] == ['{"rule":"R","bindings":{"a":"e1","b":"e2"},"emits":[]}']
    run_rows = [(run["model"], run["verdict"], run["matches"], run["schedules"]) for run in row["runs"]]
    assert run_rows == [("algebra", "reference", 1, 0), ("sound", "agree", 1, 3), ("indexed", "agree", 1, 1)]
    assert row["milliseconds"] > 0


def test_a_trace_on_which_a_judged_model_differs() -> None:
    (row,) = replayed(Plan(("published",)), {"trace_id": "t", "program": LOSING, "events": EVENTS})
    assert row["verdict"] == "differ"
    assert row["message"] == "published under the schedule round-robin: 1 missing, compared with algebra"
    judged = row["runs"][1]
    assert (judged["missing"], judged["missing_count"], judged["spurious_count"]) == (row["matches"], 1, 0)
    assert (judged["schedule"], judged["seed"]) == ("round-robin", None)


def test_models_that_are_known_to_differ_are_judged_only_alone_or_when_named() -> None:
    trace_row = {"trace_id": "t", "program": LOSING, "events": EVENTS}
    verdicts = [
        replayed(plan, trace_row)[0]["verdict"]
        for plan in (
            Plan(("published", "sound")),
            Plan(("published",)),
            Plan(("published", "sound"), judged=("published",)),
            Plan(("published",), against="published"),
            Plan(("sound",), against="published"),
        )
    ]
    assert verdicts == ["agree", "differ", "differ", "agree", "differ"]


def test_a_blocked_machine_is_told_with_its_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machines are replayed without limits, so a blocked one needs limits from elsewhere."""
    defect = next(defect for defect in DEFECTS if defect.symptom == "blocked")

    def limited(scenario: Scenario[core.Program], *, model: Model, **named: Any) -> Outcome:
        assert model == SOUND
        sizes = defect.capacities_for(scenario, defect.exhibits)
        return execute(scenario, model=defect.exhibits, capacities=sizes, **named)

    monkeypatch.setattr("parte.spark_adapter.replay.models.execute", limited)
    events = [item_row(json.loads(line)) for line in defect.trace.splitlines()]
    (row,) = replayed(Plan(("sound",)), {"trace_id": "t", "program": defect.program, "events": events})
    assert row["verdict"] == "blocked"
    assert row["runs"][1]["message"] in row["message"]
    assert row["runs"][1]["message"].startswith("blocked")


def test_a_machine_against_itself_is_run_under_the_seeded_schedules() -> None:
    (row,) = replayed(Plan(("sound",), "sound", schedules=3), FINE)
    assert [(run["model"], run["verdict"], run["schedules"]) for run in row["runs"]] == [
        ("sound", "reference", 0),
        ("sound", "agree", 4),
    ]
    (row,) = replayed(Plan(("sound",), "sound"), FINE)
    assert [run["verdict"] for run in row["runs"]] == ["reference"]


def test_a_row_that_is_no_text_is_a_row_too() -> None:
    good = batch(FINE)
    for column, printed_id in (("trace_id", "\\xff\\xfe"), ("program", "t")):
        index = good.schema.names.index(column)
        buffers = [None, pa.py_buffer(np.array([0, 2], "int32").tobytes()), pa.py_buffer(b"\xff\xfe")]
        broken = good.set_column(index, column, pa.Array.from_buffers(pa.string(), 1, buffers))
        rows = [row for batch in replay_batches(Plan(), [broken, good]) for row in batch.to_pylist()]
        assert [(row["trace_id"], row["cause"]) for row in rows] == [(printed_id, "rejected"), ("t", None)]
        assert "not UTF-8" in rows[0]["message"]


def test_results_without_matches() -> None:
    (row,) = replayed(Plan(keep_matches=False), {"trace_id": "t", "program": PROGRAM, "events": EVENTS})
    assert row["matches"] is None
    assert row["runs"][0]["matches"] == 1


# --- Broken traces ---------------------------------------------------------------------------------------------------

FINE: dict[str, Any] = {"trace_id": "t", "program": PROGRAM, "events": EVENTS}
BROKEN: list[tuple[Row, str]] = [
    ({"program": "rule"}, "syntax-error at 1:5: "),
    ({"program": PROGRAM.replace("A {", "B {")}, "unknown-template at 3:17: "),
    ({"program": None}, "neither program nor program_id is given"),
    ({"program": None, "program_id": "p9"}, "no program has the id 'p9'"),
    ({"domain_id": "d9"}, "no domain has the id 'd9'"),
    ({"domain_id": "d", "document": "{"}, "domain.json"),
    ({"domain_id": "d", "document": '{"p": {"true_for": []}}'}, "the program does not declare it"),
    (
        {"program": "predicate p(Integer)\n" + PROGRAM},
        "predicate p(Integer) is declared by the program, but no",
    ),
    ({"program": None, "text": "no string", "escaped": True}, "marked as escaped, and is no JSON string"),
    ({"events": None}, "events: expected a list of items, found null"),
    ({"events": [EVENTS[0], None]}, "events: item 2 is null"),
    ({"events": [EVENTS[0] | {"attributes": "{"}]}, "events: item 1: attributes: not JSON"),
    ({"events": [EVENTS[0] | {"attributes": "[1]"}]}, 'events:1: "attributes": expected an object'),
    ({"events": [EVENTS[0] | {"attributes": '{"k": 1e999}'}]}, "events:1: "),
    ({"events": [EVENTS[0] | {"attributes": '{"k": "1"}'}]}, 'attribute "k": expected Integer, found the string'),
    ({"events": [EVENTS[0] | {"template": "B"}]}, "which the program does not declare"),
    ({"events": [EVENTS[0] | {"progress": 4}]}, "a progress line has no key"),
    ({"events": [{"line": "nonsense"}]}, "events:1: not JSON"),
    ({"events": EVENTS[::-1]}, "3 ms older than"),
    ({"events": [EVENTS[0] | {"id": "x"}, EVENTS[1] | {"id": "x"}]}, "is used on line 1 already"),
    ({"disorder": -1}, "disorder: expected milliseconds, not negative"),
]


@pytest.mark.parametrize(("change", "said"), BROKEN)
def test_a_broken_trace_is_a_row_that_says_what_is_wrong(change: Row, said: str) -> None:
    rows = replayed(Plan(("sound",)), {**FINE, **change}, FINE)
    assert [(row["verdict"], row["cause"]) for row in rows] == [("error", "rejected"), ("agree", None)]
    assert said in rows[0]["message"]


def test_a_message_is_bounded_and_can_be_written() -> None:
    program = PROGRAM + 'rule S where a: A { k = "\ud800' + "x" * 5000 + '" } when then'
    (row,) = replayed(Plan(), {**FINE, "program": None, "text": json.dumps(program), "escaped": True})
    assert row["cause"] == "rejected"
    many = [EVENTS[0] | {"template": "Z" * 50 + str(number), "id": f"e{number}"} for number in range(200)]
    (row,) = replayed(Plan(), {**FINE, "events": many})
    assert len(row["message"]) < MOST_MESSAGE + 50
    assert row["message"].endswith(" characters)")


def test_a_mistake_in_a_model_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def mistaken(*_arguments: object, **_named: object) -> object:
        raise RecursionError("too deep")

    monkeypatch.setattr("parte.spark_adapter.replay.models.execute", mistaken)
    (row,) = replayed(Plan(), FINE)
    assert (row["verdict"], row["cause"]) == ("error", "crash")
    assert row["message"] == "RecursionError: too deep, while running sound under the schedule round-robin"
    assert [run["model"] for run in row["runs"]] == ["algebra"]


# --- Poisoned traces -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["algebra", "indexed", "sound", "published"])
def test_a_program_that_explodes_is_cut_after_its_time(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # A fast machine would reach the bound of the definition before.
    monkeypatch.setattr("parte.algebra.partelang.evaluate.Effort", partial(Effort, 10**12))
    plan = Plan(("sound",), against=model, seconds=0.3, mebibytes=0)
    rows = replayed(plan, {"trace_id": "p", "program": EXPLODING, "events": CROWD}, FINE)
    assert [row["cause"] for row in rows] == ["time", None]
    assert rows[0]["message"].startswith(f"cut after 0.3 s while running {model}")
    assert rows[0]["runs"] == []
    assert gc.isenabled()


def test_a_program_that_explodes_is_cut_when_it_takes_too_much_memory() -> None:
    # In a process of its own, as in Spark: a lack of memory is felt by all that runs in a process.
    plan = Plan(("sound",), against="indexed", seconds=0, mebibytes=64)
    traces = ({"trace_id": "p", "program": EXPLODING, "events": CROWD}, FINE)
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        rows = pool.submit(replayed, plan, *traces).result(timeout=120)
    assert [(row["verdict"], row["cause"]) for row in rows] == [("error", "memory"), ("agree", None)]
    assert rows[0]["message"] == "it needs more than 64 MiB, while running indexed"


def test_what_is_done_before_the_cut_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*arguments: Any) -> Outcome:
        while arguments[-1] == "naive":
            pass
        return run(*arguments)

    monkeypatch.setattr("parte.spark_adapter.replay.models.evaluate", endless)
    (row,) = replayed(Plan(("sound", "algebra", "published"), against="indexed", seconds=1), FINE)
    assert (row["verdict"], row["cause"], len(row["matches"])) == ("error", "time", 1)
    assert row["message"].startswith("cut after 1 s while running algebra")
    assert [(run["model"], run["verdict"]) for run in row["runs"]] == [("indexed", "reference"), ("sound", "agree")]


def test_matches_that_are_too_much_text_are_an_error_not_a_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parte.spark_adapter.replay.models.MOST_TEXT", 40)
    (row,) = replayed(Plan(), FINE)
    assert (row["cause"], row["matches"]) == ("memory", None)
    assert "its matches are more than 40 characters of text" in row["message"]


def test_a_budget_interrupts_work_that_swallows_exceptions_and_leaves_nothing_behind() -> None:
    def stubborn() -> None:
        while True:
            try:
                for _ in range(1000):
                    pass
            except Exception:
                continue

    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(OverBudget):
        within(0.1, 0, stubborn)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert within(0.1, 64, lambda: 7) == 7


def test_a_cut_that_a_destructor_swallows_comes_again_and_is_not_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    swallowed: list[int] = []
    reported: list[sys.UnraisableHookArgs] = []
    monkeypatch.setattr(sys, "unraisablehook", reported.append)

    class Slow:
        def __del__(self) -> None:
            swallowed.append(_added(3_000_000))

    def work() -> None:
        Slow()
        while True:
            pass

    def faulty() -> None:
        class Faulty:
            def __del__(self) -> None:
                raise ValueError

        Faulty()

    with pytest.raises(OverBudget):
        within(0.02, 0, work)
    assert sys.unraisablehook == reported.append
    assert reported == []
    within(1, 0, faulty)
    assert [type(report.exc_value) for report in reported] == [ValueError]


def _added(length: int) -> int:
    """The sum of the numbers below one, in steps between which a signal may come."""
    total = 0
    for number in range(length):
        total += number
    return total


def test_a_budget_ends_in_time_or_not_at_all() -> None:
    """Wherever the signal comes, the work is whole or cut, and the timer is gone."""
    cut = 0
    for number in range(3000):
        length = 30_000 if number % 10 == 0 else 300
        try:
            assert within(2e-5, 0, partial(_added, length)) == length * (length - 1) // 2
        except OverBudget:
            cut += 1
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert cut > 0


def test_a_budget_of_time_needs_the_main_thread() -> None:
    caught: list[BaseException] = []

    def elsewhere() -> None:
        try:
            within(1, 0, lambda: None)
        except Unbudgeted as error:
            caught.append(error)
        within(0, 0, lambda: None)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert len(caught) == 1


# --- Against what cases expect ---------------------------------------------------------------------------------------


def chosen(per_profile: int) -> Iterable[Fixture]:
    """Some cases of each profile, and all that expect something special."""
    cases = load_suite(PARTELANG).cases.values()
    for _, group in itertools.groupby(sorted(cases, key=lambda case: case.profile), key=lambda case: case.profile):
        yield from list(group)[::10][:per_profile]
    yield from (case for case in cases if case.expected.failures or case.expected.warnings)


def test_cases_are_held_against_what_they_expect() -> None:
    rows = replayed(Plan(("sound", "indexed"), against="expected"), *map(case_row, chosen(10)))
    assert [(row["trace_id"], row["message"]) for row in rows if row["verdict"] != "agree"] == []


def test_a_wrong_expectation_shows() -> None:
    case = next(case for case in load_suite(PARTELANG).cases.values() if case.expected.matches)
    row = dict(case_row(case))
    about = json.loads(row["fixture"])
    about["expect"]["matches"] = about["expect"]["matches"][1:]
    row["fixture"] = json.dumps(about)
    (result_row,) = replayed(Plan(("sound",), against="expected"), row)
    assert result_row["verdict"] == "differ"
    assert result_row["runs"][1]["spurious_count"] == 1


def test_a_trace_without_expectation_says_so() -> None:
    (row,) = replayed(Plan(against="expected"), FINE)
    assert (row["cause"], row["message"][:37]) == ("rejected", "the trace carries no expectation: com")


# --- Plans -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"models": ("duckdb",)}, "models: expected one of algebra, indexed, proved, rudimentary"),
        ({"models": ()}, "models: name at least one"),
        ({"against": "truth"}, "against: expected one of"),
        ({"judged": ("indexed",)}, "judged: expected one of sound; found 'indexed'"),
        ({"seconds": -1}, "not negative"),
        ({"seconds": float("nan")}, "seconds: expected at most"),
        ({"seconds": float("inf")}, "seconds: expected at most"),
        ({"mebibytes": 2**60}, "mebibytes: expected at most"),
        ({"seed": 2**63 - 3, "schedules": 4}, "seed: expected an integer of 64 bits"),
        ({"seed": 1.5}, "seed: expected an integer of 64 bits"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(Unusable, match=said):
        Plan(**arguments)


# --- Items and random cases ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "item",
    [
        {"id": "a", "template": "A", "timestamp": 1, "source": "s", "attributes": {"k": 1, "x": 1.0, "l": [1, "é"]}},
        {"source": "s", "template": "A", "progress": -(2**63)},
        {"template": "A", "source": "s", "progress": 1},
        {"id": "a", "template": "A", "timestamp": "2018-01-01T00:00:00Z"},
        {"id": "a", "template": "A", "timestamp": 2**63, "attributes": {}},
        {"id": "a", "template": "A", "timestamp": 1, "colour": "red"},
        {"id": "\ud800", "template": "A", "timestamp": 1},
        {"id": None, "template": True},
        {"id": "a", "attributes": {"k": "\ud800"}},
        [],
        "text",
        None,
    ],
)
def test_an_item_comes_back_as_it_was(item: object) -> None:
    row = item_row(item)
    assert pa.RecordBatch.from_pylist([dict(row)]).num_rows == 1
    assert json.dumps(json.loads(item_line(row))) == json.dumps(item)


def test_the_attributes_of_an_item_cannot_say_more_than_attributes() -> None:
    with pytest.raises(BadRow, match="attributes: not JSON"):
        item_line({"id": "a", "template": "A", "timestamp": 1, "attributes": '{}, "progress": 1'})


def test_random_cases_are_a_function_of_seed_and_number() -> None:
    recipe = Recipe(seed=3, per_program=5)
    cases = [random_case(recipe, number) for number in range(40)]
    assert cases == [random_case(recipe, number) for number in reversed(range(40))][::-1]
    assert cases != [random_case(Recipe(seed=4, per_program=5), number) for number in range(40)]
    assert len({case.text for case in cases}) == 8
    assert len({case.items for case in cases}) > 30


def test_random_cases_are_valid_varied_and_agreed_on() -> None:
    recipe = Recipe(per_program=4)
    rows = list(replay_numbers(Plan(("sound", "published", "indexed")), recipe, range(200)))
    assert [row["message"] for row in rows if row["verdict"] != "agree"] == []
    runs = [run for row in rows for run in row["runs"]]
    differing = [run for run in runs if (run["model"], run["verdict"]) == ("published", "differ")]
    assert len(differing) > 20, "random traces hardly show the defects of the published machine"
    assert sum(bool(row["matches"]) for row in rows) > 50
    cases = [random_case(recipe, number) for number in range(200)]
    assert {len(case.program.rules) for case in cases} == {1, 2, 3}
    assert any(pattern.negated for case in cases for rule in case.program.rules for pattern in rule.patterns)
    assert any("progress" in item for case in cases for item in items_rows(case.items))
    assert any(run(case.program, case.items).failures for case in cases)
