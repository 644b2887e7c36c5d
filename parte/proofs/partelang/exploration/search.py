"""Breadth-first search through the states of a machine (D §8.3), and random walks through them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from parte.proofs.partelang.exploration.effort import Effort
from parte.proofs.partelang.exploration.reduction import Expand
from parte.proofs.partelang.exploration.states import Occupancy, Space, State
from parte.semantics.partelang.machine import Action
from parte.semantics.source.collection import paused_collection

Path = tuple[Action, ...]
"""Steps from the initial state."""


@dataclass(frozen=True, slots=True)
class Final:
    """A state from which no step is possible, and a shortest path to it among the paths that were searched."""

    state: State
    blocked: bool
    path: Path


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search.

    `ends` are final states, nearest first: of those with the same result, one that is finished and one that is blocked.
    `occupancy` is the largest of each node, for each part separately; empty if `enough` could stop the search.
    `truncated`: the search stopped at the limit or was interrupted, and has not seen everything; `stopped`: `enough`
    stopped it.
    """

    states: int
    finals: int
    ends: tuple[Final, ...]
    occupancy: tuple[Occupancy, ...]
    truncated: bool
    stopped: bool


def search(
    space: Space,
    expand: Expand,
    limit: int | None = None,
    enough: Callable[[Final], bool] | None = None,
    effort: Effort | None = None,
    share: float = 1,
) -> Found:
    """Visit the states that `expand` reaches: at most `limit`, until `enough` is true of a final state, and within a
    share of an effort."""
    if limit is not None and limit < 1:
        raise ValueError(f"expected a limit of at least one state, found {limit}; leave it out to visit them all")
    came_from: dict[State, tuple[State, Action] | None] = {space.initial: None}
    frontier = [space.initial]
    ends: dict[tuple[bool, tuple[tuple[int, ...], ...]], Final] = {}
    finals = 0
    truncated = stopped = False
    effort = effort or Effort()
    go_on = effort.until(share, "states visited")
    with paused_collection(), effort.interruptible():
        while frontier and not truncated and not stopped:
            reached: list[State] = []
            for state in frontier:
                if not go_on(len(came_from)):
                    truncated = True
                    break
                steps = expand(state)
                if not steps:
                    finals += 1
                    key = (not space.finished(state), space.seen(state))
                    if key not in ends:
                        ends[key] = Final(state, key[0], _path(came_from, state))
                        stopped = enough is not None and enough(ends[key])
                for action, after in steps:
                    if after not in came_from:
                        if len(came_from) == limit:
                            truncated = True
                            break
                        came_from[after] = (state, action)
                        reached.append(after)
                if truncated or stopped:
                    break
            frontier = reached
    return Found(
        len(came_from),
        finals,
        tuple(ends.values()),
        () if enough is not None else _largest(space, came_from),
        truncated or effort.interrupted,
        stopped,
    )


def walk(space: Space, draw: random.Random, go_on: Callable[[], bool] = lambda: True) -> Final | None:
    """Return one schedule, drawn step by step, to its end; None if `go_on` stops it before."""
    state, path = space.initial, list[Action]()
    while steps := space.steps(state):
        if not go_on():
            return None
        action, state = draw.choice(steps)
        path.append(action)
    return Final(state, not space.finished(state), tuple(path))


def _path(came_from: dict[State, tuple[State, Action] | None], state: State) -> Path:
    path = []
    while (origin := came_from[state]) is not None:
        state, action = origin
        path.append(action)
    return tuple(reversed(path))


def _largest(space: Space, visited: dict[State, tuple[State, Action] | None]) -> tuple[Occupancy, ...]:
    largest = [Occupancy(0, 0, 0, 0)] * space.size
    held: set[int] = set()
    for state in visited:
        held.update(state[: space.size])
    for local in held:
        node, occupancy = space.occupancy(local)
        largest[node] = Occupancy(*map(max, largest[node], occupancy))
    return tuple(largest)
