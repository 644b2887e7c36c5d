"""The stored goals of a run (specification: etalis-forgetting): no goal is dropped that a later event fits or an answer
needs.

The lemmas assume that the events of an operand last no longer than `longest`; this is the step of an induction over the
rules, `lasting-at-most-*`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from parte.languages.etalis.algebra.patterns import is_pierced, joined, lasts
from parte.languages.etalis.algebra.readings import USUAL
from parte.languages.etalis.proofs.settings import (
    Interval,
    during,
    earlier,
    in_turn,
    interval,
    last_rule,
    length,
    program,
    varied,
)
from parte.languages.etalis.semantics.binarisation import binarised, ending_at_most, lasting_at_most, shorter
from parte.languages.etalis.semantics.goals import Goals, Store
from parte.languages.etalis.semantics.negation import Blocks, not_block, not_check
from parte.languages.etalis.semantics.nodes import Made, Negated, Settings, needed_at_most, reach, superseded_after
from parte.languages.etalis.semantics.operators import OPERATORS, and_check_right, seq_check
from parte.languages.etalis.semantics.policies import POLICIES, Choice, select
from parte.languages.etalis.semantics.syntax.tree import Operator
from parte.languages.etalis.semantics.syntax.values import Number
from parte.proofs.lemma import IN_SOUND, UNBOUNDED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.numbers import rational
from parte.proofs.statements import at_most, before, equal, every, some
from parte.proofs.symbolic import Body, Claims, Run, choice

_PATTERN = "e <- (a AND a) {} (b AND b)."


def _maybe(run: Run, name: str) -> Number | None:
    """Return a length that is not negative, or None."""
    return length(run, name) if run.truth(f"there is {name}") else None


def _within(run: Run, event: Interval, length: Number | None) -> None:
    """Assume that an event lasts no longer than a length, if there is one."""
    if length is not None:
        run.assume(at_most(event.duration, length))


def lengths(run: Run, operator: Operator) -> Claims:
    """Two events that fig. 2 joins, each within the known length of its kind."""
    rule = last_rule(_PATTERN.format(operator.value))
    events = interval(run, "l"), interval(run, "r")
    for event, operand, name in zip(events, rule.operands, ("l", "r"), strict=True):
        operand.kind.longest = _maybe(run, f"a length of {name}")
        _within(run, event, operand.kind.longest)
    head = joined(operator, events[0].finding, events[1].finding, during(run))
    longest = lasting_at_most(rule)
    if head is None or longest is None:
        return ()
    return (("the head lasts no longer than is said", at_most(Interval(*head).duration, longest)),)


def passing(run: Run) -> Claims:
    """An event that a rule of one operand passes on."""
    texts = ("e <- a.", "e <- (a).1.", "e <- a WHERE 1 < 2.", "e <- a OR b.")
    rules = [rule for text in texts for rule in binarised(program(text)).rules]
    rule, event = choice(run, "rule", rules), interval(run, "the event")
    (operand,) = rule.operands
    operand.kind.longest = _maybe(run, "a length")
    _within(run, event, operand.kind.longest)
    if rule.length is not None and not lasts(event.finding, rule.length, USUAL):
        return ()
    longest = lasting_at_most(rule)
    return (("it lasts no longer than is said", longest is None or at_most(event.duration, longest)),)


def unreached(run: Run, operator: Operator, side: int) -> Claims:
    """A goal of this side that its store drops after an instant, and an event of the other side that ends later."""
    goal, event, now = interval(run, "the goal"), interval(run, "the event"), rational(run, "now")
    longest = _maybe(run, "a length of l"), _maybe(run, "a length of r")
    run.assume(at_most(goal.end, now), before(now, event.end))
    _within(run, goal, longest[side])
    _within(run, event, longest[not side])
    store = Store(reach(operator.value, *longest)[side], shortest=False)
    store.add((), *goal, ())
    store.forget(now)
    left, right = (event, goal) if side else (goal, event)
    fits = joined(operator, left.finding, right.finding, during(run)) is not None
    return (("what is forgotten fits nothing later", len(store) == 1 or not fits),)


def unneeded(run: Run, operator: Operator) -> Claims:
    """A goal that a store drops, of a rule for events that no answer needs above some length."""
    goal, event, now = interval(run, "the goal"), interval(run, "the event"), rational(run, "now")
    policy = POLICIES[choice(run, "policy", tuple(POLICIES))]
    target = last_rule(_PATTERN.format(operator.value)).target
    horizon = target.horizon = length(run, "a length")
    run.assume(at_most(goal.end, now), before(now, event.end))
    store = Store(needed_at_most(target, policy, OPERATORS[operator.value].two_sided), shortest=False)
    store.add((), *goal, ())
    store.forget(now)
    left, right = choice(run, "the goal is", ((goal, event), (event, goal)))
    head = joined(operator, left.finding, right.finding, during(run))
    forgotten = len(store) == 0
    return (
        ("where the first goal is taken none is forgotten", policy.choice is not Choice.FIRST or not forgotten),
        (
            "what a forgotten goal would make is longer than any answer needs",
            head is None or not forgotten or before(horizon, Interval(*head).duration),
        ),
    )


def shorter_of(run: Run) -> Claims:
    """Two limits, each of which may be missing."""
    limits = [_maybe(run, name) for name in ("one limit", "another limit")]
    least, there = shorter(*limits), [limit for limit in limits if limit is not None]
    if least is None:
        return (("there is no limit if there was none", not there),)
    return (
        ("it is no greater than either", every(at_most(least, limit) for limit in there)),
        ("it is one of them", some(equal(least, limit) for limit in there)),
    )


def stored(run: Run, count: int) -> Claims:
    """Goals that are stored under two keys, and dropped at the end of an instant."""
    goals = [interval(run, f"goal {number}") for number in range(count)]
    limit, now, until = length(run, "the limit"), rational(run, "now"), _maybe(run, "a last end")
    store = Store(limit, run.truth("shorter ones are later"), until)
    least = earlier(now, limit)
    for first, second in pairwise(goals):
        in_turn(run, first, second)
    for number, goal in enumerate(goals):
        store.add((choice(run, f"key {number}", (1, 2)),), *goal, (number,))
    store.forget(now)
    left = {number for goals_of_key in store.goals.values() for (number,) in goals_of_key.values}
    return [
        (
            "a goal stays just if it ended less than the limit ago, and something may still end",
            (number in left) is (bool(before(least, goal.end)) and (until is None or bool(before(now, until)))),
        )
        for number, goal in enumerate(goals)
    ]


def superseded(run: Run, operator: str) -> Claims:
    """Goals under a policy that takes the last and does not consume it, and a later event within its known length."""
    policy = POLICIES[choice(run, "policy", ("recent", "shortest"))]
    longest = length(run, "a length of r")
    drop = superseded_after(operator, longest, policy)
    assert drop is not None
    goals, event = [interval(run, f"goal {number}") for number in range(3)], interval(run, "the event")
    all_goals, some_goals = Goals(), Goals()
    for first, second in pairwise((*goals, event)):
        in_turn(run, first, second)
    for number, goal in enumerate(goals):
        all_goals.add(*goal, (number,), policy.shortest)
        some_goals.add(*goal, (number,), policy.shortest)
        drop(some_goals, goal.end)
    _within(run, event, longest)
    check = seq_check if operator == "SEQ" else and_check_right
    taken = [
        [among.values[place] for place in select(check(among, *event, False), policy.choice)]
        for among in (all_goals, some_goals)
    ]
    return (("the event takes the same goal", taken[0] == taken[1]),)


def swept(run: Run) -> Claims:
    """First ends, absent events, and a second end within its known length; goals are dropped whenever an absent event
    arrives, or never."""
    longest, sides = length(run, "a length of the second end"), choice(run, "sides", _SIDES)
    events = [interval(run, f"event {number}") for number, _ in enumerate(sides)]
    for first, second in pairwise(events):
        in_turn(run, first, second)
    _within(run, events[-1], longest)
    last, due = events[-1], choice(run, "goals are dropped", (-16, 16))
    keys = [choice(run, f"key {number}", (1, 2)) for number, _ in enumerate(sides)] if sides is _SIDES[0] else []
    rule = last_rule(_KEYED if keys else _UNKEYED)
    rule.operands[2].kind.longest = longest
    node = Negated(rule, Settings(POLICIES["unrestricted"]))
    derived: list[Made] = []
    for number, (side, event) in enumerate(zip(sides, events, strict=True)):
        node._swept = due
        values: tuple[int, ...] = (number,)
        if keys:
            key = keys[number]
            values = (key,) if side == 1 else ({1: 2, 2: 1}[key], key)
        elif side == 1:
            values = ()
        derived += node.arrive(side, values, *event)
    alike = [number for number, _ in enumerate(sides) if not keys or keys[number] == keys[-1]]
    absent = [events[number].finding for number in alike if sides[number] == 1]
    meant = [
        events[number].start
        for number in alike
        if sides[number] == 0
        and before(events[number].end, last.start)
        and not is_pierced({}, events[number].finding, last.finding, absent)
    ]
    starts = [head.start for head in derived]
    return (("the second end meets the first ends that nothing absent parts from it", starts == meant),)


_UNKEYED = "e(X, Y) <- NOT((c AND c)).[(a(X) AND a(X)), (b(Y) AND b(Y))]."
_KEYED = "e(Y) <- NOT((c(Y) AND c(Y))).[(a(X, Y) AND a(X, Y)), (b(X, Y) AND b(X, Y))]."
_SIDES = ((0, 1, 1, 2), (0, 0, 1, 1, 2), (0, 1, 0, 1, 2), (0, 1, 1, 1, 2))
"""First ends, absent events and the last end, in the order in which they are taken; the first with keys."""


def dated(run: Run, operator: Operator) -> Claims:
    """Two events that fig. 2 joins, each of which ends no later than is known of its kind."""
    events = interval(run, "l"), interval(run, "r")
    untils = [_maybe(run, name) for name in ("a time when l is over", "a time when r is over")]
    for event, until in zip(events, untils, strict=True):
        if until is not None:
            run.assume(at_most(event.end, until))
    head = joined(operator, events[0].finding, events[1].finding, during(run))
    last = ending_at_most(operator.value, untils)
    if head is None or last is None:
        return ()
    return (("the head ends no later than is said", at_most(Interval(*head).end, last)),)


def begun(run: Run) -> Claims:
    """Three absent events, of which those that began too long ago are dropped, and a goal that may still be needed."""
    events = [interval(run, f"event {number}") for number in range(3)]
    for first, second in pairwise(events):
        in_turn(run, first, second)
    blocks, least, goal = Blocks(), rational(run, "the least"), interval(run, "a goal")
    for event in events:
        not_block(blocks, *event)
    run.assume(before(least, goal.end))
    goals, second_end = Goals(), interval(run, "a second end")
    goals.add(*goal, (), shortest=False)
    blocks.forget_begun(least)
    fitting = list(not_check(goals, second_end.start, blocks.latest(second_end.start)))
    absent = [event.finding for event in events]
    meant = before(goal.end, second_end.start) and not is_pierced({}, goal.finding, second_end.finding, absent)
    return (("the second end meets the goal just if nothing absent parts them", bool(fitting) is bool(meant)),)


_CLOSED = (
    "e <- j SEQ a. j <- i. i <- (a SEQ b).1.",
    "i <- (a SEQ b).1. j <- i. j <- j MEETS i. e <- a STARTS j.",
    "i <- (a SEQ b).1. j <- i. j <- (j PAR i).3. j <- (a SEQ a).2. e <- i DURING j. f <- j MEETS (a OR b).",
    "e <- NOT((c SEQ c).1).[(a EQUALS (a).2), (b OR 3)]. f <- ((a AND 4) PAR (a OR 5)) FINISHES (b STARTS (a).6).",
    "e <- (((a SEQ b).1 AND c).2 SEQ (a WHERE 1 < 2)).3. f <- (e).1. h <- f MEETS (f MEETS f).",
)
"""Programs with recursion and without, whose rules stand in any order."""


def closed(run: Run) -> Claims:
    """Every rule of a program whose lengths and moments are arbitrary."""
    parsed = varied(run, program(choice(run, "program", _CLOSED)))
    claims: list[tuple[str, bool]] = []
    for rule in binarised(parsed).rules:
        target, kinds = rule.target, [operand.kind for operand in rule.operands]
        last = ending_at_most(rule.operator, [kind.until for kind in kinds])
        parts = [kind for kind in kinds if kind.name is None and kind.moment is None]
        needed = [length for length in (rule.length, target.horizon) if length is not None]
        claims += [
            ("an event lasts no longer than its kind", _covers(target.longest, lasting_at_most(rule))),
            ("and ends no later", target.name is not None or _covers(target.until, last)),
            ("a moment is over when it happens", all(kind.moment in (None, kind.until) for kind in kinds)),
            ("a head is needed at any length", target.name is None or target.horizon is None),
            (
                "a part is needed as long as the whole, or as it may last",
                every(
                    kind.horizon is None or some(_covers(kind.horizon, length) for length in needed) for kind in parts
                ),
            ),
        ]
    return claims


def _covers(limit: Number | None, own: Number | None) -> bool:
    """Return whether a limit, if there is one, is not below another."""
    return limit is None or (own is not None and at_most(own, limit))


# --- The lemmas -------------------------------------------------------------------------------------------------------

_HOME = "parte.languages.etalis.semantics"
_SECTION = "5; 7"


def _lemma(
    name: str, statement: str, rules: Sequence[str], scope: str, body: Body, mutant: tuple[str, str, str]
) -> Lemma:
    place, old, new = mutant
    where = "parte.languages.etalis.algebra.patterns:joined" if place == "meaning" else f"{_HOME}.{place}"
    mutated = Mutant("altered", where, old, new)
    return Lemma(name, statement, _SECTION, tuple(rules), scope, body, mutated, IN_SOUND)


_LONG = {
    Operator.EQUALS: ("return shorter(*lengths)", "return 0"),
    Operator.DURING: ("return lengths[1]", "return lengths[0]"),
    Operator.STARTS: ("return lengths[1]", "return lengths[0]"),
    Operator.FINISHES: ("return lengths[1]", "return lengths[0]"),
    Operator.PAR: ("left + right", "max(left, right)"),
    Operator.MEETS: ("left + right", "max(left, right)"),
}
_REACH = {
    (Operator.DURING, 0): ("nodes:reach", "return right, None", "return 0, None"),
    (Operator.STARTS, 0): ("nodes:reach", "return right, None", "return 0, None"),
    (Operator.PAR, 0): ("nodes:reach", "return right, left", "return left, left"),
    (Operator.PAR, 1): ("nodes:reach", "return right, left", "return right, right"),
    (Operator.MEETS, 0): ("nodes:reach", "return right, 0", "return 0, 0"),
    (Operator.MEETS, 1): ("meaning", "if q2 == q3 else", "if q2 >= q3 else"),
    (Operator.EQUALS, 0): ("meaning", "(q1, q2) == (q3, q4)", "q1 == q3"),
    (Operator.EQUALS, 1): ("meaning", "(q1, q2) == (q3, q4)", "q1 == q3"),
    (Operator.FINISHES, 0): ("meaning", "q2 == q4 and q3 < q1", "q3 < q1"),
    (Operator.FINISHES, 1): ("meaning", "q2 == q4 and q3 < q1", "q3 < q1"),
    (Operator.SEQ, 0): ("nodes:reach", "return None, None", "return 0, 0"),
    (Operator.AND, 0): ("nodes:reach", "return None, None", "return 0, 0"),
    (Operator.AND, 1): ("nodes:reach", "return None, None", "return 0, 0"),
}
"""Mutants of the time for which goals are stored; of the definition, where nothing that ends later could fit."""
_LATE = {
    Operator.AND: ("return _longer(*untils)", "return shorter(*untils)"),
    Operator.PAR: ("return _longer(*untils)", "return shorter(*untils)"),
    Operator.SEQ: ("return untils[-1]", "return untils[0]"),
    Operator.FINISHES: ("return shorter(*untils)", "return 0"),
}
_EITHER = ("l", "r")


def _of(operator: Operator, side: int) -> str:
    return f"ETALIS/{operator.value}-GOAL" + (("-LEFT", "-RIGHT")[side] if OPERATORS[operator.value].two_sided else "")


_GOALS = tuple(
    _of(operator, side)
    for operator in (Operator.SEQ, Operator.AND, Operator.PAR, Operator.MEETS)
    for side in (0, 1)
    if OPERATORS[operator.value].two_sided or not side
)

LEMMAS = (
    *(
        _lemma(
            f"lasting-at-most-{operator.value.lower()}",
            f"If the operands of {operator.value} last no longer than is said, neither does what it makes.",
            ("ETALIS/TRIGGER",),
            f"{UNBOUNDED}: any times and lengths",
            partial(lengths, operator=operator),
            ("binarisation:lasting_at_most", *mutant),
        )
        for operator, mutant in _LONG.items()
    ),
    _lemma(
        "lasting-at-most-one",
        "If the operand of a rule of one operand lasts no longer than is said, neither does what it makes.",
        ("ETALIS/COPY", "ETALIS/WHERE", "ETALIS/LASTING"),
        f"5 rules; {UNBOUNDED}: any times and lengths",
        passing,
        ("binarisation:lasting_at_most", "return shorter(lengths[0], rule.length)", "return 0"),
    ),
    *(
        _lemma(
            f"forgotten-{_EITHER[side]}-of-{operator.value.lower()}",
            f"A goal of {_EITHER[side]} of {operator.value} that is forgotten fits nothing that ends later.",
            (_of(operator, side),),
            f"{UNBOUNDED}: any times; any lengths that the operands last at most, or none",
            partial(unreached, operator=operator, side=side),
            mutant,
        )
        for (operator, side), mutant in _REACH.items()
    ),
    *(
        _lemma(
            f"unneeded-goals-of-{operator.value.lower()}",
            f"What a goal of {operator.value} would make that is forgotten for a length above it is longer than that.",
            (_of(operator, 0),),
            f"{UNBOUNDED}: any times and lengths, {len(POLICIES)} policies",
            partial(unneeded, operator=operator),
            ("goals:Store.forget", "least = now - self.limit", "least = now"),
        )
        for operator in Operator
        if operator not in (Operator.OR, Operator.EQUALS, Operator.FINISHES)
    ),
    _lemma(
        "limits-are-the-shorter",
        "Of two limits the shorter counts, and one that is there before none.",
        _GOALS,
        f"{UNBOUNDED}: any limits",
        shorter_of,
        ("binarisation:shorter", "min(left, right)", "max(left, right)"),
    ),
    _lemma(
        "limits-are-kept",
        "After an instant a store has just the goals that ended less than the limit ago, unless what fits is over.",
        _GOALS,
        "3 goals under two keys; any times and limits",
        partial(stored, count=3),
        ("goals:Store.forget", "bisect_right(goals.ends, least)", "len(goals.ends)"),
    ),
    *(
        _lemma(
            f"superseded-goals-of-{operator.lower()}",
            f"Where the last goal is taken and not used up, a goal of {operator} that is dropped would not be taken.",
            rules,
            "3 goals and a later event, any times and lengths; `recent` and `shortest`",
            partial(superseded, operator=operator),
            mutant,
        )
        for operator, rules, mutant in (
            (
                "SEQ",
                ("ETALIS/SEQ-GOAL", "ETALIS/SELECT"),
                ("nodes:superseded_after", "goals.ends[1] < now - right", "goals.ends[1] <= now - right"),
            ),
            (
                "AND",
                ("ETALIS/AND-GOAL-LEFT", "ETALIS/AND-GOAL-RIGHT", "ETALIS/SELECT"),
                ("nodes:_last_only", "goals.drop(len(goals.ends) - 1)", "goals.drop(len(goals.ends))"),
            ),
        )
    ),
    _lemma(
        "limits-are-of-all-rules",
        "The limits of a kind, by which goals are dropped, are those of each of its rules: how long its events last, "
        "how late they end, and how long they are needed.",
        _GOALS,
        f"{len(_CLOSED)} programs, 2 of them with recursion; any lengths and moments",
        closed,
        ("binarisation:_measure", "(longest if count < _ROUNDS else None)", "longest"),
    ),
    _lemma(
        "blocked-goals-are-dropped",
        "A second end meets just the first ends that nothing absent parts from it, whenever goals are dropped.",
        ("ETALIS/NOT-GOAL", "ETALIS/NOT-BLOCK"),
        "1 or 2 first ends, 2 or 3 that are absent and a second end, in 4 orders, one of them with 2 keys; any times "
        "and length that the second end lasts at most",
        swept,
        ("nodes:Negated._drop_blocked", "now - self._longest)", "now)"),
    ),
    _lemma(
        "absent-events-before-goals",
        "What is absent is forgotten that began no later than goals ended that are forgotten, so lies behind none.",
        ("ETALIS/NOT-BLOCK", "ETALIS/NOT-CHECK"),
        "3 that are absent and a goal, any times",
        begun,
        ("negation:Blocks.forget_begun", "count = bisect_right(self.starts, least)", "count = len(self.starts)"),
    ),
    *(
        _lemma(
            f"nothing-ends-after-{operator.value.lower()}",
            f"If the operands of {operator.value} end no later than is said, neither does what it makes.",
            (_of(operator, 0),),
            f"{UNBOUNDED}: any times, and for each operand a time when it is over, or none",
            partial(dated, operator=operator),
            ("binarisation:ending_at_most", *mutant),
        )
        for operator, mutant in _LATE.items()
    ),
)
