"""What one result of a rule with PARTITION BY is: all evaluators say the same (specification: lead-results)."""

from __future__ import annotations

import pytest

from parte.conformance.casefiles.cases import Answers
from parte.conformance.protocol import Found, Load
from parte.languages.lead.conformance.engine import LeadEngine
from parte.languages.lead.conformance.notation import NOTATION

ALARM = """FROM A, B
DEFINE TimeEvent t(0, 5)
MATCH collect(B) terminate (!t) AS x
PARTITION BY A.c
EMIT Event Alarm()
"""
WINDOWS = "FROM A MATCH A within 1 ms PARTITION BY A.c, window(2 ms), window(1)"


def lines_of(*events: tuple[int, object]) -> list[dict[str, object]]:
    """A trace of A's at these times, with these values of `c`."""
    return [
        {"id": f"a{number}", "template": "A", "timestamp": time, "attributes": {"c": value}}
        for number, (time, value) in enumerate(events)
    ]


def answers(text: str, lines: list[dict[str, object]]) -> list[list[object]]:
    """What the definition, the machine at once, and the machine event by event answer."""
    replies: list[list[object]] = []
    for model in ("definition", "sound"):
        engine = LeadEngine(model)
        engine.load(Load(text, None))
        reply = engine.run(lines)
        assert isinstance(reply, Found)
        replies.append(list(reply.matches))
    engine = LeadEngine("sound")
    engine.load(Load(text, None))
    engine.feed(lines)
    reply = engine.advance()
    assert isinstance(reply, Found)
    return [*replies, list(reply.matches)]


@pytest.mark.parametrize("second", [1, 2])
def test_each_partition_has_its_own_result_whenever_it_begins(second: int) -> None:
    alarm = [{"template": "Alarm", "timestamp": 5, "attributes": {}}]
    meant = [{"rule": "rule", "partition": [c], "bindings": {"x": []}, "end": 5, "emits": alarm} for c in (0, 1)]
    assert answers(ALARM, lines_of((1, 0), (second, 1))) == [meant] * 3


def test_a_partition_is_told_by_its_values_and_the_numbers_of_its_windows() -> None:
    lines = lines_of((0, 1), (0, "1"), (1, 1.0), (4, True), (5, 1), (6, [1]), (6, 1))
    meant = ["0 [1, 1, 1]: A=a0", '0 ["1", 1, 1]: A=a1', "1 [1.0, 1, 2]: A=a2"]
    meant += ["4 [true, 1, 1]: A=a3", "5 [1, 3, 1]: A=a4", "6 [1, 4, 1]: A=a6"]
    for answer in answers(WINDOWS, lines):
        assert NOTATION.write(Answers(tuple(answer))) == meant
    assert NOTATION.write(NOTATION.read(meant)) == meant


def test_a_match_without_partition_is_written_as_before() -> None:
    ((match,), *_) = answers("FROM A MATCH A", lines_of((0, 1)))
    assert match == {"rule": "rule", "bindings": {"A": "a0"}, "end": 0, "emits": []}
