"""The rows that an expression of MATCH_RECOGNIZE can speak of, as events that a rule binds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from parte.importers.imported import Place
from parte.importers.match_recognize.columns import Slot
from parte.importers.match_recognize.expressions import Navigation, Term
from parte.importers.match_recognize.patterns import Item
from parte.importers.match_recognize.reading import Unsaid

Aggregating = Callable[[str | None, str, Slot | None, Place], Term]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows up to that which a condition is about (`current`, its place in `items`), or all rows of a match.

    `variables` are those of the rule, "" for gaps. `read` collects the places of the rows that were spoken of.
    """

    items: Sequence[Item]
    variables: Sequence[str]
    read: set[int]
    current: int | None = None
    aggregates: Aggregating | None = None

    def variable(self, name: str | None, navigation: Navigation, place: Place) -> str:
        """Return the variable that is bound to a row, "" for the current one. Raise Unsaid."""
        at = self._first(name, navigation.inner, place) if not navigation.last else self._last(name, navigation, place)
        at = self._moved(at, navigation.offset, place)
        if at == self.current:
            return ""
        self.read.add(at)
        return self.variables[at]

    def aggregate(self, name: str | None, function: str, slot: Slot | None, place: Place) -> Term:
        """Return an aggregate over the rows of a variable, or of the whole match. Raise Unsaid."""
        if self.aggregates is None:
            text = f"{function} in DEFINE: which rows the variable has so far changes from row to row"
            raise Unsaid(place, text)
        self.known(name, place)
        return self.aggregates(name, function, slot, place)

    def known(self, name: str | None, place: Place) -> None:
        """Raise Unsaid if there is no such variable in the pattern."""
        if name is not None and not any(name in item.names for item in self.items):
            raise Unsaid(place, f"{name} is no variable of the pattern that has a row here, so its columns are NULL")

    def _visible(self) -> int:
        return len(self.items) if self.current is None else self.current + 1

    def _is(self, at: int, name: str | None) -> bool:
        return name is None or name in self.items[at].names

    def _last(self, name: str | None, navigation: Navigation, place: Place) -> int:
        self._known_here(name, place)
        left = navigation.inner
        for at in reversed(range(self._visible())):
            if not self._is(at, name):
                continue
            self._alone(at, name, place)
            if not self.items[at].bound and (at != self.current or left):
                raise self._unbound(at, place)
            if not left:
                return at
            left -= 1
        raise Unsaid(place, f"there are fewer rows of {name or 'the match'}, so this is always NULL")

    def _first(self, name: str | None, inner: int, place: Place) -> int:
        self._known_here(name, place)
        left = inner
        for at in range(self._visible()):
            if not self._is(at, name):
                continue
            self._alone(at, name, place)
            if not self.items[at].bound:
                raise self._unbound(at, place)
            if not left:
                return at
            left -= 1
        raise Unsaid(place, f"there are fewer rows of {name or 'the match'}, so this is always NULL")

    def _known_here(self, name: str | None, place: Place) -> None:
        visible = self.items[: self._visible()]
        if name is not None and not any(name in item.names for item in visible):
            raise Unsaid(place, f"{name} has no row yet, or is no variable of the pattern: its columns are NULL here")

    def _alone(self, at: int, name: str | None, place: Place) -> None:
        if name is not None and len(self.items[at].names) > 1 and at != self.current:
            raise Unsaid(place, f"whether the row is one of {name} depends on the alternative that it is")

    def _moved(self, at: int, offset: int, place: Place) -> int:
        if not offset:
            return at
        if not self.items[at].bound:
            raise self._unbound(at, place)
        step = 1 if offset > 0 else -1
        for _ in range(abs(offset)):
            at += step
            if at < 0:
                raise Unsaid(place, "PREV of the first row: a row before the match is bound to no event")
            if at >= self._visible():
                raise Unsaid(place, "NEXT: the row behind it is not bound to an event yet")
            if not self.items[at].bound:
                raise self._unbound(at, place)
        return at

    def _unbound(self, at: int, place: Place) -> Unsaid:
        names = " | ".join(self.items[at].names)
        return Unsaid(place, f"a row of {names}, which has a quantifier: a rule does not bind it to an event")
