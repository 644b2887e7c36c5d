"""The use of goals (E §5, §6): which goals policies select, which are consumed, and which events are absent between
them.

Rules of two operands and of negation run unchanged, on a few events with arbitrary intervals in the order in which they
are taken, and are compared with the definition's equation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise, product

from parte.languages.etalis.algebra.patterns import Finding, is_pierced
from parte.languages.etalis.algebra.policies import POLICIES as EQUATIONS
from parte.languages.etalis.algebra.policies import Arrival, _Evaluation
from parte.languages.etalis.algebra.readings import USUAL
from parte.languages.etalis.proofs.settings import PLACE, Interval, goals_with, in_turn, interval, last_rule, program
from parte.languages.etalis.semantics.goals import Goals
from parte.languages.etalis.semantics.machine import _node
from parte.languages.etalis.semantics.negation import Blocks, not_block, not_check, not_goal, not_idle
from parte.languages.etalis.semantics.nodes import Settings
from parte.languages.etalis.semantics.policies import POLICIES, select
from parte.languages.etalis.semantics.rulebook import RULEBOOK
from parte.languages.etalis.semantics.syntax import tree
from parte.proofs.lemma import IN_SOUND, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.statements import at_most, before, every
from parte.proofs.symbolic import Body, Claims, Run, choice

Pairs = dict[tuple[object, ...], Interval]
"""The heads of pairs of events, by the numbers of the events."""


def _events(run: Run, count: int) -> list[Interval]:
    """Return events in the order in which they are taken."""
    events = [interval(run, f"event {number}") for number in range(count)]
    for first, second in pairwise(events):
        in_turn(run, first, second)
    return events


def _evaluation(policy: str) -> _Evaluation:
    return _Evaluation(program("e <- a."), {}, EQUATIONS[policy], USUAL, {})


def _arrivals(events: Iterable[tuple[int, Interval]], sides: Sequence[int], names: Sequence[str]) -> list[Arrival]:
    """Return events of sides as arrivals of the definition; each has its number as its value."""
    return [
        Arrival(
            (event.end, event.duration, 0, (2, 0, (), ""), ((0, number, ""),)),
            side,
            Finding(((names[side], number),), event.start, event.end),
        )
        for (number, event), side in zip(events, sides, strict=True)
    ]


# --- Selecting --------------------------------------------------------------------------------------------------------


def selected(run: Run, policy: str, count: int) -> Claims:
    """Goals that all fit, added one by one."""
    events, goals = _events(run, count), Goals()
    for number, event in enumerate(events):
        goals.add(*event, (number,), POLICIES[policy].shortest)
    taken = [goals.values[place][0] for place in select(range(count), POLICIES[policy].choice)]
    arrivals = _arrivals(enumerate(events), [0 for _ in events], ("X",))
    fitting = [(number, arrival.finding) for number, arrival in enumerate(arrivals)]
    meant = [number for number, _ in _evaluation(policy).selected(fitting, arrivals)]
    return (
        ("the goals are selected that the definition selects", sorted(map(str, taken)) == sorted(map(str, meant))),
        ("the goals are by their ends", every(at_most(earlier, later) for earlier, later in pairwise(goals.ends))),
    )


# --- Pairs under policies ---------------------------------------------------------------------------------------------

_JOINING = "e(X, Y) <- (a(X) AND a(X)) {} (b(Y) AND b(Y))."
_NEGATION = "e(X, Y) <- NOT((c AND c)).[(a(X) AND a(X)), (b(Y) AND b(Y))]."


def partners(run: Run, operator: tree.Operator, policy: str, count: int) -> Claims:
    """A rule of two operands whose events may have any length."""
    events = _events(run, count)
    sides = [choice(run, f"event {number} is", (0, 1)) for number in range(count)]
    node = _node(last_rule(_JOINING.format(operator.value)), Settings(POLICIES[policy]))
    heads: Pairs = {}
    passed = _passed(events)
    for number, (event, side) in enumerate(zip(events, sides, strict=True)):
        for head in node.arrive(side, (number,), *event):
            heads[head.arguments] = Interval(head.start, event.end)
        if number in passed:
            node.forget(event.end)
    arrivals = _arrivals(enumerate(events), sides, ("X", "Y"))
    two_sided = operator not in (tree.Operator.SEQ, tree.Operator.DURING, tree.Operator.STARTS)
    return (_alike(heads, _evaluation(policy).paired(arrivals, operator, two_sided)),)


def negations(run: Run, sides: Sequence[Sequence[int]], policies: Sequence[str]) -> Claims:
    """A negation whose ends and absent events may have any length."""
    policy, taken = choice(run, "policy", policies), choice(run, "first, absent, last", sides)
    events = _events(run, len(taken))
    node = _node(last_rule(_NEGATION), Settings(POLICIES[policy]))
    heads: Pairs = {}
    passed = _passed(events)
    for number, (event, side) in enumerate(zip(events, taken, strict=True)):
        for head in node.arrive(side, () if side == 1 else (number,), *event):
            heads[head.arguments] = Interval(head.start, event.end)
        if number in passed:
            node.forget(event.end)
    absent = [event.finding for event, side in zip(events, taken, strict=True) if side == 1]
    ends = [(number, event) for number, (event, side) in enumerate(zip(events, taken, strict=True)) if side != 1]
    arrivals = _arrivals(ends, [{0: 0, 2: 1}[side] for side in taken if side != 1], ("X", "Y"))
    return (_alike(heads, _evaluation(policy).paired(arrivals, None, False, absent)),)


def _passed(events: Sequence[Interval]) -> list[int]:
    """Return the last events of their instants: after these the machine drops goals."""
    later = [before(first.end, second.end) for first, second in pairwise(events)]
    return [number for number, over in enumerate(later) if over]


def _alike(heads: Pairs, meant: Iterable[Finding]) -> tuple[str, bool]:
    """Return the claim that the heads are those of the equation."""
    expected = {
        tuple(value for _, value in finding.assignment): Interval(finding.start, finding.end) for finding in meant
    }
    return ("there are the pairs that the equation says, over its intervals", heads == expected)


# --- Negation, step by step -------------------------------------------------------------------------------------------


def blocks(run: Run, count: int) -> Claims:
    """Absent events, of which some are dropped, and then a second end, for a goal that ended at any time."""
    events, stored = _events(run, count), Blocks()
    goal, least, second = (interval(run, name) for name in ("the goal", "the least", "the second end"))
    for event in events:
        not_block(stored, *event)
    stored.forget(least.start)
    run.assume(at_most(least.start, second.start))
    latest = stored.latest(second.start)
    pierced = is_pierced({}, goal.finding, second.finding, [event.finding for event in events])
    run.assume(before(goal.end, second.start))
    fits = not_goal(*goal) and PLACE in not_check(goals_with(goal), second.start, latest)
    return (("a goal fits just if nothing absent is between", fits is not pierced),)


def idle(run: Run, count: int) -> Claims:
    """Goals in two lists, and an absent event that is taken after them."""
    events = _events(run, count)
    absent, later = interval(run, "what is absent"), interval(run, "a later first end")
    second = interval(run, "the second end")
    lists = (Goals(), Goals())
    for number, event in enumerate(events):
        choice(run, f"goal {number} is in", lists).add(*event, (), False)
    run.assume(at_most(absent.end, later.end))
    there = [goals for goals in lists if goals.ends]
    nothing = not_idle(there, absent.start)
    pierces = [is_pierced({}, first_end.finding, second.finding, [absent.finding]) for first_end in (*events, later)]
    return (
        ("what is not kept is between no two events", not (nothing and any(pierces))),
        (
            "what is kept began after a goal had ended",
            nothing or any(before(event.end, absent.start) for event in events),
        ),
    )


# --- The lemmas -------------------------------------------------------------------------------------------------------

_HOME = "parte.languages.etalis.semantics"
_ENDING = ((0, 1, 2), (1, 0, 2))
"""First, absent and last, in the orders in which they may be taken; events after the last end make no difference."""
_ENDING_4 = tuple((*sides, 2) for sides in product((0, 1, 2), repeat=3) if 0 in sides and 1 in sides)


def _lemma(
    name: str, statement: str, section: str, rules: Sequence[str], scope: str, body: Body, mutant: tuple[str, str, str]
) -> Lemma:
    place, old, new = mutant
    identities = tuple(f"ETALIS/{rule}" for rule in rules)
    return Lemma(
        name, statement, section, identities, scope, body, Mutant("altered", f"{_HOME}.{place}", old, new), IN_SOUND
    )


_PAIRED: Sequence[tuple[tree.Operator, str, tuple[str, str, str]]] = (
    (
        tree.Operator.SEQ,
        "chronological-shortest",
        ("nodes:Joined.arrive", "if taken and self.policy.consuming:", "if False:"),
    ),
    (tree.Operator.AND, "recent-consuming", ("nodes:Joined.arrive", "(taken and self.policy.consuming) or not", "not")),
    (
        tree.Operator.PAR,
        "recent-consuming",
        ("operators:par_check_right", "_overlapping(goals, start, end)", "range(len(goals.ends))"),
    ),
    (
        tree.Operator.EQUALS,
        "chronological",
        ("operators:_equal", "goals.starts[place] == start", "goals.starts[place] >= start"),
    ),
    (
        tree.Operator.MEETS,
        "recent-consuming",
        ("nodes:Joined._pair", "self.rule.arguments(values + goal_values)", "self.rule.arguments(values)"),
    ),
    (tree.Operator.DURING, "chronological", ("operators:during_check", "if start < goals.starts[place]", "")),
    (
        tree.Operator.STARTS,
        "recent-consuming-shortest",
        ("operators:starts_check", "goals.starts[place] == start", "goals.starts[place] <= start"),
    ),
    (tree.Operator.FINISHES, "chronological", ("operators:finishes_goal_left", "return True", "return False")),
)

_ABSENT = ("NOT-GOAL", "NOT-BLOCK", "NOT-CHECK")

LEMMAS = (
    *(
        _lemma(
            f"selects-{policy}",
            f"Of goals that fit, `{policy}` takes those that the definition selects.",
            "6",
            ("SELECT",),
            "4 goals, any times",
            partial(selected, policy=policy, count=4),
            ("policies:select", "if choice is Choice.ALL or len(fitting) < 2:", "if choice is not Choice.ALL:")
            if policy == "unrestricted"
            else ("policies:select", "(fitting[-1],) if choice is Choice.LAST else (fitting[0],)", "fitting[1:2]"),
        )
        for policy in POLICIES
    ),
    *(
        _lemma(
            f"partners-under-{operator.value.lower()}",
            f"A rule with {operator.value} whose goals are used up makes the pairs that the equation says.",
            "5, 6",
            (
                "SELECT",
                *(
                    rule.local
                    for rule in RULEBOOK.values()
                    if rule.local.startswith((f"{operator.value}-CHECK", f"{operator.value}-GOAL"))
                ),
            ),
            f"`{policy}`, 3 events that are l or r, any times",
            partial(partners, operator=operator, policy=policy, count=3),
            mutant,
        )
        for operator, policy, mutant in _PAIRED
    ),
    _lemma(
        "negations-under-policies",
        "Under every policy a negation makes the pairs that the equation says.",
        "5, 6",
        (*_ABSENT, "NOT-IDLE", "SELECT"),
        f"{len(POLICIES)} policies; a first end and something absent in either order, and then a last end; any times",
        partial(negations, sides=_ENDING, policies=tuple(POLICIES)),
        ("negation:not_idle", "return not any(", "return True or any("),
    ),
    _lemma(
        "negations-of-four",
        "A negation makes the pairs that the definition says.",
        "5",
        (*_ABSENT, "NOT-IDLE"),
        "4 events, the last of them a last end, the others in any order; any times",
        partial(negations, sides=_ENDING_4, policies=("unrestricted",)),
        ("negation:not_check", "range(bisect_left(goals.ends, latest), ended)", "range(ended)"),
    ),
    _lemma(
        "negations-use-up",
        "A negation that uses up first ends makes the pairs that the equation says.",
        "5, 6",
        (*_ABSENT, "NOT-IDLE", "SELECT"),
        "2 first ends, something absent and 2 last ends in this order; any times; the policies that use up",
        partial(negations, sides=((0, 0, 1, 2, 2),), policies=("recent-consuming", "chronological")),
        ("nodes:Negated._ended", "if taken and self.policy.consuming:", "if False:"),
    ),
    _lemma(
        "what-is-absent-is-kept",
        "Of what is absent so much is kept, and no more forgotten, that a goal fits a later second end just if nothing "
        "absent is between.",
        "5, algorithm 5.4",
        _ABSENT,
        "3 that are absent and any number of goals, any times; something is forgotten before the second end",
        partial(blocks, count=3),
        ("negation:not_block", "blocks.starts[-1] < start", "blocks.starts[0] > start"),
    ),
    _lemma(
        "what-is-absent-is-idle",
        "What is absent and not kept is between no two events, and what is kept began after a goal had ended.",
        "5, algorithm 5.4",
        ("NOT-IDLE",),
        "3 goals in 2 lists, a later one, any times",
        partial(idle, count=3),
        ("negation:not_idle", "waiting.ends[0] < start", "waiting.ends[-1] < start"),
    ),
)
