"""The ids of earlier events, for traces too long to store them all (specification: trace-ids)."""

from __future__ import annotations

from array import array
from itertools import pairwise
from typing import Final, Protocol

REMEMBERED: Final = 100_000
"""Number of last ids that are stored at least, for a trace without end."""


class Ids(Protocol):
    """The line at which each id was first used; a dictionary stores all of them."""

    def setdefault(self, id_: str, line: int, /) -> int:
        """Return the line on which the id was first used: `line` if it is new."""
        ...


class LastIds:
    """Stores the last ids: at least `REMEMBERED`, fewer than twice as many."""

    __slots__ = ("_earlier", "_later", "_most")

    def __init__(self, most: int = REMEMBERED) -> None:
        self._most = most
        self._earlier: dict[str, int] = {}
        self._later: dict[str, int] = {}

    def setdefault(self, id_: str, line: int, /) -> int:
        """See `Ids`; an id that was dropped counts as new."""
        if id_ in self._earlier:
            return self._earlier[id_]
        first_line = self._later.setdefault(id_, line)
        if len(self._later) == self._most:
            self._earlier, self._later = self._later, {}
        return first_line


class HashedIds:
    """Stores eight bytes for each id. Every id counts as new; `distinct` reports at the end if one may recur."""

    __slots__ = ("_hashes",)

    def __init__(self) -> None:
        self._hashes = array("q")

    def setdefault(self, id_: str, line: int, /) -> int:
        """Return `line`."""
        self._hashes.append(hash(id_))
        return line

    def distinct(self) -> bool:
        """Return whether no two ids were equal. False also if the hashes of different ids are equal."""
        return all(left != right for left, right in pairwise(sorted(self._hashes)))
