"""Events on their way to a bucket: what comes out of a block is what went in, and what is late is told once."""

from __future__ import annotations

import pytest

from parte.algebra.partelang.incremental.tables import Layout
from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Event, Value
from parte.semantics.partelang.syntax import parse
from parte.spark_adapter.stream.blocks import admitted, block_of
from parte.spark_adapter.stream.state import StateError

WITHOUT_SPARK = True

PROGRAM = parse("""
    template A { n: Integer, x: Float, s: String, b: Boolean, many: [Integer; 3] }
    rule R where a: A, other: A when other in a [0 ms, 5 ms] then
""")
LAYOUT = Layout.of(PROGRAM)


def event(identity: str, timestamp: int) -> Event:
    attributes: dict[str, Value] = {
        "n": -(2**63),
        "x": -0.0,
        "s": 'a\x00"é\U0001f600',
        "b": True,
        "many": (2**63 - 1, 0),
    }
    return Event(identity, "A", timestamp, attributes, "gate 7")


def test_what_is_below_the_promise_comes_back_as_it_was_and_the_rest_as_rows() -> None:
    below, at = event("a,1", 4), event("a(2)", 5)
    block = block_of(LAYOUT, "A", [(below, 0b11, True), (at, 0b10, True)])
    rows, late = admitted(LAYOUT, [block], 5)
    assert late == [below]
    assert repr(late) == repr([below])  # -0.0 equals 0.0
    assert rows["A"].equals(LAYOUT.table("A", [(at, 0b10)]))


def test_an_event_that_goes_to_several_buckets_is_late_in_the_first() -> None:
    first, second = (block_of(LAYOUT, "A", [(event("e", 4), 1 << place, not place)]) for place in range(2))
    assert admitted(LAYOUT, [first], 5) == ({}, [event("e", 4)])
    assert admitted(LAYOUT, [second], 5) == ({}, [])


@pytest.mark.parametrize(("promise", "late"), [(NEGATIVE_INFINITY, 0), (POSITIVE_INFINITY, 1)])
def test_promises_may_be_infinite(promise: int, late: int) -> None:
    rows, below = admitted(LAYOUT, [block_of(LAYOUT, "A", [(event("e", 0), 1, True)])], promise)
    assert (len(below), bool(rows)) == (late, not late)


def test_a_block_of_another_program_is_no_block() -> None:
    layout = Layout.of(parse("template Z { } rule R where z: Z then"))
    block = block_of(layout, "Z", [(Event("z", "Z", 0, {}), 1, True)])
    with pytest.raises(StateError, match="'Z', which the program does not declare"):
        admitted(LAYOUT, [block], 0)
    with pytest.raises(StateError, match="cannot be read"):
        admitted(LAYOUT, [b"no Arrow"], 0)
