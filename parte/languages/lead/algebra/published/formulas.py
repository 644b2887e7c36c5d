"""The formulas (3) to (18) of L, as printed. Each gives the instants at which a match holds (specification:
lead-printed).

A formula is true or false at an instant, as in TRIO. `∃t` and `∃t1` range over the distances t > 0 up to `span`. Where
L binds a variable nowhere, or where its place makes no sense, the code takes the reading that favours L. The copy of L
lost some symbols; they are inferred from what is left of their brackets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

Formula = Callable[[int], bool]
"""A property of an instant."""


def past(formula: Formula, distance: int) -> Formula:
    """Past(A, t): A held t ago."""
    return lambda now: formula(now - distance)


def futr(formula: Formula, distance: int) -> Formula:
    """Futr(A, t): A will hold in t."""
    return lambda now: formula(now + distance)


def distances(span: int) -> range:
    """t > 0."""
    return range(1, span + 1)


def is_event(match: Formula, span: int) -> Formula:
    """(3), (4): ∀t (Match(e,m) ↔ (¬Past(Match(e,m),t) ∧ ¬Futr(Match(e,m),t)))."""
    return lambda now: all(match(now) == (not past(match, t)(now) and not futr(match, t)(now)) for t in distances(span))


def is_event_as_meant(match: Formula, span: int) -> Formula:
    """(3), (4) in one direction: if an event matches now, it matches at no other time."""
    return lambda now: (
        not match(now) or all(not past(match, t)(now) and not futr(match, t)(now) for t in distances(span))
    )


def conjunction(left: Formula, right: Formula, span: int) -> Formula:
    """(6): (Q ∧ P) ∨ ∃t1 (Q ∧ Past(P, t1)) ∨ ∃t2 (P ∧ Past(Q, t2))."""
    return lambda now: (
        (right(now) and left(now))
        or any(right(now) and past(left, t1)(now) for t1 in distances(span))
        or any(left(now) and past(right, t2)(now) for t2 in distances(span))
    )


def disjunction(left: Formula, right: Formula) -> Formula:
    """(7): P ∨ Q, of m1 ⋈ m2."""
    return lambda now: left(now) or right(now)


def sequence(left: Formula, enabled: Formula, right: Formula, span: int) -> Formula:
    """(8): (P ∧ In(Q) ∧ Q) ∨ ∃t1 > 0 (Past(P, t1) ∧ Past(In(Q), t1) ∧ Q)."""
    return lambda now: (
        (left(now) and enabled(now) and right(now))
        or any(past(left, t1)(now) and past(enabled, t1)(now) and right(now) for t1 in distances(span))
    )


def negation(matches: Iterable[Formula], enabled: Formula, ended: Formula, span: int) -> Formula:
    """(9): ¬∃m {(wnt ∧ In ∧ P) ∨ ¬∃t1 < t (wnt ∧ Past(In, t) ∧ Past(P, t1))}."""
    known = list(matches)

    def came(match: Formula, now: int) -> bool:
        return any(
            ended(now) and past(enabled, t)(now) and past(match, t1)(now)
            for t in distances(span)
            for t1 in distances(t - 1)
        )

    return lambda now: not any((ended(now) and enabled(now) and match(now)) or not came(match, now) for match in known)


def repetition(items: Sequence[Formula], fits: bool, enabled: Formula, ended: Formula, span: int) -> Formula:
    """(10): ∃t (Past(In, t) ∧ wrt ∧ ¬win ∧ ∀mi ∃t1 < t (Past(P, t1) ∧ check(mi, wacc))), of one list of items.

    `fits` is the part that does not depend on time: ¬win, and check of each item.
    """
    return lambda now: any(
        past(enabled, t)(now)
        and ended(now)
        and fits
        and all(any(past(item, t1)(now) for t1 in distances(t - 1)) for item in items)
        for t in distances(span)
    )


def branches(items: Sequence[Formula], starts: Formula, terminated: Formula) -> Formula:
    """(11): ∃(P, m) ∈ M (Match(P, m) ∧ In(Q) ∧ ¬wst): the instants at which a branch begins, not the matches of a
    sub-context."""
    return lambda now: any(item(now) and starts(now) and not terminated(now) for item in items)


def wait(match: Formula, enabled: Formula, length: int) -> Formula:
    """(12): Past(In, t) ∧ (P ∨ (Past(P, t1) ∧ 0 < t1 < t))."""
    return lambda now: (
        past(enabled, length)(now) and (match(now) or any(past(match, t1)(now) for t1 in distances(length - 1)))
    )


def within(match: Formula, origin: Formula, length: int) -> Formula:
    """(13): Past(P, t1) ∧ Q ∧ 0 < t1 < t."""
    return lambda now: any(past(origin, t1)(now) and match(now) for t1 in distances(length - 1))


def first(match: Formula, matches: Sequence[Formula], enabled: Formula, span: int) -> Formula:
    """(14): (In ∧ P m1) ∨ ∃t (Past(In, t) ∧ P m1 ∧ ¬∃m2 (Past(P m2, t1) ∧ t1 < t))."""
    return lambda now: (
        (enabled(now) and match(now))
        or any(
            past(enabled, t)(now)
            and match(now)
            and not any(past(rival, t1)(now) for rival in matches for t1 in distances(t - 1))
            for t in distances(span)
        )
    )


def last(match: Formula, ended: Formula, span: int) -> Formula:
    """(15): (wlt ∧ P m1) ∨ ∃t (wlt ∧ Past(P m1, t) ∧ ¬∃m2 (Past(P m1, t1) ∧ t1 < t)); m2 does not occur."""
    return lambda now: (
        (ended(now) and match(now))
        or any(
            ended(now) and past(match, t)(now) and not any(past(match, t1)(now) for t1 in distances(t - 1))
            for t in distances(span)
        )
    )


def every(match: Formula, matches: Iterable[Formula], began: int, ends: int) -> Formula:
    """(17): P m ↔ ¬∃m1 (m1 matched, or began, at an instant of the life of m); m is one of the m1.

    `matches` are the m1 that matched; the formula selects nothing else.
    """
    known = list(matches)
    return lambda now: match(now) and not any(rival(at) for rival in known for at in range(began, ends + 1))


def consume(match: Formula, sharing: Sequence[Formula], span: int) -> Formula:
    """(18): P m ∧ ∀m1 ⊂ m ¬∃m2 (Past(P m2, t) ∧ m1 ⊂ m2), of those m2 that have a consumed part of m."""
    return lambda now: match(now) and not any(past(rival, t)(now) for rival in sharing for t in distances(span))
