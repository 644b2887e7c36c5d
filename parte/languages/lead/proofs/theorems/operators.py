"""Lemmas on single constructs: the net of each finds what its formula says, whatever its operands match.

This is the step of an induction over patterns. The operands are arbitrary, but their number of matches is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from parte.languages.lead.proofs.operands import compared
from parte.proofs.lemma import HOLDS, IN_SOUND, REPAIRED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.symbolic import Claims, Run

_MACHINE = "parte.languages.lead.semantics"


@dataclass(frozen=True, slots=True)
class Construct:
    """A pattern over operands. Operands have names as streams do; a number stands for a match, and matches with the
    same number have the same event. `defects` of L make the lemma fail in `published`; it is empty if the
    lemma holds there too, and None if the lemma is about `sound` alone."""

    text: str
    operands: Mapping[str, Sequence[int]]
    rules: tuple[str, ...]
    section: str
    mutant: tuple[str, str, str, str]
    valued: bool = False
    every_schedule: bool = False
    defects: tuple[int, ...] | None = None

    @property
    def rule(self) -> str:
        """A rule with this pattern."""
        if self.text.startswith("FROM"):
            return self.text
        return f"FROM {', '.join(self.operands)} MATCH {self.text}"


CONSTRUCTS: dict[str, Construct] = {
    # Core operators
    "and": Construct(
        "X and Y",
        {"X": (0, 1), "Y": (1,)},
        ("AND", "ENABLE"),
        "3.3.1 (6)",
        ("store-nothing", "core:conjunction", "run.put(site.sides[side], token)", "pass"),
    ),
    "or": Construct(
        "X or Y",
        {"X": (0, 1), "Y": (1,)},
        ("OR", "ENABLE"),
        "3.3.1 (7)",
        ("alone-too", "core:disjunction", "if id(match) not in partners:", "if match is not None:"),
    ),
    "sequence": Construct(
        "X -> Y",
        {"X": (0, 1), "Y": (1,)},
        ("SEQ",),
        "3.3.1 (8)",
        ("from-its-start", "core:following", "match.end, names", "match.start, names"),
    ),
    "filter": Construct(
        "X FILTER (X.v < 3)",
        {"X": (0, 1)},
        ("FILTER",),
        "3.3 (1)",
        ("pass-all", "core:filtered", "if test.holds", "if True or test.holds"),
        valued=True,
    ),
    "none-until": Construct(
        "not X -> Y",
        {"X": (0, 1), "Y": (1,)},
        ("UNTIL", "ENABLE"),
        "3.3.1 (9)",
        ("blocked-by-its-own", "until:until", "if earlier.events.isdisjoint(match.events)]", "]"),
    ),
    "list-until": Construct(
        "collect(X) accept (X.v > 1) invalidate (count() > 0) -> Y",
        {"X": (0, 1), "Y": (1,)},
        ("UNTIL",),
        "3.3.1 (10)",
        ("any-list", "until:_ended", "if repetition.invalid(items):", "if repetition is None:"),
        valued=True,
    ),
    "last-until": Construct(
        "last(X) -> Y",
        {"X": (0, 1), "Y": (2,)},
        ("UNTIL",),
        "3.3.3 (15)",
        ("the-first", "until:_ended", "return before[-1]", "return before[0]"),
        every_schedule=True,
    ),
    # Repetition
    "collect": Construct(
        "collect(X) terminate (count() >= 2)",
        {"X": (0, 1, 2)},
        ("COLLECT",),
        "3.3.1 (10)",
        (
            "the-greatest-first",
            "repetition:_least",
            "item: order(match_of(item)))",
            "item: order(match_of(item)), reverse=True)",
        ),
    ),
    "collect-at-once": Construct(
        "collect(X) accept (X.v > 1) terminate (sum(l.v) < 2) AS l",
        {"X": (0, 1)},
        ("COLLECT",),
        "3.3.1 (10)",
        (
            "not-at-once",
            "repetition:collect",
            "_place(run, site, inner, ())",
            "run.put(site.lists, Token(inner, ((),)))",
        ),
        valued=True,
        every_schedule=True,
    ),
    "collect-with-conditions": Construct(
        "collect(X) accept (X.v > 0) terminate (count() >= 2) invalidate (sum(l.v) > 5) AS l",
        {"X": (0, 1)},
        ("COLLECT",),
        "3.3.1 (10)",
        ("accept-all", "repetition:collect", "if site.accepts(items, item):", "if item:"),
        valued=True,
    ),
    "collect-in-time": Construct(
        "FROM X, Z DEFINE TimeEvent t(Z.event_time + Z.v, Z.event_time + 3 ms) "
        "MATCH Z -> collect(X) terminate (!t or count() == 2)",
        {"Z": (0,), "X": (1,)},
        ("COLLECT",),
        "3.3.1 (10)",
        (
            "wait-after-the-end",
            "repetition:time_over",
            "instants.append(end if start",
            "instants.append(end + 1 if start",
        ),
        valued=True,
        every_schedule=True,
    ),
    "pick": Construct(
        "max(collect(X) terminate (count() >= 1), sum(X.v))",
        {"X": (0, 1)},
        ("PICK",),
        "3.3.3",
        ("the-least", "repetition:_best", "if site.pick.greatest", "if not site.pick.greatest"),
        valued=True,
        every_schedule=True,
    ),
    "pick-in-time": Construct(
        "FROM X, Z DEFINE TimeEvent t(Z.event_time, Z.event_time + 3 ms) "
        "MATCH Z -> min(collect(X) terminate (!t), sum(X.v))",
        {"Z": (0,), "X": (1,)},
        ("PICK",),
        "3.3.3",
        ("the-shortest", "repetition:_best", "-candidate[2]", "candidate[2]"),
        valued=True,
        every_schedule=True,
    ),
    # Time
    "within": Construct(
        "X within 3 ms",
        {"X": (0, 1)},
        ("WITHIN",),
        "3.3.2 (13)",
        (
            "never-over",
            "timing:within",
            "run.take_all(site.clock, token.activation)\n        run.close(token.activation)",
            "pass",
        ),
        every_schedule=True,
    ),
    "within-from-a-name": Construct(
        "Z -> X within 3 ms from Z",
        {"Z": (0,), "X": (1, 2)},
        ("WITHIN", "SEQ"),
        "3.3.2 (13)",
        ("a-moment-more", "timing:_begin", "run.due(site.timer, instant,", "run.due(site.timer, instant + 1,"),
    ),
    "none-within": Construct(
        "not X within 3 ms",
        {"X": (0, 1)},
        ("NOT",),
        "3.3.2 (13), 3.3.1 (9)",
        ("stop-nothing", "timing:_stop", "stopped = token.activation\n", "return\n"),
        every_schedule=True,
    ),
    "none-of-none-within": Construct(
        "not (not X within 2 ms) within 3 ms",
        {"X": (0,)},
        ("NOT",),
        "3.3.2 (13), 3.3.1 (9)",
        ("stop-nothing", "timing:_stop", "stopped = token.activation\n", "return\n"),
        every_schedule=True,
    ),
    "list-within": Construct(
        "collect(X) accept (count() < 1) within 3 ms",
        {"X": (0, 1)},
        ("COLLECT",),
        "3.3.2 (13), 3.3.1 (10)",
        ("accept-all", "repetition:collect", "if site.accepts(items, item):", "if item:"),
        every_schedule=True,
    ),
    "last-within": Construct(
        "last(X) within 3 ms",
        {"X": (0, 1)},
        ("LAST",),
        "3.3.2 (13), 3.3.3 (15)",
        ("the-first", "timing:last", "max(known, key", "min(known, key"),
        every_schedule=True,
    ),
    "wait": Construct(
        "wait(X, 3 ms)",
        {"X": (0, 1)},
        ("WAIT",),
        "3.3.2 (12)",
        ("its-own-end", "timing:wait", "ending(match_of(waiting), run.now)", "match_of(waiting)"),
        every_schedule=True,
    ),
    "wait-for-none": Construct(
        "wait(not X, 3 ms)",
        {"X": (0,)},
        ("NOT", "WAIT"),
        "3.3.2 (12), 3.3.1 (9)",
        ("stop-nothing", "timing:_stop", "stopped = token.activation\n", "return\n"),
        every_schedule=True,
    ),
    "wait-for-the-last": Construct(
        "wait(last(X), 3 ms)",
        {"X": (0, 1)},
        ("LAST", "WAIT"),
        "3.3.2 (12), 3.3.3 (15)",
        ("the-first", "timing:last", "max(known, key", "min(known, key"),
        every_schedule=True,
    ),
    "within-from": Construct(
        "X within 3 ms from Y",
        {"X": (0, 1), "Y": (1,)},
        ("WITHIN-FROM", "ENABLE"),
        "3.3.2 (13)",
        ("by-its-start", "timing:within_from", "match.end if run.repairs", "match.start if run.repairs"),
    ),
    "none-within-from": Construct(
        "(not X) within 3 ms from Y",
        {"X": (0, 1), "Y": (1,)},
        ("NOT", "SEQ"),
        "3.3.2 (13), 3.3.1 (9)",
        ("stop-nothing", "timing:_stop", "stopped = token.activation\n", "return\n"),
        every_schedule=True,
    ),
    # Policies
    "first": Construct(
        "first(X)",
        {"X": (0, 1, 2)},
        ("FIRST",),
        "3.3.3 (14)",
        ("the-greatest", "policies:first", "_present(run, token, site)[0]", "_present(run, token, site)[-1]"),
    ),
    "every": Construct(
        "every(X)",
        {"X": (0, 1, 1)},
        ("EVERY",),
        "3.3.3 (17)",
        (
            "once",
            "policies:every",
            "run.put(site.enable, Token(run.activation(before.parent, least.end",
            "(site.enable, Token(run.activation(before.parent, least.end",
        ),
    ),
    "all-consuming": Construct(
        "all(X -> Y) consume (Y)",
        {"X": (0, 1), "Y": (2,)},
        ("CONSUME",),
        "3.3.3 (18)",
        ("use-nothing", "policies:consume", "used |= parts\n", "pass\n"),
    ),
    "adjacent": Construct(
        "adj(X -> Y)",
        {"X": (0, 1), "Y": (2, 1)},
        ("ADJ", "UNTIL", "FIRST"),
        "3.3.3 (16)",
        ("the-first", "until:_ended", "return before[-1]", "return before[0]"),
    ),
    "adjacent-either-way": Construct(
        "adj(X and Y)",
        {"X": (0, 1), "Y": (2,)},
        ("ADJ", "UNTIL", "FIRST"),
        "3.3.3 (16)",
        ("as-found", "policies:adjacent", "names.index(binding[0])", "0"),
    ),
    # Sub-contexts
    "branches": Construct(
        "(collect(X) terminate (count() >= 2) AS l) Subcontext(i ==> l (MATCH first(Y within 3 ms))) AS m",
        {"X": (0, 1), "Y": (1,)},
        ("SUB",),
        "3.3.1 (11)",
        ("wait-for-none", "branches:_release", "if all(branch.over for branch in needed):", "if needed is not None:"),
    ),
    "branches-of-absence": Construct(
        "(collect(X) terminate (count() >= 1) AS l) Subcontext(i ==> l (MATCH first(not Y within 3 ms))) AS m",
        {"X": (0,), "Y": (1,)},
        ("SUB", "NOT"),
        "3.3.1 (11)",
        ("tell-nobody", "timing:_stop", "run.put(site.ruled_out, Token(stopped, None))", "pass"),
        every_schedule=True,
    ),
    "branches-disabled": Construct(
        "(collect(X) terminate (count() >= 1) AS l) "
        "Subcontext(i ==> l (MATCH first(Y within 3 ms))) terminate (ANY (l.v > 1)) AS m",
        {"X": (0,), "Y": (1,)},
        ("SUB",),
        "3.3.1 (11)",
        ("nothing-disables", "branches:_disabled", "if pattern.terminate is None:", "if pattern:"),
        valued=True,
    ),
}


def finds(run: Run, construct: Construct) -> Claims:
    """A construct, from its enabling until no guard is due."""
    both = compared(
        run, construct.rule, construct.operands, valued=construct.valued, every_schedule=construct.every_schedule
    )
    return (
        ("there are as many matches as the formula says", len(both.matches) == len(both.meant)),
        ("they are these", both.matches == both.meant),
    )


def _lemma(name: str, construct: Construct) -> Lemma:
    counts = ", ".join(f"{operand} with {len(numbers)}" for operand, numbers in construct.operands.items())
    numbers = [number for matches in construct.operands.values() for number in matches]
    shared = ", of which some may share an event" if len(set(numbers)) != len(numbers) else ""
    identity, place, before, after = construct.mutant
    schedules = "; every schedule" if construct.every_schedule else ""
    return Lemma(
        f"construct-{name}",
        f"The net of `{construct.text}` finds what the formula says, whatever its operands match.",
        construct.section,
        tuple(f"LEAD/{rule}" for rule in construct.rules),
        f"operands {counts} matches at any times{shared}; any durations and numbers{schedules}",
        partial(finds, construct=construct),
        Mutant(identity, f"{_MACHINE}.{place}", before, after),
        IN_SOUND if construct.defects is None else REPAIRED if construct.defects else HOLDS,
        construct.defects or (),
    )


LEMMAS = tuple(_lemma(name, construct) for name, construct in CONSTRUCTS.items())
