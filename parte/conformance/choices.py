"""Every way in which something that chooses can go, of any language: it is played again for each way.

What is played asks a `Guide` to choose; the guide follows a path and takes the first beyond it. Ways that come to a
state which another has been in are not gone on with.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Generic, TypeVar

T = TypeVar("T")
Path = tuple[int, ...]


class Known(Exception):  # it is no error: this way has been gone
    """A state that was met before."""


@dataclass(slots=True)
class Guide:
    """Chooses along a path. `state` says what decides how it goes on, given the alternatives; None if nothing short of
    the path does. `seen` are the states of other ways, and `open` the paths that are left."""

    path: Path
    seen: set[Hashable]
    open: list[Path]
    state: Callable[[Sequence[object]], Hashable | None] = field(default=lambda _: None)
    taken: list[int] = field(default_factory=list)

    def choice(self, seq: Sequence[T], /) -> T:
        """One of them. Known if another way has been here."""
        if len(seq) == 1:
            return seq[0]
        place = len(self.taken)
        chosen = self.path[place] if place < len(self.path) else 0
        if place >= len(self.path):
            state = self.state(seq)
            if state is not None and state in self.seen:
                raise Known
            self.seen.add((*self.taken, "path") if state is None else state)
            self.open += [(*self.taken, other) for other in range(len(seq) - 1, 0, -1)]
        self.taken.append(chosen)
        return seq[chosen]


@dataclass(slots=True)
class Progress(Generic[T]):
    """How far an exploration is: the states at which there was a choice, the ways that were gone to their ends, the
    different results with a path to each, and what ended it: nothing yet, `all`, `states`, `time`, `interrupted`."""

    states: int = 0
    ways: int = 0
    results: dict[T, Path] = field(default_factory=dict)
    ended: str = ""


def explore(
    play: Callable[[Guide], T], most_states: int, seconds: float, progress: Progress[T] | None = None
) -> Iterator[Progress[T]]:
    """Go all ways; the progress after each. Ctrl-C ends it, with what was found until then."""
    found = progress or Progress[T]()
    seen: set[Hashable] = set()
    left: list[Path] = [()]
    until = monotonic() + seconds
    try:
        while left:
            guide = Guide(left.pop(), seen, left)
            try:
                result = play(guide)
            except Known:
                pass
            else:
                found.ways += 1
                found.results.setdefault(result, tuple(guide.taken))
            found.states = len(seen)
            if left and found.states >= most_states:
                found.ended = "states"
                break
            if left and monotonic() >= until:
                found.ended = "time"
                break
            yield found
        else:
            found.ended = "all"
    except KeyboardInterrupt:
        found.ended = "interrupted"
    yield found
