"""Duplicate ids of events, in traces that are too long to remember all ids (specification: trace-ids)."""

from __future__ import annotations

from array import array
from itertools import pairwise
from typing import Final, Protocol

REMEMBERED: Final = 100_000
"""The least number of recent ids that are remembered of an endless trace."""


class Ids(Protocol):
    """The line on which each id was first used; a dictionary remembers all ids."""

    def setdefault(self, id_: str, line: int, /) -> int:
        """The line on which the id was first used, which is `line` if it is new."""
        ...


class LastIds:
    """Remembers the last ids, at least `REMEMBERED` and less than twice as many."""

    __slots__ = ("_earlier", "_later", "_most")

    def __init__(self, most: int = REMEMBERED) -> None:
        self._most = most
        self._earlier: dict[str, int] = {}
        self._later: dict[str, int] = {}

    def setdefault(self, id_: str, line: int, /) -> int:
        """As `Ids`; an id that was forgotten counts as new."""
        if id_ in self._earlier:
            return self._earlier[id_]
        found = self._later.setdefault(id_, line)
        if len(self._later) == self._most:
            self._earlier, self._later = self._later, {}
        return found


class HashedIds:
    """Stores eight bytes for an id. Every id counts as new; `distinct` finds possible duplicates at the end."""

    __slots__ = ("_hashes",)

    def __init__(self) -> None:
        self._hashes = array("q")

    def setdefault(self, id_: str, line: int, /) -> int:
        """The line itself."""
        self._hashes.append(hash(id_))
        return line

    def distinct(self) -> bool:
        """Return True if all ids differ. It returns False also when two different ids have equal hashes."""
        return all(one != other for one, other in pairwise(sorted(self._hashes)))
