"""Transitions of patterns that time bounds (specification: lead-nets; L §3.3.2, §5.1, figures 7 and 8)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from parte.languages.lead.semantics.net import Place, Run, Transition
from parte.languages.lead.semantics.repetition import Deadline
from parte.languages.lead.semantics.rulebook import rule
from parte.languages.lead.semantics.tokens import Activation, Token, ending, joined, match_of, nothing, order


@dataclass(slots=True)
class Timed:
    """A pattern with an end in time: the places of its token T, of its enabling, of its matches, and of the result.

    `later` says that its guard fires among the transitions. `ruled_out` gets a token when a negation has failed. A
    match after a wait `passes`, or is dropped.
    """

    clock: Place
    enable: Place
    stored: Place
    out: Place
    deadline: Deadline
    timer: Transition | None = None
    later: bool = False
    ruled_out: Place | None = None
    passes: bool = False


def _begin(run: Run, token: Token, site: Timed) -> Activation | None:
    """Enable the pattern and start its clock. Return None if its time is over or never comes."""
    activation = token.activation
    instant = site.deadline(run, activation)
    if instant is None or (instant <= activation.enabled and not site.later):
        return None
    inner = run.activation(activation, activation.enabled, activation.names, activation.used, activation.spent)
    run.put(site.clock, Token(inner, None))
    run.put(site.enable, Token(inner, None))
    assert site.timer is not None
    run.due(site.timer, instant, Token(inner, None))
    return inner


@rule("WITHIN", "within", "5.1, figure 7")
def within(run: Run, token: Token, site: Timed, step: str) -> None:
    """Matches pass while the clock of their activation runs."""
    if step == "enable":
        _begin(run, token, site)
    elif step == "due":
        run.take_all(site.clock, token.activation)
        run.close(token.activation)
    elif run.stored(site.clock, token.activation) and token.activation.parent is not None:
        run.put(site.out, Token(token.activation.parent, token.colour))


@rule("NOT", "negation", "5.1, figure 8")
def negation(run: Run, token: Token, site: Timed, step: str) -> None:
    """A match stops the clocks of its activation; a clock that runs until it is due is the match."""
    if step == "enable":
        activation = token.activation
        started = _begin(run, token, site)
        if started is None and site.deadline(run, activation) is not None:
            run.put(site.out, Token(activation, nothing(run.now, activation.enabled)))
    elif step == "due":
        if run.take_all(site.clock, token.activation) and token.activation.parent is not None:
            parent = token.activation.parent
            run.put(site.out, Token(parent, nothing(run.now, parent.enabled)))
            run.close(token.activation)
    else:
        _stop(run, token, site)


def _stop(run: Run, token: Token, site: Timed) -> None:
    stopped = token.activation
    if not run.repairs.kill_all:
        seen = {match_of(stored) for stored in run.all_stored(site.stored)}
        clocks = [clock.activation for clock in run.all_stored(site.clock) if not clock.activation.closed]
        if match_of(token) in seen or not clocks:
            return
        run.put(site.stored, token)
        stopped = clocks[0]
    if run.take_all(site.clock, stopped):
        if site.ruled_out is not None:
            run.put(site.ruled_out, Token(stopped, None))
        if run.repairs.kill_all:
            run.close(stopped)


@rule("LAST", "last", "3.3.3 (15)")
def last(run: Run, token: Token, site: Timed, step: str) -> None:
    """The greatest match replaces those before it. It is released when the time is over."""
    if step == "enable":
        _begin(run, token, site)
    elif step == "due":
        stored = run.take_all(site.stored, token.activation)
        if stored and token.activation.parent is not None:
            run.put(site.out, Token(token.activation.parent, ending(match_of(stored[0]), run.now)))
        run.close(token.activation)
    else:
        known = [token, *run.take_all(site.stored, token.activation)]
        run.put(site.stored, max(known, key=lambda candidate: order(match_of(candidate))))


@rule("WAIT", "Wait", "5.1, figure 7")
def wait(run: Run, token: Token, site: Timed, step: str) -> None:
    """Matches are stored. When the time is over, all are released; later matches are dropped, or pass."""
    if step == "enable":
        _begin(run, token, site)
    elif step == "due":
        stored = run.take_all(site.stored, token.activation)
        parent = token.activation.parent
        for waiting in stored if run.repairs.wait_all else stored[:1]:
            if parent is not None:
                run.put(site.out, Token(parent, ending(match_of(waiting), run.now)))
        run.take_all(site.clock, token.activation)
        if not site.passes:
            run.close(token.activation)
    elif site.passes and token.activation.parent is not None and not run.stored(site.clock, token.activation):
        run.put(site.out, Token(token.activation.parent, token.colour))
    else:
        run.put(site.stored, token)


@dataclass(slots=True)
class From:
    """`P within t from Q`: the places of the matches of Q whose time is not over, and of joined matches. A match of
    P ends at least `least` ms after one of Q."""

    stored: Place
    out: Place
    length: int
    least: int = 0
    timer: Transition | None = None


@rule("WITHIN-FROM", "within … from", "5.1, figure 7")
def within_from(run: Run, token: Token, site: From, step: str) -> None:
    """A match of Q is stored until it is due. A match of P is joined with the stored ones."""
    if step == "due":
        run.take(site.stored, token)
        return
    match = match_of(token)
    if step == "from":
        instant = (match.end if run.repairs.local_age else match.start) + site.length
        if instant > run.now:
            run.put(site.stored, token)
            assert site.timer is not None
            run.due(site.timer, instant, token)
        return
    for stored in run.stored(site.stored, token.activation):
        origin = match_of(stored)
        disjoint = not run.repairs.unique or origin.events.isdisjoint(match.events)
        if disjoint and match.end - origin.end >= site.least:
            whole = joined(match, origin, token.activation.enabled)
            run.put(site.out, Token(token.activation, replace(whole, end=run.now)))
