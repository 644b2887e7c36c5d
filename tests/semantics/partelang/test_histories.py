"""The indexed history answers as the plain one does."""

from __future__ import annotations

from collections.abc import Hashable

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from parte.proofs.mutation import Mutant, applied
from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Event
from parte.semantics.partelang.expiring import ReleasingHistory, SweptHistory
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
        self.least = NEGATIVE_INFINITY
        self.plain: History = PlainHistory()
        self.indexed: History = IndexedHistory(2 if left else 1)
        self.pairs: dict[str, tuple[Entry, Entry]] = {}

    @rule(first=TIMES, second=TIMES, width=st.integers(-1, 6), key=KEYS)
    def store(self, first: int, second: int, width: int, key: Hashable) -> None:
        if first + width * self.left < self.least:
            return
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


class ExpiringAgreement(Agreement):
    """The same for the histories of staged runs: they store no entry that has expired, and may sweep."""

    @initialize(left=st.booleans())
    def begin(self, left: bool) -> None:
        super().begin(left)
        self.indexed = self.expiring = ReleasingHistory(2) if left else SweptHistory(1)

    @rule(bound=TIMES)
    def pass_by(self, bound: int) -> None:
        self.least = max(self.least, bound)
        self.plain, plainly = self.plain.passed(bound)
        _, quickly = self.expiring.passed(bound)
        assert not self.left or ids(plainly) == ids(quickly)

    @rule(moment=TIMES, width=st.integers(-2, 6), key=KEYS)
    def look(self, moment: int, width: int, key: Hashable) -> None:
        super().look(max(moment, self.least), width, key)

    @rule()
    def sweep(self) -> None:
        self.expiring.sweep()


TestExpiringAgreement = ExpiringAgreement.TestCase


ENTRIES = st.lists(st.tuples(TIMES, st.integers(0, 6)), max_size=12)


def released(entries: list[tuple[int, int]], bounds: list[int]) -> None:
    """A releasing history gives back what a plain one does, however disordered its entries are."""
    plain: History = PlainHistory()
    releasing: History = ReleasingHistory(2)
    for number, (time, width) in enumerate(entries):
        events = event(f"e{number}", time), event(f"f{number}", 12 - time)
        plain = plain.stored(Entry(events, time, time + width, "x"))
        releasing = releasing.stored(Entry(events, time, time + width, "x"))
    for bound in sorted(bounds):
        plain, plainly = plain.passed(bound)
        releasing, quickly = releasing.passed(bound)
        assert ids(plainly) == ids(quickly)
        assert ids(list(plain)) == ids(list(releasing))
        assert [plain.earliest(position) for position in (0, 1)] == [releasing.earliest(p) for p in (0, 1)]


@given(ENTRIES, st.lists(TIMES, max_size=4))
def test_disordered_entries_are_released(entries: list[tuple[int, int]], bounds: list[int]) -> None:
    released(entries, bounds)


def test_histories_share_their_lists() -> None:
    """Each event is in the lists once, and leaves them when it has expired in all histories."""
    first, second = SweptHistory(0), SweptHistory(1)
    second.share(first)
    for events in [(event(f"e{number}", number),) for number in range(6)]:
        for history in (first, second):
            history.stored(Entry(events, events[0].timestamp, events[0].timestamp, "x"))
    first.passed(7)
    second.passed(2)
    first.sweep()
    assert (len(first), len(second), second.earliest(0)) == (0, 4, 2)
    second.passed(6)
    first.sweep()
    assert not first.lists.by_key


@pytest.mark.parametrize(
    ("place", "before", "after"),
    [
        ("_Earliest.add", "reverse=True", "reverse=False"),
        ("_Earliest.first", "if batch:\n", "if False:\n"),
        ("Lists.end_batch", "max(map(", "min(map("),
        ("Lists.sweep", "if bucket[-1].closes < least:", "if True:"),
        ("Lists.sweep", "min([history", "max([history"),
        ("Lists.store", "if self._last is entry.events[0]", "if False"),
        ("Lists.store", "insort(bucket, entry, key=closes_of)", "bucket.append(entry)"),
    ],
)
def test_a_fault_in_an_expiring_history_is_found(place: str, before: str, after: str) -> None:
    fault = Mutant("fault", f"parte.semantics.partelang.expiring:{place}", before, after)
    quick = settings(database=None, max_examples=1_000, phases=[Phase.generate], report_multiple_bugs=False)

    def agree() -> None:
        test_histories_share_their_lists()
        quick(given(ENTRIES, st.lists(TIMES, max_size=4))(released))()
        run_state_machine_as_test(ExpiringAgreement, settings=quick)

    with applied(fault), pytest.raises((AssertionError, IndexError)):
        agree()


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
