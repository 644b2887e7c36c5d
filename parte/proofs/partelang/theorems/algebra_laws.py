"""Laws of the event algebra by which programs are rewritten (D §4.3-4.4), on the evaluator that defines the truth.

The streams have a few events at arbitrary times; conditions are windows with arbitrary bounds and arbitrary predicates.
"""

from __future__ import annotations

from collections.abc import Callable

from parte.algebra.partelang.evaluate import evaluate
from parte.algebra.partelang.patterns import (
    All,
    Binding,
    Condition,
    Conjunction,
    Filter,
    FilteredNegation,
    Pattern,
    Within,
)
from parte.checker.solver.verdict import Verdict
from parte.proofs.lemma import SOUND, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import event_at
from parte.proofs.symbolic import Body, Claims, Run
from parte.semantics.events.event import Event
from parte.semantics.partelang import kernel
from parte.semantics.partelang.syntax import core

SCOPE = "streams of 2 events of the first template and 1 or 2 of the others, at any times"
_A, _B, _C = Binding("A", "a"), Binding("B", "b"), Binding("C", "c")


def _stream(run: Run, templates: str) -> tuple[Event, ...]:
    """Return an event for each letter, named after its template and place."""
    return tuple(
        event_at(f"{name}{number}", run.integer(f"timestamp of {name}{number}"), name)
        for number, name in enumerate(templates, 1)
    )


def _about(variable: str) -> Condition:
    """Return an arbitrary condition on one variable."""
    return core.PredicateCall("P", (core.AttributeOf(variable, "k", core.Scalar.STRING),))


def law(first: Callable[[Run], Pattern], second: Callable[[Run], Pattern], templates: str) -> Body:
    """Two patterns have the same values over a stream."""

    def body(run: Run) -> Claims:
        stream = [Event(e.id, e.template, e.timestamp, {"k": e.id}, "s") for e in _stream(run, templates)]
        domain = {"P": lambda name: bool(run.truth(f"P of {name}"))}
        return (
            (
                "the values are the same",
                evaluate(first(run), stream, domain) == evaluate(second(run), stream, domain),
            ),
        )

    return body


def _window(run: Run, subject: str, reference: str) -> Within:
    names = (f"{end} of {subject} in {reference}" for end in ("lower", "upper"))
    return Within(subject, reference, *(run.integer(name) for name in names))


def _written(run: Run) -> All:
    return All((_window(run, "b", "a"), _window(run, "c", "b")))


def _closed(run: Run) -> All:
    """Return the same with the window that follows for the third pair: the distances added (D §5.5.3)."""
    first, second = _window(run, "b", "a"), _window(run, "c", "b")
    lower = kernel.shifted(first.lower, second.lower)
    upper = kernel.shifted(first.upper, second.upper)
    return All((first, second, Within("c", "a", lower, upper)))


def _negation(positive: Pattern) -> Callable[[Run], Pattern]:
    return lambda run: FilteredNegation(positive, _B, _window(run, "b", "a"))


_EVALUATE = "parte.algebra.partelang.evaluate:evaluate"
_LEFT_ONLY = Mutant("drop-the-right", _EVALUATE, "frozenset(v1 | v2 for v1 in v1s for v2 in v2s)", "v1s")
_RIGHT_FIRST = Mutant(
    "only-filter-conjunctions", _EVALUATE, "if holds(f, v, domain))", "if len(v) < 2 or holds(f, v, domain))"
)
_IGNORED = Mutant("defeat-by-two", _EVALUATE, "if all(not holds", "if len(vps) < 2 or all(not holds")
_LOOSE = Mutant(
    "one-more",
    "parte.semantics.partelang.kernel:shifted",
    "return timestamp + milliseconds",
    "return timestamp + milliseconds + 1",
)


def _lemma(name: str, statement: str, section: str, body: Body, mutant: Mutant, scope: str = SCOPE) -> Lemma:
    return Lemma(f"algebra-{name}", statement, section, (), scope, body, mutant, {SOUND: Verdict.PROVED})


LEMMAS = (
    _lemma(
        "conjunction-commutes",
        "A conjunction has the same values with its sides exchanged.",
        "4.3, def. 12",
        law(lambda _: Conjunction(_A, _B), lambda _: Conjunction(_B, _A), "AABB"),
        _LEFT_ONLY,
    ),
    _lemma(
        "conjunction-associates",
        "A conjunction of three has the same values however it is bracketed.",
        "4.3, def. 12",
        law(lambda _: Conjunction(Conjunction(_A, _B), _C), lambda _: Conjunction(_A, Conjunction(_B, _C)), "AABBC"),
        Mutant("drop-the-right-pair", _EVALUATE, "for v2 in v2s)", "for v2 in v2s if len(v2) < 2)"),
    ),
    _lemma(
        "filters-push-down",
        "A filter that speaks of one side of a conjunction may be applied to that side alone.",
        "4.4.1",
        law(
            lambda _: Filter(Conjunction(_A, _B), _about("a")),
            lambda _: Conjunction(Filter(_A, _about("a")), _B),
            "AAB",
        ),
        _RIGHT_FIRST,
    ),
    _lemma(
        "filters-pass-negation",
        "A filter on the positive side may be applied before or after a filtered negation.",
        "4.4.1",
        law(
            lambda run: Filter(_negation(_A)(run), _about("a")),
            lambda run: _negation(Filter(_A, _about("a")))(run),
            "AAB",
        ),
        _IGNORED,
    ),
    _lemma(
        "negations-commute",
        "Two filtered negations on one positive side may be exchanged.",
        "4.4.1",
        law(
            lambda run: FilteredNegation(_negation(_A)(run), _C, _window(run, "c", "a")),
            lambda run: _negation(FilteredNegation(_A, _C, _window(run, "c", "a")))(run),
            "ABC",
        ),
        Mutant(
            "negate-the-last-only",
            _EVALUATE,
            "vp for vp in vps if",
            "vp for vp in values(getattr(pp, 'positive', pp)) if",
        ),
    ),
    _lemma(
        "closure-preserves-meaning",
        "Adding the distance that follows from two windows in a row excludes nothing more.",
        "4.4.2, 5.5.3",
        law(
            lambda run: Filter(Conjunction(Conjunction(_A, _B), _C), _written(run)),
            lambda run: Filter(Conjunction(Conjunction(_A, _B), _C), _closed(run)),
            "ABC",
        ),
        _LOOSE,
        "1 event of each template; one step of the closure (shortest paths take such steps only)",
    ),
)
