"""Every claim about drawn programs on drawn schedules against brute force over drawn traces, in all phases."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parte.checker.environment.schedule import QuerySchedule
from parte.conformance.partelang.strategies import ProgramShape, programs, traces
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core
from tests.checker.partelang.scheduled.brute import Log, attack

SHAPES = {
    "level 1": ProgramShape(rules=2, patterns=3),
    "level 2": ProgramShape(rules=2, patterns=3, level=2),
    "level 2, lively": ProgramShape(rules=1, strata=1, patterns=3, level=2, conditions=False, either=False),
}

schedules = st.builds(
    QuerySchedule, st.integers(1, 6), st.integers(0, 24), st.sampled_from([0, 0, 1, 3]), st.booleans()
)


@st.composite
def cases(draw: st.DrawFn, shape: ProgramShape) -> tuple[core.Program, QuerySchedule, list[Log]]:
    program, schedule = draw(programs(shape)), draw(schedules)
    logs = []
    for _ in range(3):
        drawn = draw(traces(program, events=6, latest=12, promises=False))
        events = tuple(item for item in drawn if isinstance(item, Event))
        late = {event.id: event.timestamp + draw(st.integers(0, schedule.delay)) for event in events}
        logs.append(Log(events, late))
    return program, schedule, logs


@pytest.mark.parametrize("shape", SHAPES)
@given(st.data())
@settings(max_examples=25)
def test_claims_about_drawn_programs_are_those_of_brute_force(shape: str, data: st.DataObject) -> None:
    program, schedule, logs = data.draw(cases(SHAPES[shape]))
    attack(program, schedule, logs)
