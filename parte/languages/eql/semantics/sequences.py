"""The machine of a sequence: for each key a slot behind each stage but the last (specification: eql-machine)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush

from parte.languages.eql.semantics.chains import (
    Chain,
    before,
    complete,
    expired,
    gap,
    is_certain,
    killed,
    lies_between,
    ruled_out,
    start,
    take,
)
from parte.languages.eql.semantics.plans import Key, Plan
from parte.languages.eql.semantics.rulebook import rule
from parte.semantics.events.event import Event


@dataclass(slots=True)
class State:
    """The memory of a key: the chain in each slot, and the latest times of missing first events."""

    slots: list[Chain | None]
    before: tuple[int | None, int | None] = (None, None)
    scheduled: bool = False


_NOTHING = State([])


@dataclass(slots=True)
class Sequences:
    """The run of a sequence. Events come in order; `position` counts them."""

    plan: Plan
    position: int = -1
    states: dict[Key, State] = field(default_factory=dict)
    waiting: dict[Key, list[Chain]] = field(default_factory=dict)
    _due: list[tuple[int, int, Key]] = field(default_factory=list)
    _deadlines: list[tuple[int, int, Key]] = field(default_factory=list)
    _numbers: int = 0

    def event(self, event: Event) -> list[Chain]:
        """Return the results that end with the next event; those that wait for an absence are not among them."""
        self.position += 1
        until = None if self.plan.until is None else self.plan.until.key(event)
        if self.plan.readings.until == "before":
            self._kill(until)
        results = list(last_first(self, event))
        if self.plan.readings.until != "before":
            self._kill(until)
        if self.plan.missing:
            self._mark(event)
        self._forget(event.timestamp)
        return results

    def move(self, number: int, key: Key, event: Event) -> Chain | None:
        """Move the chain before a stage on with an event of the stage; return it if it is a result."""
        if number == 0:
            state = self._state(key)
            latest, earlier = state.before
            by_order = self.plan.readings.border == "order"
            chain = start(event, self.position, latest if by_order or latest != event.timestamp else earlier)
        else:
            state = self.states.get(key, _NOTHING)
            previous = state.slots[number - 1] if state.slots else None
            if previous is None:
                return None
            state.slots[number - 1] = None
            if not self._goes_on(previous, event):
                return None
            chain = take(previous, event, self.position, self.plan.readings.border == "order")
        if number < len(state.slots):
            overwrite(state, number, chain)
            self._schedule(key, state, chain.started)
            return None
        if not state.slots and not state.scheduled:  # a sequence of one event keeps no key
            del self.states[key]
        return self._finish(key, chain)

    def _state(self, key: Key) -> State:
        return self.states.setdefault(key, State([None] * (len(self.plan.steps) - 1)))

    def _goes_on(self, chain: Chain, event: Event) -> bool:
        plan = self.plan
        if plan.maxspan is not None and expired(chain.started, event.timestamp, plan.maxspan):
            return False
        pending = plan.readings.missing == "pending"
        return not (pending and lies_between(chain, event.timestamp, plan.readings.border == "order"))

    @property
    def together(self) -> bool:
        """Return whether missing first and last events count together only."""
        return self.plan.readings.absence == "together" and bool(self.plan.gaps[0]) and bool(self.plan.trailing)

    def _finish(self, key: Key, chain: Chain) -> Chain | None:
        if not complete(chain, self.plan.maxspan, self.together):
            return None
        if not self.plan.trailing:
            return chain
        wait(self.waiting, key, chain)
        assert self.plan.maxspan is not None
        self._numbers += 1
        heappush(self._deadlines, (chain.started + self.plan.maxspan, self._numbers, key))
        return None

    def _kill(self, key: Key | None) -> None:
        state = None if key is None else self.states.get(key)
        if state is not None:
            inclusive = self.plan.readings.until == "inclusive"
            state.slots = [
                chain if chain is None or not killed(chain, self.position, inclusive) else None for chain in state.slots
            ]

    def _mark(self, event: Event) -> None:
        """Let an event be a missing one: at the start, in the middle, at the end."""
        plan, by_order = self.plan, self.plan.readings.border == "order"
        for key in {step.key(event) for step in plan.gaps[0]} - {None}:
            assert key is not None
            state = self._state(key)
            state.before = before(state.before, event.timestamp)
            self._schedule(key, state, event.timestamp)
        for number, steps in enumerate(plan.gaps[1:]):
            for step in steps:
                own = step.key(event)
                waiting = None if own is None else self.states.get(own)
                chain = None if waiting is None else waiting.slots[number]
                if waiting is not None and chain is not None:
                    waiting.slots[number] = gap(chain, event, self.position, by_order)
        for key in {step.key(event) for step in plan.trailing} & self.waiting.keys():
            assert key is not None
            assert plan.maxspan is not None
            left = [
                chain
                for chain in self.waiting[key]
                if not ruled_out(chain, event, self.position, plan.maxspan, self.together, by_order)
            ]
            self._wait_only(key, left)

    def _wait_only(self, key: Key, chains: list[Chain]) -> None:
        if chains:
            self.waiting[key] = chains
        else:
            del self.waiting[key]

    def decided(self, bound: int) -> list[Chain]:
        """Return the waiting chains that are results, because no event below the bound comes any more."""
        certain: list[Chain] = []
        while self._deadlines and self._deadlines[0][0] < bound:
            key = heappop(self._deadlines)[2]
            chains = self.waiting.get(key, [])
            assert self.plan.maxspan is not None
            now = [chain for chain in chains if is_certain(chain, bound, self.plan.maxspan)]
            if now:
                certain += now
                self._wait_only(key, chains[len(now) :])
        return certain

    # --- Forgetting ---------------------------------------------------------------------------------------------------

    def _schedule(self, key: Key, state: State, time: int) -> None:
        if self.plan.maxspan is not None and not state.scheduled:
            state.scheduled = True
            self._numbers += 1
            heappush(self._due, (time, self._numbers, key))

    def _forget(self, now: int) -> None:
        """Look at each key again when the first thing that it keeps may be too old."""
        maxspan = self.plan.maxspan
        while maxspan is not None and self._due and now - self._due[0][0] > maxspan:
            key = heappop(self._due)[2]
            state = self.states[key]
            forget(state, now, maxspan)
            state.scheduled = False
            times = [chain.started for chain in state.slots if chain is not None]
            times += [time for time in state.before if time is not None]
            if times:
                self._schedule(key, state, min(times))
            else:
                del self.states[key]

    def stored(self) -> dict[str, int]:
        """Return the numbers of keys, of chains in slots, and of chains that wait."""
        return {
            "keys": len(self.states),
            "slots": sum(chain is not None for state in self.states.values() for chain in state.slots),
            "waiting": sum(map(len, self.waiting.values())),
        }


@rule("LAST-FIRST", "the order of stages", "ES, TumblingWindow")
def last_first(run: Sequences, event: Event) -> Iterator[Chain]:
    """Stages are tried from the last to the first, so that an event moves a chain once."""
    for number in reversed(range(len(run.plan.steps))):
        key = run.plan.steps[number].key(event)
        if key is not None:
            result = run.move(number, key, event)
            if result is not None:
                yield result


@rule("OVERWRITE", "the chain in a slot", "ES, SequenceGroup")
def overwrite(state: State, slot: int, chain: Chain) -> None:
    """A chain that comes to a slot replaces the one that is there."""
    state.slots[slot] = chain


@rule("WAIT", "a chain waits for an absence", "ED, syntax: missing events")
def wait(waiting: dict[Key, list[Chain]], key: Key, chain: Chain) -> None:
    """A chain of all stages waits if a missing stage is last."""
    waiting.setdefault(key, []).append(chain)


@rule("FORGET", "chains that are too old", "ES, SequenceMatcher")
def forget(state: State, now: int, maxspan: int) -> None:
    """Chains, and times of missing first events, that are older than maxspan are forgotten."""
    state.slots = [None if chain is None or now - chain.started > maxspan else chain for chain in state.slots]
    latest, earlier = (None if time is None or now - time > maxspan else time for time in state.before)
    state.before = latest, earlier
