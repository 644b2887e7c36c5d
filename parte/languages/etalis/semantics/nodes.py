"""Binary rules while they run: what each does with an event of one of its operands, and what it keeps."""

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
"""Drops goals that are never taken, given what time it is."""


class Undecided(NamedTuple):
    """A pair of ends, and those that are known to have between them what is to be absent."""

    pierced: Collection[object]
    pair: object


class Made(NamedTuple):
    """A head: its arguments, when it begins, and, if that is still to be decided, by what."""

    arguments: Arguments
    start: Number
    undecided: Undecided | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """How a run goes: the policy, and what `(p).q`, NOT and DURING mean."""

    policy: Policy
    exactly: bool = False
    intervals: bool = False
    instants: bool = False


# --- One operand ------------------------------------------------------------------------------------------------------


@rule("COPY", "A pattern that is an event", "4")
def copy() -> bool:
    """x is what the rule looks for."""
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
    """x lasts no longer; or, to the letter of E, just so long."""
    return end - start == length if exactly else end - start <= length


@dataclass(slots=True)
class Passing:
    """A rule of one operand: it keeps nothing."""

    rule: BinaryRule
    settings: Settings

    def arrive(self, _: int, values: Values, start: Number, now: Number) -> Iterator[Made]:
        """The head, if the rule lets the event pass."""
        made = self.rule
        match made.operator:
            case "WHERE":
                assert made.condition is not None
                passes = where(made.condition, values)
            case "LASTING":
                assert made.length is not None
                passes = lasting(made.length, start, now, self.settings.exactly)
            case "OR-LEFT":
                passes = or_left()
            case "OR-RIGHT":
                passes = or_right()
            case _:
                passes = copy()
        arguments = made.arguments(values) if passes else None
        if arguments is not None:
            yield Made(arguments, start)

    def forget(self, now: Number) -> None:
        """There is nothing to forget."""

    @property
    def kept(self) -> int:
        """How much is kept."""
        return 0


# --- Two operands -----------------------------------------------------------------------------------------------------


def _shared(one: Sequence[str], other: Sequence[str]) -> list[int]:
    """The places in `one` of the variables that both have, by name."""
    return [one.index(name) for name in sorted(set(one) & set(other))]


class Joined:
    """A rule of two operands."""

    def __init__(self, made: BinaryRule, settings: Settings) -> None:
        self.rule, self.settings, self.policy = made, settings, settings.policy
        self.joining: Joining = OPERATORS[made.operator]
        left, right = made.operands
        self._keys = (
            picked(_shared(left.variables, right.variables)),
            picked(_shared(right.variables, left.variables)),
        )
        two_sided = self.joining.two_sided
        horizon = needed_at_most(made.target, self.policy, two_sided)
        limits = reach(made.operator, left.kind.longest, right.kind.longest)
        self.stores = tuple(
            Store(shorter(limit, horizon), self.policy.shortest, other.kind.until)
            for limit, other in zip(limits, (right, left), strict=True)
        )
        self._horizon = horizon if self.policy.choice is Choice.ALL else None
        self._latest = superseded_after(made.operator, right.kind.longest, self.policy)

    def arrive(self, side: int, values: Values, start: Number, now: Number) -> Iterator[Made]:
        """The heads of an event with the goals of the other side; it may become a goal."""
        here = self.joining.right if side else self.joining.left
        instants, key = self.settings.instants, self._keys[side](values)
        taken: Sequence[int] = ()
        if here.check is not None:
            goals = self.stores[1 - side].goals.get(key)
            if goals is not None:
                taken = select(here.check(goals, start, now, instants), self.policy.choice)
                yield from [made for place in taken if (made := self._pair(side, values, start, now, goals, place))]
                if taken and self.policy.consuming:
                    self.stores[1 - side].consume(key, list(taken))
        if here.keep is None or (taken and self.policy.consuming) or not here.keep(start, now, instants):
            return
        if self._horizon is None or now - start <= self._horizon:
            kept = self.stores[side].add(key, start, now, values)
            if self._latest is not None:
                self._latest(kept, now)

    def _pair(self, side: int, values: Values, start: Number, now: Number, goals: Goals, place: int) -> Made | None:
        """The head of an event and a goal; None if it has no value."""
        other = goals.values[place]
        if side:
            arguments = self.rule.arguments(other + values)
            begins = self.joining.interval(goals.starts[place], goals.ends[place], start, now)[0]
        else:
            arguments = self.rule.arguments(values + other)
            begins = self.joining.interval(start, now, goals.starts[place], goals.ends[place])[0]
        return None if arguments is None else Made(arguments, begins)

    def forget(self, now: Number) -> None:
        """Forget the goals that no answer can need any more."""
        for store in self.stores:
            store.forget(now)

    @property
    def kept(self) -> int:
        """How many goals are kept."""
        return sum(map(len, self.stores))


def needed_at_most(target: Kind, policy: Policy, two_sided: bool) -> Number | None:
    """How long ago a goal ended at most that makes a difference for a target of which no answer needs longer ones.

    A policy that takes the first goal may take one that makes no answer, and uses it up; so may one that uses up what
    comes last, where the event that takes it would otherwise be a goal.
    """
    harmless = policy.choice is not Choice.FIRST and not (policy.consuming and two_sided)
    return target.horizon if harmless else None


def reach(operator: str, left: Number | None, right: Number | None) -> tuple[Number | None, Number | None]:
    """How long ago a goal of each side ended at most that something still fits, if the events last so long at most."""
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
    """How goals are dropped that are never the last which fits, if the policy takes the last and leaves it."""
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
    """A negation: goals of its first end, and what is absent."""

    def __init__(self, made: BinaryRule, settings: Settings) -> None:
        self.rule, self.settings, self.policy = made, settings, settings.policy
        first, absent, last = made.operands
        both = (*first.variables, *last.variables)
        self._key_first = picked(_shared(first.variables, last.variables))
        self._key_last = picked(_shared(last.variables, first.variables))
        self._key_absent = picked(_shared(absent.variables, both))
        shared = set(absent.variables) & set(both)
        self._known_last = shared <= set(last.variables)
        """Whether the second end says all of what is absent that the ends say."""
        self._key_between = picked(_shared(last.variables if self._known_last else both, absent.variables))
        self._uniform = shared <= set(first.variables) & set(last.variables)
        horizon = needed_at_most(made.target, self.policy, two_sided=False)
        self.store = Store(horizon, self.policy.shortest, last.kind.until)
        self.blocks: dict[Values, Blocks] = {}
        self._begun: deque[tuple[Number, Values]] = deque()
        """When what is absent began, in the order in which it came, if goals have a limit."""
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
        """An event that is the first end, absent, or the second end."""
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
        """What happens if, when all that is shorter has come, no pair with that interval is pierced."""
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
        """Drop the goals that fit nothing that is to come, from time to time."""
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
        """Forget the goals that no answer can need any more; without goals nothing is absent between events."""
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
    def kept(self) -> int:
        """How many goals and absent events are kept."""
        return len(self.store) + sum(len(each.ends) for each in self.blocks.values())
