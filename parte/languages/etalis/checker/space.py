"""What a run must keep, with streams over which it grows where nothing bounds it (specification: etalis-kept)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from parte.checker.report.collecting import Decision
from parte.checker.report.contents import Json
from parte.checker.solver import terms
from parte.checker.solver.clock import Undecided
from parte.checker.solver.terms import Formula
from parte.languages.etalis.checker.replay import Event, instants_of, machine, probe, trace
from parte.languages.etalis.checker.stores import Store, stores
from parte.languages.etalis.checker.unfolding import Unfolding
from parte.languages.etalis.checker.work import Asked, Called, Shown, Work, happens
from parte.languages.etalis.semantics.machine import TooManyEvents
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.printer import pattern_text
from parte.languages.etalis.semantics.syntax.values import Number, NumberTooLarge, number, value_to_json

SIZES = 8, 16, 32
"""How often what makes something grow is repeated."""

MOST = 60
"""So many things that are kept are looked into."""

STEPS = 100_000
"""A run that is measured may make so many events, those of subpatterns included."""


def check_space(work: Work) -> None:
    """Say what is kept of each operand, and find what grows with the stream."""
    for place, store in enumerate(stores(work.program, work.binarised, work.policy, work.readings)):
        what = f"whether what is kept of {store.name} is bounded"
        called = Called(store.name)
        with (
            work.found.deciding("bounded-space", called) as decision,
            work.undecided("unbounded-goals", store.operand.span, what),
        ):
            decision.detail = "; ".join([store.told(), *store.why])
            decision.evidence |= _figures(store)
            if not store.bounded:
                if place >= MOST:
                    raise Undecided(f"no more than {MOST} are looked into")
                _grows(work, store, decision)


def _figures(store: Store) -> dict[str, Json]:
    """For `--json`."""

    def written(value: Number | None) -> Json:
        return None if value is None else value_to_json(value)

    return {
        "operand": pattern_text(store.operand),
        "rule": store.rule.head.name,
        "node": store.node,
        "side": store.side,
        "absent": store.absent,
        "forgotten after": written(store.age),
        "lasting at most": written(store.most),
        "only the last": store.last,
        "and what ended before it by": written(store.slack),
        "for each": list(store.keys),
    }


# --- What grows -------------------------------------------------------------------------------------------------------


def _grows(work: Work, store: Store, decision: Decision) -> None:
    streams = list(_words(work, store))
    if not streams or any(word is None for word in streams):
        decision.detail = "nothing of it is ever kept"
        decision.evidence["nothing"] = True
        return
    once, repeated = [tuple(word or ()) for word in streams]
    families = [tuple(_family(once, repeated, size, _apart(repeated))) for size in SIZES]
    counts = [_kept(work, store, family) for family in families]
    if any(count is None for count in counts):
        raise Undecided("a run over what would make it grow has no end")
    found = [count or 0 for count in counts]
    if any(count < size for count, size in zip(found, SIZES, strict=True)):
        raise Undecided("nothing bounds it, and it does not grow on the streams that were tried")
    replayed: list[Json] = [
        {"n": size, "found": count, "events": len(family)}
        for size, count, family in zip(SIZES, found, families, strict=True)
    ]
    told = ", ".join(f"{count} after {size} times" for count, size in zip(found, SIZES, strict=True))
    work.found.find(
        "unbounded-goals",
        store.operand.span,
        f"what is kept of `{pattern_text(store.operand)}` grows with the stream",
        rule=Called(store.name),
        reason=[*_waits(store, work.policy), f"repeat the stream given as evidence: the machine keeps {told}"],
        hint=_hint(store, work),
        evidence={
            "node": store.node,
            "side": store.side,
            "absent": store.absent,
            "replayed": replayed,
            "once": trace(once),
            "repeated": trace(repeated),
            "trace": trace(families[0]),
        },
    )


def _other(store: Store) -> tree.Pattern:
    """What an operand waits for."""
    if isinstance(store.pattern, tree.Negation):
        return store.pattern.last
    return store.pattern.left if store.side else store.pattern.right


def _waits(store: Store, policy: str) -> Iterator[str]:
    other = pattern_text(_other(store))
    if store.absent:
        yield f"it may come between what waits and `{other}`, of which no length is known"
    elif "consuming" in policy or policy.startswith("chronological"):
        yield f"each waits for a `{other}` that uses it up"
    else:
        yield f"each may be wanted by any `{other}` that is still to come"


_REACHING = frozenset({tree.Operator.DURING, tree.Operator.STARTS, tree.Operator.PAR, tree.Operator.MEETS})
"""Under these what waits is forgotten with age if it is known how long the other operand lasts."""


def _hint(store: Store, work: Work) -> str:
    lasting = f"give `{pattern_text(_other(store))}` a length, `(…).q`"
    if store.absent or (isinstance(store.pattern, tree.Joined) and store.pattern.operator in _REACHING):
        return lasting
    if work.policy.startswith("chronological"):
        return "the first goal is used up even if nothing comes of it: take another policy, and a length `(…).q`"
    if work.policy in ("recent", "shortest"):
        return f"{lasting}, or what it is part of"
    return "give what it is part of a length, `(…).q`, or take the policy `recent`"


def _words(work: Work, store: Store) -> Iterator[tuple[Event, ...] | None]:
    """Two streams, of which the second is to be repeated: what must be there once, and what is kept of it."""
    if store.absent and isinstance(store.pattern, tree.Negation):
        yield work.any_stream(happens(store.pattern.first), _finds(work, store.pattern.first))
    else:
        yield ()
    operand = store.operand
    yield work.any_stream(_keeping(store), _finds(work, operand))


def _keeping(store: Store) -> Asked:
    """The operand happens so that it is worth keeping."""

    def asked(unfolding: Unfolding) -> Sequence[Formula]:
        start, end = unfolding.pattern(store.operand)
        if store.lasts is None:
            return ()
        return (terms.below(start, end) if store.lasts else terms.equal(start, end),)

    return asked


def _finds(work: Work, pattern: tree.Pattern) -> Shown:
    def shown(events: Sequence[Event]) -> bool:
        found = work.made((probe(pattern),), events)
        return found is not None and bool(found[0])

    return shown


def _apart(repeated: Sequence[Event]) -> Number:
    """How long it is from one repetition to the next."""
    return 1 if not repeated else repeated[-1][2] - repeated[0][2] + 1


def _family(once: Sequence[Event], repeated: Sequence[Event], size: int, apart: Number) -> Iterator[Event]:
    """One stream, and then another one again and again."""
    begun = once[-1][2] + 1 if once else 0
    first = repeated[0][2] if repeated else 0
    yield from once
    for turn in range(size):
        for name, arguments, time in repeated:
            yield name, arguments, number(Fraction(begun + turn * apart + time - first))


def _kept(work: Work, store: Store, events: Sequence[Event]) -> int | None:
    """How many the machine keeps after a stream; None if the run has no end. Undecided if it takes too much, at once
    where a shorter stream did: an operand further out in a chain would take no less."""
    if work.shortest_too_much is not None and len(events) >= work.shortest_too_much:
        raise Undecided(f"a run over {work.shortest_too_much} events takes too much already")
    running = machine(work.program, work.policy, work.readings, work.moment(STEPS))
    try:
        for instant in instants_of(events):
            running.instant(instant)
    except (TooManyEvents, NumberTooLarge):
        return None
    except Undecided:
        work.shortest_too_much = len(events)
        raise
    return store.size(running)
