"""Explore every way in which a computation that chooses can go, for any language, by running it again for each way.

The computation asks a `Guide` to choose; the guide follows a path and takes the first alternative beyond its end. A
way is abandoned when it reaches a state that another way has reached.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Generic, TypeVar

T = TypeVar("T")
Path = tuple[int, ...]


class Known(Exception):  # not an error: this way was explored
    """A state that was reached before."""


@dataclass(slots=True)
class Guide:
    """A source of choices that follows a path. `state` returns what determines the rest of the run, given the
    alternatives, or None if only the path does. `seen` are the states of other ways, and `open` the paths that are
    left."""

    path: Path
    seen: set[Hashable]
    open: list[Path]
    state: Callable[[Sequence[object]], Hashable | None] = field(default=lambda _: None)
    taken: list[int] = field(default_factory=list)

    def choice(self, seq: Sequence[T], /) -> T:
        """Return one of the alternatives. Known if another way has reached this state."""
        if len(seq) == 1:
            return seq[0]
        place = len(self.taken)
        chosen = self.path[place] if place < len(self.path) else 0
        if place >= len(self.path):
            state = self.state(seq)
            if state is not None and state in self.seen:
                raise Known
            self.seen.add((*self.taken, "path") if state is None else state)
            self.open += [(*self.taken, alternative) for alternative in range(len(seq) - 1, 0, -1)]
        self.taken.append(chosen)
        return seq[chosen]


@dataclass(slots=True)
class Progress(Generic[T]):
    """The progress of an exploration: the number of states with a choice, the number of ways that ran to their end, the
    different results with a path to each, and why it ended: empty (it runs), `all`, `states`, `time`, `interrupted`."""

    states: int = 0
    ways: int = 0
    results: dict[T, Path] = field(default_factory=dict)
    ended: str = ""


def explore(
    play: Callable[[Guide], T], most_states: int, seconds: float, progress: Progress[T] | None = None
) -> Iterator[Progress[T]]:
    """Explore all ways and yield the progress after each. Ctrl-C ends the exploration and keeps the results so far."""
    reached = progress or Progress[T]()
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
                reached.ways += 1
                reached.results.setdefault(result, tuple(guide.taken))
            reached.states = len(seen)
            if left and reached.states >= most_states:
                reached.ended = "states"
                break
            if left and monotonic() >= until:
                reached.ended = "time"
                break
            yield reached
        else:
            reached.ended = "all"
    except KeyboardInterrupt:
        reached.ended = "interrupted"
    yield reached
