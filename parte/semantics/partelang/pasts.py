"""Right histories of nodes whose window has no beginning: one entry for each key stands for the past.

The rules use such a history as any other. What has passed a time does not leave it: it becomes part of the entry of its
key. So its size depends on the number of keys, and on the events that have not passed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from parte.semantics.events.event import POSITIVE_INFINITY
from parte.semantics.partelang.histories import Entry, History, IndexedHistory, PlainHistory
from parte.semantics.partelang.kernel import in_window
from parte.semantics.partelang.network import Past


class EndlessHistory:
    """A history of the recent entries, and for each key an entry for those before.

    It is an immutable value if `recent` is, else it is updated in place.
    """

    __slots__ = ("_how", "_past", "_recent")

    def __init__(self, recent: History, how: Past, past: Mapping[Hashable, Entry] | None = None) -> None:
        self._recent = recent
        self._how = how
        self._past = dict(past or {})

    def __len__(self) -> int:
        return len(self._recent) + len(self._past)

    def __iter__(self) -> Iterator[Entry]:
        return chain(self._past.values(), self._recent)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EndlessHistory) and (self._recent, self._past) == (other._recent, other._past)

    def __hash__(self) -> int:
        return hash((self._recent, frozenset(self._past.items())))

    def stored(self, entry: Entry) -> History:
        return self._merged([entry]) if self._how.at_once else self._after(self._recent.stored(entry))

    def overlapping(self, opens: int, closes: int, key: Hashable) -> Sequence[Entry]:
        recent = self._recent.overlapping(opens, closes, key)
        past = self._past.get(key)
        return recent if past is None or not in_window(past.opens, opens, closes) else [past, *recent]

    def passed(self, bound: int) -> tuple[History, Sequence[Entry]]:
        """Return the history in which the entries that end before `bound` are parts of the past of their keys."""
        recent, leaving = self._recent.passed(bound)
        return self._after(recent)._merged(leaving), leaving

    def parted(self, stays: Callable[[Entry], bool]) -> tuple[History, Sequence[Entry]]:
        recent, leaving = self._recent.parted(stays)
        return self._after(recent), leaving

    def without(self, entries: Iterable[Entry]) -> History:
        return self._after(self._recent.without(entries))

    def earliest(self, position: int) -> int:
        return min((entry.events[position].timestamp for entry in self), default=POSITIVE_INFINITY)

    def _after(self, recent: History) -> EndlessHistory:
        if recent is self._recent:
            return self
        return EndlessHistory(recent, self._how, self._past)

    def _merged(self, entries: Iterable[Entry]) -> EndlessHistory:
        by_key: dict[Hashable, list[Entry]] = {}
        for entry in entries:
            by_key.setdefault(entry.key, []).append(entry)
        if not by_key:
            return self
        merged = (
            self if isinstance(self._recent, IndexedHistory) else EndlessHistory(self._recent, self._how, self._past)
        )
        for key, several in by_key.items():
            known = [merged._past[key]] if key in merged._past else []
            event = self._how.merge([entry.events[0] for entry in (*known, *several)])
            merged._past[key] = Entry((event,), event.timestamp, POSITIVE_INFINITY, key)
        return merged


def right_history(past: Past | None, plain: bool) -> History:
    """Return an empty history for right events."""
    history: History = PlainHistory() if plain else IndexedHistory(1)
    return history if past is None else EndlessHistory(history, past)
