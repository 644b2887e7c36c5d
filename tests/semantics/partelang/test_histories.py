"""The indexed history answers as the plain one does."""

from __future__ import annotations

from collections.abc import Hashable

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from parte.semantics.events.event import POSITIVE_INFINITY, Event
from parte.semantics.partelang.histories import Entry, History, IndexedHistory, PlainHistory

TIMES = st.integers(0, 12)
KEYS = st.sampled_from(["x", "y"])


def event(name: str, timestamp: int) -> Event:
    return Event(name, "A", timestamp, {})


def ids(entries: object) -> list[str]:
    assert isinstance(entries, list | tuple)
    return sorted(entry.events[0].id for entry in entries)


class Agreement(RuleBasedStateMachine):
    """Both histories, driven alike: left ones with lifetimes of two events, right ones with instants."""

    @initialize(left=st.booleans())
    def begin(self, left: bool) -> None:
        self.left = left
        self.number = 0
        self.plain: History = PlainHistory()
        self.indexed: History = IndexedHistory(2 if left else 1)
        self.pairs: dict[str, tuple[Entry, Entry]] = {}

    @rule(first=TIMES, second=TIMES, width=st.integers(-1, 6), key=KEYS)
    def store(self, first: int, second: int, width: int, key: Hashable) -> None:
        self.number += 1
        events = (event(f"e{self.number}", first), event(f"f{self.number}", second))
        if self.left:
            pair = (Entry(events, first, first + width, key), Entry(events, first, first + width, key))
        else:
            pair = (Entry(events[:1], first, first, key), Entry(events[:1], first, first, key))
        self.pairs[events[0].id] = pair
        self.plain = self.plain.stored(pair[0])
        self.indexed = self.indexed.stored(pair[1])

    @rule(bound=TIMES)
    def pass_by(self, bound: int) -> None:
        self.plain, plainly = self.plain.passed(bound)
        self.indexed, quickly = self.indexed.passed(bound)
        assert ids(plainly) == ids(quickly)

    @rule(moment=TIMES, width=st.integers(-2, 6), key=KEYS)
    def look(self, moment: int, width: int, key: Hashable) -> None:
        closes = moment if self.left else moment + width
        plainly, quickly = self.plain.overlapping(moment, closes, key), self.indexed.overlapping(moment, closes, key)
        assert ids(list(plainly)) == ids(list(quickly))

    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        stored = ids(list(self.plain))
        if stored:
            gone = self.pairs[data.draw(st.sampled_from(stored))]
            self.plain, self.indexed = self.plain.without([gone[0]]), self.indexed.without([gone[1]])

    @rule(young=TIMES)
    def part(self, young: int) -> None:
        self.plain, plainly = self.plain.parted(lambda entry: entry.events[0].timestamp >= young)
        self.indexed, quickly = self.indexed.parted(lambda entry: entry.events[0].timestamp >= young)
        assert ids(list(plainly)) == ids(list(quickly))

    @invariant()
    def agree(self) -> None:
        assert len(self.plain) == len(self.indexed) == len(list(self.indexed))
        assert ids(list(self.plain)) == ids(list(self.indexed))
        for position in range(2 if self.left else 1):
            assert self.plain.earliest(position) == self.indexed.earliest(position)


TestAgreement = Agreement.TestCase


@given(TIMES, TIMES)
def test_a_plain_history_is_a_value(first: int, second: int) -> None:
    empty = PlainHistory()
    plain_history = empty.stored(Entry((event("e1", first),), first, first, None))
    two = plain_history.stored(Entry((event("e2", second),), second, second, None))
    assert (len(empty), len(plain_history), len(two)) == (0, 1, 2)
    assert empty.earliest(0) == POSITIVE_INFINITY
    assert plain_history == PlainHistory().stored(Entry((event("e1", first),), first, first, None))
    assert hash(plain_history) != hash(two)


def test_a_history_forgets_the_keys_of_what_has_gone() -> None:
    """The control `indexed-keeps-empty-buckets-and-expects-them`: what is found would be the same."""
    history: History = IndexedHistory(1)
    for number in range(10):
        history = history.stored(Entry((event(f"e{number}", number),), number, number, number))
    history, gone = history.passed(9)
    assert [entry.key for entry in gone] == list(range(9))
    assert isinstance(history, IndexedHistory)
    assert list(history._buckets) == [9]
