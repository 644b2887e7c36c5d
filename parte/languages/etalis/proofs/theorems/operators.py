"""The operators that join two events (E §5): goals fit exactly as in fig. 2, over the same intervals."""

from __future__ import annotations

from functools import partial

from parte.languages.etalis.algebra.patterns import joined
from parte.languages.etalis.proofs.settings import PLACE, Interval, during, goals_with, in_turn, interval
from parte.languages.etalis.semantics.operators import OPERATORS
from parte.languages.etalis.semantics.syntax.tree import Operator
from parte.proofs.lemma import IN_SOUND, UNBOUNDED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.statements import at_most, before, equal
from parte.proofs.symbolic import Body, Claims, Run

_OPERATORS = "parte.languages.etalis.semantics.operators"
LEFT, RIGHT = 0, 1


def fits(run: Run, operator: Operator, side: int) -> Claims:
    """A goal of the other side, among any number of goals, and an event of this side that is taken after it."""
    goal, event, readings = interval(run, "the goal"), interval(run, "the event"), during(run)
    in_turn(run, goal, event)
    left, right = (goal, event) if side == RIGHT else (event, goal)
    meant = joined(operator, left.finding, right.finding, readings)
    head = _machine_interval(operator, side, goal, event, readings.during == "instants")
    if meant is None or head is None:
        return (("it fits just if the definition joins them", meant is None and head is None),)
    return (
        ("the head starts when the definition says", equal(head.start, meant[0])),
        ("the head ends when the definition says", equal(head.end, meant[1])),
        ("that is now", equal(event.end, meant[1])),
    )


def _machine_interval(
    operator: Operator, side: int, goal: Interval, event: Interval, instants: bool
) -> Interval | None:
    """Return the interval that the machine derives from a goal and an event, if the goal is stored and fits."""
    joining = OPERATORS[operator.value]
    here, there = (joining.right, joining.left) if side == RIGHT else (joining.left, joining.right)
    if here.check is None or there.keep is None or not there.keep(*goal, instants):
        return None
    if PLACE not in here.check(goals_with(goal), *event, instants):
        return None
    return Interval(*(joining.interval(*goal, *event) if side == RIGHT else joining.interval(*event, *goal)))


def heads(run: Run, operator: Operator) -> Claims:
    """Any two events that fig. 2 joins, under either reading."""
    left, right = interval(run, "l"), interval(run, "r")
    if joined(operator, left.finding, right.finding, during(run)) is None:
        return ()
    head = Interval(*OPERATORS[operator.value].interval(*left, *right))
    last = left.end if before(right.end, left.end) else right.end
    claims: list[tuple[str, bool]] = [
        ("a head starts before it ends, or then", at_most(head.start, head.end)),
        ("a head ends with what ends last", equal(head.end, last)),
        ("a head lasts no shorter than l", at_most(left.duration, head.duration)),
        ("a head lasts no shorter than r", at_most(right.duration, head.duration)),
    ]
    if operator is Operator.SEQ:
        claims.append(("a sequence lasts longer than l", before(left.duration, head.duration)))
        claims.append(("a sequence lasts longer than r", before(right.duration, head.duration)))
    return claims


# --- The lemmas -------------------------------------------------------------------------------------------------------


def _rule(operator: Operator, what: str, side: int) -> str:
    """Return the id of a check or a goal rule."""
    ending = ("-LEFT", "-RIGHT")[side] if OPERATORS[operator.value].two_sided else ""
    return f"ETALIS/{operator.value}-{what}{ending}"


def _mutant(name: str, function: str, before: str, after: str) -> Mutant:
    return Mutant(name, f"{_OPERATORS}:{function}", before, after)


def _meaning(name: str, before: str, after: str) -> Mutant:
    return Mutant(name, "parte.languages.etalis.algebra.patterns:joined", before, after)


_AFTER = {
    Operator.SEQ: _mutant("touching", "seq_check", "bisect_left(goals.ends, start)", "bisect_right(goals.ends, start)"),
    Operator.DURING: _mutant("instants", "during_goal", "instants or start < end", "True"),
    Operator.STARTS: _mutant(
        "starts-later", "starts_check", "goals.starts[place] == start", "goals.starts[place] >= start"
    ),
    Operator.AND: _mutant("not-now", "and_check_right", "len(goals.ends)", "bisect_left(goals.ends, end)"),
    Operator.PAR: _mutant(
        "touching", "_overlapping", "bisect_right(goals.ends, start)", "bisect_left(goals.ends, start)"
    ),
    Operator.EQUALS: _mutant("ends-alone", "_equal", "if goals.starts[place] == start", ""),
    Operator.MEETS: _mutant(
        "across-a-gap", "meets_check_right", "bisect_left(goals.ends, start), bisect_right", "bisect_right"
    ),
    Operator.FINISHES: _mutant("itself", "finishes_check_right", "start < goals.starts", "start <= goals.starts"),
}
"""Mutants of the steps for the second event when it comes last."""

_BEFORE = {
    Operator.SEQ: _meaning("touching", "q1, q4) if q2 < q3", "q1, q4) if q2 <= q3"),
    Operator.DURING: _meaning("no-end", "q3 < q1 and proper and q2 < q4", "q3 < q1 and proper"),
    Operator.STARTS: _meaning("no-end", "q1 == q3 and q2 < q4", "q1 == q3"),
    Operator.AND: _mutant("not-kept", "and_goal_right", "return True", "return start == end"),
    Operator.PAR: _mutant("not-kept", "par_goal_right", "return start < end", "return False"),
    Operator.EQUALS: _mutant("any", "equals_check_left", "_equal(goals, start, end)", "range(len(goals.ends))"),
    Operator.MEETS: _mutant("not-kept", "meets_goal_right", "start == end", "False"),
    Operator.FINISHES: _mutant(
        "as-long", "finishes_check_left", "goals.starts[place] < start", "goals.starts[place] <= start"
    ),
}
"""Mutants of the steps for the first event when it comes last; of the definition, where there are no steps."""

_HEADS = {
    Operator.SEQ: _mutant("second", "_across", "q1, q4", "q3, q4"),
    Operator.MEETS: _mutant("second", "_across", "q1, q4", "q3, q4"),
    Operator.AND: _mutant("later-start", "_whole", "min(q1, q3)", "max(q1, q3)"),
    Operator.PAR: _mutant("earlier-end", "_whole", "max(q2, q4)", "min(q2, q4)"),
    Operator.EQUALS: _mutant("backwards", "_second", "q3, q4", "q4, q3"),
    Operator.DURING: _mutant("first", "_second", "q3, q4", "q1, q2"),
    Operator.STARTS: _mutant("first", "_second", "q3, q4", "q1, q2"),
    Operator.FINISHES: _mutant("first", "_second", "q3, q4", "q1, q2"),
}
"""Mutants of intervals."""


def _lemma(kind: str, operator: Operator, statement: str, rules: tuple[str, ...], body: Body, mutant: Mutant) -> Lemma:
    name = operator.value.lower()
    return Lemma(kind.format(name), statement, "4, fig. 2; 5", rules, _SCOPE, body, mutant, IN_SOUND)


_SCOPE = f"{UNBOUNDED}: any rational times, any number of goals, either reading of DURING"

LEMMAS = (
    *(
        _lemma(
            "goals-{}-fit-r",
            operator,
            f"Under {operator.value} the goals of l that fit a later r are those that the definition joins with it, "
            "over the same interval, and none is missing that was not worth keeping.",
            (_rule(operator, "CHECK", RIGHT), _rule(operator, "GOAL", LEFT)),
            partial(fits, operator=operator, side=RIGHT),
            mutant,
        )
        for operator, mutant in _AFTER.items()
    ),
    *(
        _lemma(
            "goals-{}-fit-l",
            operator,
            f"Under {operator.value} the goals of r that fit a later l are those that the definition joins with it, "
            "over the same interval, and none is missing that was not worth keeping."
            if OPERATORS[operator.value].two_sided
            else f"Under {operator.value} the definition joins no l with an r that came before it.",
            (_rule(operator, "CHECK", LEFT), _rule(operator, "GOAL", RIGHT))
            if OPERATORS[operator.value].two_sided
            else (_rule(operator, "GOAL", LEFT),),
            partial(fits, operator=operator, side=LEFT),
            mutant,
        )
        for operator, mutant in _BEFORE.items()
    ),
    *(
        _lemma(
            "heads-of-{}-last",
            operator,
            f"What {operator.value} makes ends with what ends last, now, and lasts no shorter than l and r"
            + (", but longer." if operator is Operator.SEQ else "."),
            ("ETALIS/TRIGGER",),
            partial(heads, operator=operator),
            mutant,
        )
        for operator, mutant in _HEADS.items()
    ),
)
