"""Which ids of events came before, where a trace is too long to remember them all (specification: trace-ids)."""

from __future__ import annotations

from array import array
from itertools import pairwise
from typing import Final, Protocol

REMEMBERED: Final = 100_000
"""Of a trace without end at least so many of the last ids are remembered."""


class Ids(Protocol):
    """Where ids were first used; a dictionary remembers all."""

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
        """As `Ids` says; what is forgotten is new."""
        if id_ in self._earlier:
            return self._earlier[id_]
        found = self._later.setdefault(id_, line)
        if len(self._later) == self._most:
            self._earlier, self._later = self._later, {}
        return found


class HashedIds:
    """Eight bytes for an id. Every id counts as new; whether one may have come twice is known in the end."""

    __slots__ = ("_hashes",)

    def __init__(self) -> None:
        self._hashes = array("q")

    def setdefault(self, id_: str, line: int, /) -> int:
        """The line itself."""
        self._hashes.append(hash(id_))
        return line

    def distinct(self) -> bool:
        """Whether no two ids were equal. Where hashes of different ones are, it is False too."""
        return all(one != other for one, other in pairwise(sorted(self._hashes)))
