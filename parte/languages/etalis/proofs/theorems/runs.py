"""Whole runs on small streams: the machine finds the results of the definition, for all times and values together.

The other lemmas are about single steps. Here binarisation, goals, policies, agenda and forgetting run unchanged, on
events of arbitrary types at arbitrary times with arbitrary values; lengths and moments of the text are arbitrary, too.
The streams are small, and the programs are fixed; together they have every operator and step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import partial
from itertools import repeat

from parte.languages.etalis.algebra.evaluation import evaluate
from parte.languages.etalis.algebra.readings import USUAL, Readings
from parte.languages.etalis.proofs.settings import program, stream, varied
from parte.languages.etalis.semantics.machine import Machine
from parte.languages.etalis.semantics.policies import POLICIES
from parte.proofs.lemma import IN_SOUND, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.numbers import rational
from parte.proofs.symbolic import Claims, Run, choice


@dataclass(frozen=True, slots=True)
class Shape:
    """A program, and the scope of its lemma: the number of events, their types, the number of values of each, and one
    of several policies and the readings."""

    text: str
    rules: tuple[str, ...]
    mutant: Mutant
    types: tuple[str, ...] = ("ab", "ab", "ab")
    values: int = 0
    policies: tuple[str, ...] = ("unrestricted",)
    readings: Readings = USUAL


def finds(run: Run, shape: Shape) -> Claims:
    """A run from the first event to the end."""
    changed = varied(run, program(shape.text))
    instants = stream(run, shape.types, rational, shape.values)
    read, policy = shape.readings, choice(run, "policy", shape.policies)
    meant = evaluate(changed, instants, read, policy)
    machine = Machine(changed, POLICIES[policy], read.lasting, read.negation, read.during)
    computed = list(machine.run(instants))
    return (("it finds what the definition says, each once and in order", computed == meant),)


# --- The lemmas -------------------------------------------------------------------------------------------------------

_HOME = "parte.languages.etalis.semantics"


def _mutant(place: str, before: str, after: str) -> Mutant:
    return Mutant("as-in-the-suite", f"{_HOME}.{place}", before, after)


_TWO, _FOUR = (tuple(repeat("ab", count)) for count in (2, 4))
_SELECTING = tuple(name for name in POLICIES if name != "unrestricted")
_ONE_OPERAND = ("COPY", "OR-LEFT", "OR-RIGHT")
_NEGATION = ("NOT-GOAL", "NOT-BLOCK", "NOT-IDLE", "NOT-CHECK")


def _both(operator: str) -> tuple[str, ...]:
    return tuple(f"{operator}-{what}-{side}" for what in ("CHECK", "GOAL") for side in ("LEFT", "RIGHT"))


SHAPES: Mapping[str, Shape] = {
    "seq": Shape(
        "e <- a SEQ b. f <- e SEQ a.",
        ("SEQ-CHECK", "SEQ-GOAL", "EVENT", "EACH"),
        _mutant("machine:for_each", "yield use, values", "yield use, values\n            return"),
        types=_FOUR,
    ),
    "and": Shape(
        "e <- a AND b.", _both("AND"), _mutant("operators:and_goal_left", "return True", "return start < end")
    ),
    "alternatives": Shape(
        "e <- (a OR b) SEQ b. f <- e OR a. g <- f.",
        (*_ONE_OPERAND, "UNIQUE", "TRIGGER"),
        _mutant("machine:trigger", "happened.add(happening)", "pass"),
    ),
    "heads-in-the-stream": Shape(
        "b <- a. e <- b SEQ a.",
        ("UNIQUE", "TRIGGER", "EVENT"),
        _mutant("machine:Machine._at", "self._happened.add((kind.rank, arguments, now))", "pass"),
    ),
    "par": Shape(
        "e <- (a SEQ a) PAR (b SEQ b).",
        _both("PAR"),
        _mutant("operators:par_check_left", "_overlapping(goals, start, end)", "()"),
        types=_FOUR,
    ),
    "equals": Shape(
        "e <- (a SEQ b) EQUALS (a AND b).",
        _both("EQUALS"),
        _mutant("operators:equals_goal_left", "return True", "return False"),
    ),
    "meets": Shape(
        "e <- (b OR (a SEQ b)) MEETS (a OR (b SEQ a)).",
        _both("MEETS"),
        _mutant("operators:meets_check_left", "== end", "> end"),
    ),
    "during": Shape(
        "e <- (a SEQ a) DURING (b SEQ b).",
        ("DURING-CHECK", "DURING-GOAL"),
        _mutant("operators:during_check", "start < goals", "start <= goals"),
        types=_FOUR,
    ),
    "during-instants": Shape(
        "e <- a DURING (b SEQ b).",
        ("DURING-CHECK", "DURING-GOAL"),
        _mutant("operators:during_goal", "instants or ", ""),
        readings=Readings(during="instants"),
    ),
    "starts": Shape(
        "e <- (a OR (a SEQ b)) STARTS (a SEQ a).",
        ("STARTS-CHECK", "STARTS-GOAL"),
        _mutant("operators:starts_goal", "return True", "return start < end"),
    ),
    "finishes": Shape(
        "e <- (a OR (a SEQ b)) FINISHES (a SEQ a).",
        _both("FINISHES"),
        _mutant("operators:finishes_goal_left", "return True", "return False"),
    ),
    "not": Shape(
        "e <- NOT(c).[a, b].",
        _NEGATION,
        _mutant("negation:not_check", "bisect_left(goals.ends, start)", "len(goals.ends)"),
        types=("a", "ac", "bc", "bc"),
    ),
    "not-intervals": Shape(
        "e <- NOT(c).[a, (b SEQ c)]. f <- NOT((a SEQ c)).[a, b].",
        _NEGATION,
        _mutant("negation:Blocks.latest", "bisect_left(self.ends, before)", "len(self.ends)"),
        types=("a", "abc", "bc", "bc"),
    ),
    "not-agreeing": Shape(
        "e(X) <- NOT(c(X)).[a(X), b(Y)].",
        _NEGATION,
        _mutant("nodes:Negated.__init__", "shared = set(absent.variables) & set(both)", "shared: set[str] = set()"),
        types=("a", "ac", "b"),
        values=1,
    ),
    "not-any": Shape(
        "e(X) <- NOT(c(Z)).[a(X), b(X)].",
        _NEGATION,
        _mutant("negation:not_idle", "not any(", "not all("),
        types=("a", "a", "c", "b"),
        values=1,
    ),
    "not-by-intervals": Shape(
        "e <- NOT(c).[(a SEQ b), b].",
        (*_NEGATION, "NOT-DECIDE"),
        _mutant("negation:not_decide", "pair not in pierced", "True"),
        types=("a", "b", "bc", "b", "b"),
        readings=Readings(negation="intervals"),
    ),
    "not-by-intervals-of-two": Shape(
        "e <- NOT(b).[a, (b SEQ c)].",
        (*_NEGATION, "NOT-DECIDE"),
        _mutant("nodes:Negated._undecided", "if self.at != now:", "if True:"),
        types=("a", "b", "b", "b", "c"),
        readings=Readings(negation="intervals"),
    ),
    "not-by-intervals-again": Shape(
        "e <- NOT(c).[a, j]. j <- u SEQ v. j <- x SEQ y.",
        (*_NEGATION, "NOT-DECIDE"),
        _mutant("nodes:Negated._undecided", "self.at, self.pierced = now, set()", "self.at = now"),
        types=("a", "u", "c", "x", "y", "v"),
        readings=Readings(negation="intervals"),
    ),
    "not-agreeing-with-both": Shape(
        "e(X, Y) <- NOT(c(X)).[a(X), b(Y)].",
        _NEGATION,
        _mutant(
            "nodes:Negated._fitting",
            "self._key_between(goals.values[place] + values)",
            "self._key_between(values + goals.values[place])",
        ),
        types=("a", "a", "c", "b"),
        values=1,
    ),
    "lengths-of-operands": Shape(
        "j <- b. j <- (a SEQ b).1. e <- a STARTS j.",
        ("STARTS-GOAL", "STARTS-CHECK", "LASTING"),
        _mutant("binarisation:_longer", "else max(left, right)", "else min(left, right)"),
    ),
    "lasting-not": Shape(
        "e <- (NOT(c).[a, b]).1.",
        (*_NEGATION, "LASTING"),
        _mutant("goals:Store.forget", "least = now - self.limit", "least = now"),
        types=("a", "b", "c", "b"),
    ),
    "lasting-not-again": Shape(
        "e <- (NOT(c).[a, b]).1.",
        (*_NEGATION, "LASTING"),
        _mutant("nodes:Negated.forget", "blocks.forget_begun(now - self.store.limit)", "blocks.forget_begun(now)"),
        types=("a", "c", "a", "c", "b"),
    ),
    "lasting": Shape(
        "e <- ((a SEQ b).1 AND b).2.",
        ("LASTING",),
        _mutant("nodes:lasting", "<= length", "< length"),
    ),
    "lasting-exactly": Shape(
        "e <- (a SEQ b).1.",
        ("LASTING",),
        _mutant("nodes:lasting", "end - start == length if exactly else ", ""),
        readings=Readings(lasting="exactly"),
    ),
    "moments": Shape(
        "e <- 1 OR (2 SEQ a).",
        ("TIME",),
        _mutant("machine:Machine.end", "list(self._due(None))", "[]"),
        types=("a", "a"),
    ),
    "moments-absent": Shape(
        "e <- NOT(1).[a, b].", ("TIME", *_NEGATION), _mutant("machine:time", "return moments", "return ()"), types=_TWO
    ),
    "moments-or-others": Shape(
        "e <- b AND (a OR 1).",
        ("TIME", *_both("AND")),
        _mutant("binarisation:_date", "_longer(target.until, last) if target.order in dated else last", "last"),
        types=_TWO,
    ),
    "where": Shape(
        "e(X, Y) <- a(X) SEQ b(Y) WHERE X < Y.",
        ("WHERE",),
        _mutant("nodes:where", "is Truth.TRUE", "is not Truth.FALSE and False"),
        values=1,
    ),
    "agreeing": Shape(
        "e(X) <- a(X) AND b(X).",
        ("AND-CHECK-LEFT", "AND-CHECK-RIGHT", "EACH"),
        _mutant("nodes:Joined.arrive", "self._keys[side](values)", "()"),
        types=_TWO,
        values=1,
    ),
    "agreeing-in-another-order": Shape(
        "e(X, Y) <- a(X, Y) SEQ b(Y, X).",
        ("SEQ-CHECK", "SEQ-GOAL", "EACH"),
        _mutant("nodes:_shared", "for name in sorted(set(left) & set(right))", "for name in left if name in right"),
        types=("a", "b"),
        values=2,
    ),
    "agreeing-elsewhere": Shape(
        "e(X) <- a(X, Y) AND b(Z, X).",
        ("AND-CHECK-LEFT", "AND-CHECK-RIGHT", "EACH"),
        _mutant("nodes:Joined.arrive", "self._keys[side](values)", "self._keys[1 - side](values)"),
        types=_TWO,
        values=2,
    ),
    "twice": Shape(
        "e(X) <- a(X, X) SEQ a(X, Y).",
        ("EACH",),
        _mutant("binarisation:_matching", "if arguments[place] != arguments[earlier]:", "if False:"),
        types=("a", "a"),
        values=2,
    ),
    "recursion": Shape(
        "e <- a. e <- e SEQ a.",
        ("TRIGGER", "UNIQUE", "COPY", "SEQ-CHECK"),
        _mutant("machine:unique", "happening not in happened", "not happened"),
        types=("a", "a", "a"),
    ),
    "sums": Shape(
        "e(X) <- a(X). e(X + Y) <- e(X) SEQ b(Y).",
        ("TRIGGER", "UNIQUE"),
        _mutant("binarisation:_calculated", "value = term(values)", "value = values[0]"),
        types=("a", "b", "b"),
        values=1,
    ),
    "recursion-through-not": Shape(
        "e <- NOT(e).[a, a].",
        (*_NEGATION, "TRIGGER"),
        _mutant("negation:not_idle", "return not any(", "return True or any("),
        types=("a", "a", "a", "a"),
    ),
    "policies-seq": Shape(
        "e <- (a OR (a SEQ a)) SEQ b.",
        ("SELECT", "SEQ-CHECK", "SEQ-GOAL"),
        _mutant("policies:select", "else (fitting[0],)", "else (fitting[-1],)"),
        types=("a", "a", "ab", "b"),
        policies=_SELECTING,
    ),
    "policies-and": Shape(
        "e <- a AND (a OR b).",
        ("SELECT", *_both("AND")),
        _mutant("nodes:Joined.arrive", "(taken and self.policy.consuming) or not", "not"),
        policies=_SELECTING,
    ),
    "policies-not": Shape(
        "e <- NOT(c).[(a OR (a SEQ a)), b].",
        ("SELECT", *_NEGATION),
        _mutant("nodes:Negated._ended", "if taken and self.policy.consuming:", "if False:"),
        types=("a", "ac", "b", "b"),
        policies=_SELECTING,
    ),
    "policies-not-agreeing": Shape(
        "e(X) <- NOT(c(X)).[a(X), b(Y)].",
        ("SELECT", *_NEGATION),
        _mutant("nodes:Negated.__init__", "if uniform else None", "if self._longest is not None else None"),
        types=("a", "a", "a", "c", "b"),
        values=1,
        policies=("recent",),
    ),
    "policies-itself": Shape(
        "e(X, Y) <- a(X) AND a(Y).",
        ("SELECT", "EACH", *_both("AND")),
        _mutant("machine:for_each", "in uses", "in reversed(uses)"),
        types=("a", "a"),
        values=1,
        policies=_SELECTING,
    ),
    "policies-order": Shape(
        "e <- ((a SEQ a) OR (a AND a)) SEQ b.",
        ("SELECT", "EACH", "TRIGGER"),
        _mutant("machine:Machine._put", "(self._now - start, kind.rank", "(0, 0"),
        types=("a", "a", "b"),
        policies=_SELECTING,
    ),
    "policies-strata": Shape(
        "e(X, Y) <- b(X) AND f(Y). f(X) <- a(X).",
        ("SELECT", "EACH", "COPY", *_both("AND")),
        _mutant("binarisation:_stratify", "1 + max(strata, default=0)", "-1 - max(strata, default=0)"),
        types=("a", "b", "b"),
        values=1,
        policies=("recent-consuming", "chronological"),
    ),
    "policies-agreeing": Shape(
        "e(X) <- a(X) SEQ b(X).",
        ("SELECT", "SEQ-CHECK", "SEQ-GOAL"),
        _mutant("goals:Store.consume", "goals = self.goals[key]", "goals = next(iter(self.goals.values()))"),
        types=("a", "a", "b", "b"),
        values=1,
        policies=("recent-consuming",),
    ),
    "policies-values": Shape(
        "e(X) <- a(X) SEQ b(Y).",
        ("SELECT", "SEQ-CHECK", "SEQ-GOAL"),
        _mutant("machine:Machine._put", "rank(value) for value", "(-rank(value)[0], -rank(value)[1]) for value"),
        types=("a", "a", "b"),
        values=1,
        policies=("recent", "chronological"),
    ),
    "policies-where": Shape(
        "e(X) <- (a(X) WHERE X > 1) SEQ b(Y).",
        ("SELECT", "WHERE"),
        _mutant("nodes:where", "is Truth.TRUE", "is not Truth.FALSE and False"),
        types=("a", "a", "b"),
        values=1,
        policies=("recent", "chronological"),
    ),
    "policies-moments": Shape(
        "e <- a AND (1 OR 2).",
        ("SELECT", "TIME"),
        _mutant("machine:time", "return moments", "return ()"),
        types=("a", "a"),
        policies=("recent", "chronological"),
    ),
    "policies-lasting": Shape(
        "e <- (a SEQ b).1.",
        ("SELECT", "LASTING", "SEQ-GOAL"),
        _mutant("nodes:needed_at_most", "policy.choice is not Choice.FIRST", "True"),
        types=("a", "a", "b", "b"),
        policies=("recent", "chronological"),
    ),
}


def _lemma(name: str, shape: Shape) -> Lemma:
    usual = shape.readings == USUAL
    varied = {
        f"{len(shape.types)} events of types {', '.join(dict.fromkeys(''.join(shape.types)))} at any times": True,
        f"{shape.values} values each, any whole numbers": bool(shape.values),
        "any moments and lengths": any(character.isdigit() for character in shape.text),
        f"the policies {', '.join(shape.policies)}": shape.policies != ("unrestricted",),
        "the reading " + ", ".join(_unusual(shape.readings)): not usual,
    }
    return Lemma(
        f"runs-{name}",
        f"A run of `{shape.text}` finds exactly what the definition says.",
        "4, 5" if shape.policies == ("unrestricted",) else "4, 5, 6",
        tuple(f"ETALIS/{rule}" for rule in shape.rules),
        "; ".join(what for what, there in varied.items() if there),
        partial(finds, shape=shape),
        shape.mutant,
        IN_SOUND,
    )


def _unusual(readings: Readings) -> Iterator[str]:
    for field in fields(readings):
        if (chosen := getattr(readings, field.name)) != getattr(USUAL, field.name):
            yield f"`{field.name}={chosen}`"


LEMMAS = tuple(_lemma(name, shape) for name, shape in SHAPES.items())
