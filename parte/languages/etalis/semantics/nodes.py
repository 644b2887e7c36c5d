"""Nodes, which run the binary rules: they take the events of their operands, and store goals."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from parte.languages.etalis.semantics.binarisation import BinaryRule, Kind, picked, shorter
from parte.languages.etalis.semantics.goals import Goals, Store
from parte.languages.etalis.semantics.negation import Blocks, not_block, not_check, not_goal, not_idle
from parte.languages.etalis.semantics.operators import OPERATORS, Joining
from parte.languages.etalis.semantics.policies import Choice, Policy, select
from parte.languages.etalis.semantics.rulebook import rule
from parte.languages.etalis.semantics.syntax.streams import Arguments
from parte.languages.etalis.semantics.syntax.values import Number, Truth
from parte.languages.etalis.semantics.terms import Evaluator, Values

Latest = Callable[[Goals, Number], None]
"""A function that drops goals that are never taken, from the goals and the time."""


class Undecided(NamedTuple):
    """A pair of ends that is not decided, and the pairs with an absent event between them."""

    pierced: Collection[object]
    pair: object


class Made(NamedTuple):
    """A head: its arguments, its start, and, if it is undecided, what decides it."""

    arguments: Arguments
    start: Number
    undecided: Undecided | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run: the policy, and the readings of `(p).q`, NOT and DURING."""

    policy: Policy
    exactly: bool = False
    intervals: bool = False
    instants: bool = False


# --- One operand ------------------------------------------------------------------------------------------------------


@rule("COPY", "A pattern that is an event", "4")
def copy() -> bool:
    """x is the event of the rule."""
    return True


@rule("OR-LEFT", "Disjunction", "5")
def or_left() -> bool:
    """x is l."""
    return True


@rule("OR-RIGHT", "Disjunction", "5")
def or_right() -> bool:
    """x is r."""
    return True


@rule("WHERE", "Filter", "4, fig. 2")
def where(condition: Evaluator, values: Values) -> bool:
    """The condition is true of the values of x."""
    return condition(values) is Truth.TRUE


@rule("LASTING", "Duration", "4, fig. 2")
def lasting(length: Number, start: Number, end: Number, exactly: bool) -> bool:
    """x lasts no longer than q; or, to the letter of E, exactly q."""
    return end - start == length if exactly else end - start <= length


@dataclass(slots=True)
class Passing:
    """A rule of one operand: it stores nothing."""

    rule: BinaryRule
    settings: Settings

    def arrive(self, _: int, values: Values, start: Number, now: Number) -> Iterator[Made]:
        """Yield the head, if the rule lets the event pass."""
        binary = self.rule
        match binary.operator:
            case "WHERE":
                assert binary.condition is not None
                passes = where(binary.condition, values)
            case "LASTING":
                assert binary.length is not None
                passes = lasting(binary.length, start, now, self.settings.exactly)
            case "OR-LEFT":
                passes = or_left()
            case "OR-RIGHT":
                passes = or_right()
            case _:
                passes = copy()
        arguments = binary.arguments(values) if passes else None
        if arguments is not None:
            yield Made(arguments, start)

    def forget(self, now: Number) -> None:
        """Do nothing, because nothing is stored."""

    @property
    def stored(self) -> int:
        """The number of stored goals."""
        return 0


# --- Two operands -----------------------------------------------------------------------------------------------------


def _shared(left: Sequence[str], right: Sequence[str]) -> list[int]:
    """Return the places in `left` of the variables that both have, by name."""
    return [left.index(name) for name in sorted(set(left) & set(right))]


class Joined:
    """A rule of two operands."""

    def __init__(self, binary: BinaryRule, settings: Settings) -> None:
        self.rule, self.settings, self.policy = binary, settings, settings.policy
        self.joining: Joining = OPERATORS[binary.operator]
        left, right = binary.operands
        self._keys = (
            picked(_shared(left.variables, right.variables)),
            picked(_shared(right.variables, left.variables)),
        )
        two_sided = self.joining.two_sided
        horizon = needed_at_most(binary.target, self.policy, two_sided)
        limits = reach(binary.operator, left.kind.longest, right.kind.longest)
        self.stores = tuple(
            Store(shorter(limit, horizon), self.policy.shortest, opposite.kind.until)
            for limit, opposite in zip(limits, (right, left), strict=True)
        )
        self._horizon = horizon if self.policy.choice is Choice.ALL else None
        self._latest = superseded_after(binary.operator, right.kind.longest, self.policy)

    def arrive(self, side: int, values: Values, start: Number, now: Number) -> Iterator[Made]:
        """Yield the heads of an event with the goals of the other side; the event may become a goal."""
        here = self.joining.right if side else self.joining.left
        instants, key = self.settings.instants, self._keys[side](values)
        taken: Sequence[int] = ()
        if here.check is not None:
            goals = self.stores[1 - side].goals.get(key)
            if goals is not None:
                taken = select(here.check(goals, start, now, instants), self.policy.choice)
                yield from [head for place in taken if (head := self._pair(side, values, start, now, goals, place))]
                if taken and self.policy.consuming:
                    self.stores[1 - side].consume(key, list(taken))
        if here.keep is None or (taken and self.policy.consuming) or not here.keep(start, now, instants):
            return
        if self._horizon is None or now - start <= self._horizon:
            goals_of_key = self.stores[side].add(key, start, now, values)
            if self._latest is not None:
                self._latest(goals_of_key, now)

    def _pair(self, side: int, values: Values, start: Number, now: Number, goals: Goals, place: int) -> Made | None:
        """Return the head of an event and a goal; None if it has no value."""
        goal_values = goals.values[place]
        if side:
            arguments = self.rule.arguments(goal_values + values)
            begins = self.joining.interval(goals.starts[place], goals.ends[place], start, now)[0]
        else:
            arguments = self.rule.arguments(values + goal_values)
            begins = self.joining.interval(start, now, goals.starts[place], goals.ends[place])[0]
        return None if arguments is None else Made(arguments, begins)

    def forget(self, now: Number) -> None:
        """Drop the goals that no answer can need any more."""
        for store in self.stores:
            store.forget(now)

    @property
    def stored(self) -> int:
        """The number of stored goals."""
        return sum(map(len, self.stores))


def needed_at_most(target: Kind, policy: Policy, two_sided: bool) -> Number | None:
    """Return how long before now a goal may have ended to matter for a target, if no answer needs longer events.

    A policy that takes the first goal may take one that gives no answer, and consume it; so may a policy that consumes
    the last one, if the event that takes it would otherwise become a goal.
    """
    harmless = policy.choice is not Choice.FIRST and not (policy.consuming and two_sided)
    return target.horizon if harmless else None


def reach(operator: str, left: Number | None, right: Number | None) -> tuple[Number | None, Number | None]:
    """Return for each side how long before now a goal may have ended to fit an event, if the events are no longer than
    these lengths."""
    match operator:
        case "EQUALS" | "FINISHES":
            return 0, 0
        case "MEETS":
            return right, 0
        case "DURING" | "STARTS":
            return right, None
        case "PAR":
            return right, left
        case _:
            return None, None


def superseded_after(operator: str, right: Number | None, policy: Policy) -> Latest | None:
    """Return the function that drops goals that are never the last that fits, if the policy takes the last and does not
    consume it."""
    if policy.choice is not Choice.LAST or policy.consuming:
        return None
    if operator == "AND":
        return _last_only
    if operator not in ("SEQ", "NOT") or right is None:
        return None

    def latest(goals: Goals, now: Number) -> None:
        while len(goals.ends) > 1 and goals.ends[1] < now - right:
            goals.drop(1)

    return latest


def _last_only(goals: Goals, _: Number) -> None:
    goals.drop(len(goals.ends) - 1)


# --- Negation ---------------------------------------------------------------------------------------------------------


class Negated:
    """A negation: goals of its first end, and absent events."""

    def __init__(self, binary: BinaryRule, settings: Settings) -> None:
        self.rule, self.settings, self.policy = binary, settings, settings.policy
        first, absent, last = binary.operands
        both = (*first.variables, *last.variables)
        self._key_first = picked(_shared(first.variables, last.variables))
        self._key_last = picked(_shared(last.variables, first.variables))
        self._key_absent = picked(_shared(absent.variables, both))
        shared = set(absent.variables) & set(both)
        self._known_last = shared <= set(last.variables)
        """True if the second end determines all shared variables of the absent event."""
        self._key_between = picked(_shared(last.variables if self._known_last else both, absent.variables))
        self._uniform = shared <= set(first.variables) & set(last.variables)
        horizon = needed_at_most(binary.target, self.policy, two_sided=False)
        self.store = Store(horizon, self.policy.shortest, last.kind.until)
        self.blocks: dict[Values, Blocks] = {}
        self._begun: deque[tuple[Number, Values]] = deque()
        """The starts of absent events, in the order of arrival, if goals have a limit."""
        self._longest = last.kind.longest
        uniform = self._uniform and not settings.intervals
        self._latest = superseded_after("NOT", self._longest, self.policy) if uniform else None
        self._passable = uniform and self._longest is not None
        joint = sorted(set(first.variables) & set(last.variables))
        self._key_of_goals = picked([joint.index(name) for name in sorted(shared)] if self._uniform else [])
        self._swept = self._added = 0
        self.pierced: set[object] = set()
        self.at: Number | None = None

    def arrive(self, side: int, values: Values, start: Number, now: Number) -> Iterator[Made]:
        """Yield the heads of an event that is the first end, absent, or the second end."""
        if side == 0:
            if not_goal(start, now):
                goals = self.store.add(self._key_first(values), start, now, values)
                self._added += 1
                if self._latest is not None:
                    self._latest(goals, now)
        elif side == 1:
            if not not_idle(self.store.goals.values(), start):
                between = self._key_absent(values)
                blocks = self.blocks.setdefault(between, Blocks())
                not_block(blocks, start, now)
                if self.store.limit is not None:
                    self._begun.append((start, between))
                if self._longest is not None:
                    blocks.forget(now - self._longest)
                self._drop_blocked(now)
        else:
            key = self._key_last(values)
            waiting = self.store.goals.get(key)
            if waiting is not None:
                yield from self._ended(key, waiting, values, start, now)

    def _ended(self, key: Values, goals: Goals, values: Values, start: Number, now: Number) -> Iterator[Made]:
        fitting = self._fitting(goals, values, start)
        if self.settings.intervals:
            yield from self._undecided(goals, set(fitting), values, start, now)
            return
        taken = select(fitting, self.policy.choice)
        for place in taken:
            arguments = self.rule.arguments(goals.values[place] + values)
            if arguments is not None:
                yield Made(arguments, goals.starts[place])
        if taken and self.policy.consuming:
            self.store.consume(key, list(taken))

    def _fitting(self, goals: Goals, values: Values, start: Number) -> Sequence[int]:
        if self._known_last:
            return not_check(goals, start, self._latest_block(self._key_between(values), start))
        return [
            place
            for place in not_check(goals, start, None)
            if (latest := self._latest_block(self._key_between(goals.values[place] + values), start)) is None
            or latest <= goals.ends[place]
        ]

    def _latest_block(self, key: Values, start: Number) -> Number | None:
        blocks = self.blocks.get(key)
        return None if blocks is None else blocks.latest(start)

    def _undecided(self, goals: Goals, fitting: set[int], values: Values, start: Number, now: Number) -> Iterator[Made]:
        """Yield heads that happen if, after all shorter events of the instant, no pair with that interval is
        pierced."""
        if self.at != now:
            self.at, self.pierced = now, set()
        for place in not_check(goals, start, None):
            pair = (goals.values[place], values, goals.starts[place])
            if place not in fitting:
                self.pierced.add(pair)
                continue
            arguments = self.rule.arguments(goals.values[place] + values)
            if arguments is not None:
                yield Made(arguments, goals.starts[place], Undecided(self.pierced, pair))

    def _drop_blocked(self, now: Number) -> None:
        """Drop the goals that fit no later event, from time to time."""
        if not self._passable or self._added < self._swept + 16:
            return
        assert self._longest is not None
        for key, goals in list(self.store.goals.items()):
            latest = self._latest_block(self._key_of_goals(key), now - self._longest)
            if latest is not None:
                goals.drop(bisect_left(goals.ends, latest))
                if not goals.ends:
                    del self.store.goals[key]
        self._swept, self._added = len(self.store), 0

    def forget(self, now: Number) -> None:
        """Drop the goals that no answer can need any more; without goals nothing is absent between events."""
        self.store.forget(now)
        if self.blocks and not self.store.goals:
            self.blocks.clear()
            self._begun.clear()
        while self._begun and self.store.limit is not None and self._begun[0][0] <= now - self.store.limit:
            _, key = self._begun.popleft()
            blocks = self.blocks.get(key)
            if blocks is not None:
                blocks.forget_begun(now - self.store.limit)
                if not blocks.ends:
                    del self.blocks[key]

    @property
    def stored(self) -> int:
        """The number of stored goals and absent events."""
        return len(self.store) + sum(len(blocks.ends) for blocks in self.blocks.values())
