"""The least lookback of a query on a schedule, and how often runs report a match (specification: query-schedules).

A match is two of its events: one is the first that a run forgets, the other the last that arrives. A run reads events
that lie between them too.
"""

from __future__ import annotations

from parte.checker.environment.schedule import enough, reads, spread_of
from parte.proofs.lemma import HOLDS, UNBOUNDED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.statements import at_most, before, both, equal, every, implies, some
from parte.proofs.symbolic import Body, Claims, Run
from parte.semantics.partelang.kernel import shifted
from parte.semantics.rulebook.connectives import neg

_PLACE = "parte.checker.environment.schedule"


class _Times:
    """A schedule with its least lookback, and two events at most `span` apart, each at most `delay` late."""

    def __init__(self, run: Run, *, by_arrival: bool) -> None:
        self.every, self.delay, self.span = run.integer("every"), run.integer("delay"), run.integer("span")
        self.lookback = run.integer("lookback")
        self.first, self.last = run.integer("first"), run.integer("last")
        self.first_arrival, self.last_arrival = run.integer("arrival of first"), run.integer("arrival of last")
        self.by_arrival = by_arrival
        spread = spread_of(self.span, self.delay, by_arrival=by_arrival, events=2)
        self.enough = enough(spread, self.every)
        run.assume(
            at_most(1, self.every),
            at_most(0, self.delay),
            at_most(0, self.span),
            at_most(self.last, shifted(self.first, self.span)),
            at_most(self.first, shifted(self.last, self.span)),
            *(
                both(at_most(time, arrival), at_most(arrival, shifted(time, self.delay)))
                for time, arrival in ((self.first, self.first_arrival), (self.last, self.last_arrival))
            ),
        )

    def reads(self, run: int) -> bool:
        """Return whether the run at a time reads both events."""
        events = ((self.first, self.first_arrival), (self.last, self.last_arrival))
        return every(
            reads(run, self.lookback, arrival if self.by_arrival else time, arrival) for time, arrival in events
        )


def sees(*, by_arrival: bool) -> Body:
    """The first run after both events have arrived reads both, if the lookback is enough."""

    def body(run: Run) -> Claims:
        times, previous = _Times(run, by_arrival=by_arrival), run.integer("previous run")
        at = shifted(previous, times.every)
        run.assume(
            at_most(times.enough, times.lookback),
            some(before(previous, arrival) for arrival in (times.first_arrival, times.last_arrival)),
            at_most(times.first_arrival, at),
            at_most(times.last_arrival, at),
        )
        return (("it reads both", times.reads(at)),)

    return body


def misses(*, by_arrival: bool) -> Body:
    """With less lookback: the latest of events as far apart as they may be arrives just after a run."""

    def body(run: Run) -> Claims:
        times, at, any_run = _Times(run, by_arrival=by_arrival), run.integer("run"), run.integer("any run")
        run.assume(
            before(times.lookback, times.enough),
            equal(times.last, shifted(times.first, times.span)),
            equal(times.first_arrival, times.first),
            equal(times.last_arrival, shifted(times.last, times.delay)),
            equal(times.last_arrival, shifted(at, 1)),
            # The runs of a schedule are that one, those before it, and those an interval later or more.
            some((at_most(any_run, at), at_most(shifted(at, times.every), any_run))),
        )
        return (("no run reads both", neg(times.reads(any_run))),)

    return body


def one_event(run: Run) -> Claims:
    """A run of each interval reads an event that has arrived, by its arrival, if the lookback is an interval."""
    names = ("every", "arrival", "previous run", "lookback")
    length, arrival, previous, lookback = (run.integer(name) for name in names)
    at = shifted(previous, length)
    spread = spread_of(run.integer("span"), run.integer("delay"), by_arrival=True, events=1)
    run.assume(at_most(1, length), before(previous, arrival), at_most(arrival, at))
    seen = reads(at, lookback, arrival, arrival)
    just_missed = equal(arrival, shifted(previous, 1))
    return (
        ("it is read", implies(at_most(enough(spread, length), lookback), seen)),
        ("with less it may not be", implies(both(before(lookback, enough(spread, length)), just_missed), neg(seen))),
    )


SECTION = "5.5.3"
_LESS = Mutant("a-millisecond-less", f"{_PLACE}:enough", "spread + every - 1", "spread + every - 2")
_MORE = Mutant("a-millisecond-more", f"{_PLACE}:enough", "spread + every - 1", "spread + every")

LEMMAS = (
    *(
        Lemma(
            f"schedule-{name}-{by}",
            statement,
            SECTION,
            (),
            UNBOUNDED + "; two events of a match, which are those that runs forget first and receive last",
            body(by_arrival=by == "arrival"),
            mutant,
            HOLDS,
        )
        for by in ("timestamp", "arrival")
        for name, statement, body, mutant in (
            (
                "sees",
                f"By {by}, a run sees each match if lookback >= span + delay + interval - 1 ms.",
                sees,
                _LESS,
            ),
            (
                "misses",
                f"By {by}, no run sees some match if the lookback is less: one as long and as late as any may be.",
                misses,
                _MORE,
            ),
        )
    ),
    Lemma(
        "schedule-one-event",
        "By arrival, a run sees each match of one event if, and only if, the lookback is at least interval - 1 ms.",
        SECTION,
        (),
        UNBOUNDED,
        one_event,
        Mutant(
            "delay-of-one-event",
            f"{_PLACE}:spread_of",
            "return 0 if by_arrival and events == 1 else span + delay",
            "return span + delay",
        ),
        HOLDS,
    ),
)
