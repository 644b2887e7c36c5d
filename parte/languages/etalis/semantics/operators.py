"""The operators that join two events, l and r: which goals fit an event, and which events become goals (E §5;
specification: etalis-steps).

A check gets the goals of the other side, by their ends, and returns the places of those that fit x in their order. An
event becomes no goal if nothing later can fit it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from parte.languages.etalis.semantics.goals import Goals
from parte.languages.etalis.semantics.rulebook import rule
from parte.languages.etalis.semantics.syntax.values import Number

Check = Callable[[Goals, Number, Number, bool], Sequence[int]]
"""The places of the goals that fit an event with this start and end; the flag says whether DURING allows instants."""
Keep = Callable[[Number, Number, bool], bool]
"""The decision whether an event with this start and end, now, becomes a goal; the flag is that of a check."""

# --- Sequence ---------------------------------------------------------------------------------------------------------


@rule("SEQ-CHECK", "SEQ, checking rule", "5, (5)")
def seq_check(goals: Goals, start: Number, end: Number, instants: bool) -> Sequence[int]:
    """x is r: the goals that ended before it began."""
    return range(bisect_left(goals.ends, start))


@rule("SEQ-GOAL", "SEQ, goal inserting rule", "5, (4)")
def seq_goal(start: Number, end: Number, instants: bool) -> bool:
    """x is l: it waits for an event that begins later."""
    return True


# --- DURING and STARTS: the first ends before the second --------------------------------------------------------------


@rule("DURING-CHECK", "DURING", "5, (10)")
def during_check(goals: Goals, start: Number, end: Number, instants: bool) -> Sequence[int]:
    """x is r: the goals that began after it and ended before it."""
    among = range(bisect_right(goals.ends, start), bisect_left(goals.ends, end))
    return [place for place in among if start < goals.starts[place]]


@rule("DURING-GOAL", "DURING", "5, (10), (11)")
def during_goal(start: Number, end: Number, instants: bool) -> bool:
    """x is l: it waits for an event around it, if it has a length, or may be an instant."""
    return instants or start < end


@rule("STARTS-CHECK", "STARTS", "5, (12)")
def starts_check(goals: Goals, start: Number, end: Number, instants: bool) -> Sequence[int]:
    """x is r: the goals that began with it and ended before it."""
    among = range(bisect_left(goals.ends, start), bisect_left(goals.ends, end))
    return [place for place in among if goals.starts[place] == start]


@rule("STARTS-GOAL", "STARTS", "5, (12)")
def starts_goal(start: Number, end: Number, instants: bool) -> bool:
    """x is l: it waits for an event that began with it and ends later."""
    return True


# --- AND and PAR: either event may be the first
# ------------------------------------------------------------------------


@rule("AND-CHECK-LEFT", "AND, checking rule", "5, algorithm 5.2")
def and_check_left(goals: Goals, start: Number, end: Number, instants: bool) -> Sequence[int]:
    """x is l: all goals of r."""
    return range(len(goals.ends))


@rule("AND-CHECK-RIGHT", "AND, checking rule", "5, (8)")
def and_check_right(goals: Goals, start: Number, end: Number, instants: bool) -> Sequence[int]:
    """x is r: all goals of l."""
    return range(len(goals.ends))


@rule("AND-GOAL-LEFT", "AND, goal inserting rule", "5, (7)")
def and_goal_left(start: Number, end: Number, instants: bool) -> bool:
    """x is l: it waits for any r."""
    return True


@rule("AND-GOAL-RIGHT", "AND, goal inserting rule", "5, (9)")
def and_goal_right(start: Number, end: Number, instants: bool) -> bool:
    """x is r: it waits for any l."""
    return True


def _overlapping(goals: Goals, start: Number, end: Number) -> Sequence[int]:
    """Return the goals that share more than an instant with an interval that ends now."""
    among = range(bisect_right(goals.ends, start), len(goals.ends))
    return [place for place in among if goals.starts[place] < end and goals.starts[place] < goals.ends[place]]


@rule("PAR-CHECK-LEFT", "PAR, checking rule", "5, algorithm 5.3")
def par_check_left(goals: Goals, start: Number, end: Number, instants: bool) -> Sequence[int]:
    """x is l: the goals of r that overlap it."""
    return _overlapping(goals, start, end)


@rule("PAR-CHECK-RIGHT", "PAR, checking rule", "5, algorithm 5.3")
def par_check_right(goals: Goals, start: Number, end: Number, instants: bool) -> Sequence[int]:
    """x is r: the goals of l that overlap it."""
    return _overlapping(goals, start, end)


@rule("PAR-GOAL-LEFT", "PAR, goal inserting rule", "5, algorithm 5.3")
def par_goal_left(start: Number, end: Number, instants: bool) -> bool:
    """x is l: it waits for an r that began before its end, if it has a length."""
    return start < end


@rule("PAR-GOAL-RIGHT", "PAR, goal inserting rule", "5, algorithm 5.3")
def par_goal_right(start: Number, end: Number, instants: bool) -> bool:
    """x is r: it waits for an l that began before its end, if it has a length."""
    return start < end


# --- EQUALS, MEETS and FINISHES: events that end at one instant -------------------------------------------------------


def _equal(goals: Goals, start: Number, end: Number) -> Sequence[int]:
    """Return the goals with exactly this interval, which ends now."""
    among = range(bisect_left(goals.ends, end), len(goals.ends))
    return [place for place in among if goals.starts[place] == start]


@rule("EQUALS-CHECK-LEFT", "EQUALS", "5, (13)")
def equals_check_left(goals: Goals, start: Number, end: Number, instants: bool) -> Sequence[int]:
    """x is l: the goals of r with its interval."""
    return _equal(goals, start, end)


@rule("EQUALS-CHECK-RIGHT", "EQUALS", "5, (13)")
def equals_check_right(goals: Goals, start: Number, end: Number, instants: bool) -> Sequence[int]:
    """x is r: the goals of l with its interval."""
    return _equal(goals, start, end)


@rule("EQUALS-GOAL-LEFT", "EQUALS", "5, (13)")
def equals_goal_left(start: Number, end: Number, instants: bool) -> bool:
    """x is l: it waits for an r that ends now."""
    return True


@rule("EQUALS-GOAL-RIGHT", "EQUALS", "5, (13)")
def equals_goal_right(start: Number, end: Number, instants: bool) -> bool:
    """x is r: it waits for an l that ends now."""
    return True


@rule("MEETS-CHECK-LEFT", "MEETS", "5, (15)")
def meets_check_left(goals: Goals, start: Number, end: Number, instants: bool) -> Sequence[int]:
    """x is l: the goals of r that begin as it ends, now."""
    among = range(bisect_left(goals.ends, end), len(goals.ends))
    return [place for place in among if goals.starts[place] == end]


@rule("MEETS-CHECK-RIGHT", "MEETS", "5, (15)")
def meets_check_right(goals: Goals, start: Number, end: Number, instants: bool) -> Sequence[int]:
    """x is r: the goals of l that ended as it began."""
    return range(bisect_left(goals.ends, start), bisect_right(goals.ends, start))


@rule("MEETS-GOAL-LEFT", "MEETS", "5, (15)")
def meets_goal_left(start: Number, end: Number, instants: bool) -> bool:
    """x is l: it waits for an event that begins as it ends."""
    return True


@rule("MEETS-GOAL-RIGHT", "MEETS", "5, (15)")
def meets_goal_right(start: Number, end: Number, instants: bool) -> bool:
    """x is r: events that end as it begins have arrived already, unless that is now."""
    return start == end


@rule("FINISHES-CHECK-LEFT", "FINISHES", "5, (14)")
def finishes_check_left(goals: Goals, start: Number, end: Number, instants: bool) -> Sequence[int]:
    """x is l: the goals of r that end with it, now, and began before it."""
    among = range(bisect_left(goals.ends, end), len(goals.ends))
    return [place for place in among if goals.starts[place] < start]


@rule("FINISHES-CHECK-RIGHT", "FINISHES", "5, (14)")
def finishes_check_right(goals: Goals, start: Number, end: Number, instants: bool) -> Sequence[int]:
    """x is r: the goals of l that end with it, now, and began after it."""
    among = range(bisect_left(goals.ends, end), len(goals.ends))
    return [place for place in among if start < goals.starts[place]]


@rule("FINISHES-GOAL-LEFT", "FINISHES", "5, (14)")
def finishes_goal_left(start: Number, end: Number, instants: bool) -> bool:
    """x is l: it waits for an r that ends now."""
    return True


@rule("FINISHES-GOAL-RIGHT", "FINISHES", "5, (14)")
def finishes_goal_right(start: Number, end: Number, instants: bool) -> bool:
    """x is r: it waits for an l that ends now, if it has a length."""
    return start < end


# --- The operators ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Side:
    """The two functions of one side of an operator: which goals of the other side fit an event, None if it is never the
    later one, and whether the event becomes a goal, None if never."""

    check: Check | None
    keep: Keep | None


@dataclass(frozen=True, slots=True)
class Joining:
    """An operator: its two sides, and the interval of l and r that fit."""

    left: Side
    right: Side
    interval: Callable[[Number, Number, Number, Number], tuple[Number, Number]]

    @property
    def two_sided(self) -> bool:
        """True if either event may be the later one."""
        return self.left.check is not None


def _across(q1: Number, q2: Number, q3: Number, q4: Number) -> tuple[Number, Number]:
    return q1, q4


def _second(q1: Number, q2: Number, q3: Number, q4: Number) -> tuple[Number, Number]:
    return q3, q4


def _whole(q1: Number, q2: Number, q3: Number, q4: Number) -> tuple[Number, Number]:
    return min(q1, q3), max(q2, q4)


OPERATORS: dict[str, Joining] = {
    "SEQ": Joining(Side(None, seq_goal), Side(seq_check, None), _across),
    "DURING": Joining(Side(None, during_goal), Side(during_check, None), _second),
    "STARTS": Joining(Side(None, starts_goal), Side(starts_check, None), _second),
    "AND": Joining(Side(and_check_left, and_goal_left), Side(and_check_right, and_goal_right), _whole),
    "PAR": Joining(Side(par_check_left, par_goal_left), Side(par_check_right, par_goal_right), _whole),
    "EQUALS": Joining(Side(equals_check_left, equals_goal_left), Side(equals_check_right, equals_goal_right), _second),
    "MEETS": Joining(Side(meets_check_left, meets_goal_left), Side(meets_check_right, meets_goal_right), _across),
    "FINISHES": Joining(
        Side(finishes_check_left, finishes_goal_left), Side(finishes_check_right, finishes_goal_right), _second
    ),
}
"""The operators of two operands; negation is in `negation.py`."""
