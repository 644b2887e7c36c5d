"""Sets as window frames on DuckDB: what the definition finds, at the ends of time too."""

from __future__ import annotations

from hypothesis import event, example, given, settings
from hypothesis import strategies as st

from parte.algebra.partelang import relational
from parte.algebra.partelang.programs import run
from parte.algebra.partelang.relational.dialects import DuckDB
from parte.algebra.partelang.relational.programs import compile_program, nearer
from parte.algebra.partelang.relational.relations import NEAR
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core, parse

DIALECT = DuckDB()
LEAST, GREATEST = -(2**63), 2**63 - 1
TIMES = (0, 1, 2, 3, NEAR - 1, NEAR, NEAR + 1, -NEAR, -NEAR - 1, LEAST, LEAST + 2, GREATEST - 2, GREATEST)
DISTANCES = (0, 1, -1, 2, NEAR - 1, NEAR, -NEAR, GREATEST)


def program_of(lower: int, upper: int) -> core.Program:
    """A program whose set, a frame, lies in a window around each event."""
    return parse(
        "level 2\ntemplate A { k : Integer, n : Integer }\ntemplate P { c : Integer, s : Integer }\n"
        "rule R where a : A, all b : A { k = a.k }\n"
        f"when b in a [{lower} ms, {upper} ms] having count(b) >= 0\n"
        "then emit P at a.timestamp with { c = count(b), s = sum(b.n) }"
    )


@st.composite
def traces(draw: st.DrawFn) -> list[Event]:
    """Events with few keys, at times close to each other and at the ends of time."""
    values = st.sampled_from((0, 1, LEAST, GREATEST))
    times = draw(st.lists(st.sampled_from(TIMES), max_size=6))
    return [
        Event(f"e{number}", "A", time, {"k": draw(st.integers(0, 1)), "n": draw(values)})
        for number, time in enumerate(times)
    ]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(DISTANCES), st.sampled_from(DISTANCES), traces())
@example(-NEAR, NEAR, [Event("e0", "A", -NEAR, {"k": 0, "n": 1}), Event("e1", "A", NEAR, {"k": 0, "n": 1})])
@example(-2, 2, [Event("e0", "A", LEAST, {"k": 0, "n": 1}), Event("e1", "A", GREATEST, {"k": 0, "n": 1})])
def test_frames_find_what_the_definition_finds(first: int, second: int, trace: list[Event]) -> None:
    lower, upper = sorted((first, second))
    program = program_of(lower, upper)
    near = all(abs(event.timestamp) <= NEAR for event in trace)
    event(f"near: {near}, matches: {bool(trace)}")
    assert relational.run(program, trace) == run(program, trace)


def test_times_are_narrow_where_no_distance_overflows() -> None:
    for times, distance, narrow in (((-NEAR, NEAR), 5, True), ((0, NEAR + 1), 5, False), ((0, 1), NEAR, False)):
        plan = compile_program(program_of(-distance, 0), {}, DIALECT)
        (stage,) = nearer(plan, lambda _, times=times: [times], DIALECT).stages  # type: ignore[misc] # the default
        assert ("ORDER BY CAST" not in stage.query.sql(DIALECT.name)) is narrow
