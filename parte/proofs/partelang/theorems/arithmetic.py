"""The kernel says what its functions claim: windows are the algebra's, and bounds are about all later times.

Other lemmas use the kernel on both sides of a claim, where an error could cancel. Here each function is compared with a
statement that does not use it.
"""

from __future__ import annotations

from parte.proofs.any_length import ANY, Width
from parte.proofs.lemma import HOLDS, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import event, partial_match
from parte.proofs.partelang.statements import fits, times_of
from parte.proofs.statements import (
    at_most,
    before,
    below_all,
    equal,
    every,
    implies,
    moved,
    pointwise,
    same,
    some,
)
from parte.proofs.symbolic import Body, Claims, Run, choice
from parte.semantics.partelang import kernel
from parte.semantics.rulebook.connectives import neg

SECTION = "5.4.6, 8.2.1"


def lifetime(run: Run) -> Claims:
    """An event is in the lifetime of a partial match just if the algebra says that it is in every window."""
    widths: tuple[int | Width, ...] = (ANY, 2)  # the algebra reads windows together only if their number is known
    width = choice(run, "left events", widths)
    partial, right = partial_match(run, "p", width), event(run, "right")
    minima, maxima = run.integers("minimum", width), run.integers("maximum", width)
    opens = kernel.lifetime_opens(times_of(partial), minima)
    closes = kernel.lifetime_closes(times_of(partial), maxima)
    inside = kernel.in_window(right.timestamp, opens, closes)
    return (("inside is what fits", same(inside, fits(run, partial, right, minima, maxima))),)


def staleness(run: Run) -> Claims:
    """Something is stale just if no later time is at most its end."""
    ends, bound, later = run.integer("end"), run.integer("bound"), run.integer("later time")
    run.assume(at_most(bound, later))
    stale = kernel.is_stale(ends, bound)
    return (
        ("what is stale ends before every later time", implies(stale, before(ends, later))),
        ("what is not stale may still be met at the bound", implies(neg(stale), at_most(bound, ends))),
    )


def meeting(run: Run) -> Claims:
    """A lifetime may be met just if some later time is in it, as the bound or its beginning is then."""
    opens, closes = run.integer("opens"), run.integer("closes")
    bound, later = run.integer("bound"), run.integer("later time")
    met = kernel.may_be_met(opens, closes, bound)

    def meets(time: int) -> bool:
        return every((at_most(opens, time), at_most(time, closes), at_most(bound, time)))

    return (
        ("a lifetime that a later time meets may be met", implies(meets(later), met)),
        ("one that may be met is met by the bound or where it opens", implies(met, some((meets(bound), meets(opens))))),
    )


def expiration(run: Run) -> Claims:
    """An event before the expiration time is before the lifetime of all later partial matches, and of no other event
    is that so."""
    bounds, later = run.integers("left bound", ANY), run.integers("later", ANY)
    minima, right = run.integers("minimum", ANY), run.integer("right event")
    run.assume(pointwise(bounds, later))
    expired = before(right, kernel.expiration_time(bounds, minima))
    opens = kernel.lifetime_opens(later, minima)
    return (
        ("what has expired is before every later lifetime", implies(expired, before(right, opens))),
        (
            "what has not is in that of a partial match at the bounds",
            implies(neg(expired), at_most(kernel.lifetime_opens(bounds, minima), right)),
        ),
    )


def _least(function: str) -> Body:
    """A bound for two streams is at most every later time of both, and one of both bounds."""

    def body(run: Run) -> Claims:
        first, second, later = run.integer("first"), run.integer("second"), run.integer("later time")
        bound = getattr(kernel, function)(first, second)
        return (
            (
                "it bounds what either bounds",
                implies(some((at_most(first, later), at_most(second, later))), at_most(bound, later)),
            ),
            ("it is one of them", some((equal(bound, first), equal(bound, second)))),
        )

    return body


def entries(run: Run) -> Claims:
    """An entry node promises what all of its sources promise, and takes what no source may precede."""
    bounds, later, taken = run.integers("promise", ANY), run.integer("later time"), run.integer("bound of a token")
    return (
        (
            "nothing comes before its bound that a source keeps back",
            implies(below_all(later, bounds), at_most(later, kernel.entry_bound(bounds))),
        ),
        ("no promise is less", below_all(kernel.entry_bound(bounds), bounds)),
        ("it takes what is at most every promise", same(kernel.may_be_taken(taken, bounds), below_all(taken, bounds))),
    )


def _of_times(function: str, order: str) -> Body:
    """The least or the greatest of timestamps is one of them, and none is beyond it."""

    def body(run: Run) -> Claims:
        times = run.integers("timestamp", 5)
        extreme = getattr(kernel, function)(times)
        beyond = [at_most(extreme, time) if order == "least" else at_most(time, extreme) for time in times]
        return (
            ("none is beyond it", every(beyond)),
            ("it is one of them", some(equal(extreme, time) for time in times)),
        )

    return body


def shift(run: Run) -> Claims:
    """A shifted timestamp is so many milliseconds later."""
    time, distance = run.integer("timestamp"), run.integer("distance")
    return (("it is moved", equal(kernel.shifted(time, distance), moved(time, distance))),)


_KERNEL = "parte.semantics.partelang.kernel"


def _lemma(name: str, statement: str, body: Body, function: str, before_: str, after: str, scope: str) -> Lemma:
    mutant = Mutant(f"kernel-{name}", f"{_KERNEL}:{function}", before_, after)
    return Lemma(f"kernel-{name}", statement, SECTION, (), scope, body, mutant, HOLDS)


_ANY_WIDTH = "any number of left events, at any times"
_TIMES = "any times"

LEMMAS = (
    _lemma(
        "lifetime",
        "A right event is in the lifetime of a partial match just if it is in each of its windows, by the algebra.",
        lifetime,
        "in_window",
        "opens <= timestamp",
        "opens < timestamp",
        _ANY_WIDTH,
    ),
    _lemma(
        "staleness",
        "An interval is stale just if it ends before every later time.",
        staleness,
        "is_stale",
        "ends < bound",
        "ends <= bound",
        _TIMES,
    ),
    _lemma(
        "meeting",
        "A lifetime may be met just if it has a time that is not before the bound; an empty one may not.",
        meeting,
        "may_be_met",
        "conj(opens <= closes, neg(is_stale(closes, bound)))",
        "neg(is_stale(closes, bound))",
        _TIMES,
    ),
    _lemma(
        "expiration",
        "A right event is before the expiration time just if it is before all lifetimes that respect the bounds.",
        expiration,
        "expiration_time",
        "highest(",
        "lowest(",
        _ANY_WIDTH,
    ),
    *(
        _lemma(
            name,
            f"The bound {place} is the lesser one of two.",
            _least(name.replace("-", "_")),
            name.replace("-", "_"),
            f"lesser({first}, {second})",
            first,
            _TIMES,
        )
        for name, place, first, second in (
            ("propagated-bound", "of a two-input node", "explicit", "implicit"),
            ("batch-bound", "on a token before another", "bound", "timestamp"),
        )
    ),
    _lemma(
        "entries",
        "An entry node promises the least promise of its sources, and takes a token whose bound is at most each.",
        entries,
        "entry_bound",
        "lowest(bounds)",
        "lowest(bounds) - 1",
        "any number of sources",
    ),
    *(
        _lemma(
            function,
            f"The {order} of timestamps is one of them, and none is {beyond}.",
            _of_times(function, order),
            function,
            "(timestamps)",
            "(timestamps[:4])",
            "5 timestamps",
        )
        for function, order, beyond in (("earliest", "least", "less"), ("latest", "greatest", "greater"))
    ),
    _lemma(
        "shifted",
        "A shifted timestamp is the timestamp plus the duration.",
        shift,
        "shifted",
        "timestamp + milliseconds",
        "timestamp",
        _TIMES,
    ),
)
