"""A check of the space of a run, with streams on which it grows if nothing bounds it (specification: etalis-kept)."""

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
from parte.languages.etalis.checker.work import Called, Confirmation, Question, Work, happens
from parte.languages.etalis.semantics.machine import TooManyEvents
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.printer import pattern_text
from parte.languages.etalis.semantics.syntax.values import Number, NumberTooLarge, number, value_to_json

SIZES = 8, 16, 32
"""The numbers of repetitions of the part of a stream that makes something grow."""

MOST = 60
"""The greatest number of stores to examine."""

STEPS = 100_000
"""The greatest number of events of a measured run, those of subpatterns included."""


def check_space(work: Work) -> None:
    """Report what is stored of each operand, and what grows with the stream."""
    for place, store in enumerate(stores(work.program, work.binarised, work.policy, work.readings)):
        what = f"whether what is kept of {store.name} is bounded"
        called = Called(store.name)
        with (
            work.collector.deciding("bounded-space", called) as decision,
            work.undecided("unbounded-goals", store.operand.span, what),
        ):
            decision.detail = "; ".join([store.in_words(), *store.why])
            decision.evidence |= _figures(store)
            if not store.bounded:
                if place >= MOST:
                    raise Undecided(f"no more than {MOST} are looked into")
                _grows(work, store, decision)


def _figures(store: Store) -> dict[str, Json]:
    """Return the figures for `--json`."""

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
    counts = [_stored(work, store, family) for family in families]
    if any(count is None for count in counts):
        raise Undecided("a run over what would make it grow has no end")
    stored = [count or 0 for count in counts]
    if any(count < size for count, size in zip(stored, SIZES, strict=True)):
        raise Undecided("nothing bounds it, and it does not grow on the streams that were tried")
    replayed: list[Json] = [
        {"n": size, "found": count, "events": len(family)}
        for size, count, family in zip(SIZES, stored, families, strict=True)
    ]
    growth = ", ".join(f"{count} after {size} times" for count, size in zip(stored, SIZES, strict=True))
    work.collector.find(
        "unbounded-goals",
        store.operand.span,
        f"what is kept of `{pattern_text(store.operand)}` grows with the stream",
        rule=Called(store.name),
        reason=[*_waits(store, work.policy), f"repeat the stream given as evidence: the machine keeps {growth}"],
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


def _awaited(store: Store) -> tree.Pattern:
    """Return the pattern that an operand waits for."""
    if isinstance(store.pattern, tree.Negation):
        return store.pattern.last
    return store.pattern.left if store.side else store.pattern.right


def _waits(store: Store, policy: str) -> Iterator[str]:
    awaited = pattern_text(_awaited(store))
    if store.absent:
        yield f"it may come between what waits and `{awaited}`, of which no length is known"
    elif "consuming" in policy or policy.startswith("chronological"):
        yield f"each waits for a `{awaited}` that uses it up"
    else:
        yield f"each may be wanted by any `{awaited}` that is still to come"


_REACHING = frozenset({tree.Operator.DURING, tree.Operator.STARTS, tree.Operator.PAR, tree.Operator.MEETS})
"""With these operators a waiting goal is dropped with age, if the greatest length of the other operand is known."""


def _hint(store: Store, work: Work) -> str:
    lasting = f"give `{pattern_text(_awaited(store))}` a length, `(…).q`"
    if store.absent or (isinstance(store.pattern, tree.Joined) and store.pattern.operator in _REACHING):
        return lasting
    if work.policy.startswith("chronological"):
        return "the first goal is used up even if nothing comes of it: take another policy, and a length `(…).q`"
    if work.policy in ("recent", "shortest"):
        return f"{lasting}, or what it is part of"
    return "give what it is part of a length, `(…).q`, or take the policy `recent`"


def _words(work: Work, store: Store) -> Iterator[tuple[Event, ...] | None]:
    """Yield two streams, of which the second is to be repeated: the events that are needed once, and those that are
    stored."""
    if store.absent and isinstance(store.pattern, tree.Negation):
        yield work.any_stream(happens(store.pattern.first), _finds(work, store.pattern.first))
    else:
        yield ()
    operand = store.operand
    yield work.any_stream(_keeping(store), _finds(work, operand))


def _keeping(store: Store) -> Question:
    """Return the question whether the operand happens in a way that is stored."""

    def question(unfolding: Unfolding) -> Sequence[Formula]:
        start, end = unfolding.pattern(store.operand)
        if store.lasts is None:
            return ()
        return (terms.below(start, end) if store.lasts else terms.equal(start, end),)

    return question


def _finds(work: Work, pattern: tree.Pattern) -> Confirmation:
    def confirms(events: Sequence[Event]) -> bool:
        derived_by_probe = work.derive((probe(pattern),), events)
        return derived_by_probe is not None and bool(derived_by_probe[0])

    return confirms


def _apart(repeated: Sequence[Event]) -> Number:
    """Return the time from one repetition to the next."""
    return 1 if not repeated else repeated[-1][2] - repeated[0][2] + 1


def _family(once: Sequence[Event], repeated: Sequence[Event], size: int, apart: Number) -> Iterator[Event]:
    """Yield one stream, and then the repetitions of another one."""
    begun = once[-1][2] + 1 if once else 0
    first = repeated[0][2] if repeated else 0
    yield from once
    for turn in range(size):
        for name, arguments, time in repeated:
            yield name, arguments, number(Fraction(begun + turn * apart + time - first))


def _stored(work: Work, store: Store, events: Sequence[Event]) -> int | None:
    """Return how many goals the machine stores after a stream; None if the run has no end. Raise Undecided if it takes
    too much, at once if a shorter stream did: an operand further out in a chain would take no less."""
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
