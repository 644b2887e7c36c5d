"""Upward sets: what is true of some events of a set stays true, so that a match may be reported early.

A set-node whose conditions are `upward` reports a partial match as soon as its conditions are true of the events that
have come (specification: moments). Here they are, by the machine, true of a part of a set, and more events come: by the
definition they are true of the whole, and the rule emits the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from parte.algebra.partelang.aggregates import in_place_of_event
from parte.algebra.partelang.evaluate import holds
from parte.checker.solver.verdict import Verdict
from parte.proofs.lemma import SOUND, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.numbers import decided
from parte.proofs.symbolic import Body, Claims, Run, choice
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Event, Value
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.expressions import COMPARISONS
from parte.semantics.partelang.network import Network, ProductionNode, TwoInputNode
from parte.semantics.partelang.rules.registry import OURS
from parte.semantics.partelang.syntax import core, parse

_INTEGER = core.Scalar.INTEGER


@cache
def _program(at: str, value: str) -> core.Program:
    return parse(
        f"""level 2
        template A {{ k: Integer }}
        template T {{ k: Integer? }}
        template E {{ n: Integer }}
        predicate P(Integer)
        rule R where a: A, all v: T, all w: T when v in a [0 ms, 1 ms] w in a [0 ms, 1 ms] having exists(v) exists(w)
        then emit E at {at} with {{ n = {value} }}
        """
    )


def _network(run: Run, having: Sequence[core.Expression], at: str = "a.timestamp", value: str = "a.k") -> Network:
    program = _program(at, value)
    (rule,) = program.rules
    program = replace(program, rules=(replace(rule, having=tuple(having)),))
    return compile_program(program, _domain(run), {"A": ("s",), "T": ("s",)})


def _domain(run: Run) -> Predicates:
    return {"P": lambda _: bool(run.truth("P of a"))}


def _set_node(network: Network) -> TwoInputNode:
    (node,) = (node for node in network.nodes if isinstance(node, TwoInputNode) and node.right == "v")
    return node


def _element(run: Run, name: str, lacking: str) -> Event:
    attributes: dict[str, Value] = {} if name == lacking else {"k": decided(run, f"k of {name}")}
    return Event(name, "T", decided(run, f"timestamp of {name}"), attributes, "s")


def stays(run: Run, condition: core.Expression) -> Claims:
    """If the set is upward with a condition in `having`: what is true of one event is true with one more."""
    node = _set_node(_network(run, (condition,)))
    if not node.gathering.upward or "v" not in core.variables_of(condition):
        return ()
    lacking = choice(run, "the event without k", ("none", "one", "more"))
    elements = [_element(run, name, lacking) for name in ("one", "more")]
    a = Event("a", "A", run.integer("timestamp of a"), {"k": 1}, "s")
    early = node.gathering.holds((a, node.gathering.summarize(elements[:1], run.integer("opens"))))
    sets = {"v": in_place_of_event(frozenset(elements)), "w": in_place_of_event(frozenset())}
    meant = holds(condition, frozenset({"a": a, **sets}.items()), _domain(run))
    return (("what is true of some events is true of more, by the definition", meant or not early),)


# --- Aggregates -------------------------------------------------------------------------------------------------------


def _aggregate(function: str, attribute: str | None = None, *, distinct: bool = False) -> core.Aggregate:
    return core.Aggregate(function, "v", attribute, distinct, _INTEGER)


_FORMS: tuple[core.Expression, ...] = (
    _aggregate("count"),
    core.ToFloat(_aggregate("count")),
    _aggregate("count", "k"),
    _aggregate("count", "k", distinct=True),
    *(_aggregate(function, "k") for function in ("min", "max", "first", "last")),
    *(_aggregate(function, "timestamp") for function in ("min", "max")),
)


def compared(run: Run) -> Claims:
    """An aggregate is compared with a number, by any operator, on either side, or with another aggregate."""
    number = core.Constant(decided(run, "number"), _INTEGER)
    form, sign = choice(run, "aggregate", _FORMS), choice(run, "operator", tuple(COMPARISONS))
    sides = choice(run, "sides", ((form, number), (number, form), (form, _aggregate("count"))))
    return stays(run, core.Comparison(sign, *sides))


def summed(run: Run) -> Claims:
    """A sum or an average may rise and fall with one event more: no comparison with it is upward."""
    number = core.Constant(decided(run, "number"), _INTEGER)
    form, sign = (
        choice(run, "aggregate", (_aggregate("sum", "k"), _aggregate("avg", "k"))),
        choice(run, "operator", tuple(COMPARISONS)),
    )
    upward = _set_node(_network(run, (core.Comparison(sign, form, number),))).gathering.upward
    return (("it is not upward", not upward),)


# --- Connectives ------------------------------------------------------------------------------------------------------


def connected(run: Run) -> Claims:
    """Two conditions are joined, or one is negated; some are upward, others not, or mention no set or another one."""
    exists, number = _aggregate("exists"), core.Constant(decided(run, "number"), _INTEGER)
    conditions: tuple[core.Expression, ...] = (
        exists,
        core.Comparison(">", _aggregate("max", "k"), number),
        core.Comparison("<", _aggregate("count"), number),
        core.Presence(_aggregate("max", "k"), False),
        core.Aggregate("exists", "w", None, False, core.Scalar.BOOLEAN),
        core.PredicateCall("P", (core.AttributeOf("a", "k", _INTEGER),)),
    )
    condition, another = choice(run, "condition", conditions), choice(run, "another condition", conditions)
    joined: tuple[core.Expression, ...] = (
        core.Not(condition),
        *(core.Compound(word, (condition, another)) for word in ("and", "or")),
    )
    return stays(run, choice(run, "connective", joined))


# --- Emissions --------------------------------------------------------------------------------------------------------


def emits_alike(run: Run) -> Claims:
    """If the set is upward, the rule emits the same with one event more."""
    ats, values = ("a.timestamp", "min(v.timestamp)", "max(v.timestamp)"), ("a.k", "count(v)")
    network = _network(run, (_aggregate("exists"),), choice(run, "at", ats), choice(run, "value", values))
    gathering = _set_node(network).gathering
    if not gathering.upward:
        return ()
    (production,) = (node for node in network.nodes if isinstance(node, ProductionNode))
    elements = [_element(run, name, "none") for name in ("one", "more")]
    opens, a = run.integer("opens"), Event("a", "A", 0, {"k": 1}, "s")
    summaries = [gathering.summarize(some, opens) for some in (elements[:1], elements)]
    early, late = (production.generate_event((a, summary, summaries[0])) for summary in summaries)
    return (("the emission is the same", early == late),)


# --- The lemmas -------------------------------------------------------------------------------------------------------

_SUMMARIES = "parte.semantics.partelang.summaries"
_ONE_MORE = "1 event and one more, with any values or none, at any times"
_PAIR = "(side.function, operator) in _UPWARD"


def _lemma(name: str, statement: str, scope: str, body: Body, mutant: Mutant) -> Lemma:
    return Lemma(f"moments-{name}", statement, OURS, (), scope, body, mutant, {SOUND: Verdict.PROVED})


LEMMAS = (
    _lemma(
        "aggregates",
        "Where a set is upward by a comparison of an aggregate with a number, and the machine finds it true of some of "
        "its events, it is true by the definition with one event more.",
        f"every aggregate but sums and averages, every operator, either side, or another aggregate; {_ONE_MORE}",
        compared,
        Mutant("whatever-the-operator", f"{_SUMMARIES}:_pair", _PAIR, 'side.function in ("count", "min", "max")'),
    ),
    _lemma(
        "sums",
        "No comparison with a sum or an average is upward.",
        "every operator",
        summed,
        Mutant("sums-grow", f"{_SUMMARIES}:_pair", _PAIR, f'({_PAIR} or side.function == "sum")'),
    ),
    _lemma(
        "connectives",
        "Where a set is upward by conditions joined by `and`, `or` or `not`, and the machine finds them true of some "
        "of its events, they are true by the definition with one event more.",
        f"one connective, the step of an induction; {_ONE_MORE}",
        connected,
        Mutant(
            "any-of-them",
            f"{_SUMMARIES}:_grows",
            "return all(map(_grows, operands))",
            "return any(map(_grows, operands))",
        ),
    ),
    _lemma(
        "emissions",
        "Where a set is upward, a rule emits the same with one event more.",
        f"`at` and `with` with and without aggregates; {_ONE_MORE}",
        emits_alike,
        Mutant(
            "values-aside",
            f"{_SUMMARIES}:is_upward",
            "for expression in (*emitted, *values)",
            "for expression in emitted",
        ),
    ),
)
