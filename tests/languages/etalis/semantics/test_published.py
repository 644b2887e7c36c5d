"""E's clauses with all repairs derive what the definition does, and the Prolog that they run in is SWI-Prolog's."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.conformance.fuzz.draw import Draw, Seeded
from parte.conformance.fuzz.structural import strategy
from parte.languages.etalis.algebra.evaluation import evaluate
from parte.languages.etalis.algebra.fixpoint import TooManyEvents
from parte.languages.etalis.algebra.patterns import TooManyFindings
from parte.languages.etalis.conformance.drawing import Shape, drawn_items, drawn_program
from parte.languages.etalis.conformance.generation import Case
from parte.languages.etalis.semantics.published import prolog
from parte.languages.etalis.semantics.published.machine import NoClauses, Published
from parte.languages.etalis.semantics.published.prolog import Prolog
from parte.languages.etalis.semantics.published.reader import read
from parte.languages.etalis.semantics.published.repairs import SOUND
from parte.languages.etalis.semantics.published.swi import script, transcript
from parte.languages.etalis.semantics.published.terms import PrologError, text
from parte.languages.etalis.semantics.syntax.parser import parse
from parte.languages.etalis.semantics.syntax.streams import Instant, stream
from parte.languages.etalis.semantics.syntax.values import NumberTooLarge


def _case(draw: Draw, shape: Shape) -> Case:
    program = drawn_program(draw, shape)
    return Case(program, drawn_items(draw, program, shape.events))


@pytest.mark.parametrize(
    "shape",
    [Shape(recursion=False), Shape(arguments=False), Shape(depth=1, rules=4, events=5)],
    ids=["data", "intervals", "recursion"],
)
@given(data=st.data())
def test_with_all_repairs_the_clauses_derive_what_the_definition_does(data: st.DataObject, shape: Shape) -> None:
    case = data.draw(strategy(lambda draw: _case(draw, shape)))
    instants = stream(case.program, case.lines)
    try:
        expected = evaluate(case.program, instants)
    except (TooManyEvents, TooManyFindings, NumberTooLarge):
        return
    assert list(Published(case.program).run(instants)) == expected


def test_there_are_clauses_for_the_policies_of_16_17_and_18() -> None:
    with pytest.raises(NoClauses, match="not for shortest"):
        Published(parse("e <- a."), policy="shortest")
    with pytest.raises(ValueError, match="no repair is called 'wings'"):
        Published(parse("e <- a."), SOUND.without("wings"))


def test_names_of_the_clauses_are_free_for_events() -> None:
    program = parse("goal(X) <- for_each SEQ happens(X). ie_1 <- (goal(X) SEQ for_each) SEQ rules.")
    events = [("for_each", ()), ("happens", (1,)), ("for_each", ()), ("rules", ())]
    instants = [Instant(time, frozenset({atom})) for time, atom in enumerate(events)]
    assert list(Published(program).run(instants)) == evaluate(program, instants) != []


CLAUSES = (
    "p(1)",
    "p(2)",
    "p(3)",
    "grow :- p(X), N is X + 3, N < 20, assertz(p(N)), fail",
    "grow",
    "first(X) :- (p(X) -> true ; X = none)",
    "other(X) :- \\+ p(9), p(X), \\+ X = 1",
    "shrink :- p(X), retract(p(X)), asserta(q(X)), fail",
    "shrink",
)


@pytest.mark.parametrize(
    ("goals", "solutions"),
    [
        ("grow, p(X)", "[1,2,3,4,5,6]"),
        ("first(X)", "[1]"),
        ("other(X)", "[2,3]"),
        ("shrink, q(X)", "[3,2,1]"),
        ("p(X), X =< 2", "[1,2]"),
        ("(p(X), X >= 3 ; X = [])", "[3,[]]"),
        ("X =.. [f,1|[2]]", "[f(1,2)]"),
        ("f(1,2) =.. X", "[[f,1,2]]"),
        ("X is (1 / 2 + 1 / 2) * 3 - 1", "[2]"),
        ("X = 1, 1 / 2 @< 1", "[]"),
        ("X = 1, 1 / 2 < 1, 2 / 4 =:= 1 / 2", "[1]"),
        ("call(p, X), a @< f(a), 1 @< a, f(a) @< f(b), \\+ f(b) @< f(a), f(z) @< a(b, c)", "[1,2,3]"),
        ("findall(Y, p(Y), X)", "[[1,2,3]]"),
        ("unknown(X)", "[]"),
        ("X < 1", "instantiation_error"),
        ("X is foo + 1", "type_error(evaluable,foo/0)"),
        ("X is 1 / 0", "evaluation_error(zero_divisor)"),
        ("X = 1, call(X)", "type_error(callable,1)"),
        ("assertz(X)", "instantiation_error"),
        ("X =.. [Y, 1]", "instantiation_error"),
        ("loop", "resource_error(steps)"),
    ],
)
def test_prolog(goals: str, solutions: str) -> None:
    solver = Prolog(most_steps=5000)
    solver.add([read(line) for line in (*CLAUSES, "loop :- loop")])
    result = read("L")
    try:
        succeeded = solver.once(read(f"findall(X, ({goals}), L), assertz(found(L))"))
        assert succeeded
        (clause,) = solver.database["found", 1]
        answer = text(clause.head.arguments[0])
    except PrologError as error:
        answer = error.term
    assert answer == solutions
    assert text(result) == "L"


def test_what_prolog_remembers_to_try_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = Prolog()
    solver.add([read("p(1)"), read("p(2)")])
    goal = ", ".join(f"p(X{number})" for number in range(30))
    assert solver.once(read(goal))
    monkeypatch.setattr(prolog, "MOST_CHOICES", 20)
    with pytest.raises(PrologError, match="resource_error"):
        solver.once(read(goal))
    assert solver.steps < 200


@pytest.mark.parametrize("wrong", ["f(", "f(a", "a b", "[a", "~", "a :- ", "f(:-)"])
def test_what_is_no_clause_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"expected|no Prolog"):
        read(wrong)


WITHOUT = [frozenset[str](), *(frozenset({repair}) for repair in sorted(SOUND.repairs - {"unique", "calls-rules"}))]


@pytest.mark.skipif(shutil.which("swipl") is None, reason="SWI-Prolog (swipl) is not installed")
def test_the_prolog_does_what_swi_prolog_does(tmp_path: Path) -> None:
    """Heads in the order in which they happen, and errors, with and without repairs."""
    rng = Random(7)
    cases: list[list[str]] = []
    files: list[Path] = []
    while len(cases) < 60:
        case = _case(Seeded(rng), Shape(recursion=False, depth=rng.choice((1, 2))))
        policy = rng.choice(("unrestricted", "recent-consuming", "chronological"))
        run = Published(case.program, SOUND.without(*rng.choice(WITHOUT)), policy)
        if run.compiled.calculates:
            continue
        instants = stream(case.program, case.lines)
        expected = transcript(run, instants)
        if expected[-1:] != ["resource_error(steps)"]:
            files.append(tmp_path / f"run_{len(cases)}.pl")
            files[-1].write_text(script(run, instants, len(cases)))
            cases.append(expected)
    swi = subprocess.run(
        ["swipl", "-q", "-f", "none", "-g", "halt", *map(str, files)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    runs = swi.stdout.split("run ")[1:]
    assert [part.split("\n", 1)[1].splitlines() for part in runs] == cases
    assert sum(map(len, cases)) > 60
