"""The stored goals of a run (specification: etalis-forgetting): no goal is dropped that a later event fits or an answer
needs.

The lemmas assume that the events of an operand last no longer than `longest`; this is the step of an induction over the
rules, `lasting-at-most-*`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from parte.languages.etalis.algebra.patterns import joined, lasts
from parte.languages.etalis.algebra.readings import USUAL
from parte.languages.etalis.proofs.settings import Interval, during, earlier, in_turn, interval, last_rule, length
from parte.languages.etalis.semantics.binarisation import ending_at_most, lasting_at_most, shorter
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
    text = choice(run, "rule", ("e <- a.", "e <- (a).1.", "e <- a WHERE 1 < 2."))
    rule, event = last_rule(text), interval(run, "the event")
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
    limit, now = length(run, "the limit"), rational(run, "now")
    store = Store(limit, shortest=run.truth("shorter ones are later"))
    least = earlier(now, limit)
    for first, second in pairwise(goals):
        in_turn(run, first, second)
    for number, goal in enumerate(goals):
        store.add((choice(run, f"key {number}", (1, 2)),), *goal, (number,))
    store.forget(now)
    left = {number for goals_of_key in store.goals.values() for (number,) in goals_of_key.values}
    return [
        (
            "a goal stays just if it ended less than the limit ago",
            (number in left) is bool(before(least, goal.end)),
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
    heads = []
    for due in (-16, 16):
        rule = last_rule("e(X, Y) <- NOT((c AND c)).[(a(X) AND a(X)), (b(Y) AND b(Y))].")
        rule.operands[2].kind.longest = longest
        node = Negated(rule, Settings(POLICIES["unrestricted"]))
        derived: list[Made] = []
        for number, (side, event) in enumerate(zip(sides, events, strict=True)):
            node._swept = due
            derived += node.arrive(side, () if side == 1 else (number,), *event)
        heads.append(derived)
    return (("the second end meets the same first ends", heads[0] == heads[1]),)


_SIDES = ((0, 1, 1, 2), (0, 1, 0, 1, 2))
"""First ends, absent events and the last end, in the order in which they are taken."""


def seen(run: Run) -> Claims:
    """Three absent events, of which some are dropped, and a second end that begins no earlier than assumed."""
    events = [interval(run, f"event {number}") for number in range(3)]
    for first, second in pairwise(events):
        in_turn(run, first, second)
    all_blocks, some_blocks = Blocks(), Blocks()
    for event in events:
        not_block(all_blocks, *event)
        not_block(some_blocks, *event)
    least, start = rational(run, "the least"), rational(run, "the start of the second end")
    run.assume(at_most(least, start))
    some_blocks.forget(least)
    return (("the latest is the same", all_blocks.latest(start) == some_blocks.latest(start)),)


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
    all_blocks, some_blocks = Blocks(), Blocks()
    for event in events:
        not_block(all_blocks, *event)
        not_block(some_blocks, *event)
    least, goal, start = rational(run, "the least"), interval(run, "a goal"), rational(run, "a later start")
    run.assume(before(least, goal.end))
    goals = Goals()
    goals.add(*goal, (), shortest=False)
    some_blocks.forget_begun(least)
    checked = [list(not_check(goals, start, blocks.latest(start))) for blocks in (all_blocks, some_blocks)]
    return (("the second end meets the goal just if it did", checked[0] == checked[1]),)


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
        f"3 rules; {UNBOUNDED}: any times and lengths",
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
        "After an instant a store has just the goals that ended less than the limit ago.",
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
        "blocked-goals-are-dropped",
        "First ends that are dropped, for something absent is between them and all to come, are missed by none.",
        ("ETALIS/NOT-GOAL", "ETALIS/NOT-BLOCK"),
        "2 first ends, 2 that are absent and a second end, in 2 orders; any times and length that this lasts at most",
        swept,
        ("nodes:Negated._drop_blocked", "now - self._longest)", "now)"),
    ),
    _lemma(
        "absent-events-are-forgotten",
        "What is absent is forgotten only if something absent that is kept says as much of every later second end.",
        ("ETALIS/NOT-BLOCK", "ETALIS/NOT-CHECK"),
        "3 that are absent, any times",
        seen,
        ("negation:Blocks.forget", "self.ends[1] < least", "self.ends[1] <= least"),
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
