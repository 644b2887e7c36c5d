"""Does a trace fit a program (specification: event-attributes)."""

from __future__ import annotations

import math
from typing import Any

import pytest

from parte.semantics.events.conformity import conform
from parte.semantics.events.event import Event, Progress, TraceItem
from parte.semantics.events.problems import TraceError
from parte.semantics.events.trace import read_trace
from tests.semantics.events.programs import PROGRAM

GOOD: dict[str, Any] = {"number": 1, "amount": 2.5, "account": "A", "urgent": False}


def transfer(id_: str = "t1", line: int = 7, **changes: Any) -> Event:
    attributes = {name: value for name, value in (GOOD | changes).items() if value is not ...}
    return Event(id_, "Transfer", 1, attributes, line=line)


def problems(*items: TraceItem) -> list[tuple[int, str]]:
    with pytest.raises(TraceError) as caught:
        conform(PROGRAM, items)
    return [(problem.line, problem.message) for problem in caught.value.problems]


def test_attributes_come_in_the_order_of_the_template_and_of_its_types() -> None:
    trace = read_trace(
        [
            '{"template":"Transfer","timestamp":5,"attributes":'
            '{"urgent":true,"account":"A","amount":9007199254740993,"number":1}}',
            '{"template":"Report","timestamp":6,"attributes":{"sums":[1,2.5],"numbers":[]}}',
            '{"template":"Tick","progress":9}',
        ]
    )
    transfer_, report, progress = conform(PROGRAM, trace)
    assert isinstance(transfer_, Event)
    assert isinstance(report, Event)
    assert list(transfer_.attributes.items()) == [
        ("number", 1),
        ("amount", 9007199254740992.0),
        ("account", "A"),
        ("urgent", True),
    ]
    assert type(transfer_.attributes["amount"]) is float
    assert list(report.attributes.items()) == [("numbers", ()), ("sums", (1.0, 2.5))]
    assert [type(value) for value in report.attributes["sums"]] == [float, float]  # type: ignore[union-attr]
    assert (transfer_.id, transfer_.line, report.line) == ("e1", 1, 2)
    assert progress == trace[2]


def test_conforming_twice_changes_nothing() -> None:
    once = conform(PROGRAM, [transfer(amount=3)])
    assert conform(PROGRAM, once) == once


@pytest.mark.parametrize(
    ("changes", "fragment"),
    [
        ({"number": ...}, 'the attribute "number" is missing'),
        ({"colour": 1}, 'Transfer has no attribute "colour"'),
        ({"number": 120.0}, 'attribute "number": expected Integer, found the number 120.0'),
        ({"number": True}, 'attribute "number": expected Integer, found the Boolean true'),
        ({"number": "1"}, 'attribute "number": expected Integer, found the string "1"'),
        ({"number": 2**63}, "outside the signed 64-bit range"),
        ({"amount": "1"}, 'attribute "amount": expected Float, found the string "1"'),
        ({"amount": True}, 'attribute "amount": expected Float, found the Boolean true'),
        ({"amount": math.inf}, "expected a finite Float"),
        ({"amount": math.nan}, "expected a finite Float"),
        ({"amount": 10**400}, "outside the signed 64-bit range"),
        ({"account": 3}, 'attribute "account": expected String, found the integer 3'),
        ({"account": "\ud800"}, "half a surrogate pair"),
        ({"urgent": 1}, 'attribute "urgent": expected Boolean, found the integer 1'),
        ({"urgent": None}, 'attribute "urgent": expected Boolean, found null'),
        ({"number": (1,)}, 'attribute "number": expected Integer, found a list of 1'),
    ],
)
def test_attributes_that_do_not_fit(changes: dict[str, Any], fragment: str) -> None:
    ((line, message),) = problems(transfer(**changes))
    assert line == 7
    assert message.startswith('event "t1": ')
    assert fragment in message


@pytest.mark.parametrize(
    ("numbers", "fragment"),
    [
        ((1, 2, 3), "at most 2 values, found 3"),
        ((1, 2.0), "value 2 of [Integer; 2]: expected Integer, found the number 2.0"),
        (1, "expected [Integer; 2], found the integer 1"),
    ],
)
def test_lists_that_do_not_fit(numbers: Any, fragment: str) -> None:
    ((_, message),) = problems(Event("r", "Report", 1, {"numbers": numbers, "sums": ()}))
    assert fragment in message


def test_a_surplus_attribute_beside_a_missing_one() -> None:
    assert [message for _, message in problems(transfer(amount=..., Amount=1.0))] == [
        'event "t1": the attribute "amount" is missing',
        'event "t1": Transfer has no attribute "Amount"',
    ]


def test_templates_that_are_not_declared() -> None:
    with pytest.raises(TraceError) as caught:
        conform(PROGRAM, [Event("a", "Transfr", 1, {}, line=1), Progress("s", "Nothing", 1, line=2)])
    first, second = caught.value.problems
    assert (
        first.message
        == 'event "a": event of the template "Transfr", which the program does not declare; did you mean Transfer?'
    )
    assert first.hint == "declare it, or leave such events out, as `parte run --rejected FILE` does"
    assert second.line == 2
    assert second.message == 'progress line of the template "Nothing", which the program does not declare'
    assert second.hint == first.hint


@pytest.mark.parametrize("id_", ["Watch(tick=e1)", "Watch#2(tick=e1)", "Watch("])
def test_ids_like_those_of_emitted_events(id_: str) -> None:
    ((line, message),) = problems(transfer(id_))
    assert line == 7
    assert "has the form of the ids of events that rule Watch emits" in message


@pytest.mark.parametrize("id_", ["Watch", "Watching(1)", "Other(tick=e1)", "(Watch(", "#1", "a=b"])
def test_other_ids_are_free(id_: str) -> None:
    (event,) = conform(PROGRAM, [transfer(id_)])
    assert event == transfer(id_)


def test_items_built_in_python_are_named_by_their_id() -> None:
    bad = Event("mine", "Tick", True, {}, source="rule:Watch#1")
    with pytest.raises(TraceError) as caught:
        conform(PROGRAM, [bad, transfer("mine"), transfer("mine", number=1.0)], filename="here")
    assert [(problem.line, problem.message.split(" expected")[0]) for problem in caught.value.problems] == [
        (0, 'event "mine": event with the source "rule:Watch#1"'),
        (0, 'event "mine": timestamp:'),
        (7, 'event "mine": the id is used already'),
        (7, 'event "mine": the id is used already'),
        (7, 'event "mine": attribute "number":'),
    ]
    assert str(caught.value).startswith('here: event "mine": event with the source')
