"""Suppression: a production node with `once` decides as the definition does, in whatever order its events come.

This is the step of an induction over the tokens of a run. Before it, the node has decided some events; of the last that
passed, `last`, it knows key and timestamp, or it has forgotten it, as the invariant allows. Others wait. Then a token
comes, and after that all that is still to come, of which `f` is one. The decisions of the node must be those of
the definition's fold over all these events. The fold sorts them first, so it depends on their set only, and neither on
the order of arrival nor on the bounds: so do the decisions. A decided event is never decided again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

from parte.algebra.partelang.suppression import suppressors
from parte.proofs.lemma import HOLDS, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import effect
from parte.proofs.statements import at_most, before, equal, every, implies
from parte.proofs.symbolic import Body, Claims, Run, choice
from parte.semantics.events.event import Event, Value
from parte.semantics.partelang import kernel
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.network import ProductionNode
from parte.semantics.partelang.rules.once import once_of
from parte.semantics.partelang.rules.registry import OURS, Data, Effect
from parte.semantics.partelang.suppression import Decision, OnceData, Passed
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.partelang.tokens import AlphaToken, BetaToken

_PROGRAM = """level 2
template A { k: Integer, l: Integer }
template E { k: Integer, l: Integer }
rule R where a: A then emit E at a.timestamp with { k = a.k, l = a.l } once per (k) in 1 ms
"""


@cache
def _parsed() -> core.Program:
    return parse(_PROGRAM)


def _emission(milliseconds: int) -> core.Emission:
    (emission,) = _parsed().rules[0].emissions
    assert emission.once is not None
    return replace(emission, once=replace(emission.once, milliseconds=milliseconds))


def _meant(milliseconds: int, events: Sequence[Event]) -> Mapping[str, str]:
    """Return the suppressed events by the definition, each with the one that passed before it."""
    once = _emission(milliseconds).once
    assert once is not None
    return suppressors(once, events)


def _node(milliseconds: int) -> ProductionNode:
    """Return the compiled production node, whose emissions are the events that come."""
    (rule,) = _parsed().rules
    program = replace(_parsed(), rules=(replace(rule, emissions=(_emission(milliseconds),)),))
    (node,) = (n for n in compile_program(program, {}, {"A": ("s",)}).nodes if isinstance(n, ProductionNode))
    return replace(node, generate_event=lambda events: events[0], generate_bound=lambda bounds: bounds[0])


def _event(run: Run, name: str, stranger: str = "") -> Event:
    """Return an event, with a key that only the `stranger` does not have. A further attribute is its own."""
    attributes: Mapping[str, Value] = {"k": int(name == stranger), "l": name}
    return Event(name, "E", run.integer(f"timestamp of {name}"), attributes, "R#1")


def _taken(run: Run, rule: str, node: ProductionNode, data: Data, token: BetaToken) -> Effect:
    result = effect(run, rule, node, data, token)
    assert result is not None
    return result


def _data(result: Effect) -> OnceData:
    assert isinstance(result.data, OnceData)
    return result.data


def _sent(result: Effect) -> list[AlphaToken]:
    return [token for token in result.tokens if isinstance(token, AlphaToken)]


def _id(decision: Decision) -> str:
    return decision.event.id


def decides(rule: str, waiting: str, arriving: str) -> Body:
    """A step with the given rule, while events wait, and then one with an event `f` and a bound that decides all."""

    def body(run: Run) -> Claims:
        milliseconds = run.integer("milliseconds")
        promised, bound, end = (run.integer(name) for name in ("promised", "arriving bound", "last bound"))
        stranger = choice(run, "the event with another key", ("none", *waiting, *arriving, "f"))
        last, f = _event(run, "last"), _event(run, "f", stranger)
        waits, comes = (
            [_event(run, name, stranger) for name in waiting],
            [_event(run, name, stranger) for name in arriving],
        )

        # The state before, as the invariant allows it, and the contract of the edge.
        forgotten = bool(arriving) or run.truth("last is forgotten")
        run.assume(before(0, milliseconds), before(last.timestamp, promised), at_most(promised, bound))
        run.assume(implies(forgotten, at_most(kernel.shifted(last.timestamp, milliseconds), promised)))
        run.assume(*(at_most(event.timestamp, following.timestamp) for event, following in pairwise(waits)))
        run.assume(*(at_most(promised, event.timestamp) for event in (*waits, *comes)), at_most(bound, f.timestamp))
        run.assume(*(before(event.timestamp, end) for event in (*waits, *comes, f)))

        # Both steps.
        node = _node(milliseconds)
        known = Passed({} if forgotten else {once_of(node).key(last): (last.timestamp, last.id)})
        first = _taken(run, rule, node, OnceData(tuple(waits), known), BetaToken((bound,), tuple(comes) or None))
        second = _taken(run, "PARTE/ONCE", node, first.data, BetaToken((end,), (f,)))

        everything = [*waits, *comes, f]
        decided, tokens = [*first.decided, *second.decided], [*_sent(first), *_sent(second)]
        suppressed = {decision.event.id: decision.by for decision in decided if decision.by is not None}
        passing = [decision.event for decision in decided if decision.by is None]
        claims = [
            ("each event is decided once", sorted(map(_id, decided)) == sorted(event.id for event in everything)),
            ("the definition suppresses these, by the same", suppressed == _meant(milliseconds, [last, *everything])),
            ("what passes is sent, in order", [token.payload for token in tokens if token.payload] == passing),
            ("what is decided is before the bound", every(before(of.event.timestamp, bound) for of in first.decided)),
            ("what waits is not", every(at_most(bound, event.timestamp) for event in _data(first).waiting)),
            ("the last bound is the node's", every(equal(token.bound, end) for token in tokens[-1:])),
        ]
        for token, following in pairwise(tokens):
            claims.append(("bounds do not decrease", at_most(token.bound, following.bound)))
            if following.payload is not None:
                claims.append(
                    ("a bound is true of what is sent next", at_most(token.bound, following.payload.timestamp))
                )
        return claims

    return body


# --- The lemmas -------------------------------------------------------------------------------------------------------

_ONCE = "parte.semantics.partelang.suppression"
_AT_THE_BOUND = Mutant(
    "decide-at-the-bound", f"{_ONCE}:decisions", "if event.timestamp >= bound:", "if event.timestamp > bound:"
)
_FORGETFUL = Mutant(
    "forget-what-passed", f"{_ONCE}:decisions", "last.get(key) or passed.events.get(key)", "last.get(key)"
)

LEMMAS = tuple(
    Lemma(
        f"suppression-{name}",
        "A production node with `once` decides once on each event before its bound, as the definition does on the set "
        "of all events, and sends in order what passes; what it forgets could suppress nothing any more.",
        OURS,
        (),
        f"any times and durations, 2 keys; the step of an induction: {what}, and one that comes later",
        decides(f"PARTE/{name}", waiting, arriving),
        mutant,
        HOLDS,
    )
    for name, waiting, arriving, what, mutant in (
        ("ONCE", "w", "e", "one event comes while one waits", _FORGETFUL),
        ("ONCE-BOTTOM", "w", "", "one event has passed, one waits", _AT_THE_BOUND),
    )
)
