"""The machine's evaluation of `matches` (specification: function-matches), by instructions (Thompson's automaton).

Threads run through the instructions side by side and read one character at a time (Pike). The set of threads after a
character is a state; what follows a state is computed once and remembered, in a table that is emptied when it is full.
So the time is linear in the text.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache

from parte.semantics.source.regular import (
    Chain,
    Characters,
    Choice,
    Regular,
    Repetition,
    parts_of,
    regular,
)

_REMEMBERED = 4_096
"""The most entries of the table of a pattern."""

_Threads = frozenset[int]
"""The instructions that threads have reached; each reads a character, or is the end."""


class _Program:
    """The instructions of a pattern. `reads[i]` is what instruction i reads, `goes[i]` where threads go from it."""

    def __init__(self, tree: Regular) -> None:
        self._reads: list[Characters | None] = []
        self._goes: list[list[int]] = []
        edges = {edge for part in parts_of(tree) for first, last in part.ranges for edge in (first, last + 1)}
        self._edges = sorted(edges)
        self._end = self._instruction(None)
        self._start = self._code(tree, self._end)
        self._table: dict[tuple[_Threads, int], _Threads] = {}

    def _instruction(self, reads: Characters | None, *goes: int) -> int:
        self._reads.append(reads)
        self._goes.append(list(goes))
        return len(self._goes) - 1

    def _code(self, tree: Regular, then: int) -> int:
        """Append the instructions of a tree, after which threads go to `then`; return the one where they begin."""
        match tree:
            case Characters():
                return self._instruction(tree, then)
            case Chain(parts):
                for part in reversed(parts):
                    then = self._code(part, then)
                return then
            case Choice(alternatives):
                return self._instruction(None, *[self._code(part, then) for part in alternatives])
            case Repetition(part, least, most):
                if most is None:
                    loop = self._instruction(None, then)
                    self._goes[loop].append(self._code(part, loop))
                    then = loop
                else:
                    leave = then
                    for _ in range(most - least):
                        then = self._instruction(None, self._code(part, then), leave)
                for _ in range(least):
                    then = self._code(part, then)
                return then

    def _settled(self, threads: set[int]) -> _Threads:
        """Return where threads stand once all have gone on to an instruction that reads, or to the end."""
        seen, waiting = set(threads), list(threads)
        while waiting:
            thread = waiting.pop()
            if self._reads[thread] is None:
                new = [place for place in self._goes[thread] if place not in seen]
                seen.update(new)
                waiting.extend(new)
        return frozenset(place for place in seen if self._reads[place] is not None or place == self._end)

    def _after(self, threads: _Threads, code: int) -> _Threads:
        reading = set[int]()
        for thread in threads:
            characters = self._reads[thread]
            if characters is not None and any(first <= code <= last for first, last in characters.ranges):
                reading.update(self._goes[thread])
        return self._settled(reading)

    def accepts(self, text: str) -> bool:
        """Return whether a thread has reached the end when all of the text has been read."""
        threads = self._settled({self._start})
        for character in text:
            code = ord(character)
            # Code points between two edges are alike to all instructions.
            key = threads, bisect_right(self._edges, code)
            following = self._table.get(key)
            if following is None:
                if len(self._table) >= _REMEMBERED:
                    self._table.clear()
                following = self._table[key] = self._after(threads, code)
            threads = following
            if not threads:
                return False
        return self._end in threads


@lru_cache(64)
def _program(pattern: str) -> _Program:
    return _Program(regular(pattern))


def is_match(text: str, pattern: str) -> bool:
    """Return whether a pattern describes all of a text."""
    return _program(pattern).accepts(text)
