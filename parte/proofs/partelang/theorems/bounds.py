"""The lower bounds on timestamps are true at entry and production nodes and within a step (D §8.1, 9-11, 15, 17-19).

These stay, because they are about more than the refinement lemmas: any number of sources, events and results, promises
that decrease, and the code that computes bounds for `at` and for the summaries of sets, which is not transcribed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from parte.proofs.any_length import ANY, Width
from parte.proofs.lemma import FALSE, HOLDS, IN_SOUND, UNBOUNDED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import (
    Results,
    Sources,
    effect,
    event,
    event_at,
    events_per_match,
    just,
    left_sample,
    partial_match,
    parts_of,
    respects,
    timestamps_of_each,
    two_input_node,
)
from parte.proofs.partelang.statements import times_of
from parte.proofs.partelang.theorems.collection import Decisions
from parte.proofs.statements import at_most, before, below_all, both, equal, later_than, pointwise, some
from parte.proofs.symbolic import Body, Claims, Run, choice
from parte.semantics.events.event import Event
from parte.semantics.partelang import kernel
from parte.semantics.partelang.expressions import COMBINATIONS, NoValue, compile_timestamp
from parte.semantics.partelang.network import ProductionNode, Side
from parte.semantics.partelang.repairs import Family
from parte.semantics.partelang.rules.collection import summarized_bounds_after
from parte.semantics.partelang.rules.premises import as_tokens, left_entry
from parte.semantics.partelang.rules.registry import OURS, EntryData, Kind, Site, TwoInputData, rules_for
from parte.semantics.partelang.syntax import core, functions
from parte.semantics.partelang.syntax.implementations import Implementations, MissingFunction
from parte.semantics.partelang.tokens import AlphaToken, BetaToken, PartialMatch

SECTION = "8.1.2"
_At = core.TimestampExpression

# --- Entry nodes ----------------------------------------------------------------------------------------------------

_OF_SOURCES = "any number of sources, external and productions"


def entry(rule: str, *, payload: bool, decreasing: bool = False) -> Body:
    """I.1 and I.2 at an entry node. `decreasing` drops the premise that a source's promises do not decrease."""

    def body(run: Run) -> Claims:
        sources = Sources(run)
        data, slot = EntryData(sources.integers("source bound")), sources.slot
        bound = run.integer("arriving bound")
        later = sources.integers("later event")
        promised = run.integer("promised")
        payload_event = event(run, "arriving") if payload else None
        run.assume(at_most(promised, kernel.entry_bound(data.bounds)), at_most(bound, later[slot]))
        run.assume(sources.others(later_than(data.bounds, later)))
        if payload_event is not None:
            run.assume(at_most(data.bounds[slot], payload_event.timestamp))
        if not decreasing:
            run.assume(at_most(data.bounds[slot], bound), at_most(data.bounds[slot], later[slot]))
        result = effect(run, rule, sources.entry, data, AlphaToken(slot, bound, payload_event))
        if result is None:
            return ()
        assert isinstance(result.data, EntryData)
        claims = [("the stored bounds are true of later events", pointwise(result.data.bounds, later))]
        claims.append(("what was promised is true of later events", below_all(promised, later)))
        for token in result.tokens:
            assert isinstance(token, AlphaToken)
            claims.append(("the bound sent is true of later events", below_all(token.bound, later)))
            claims.append(("the bound sent is not below what was promised", at_most(promised, token.bound)))
            claims.append(("the bound sent is the node's", equal(token.bound, kernel.entry_bound(result.data.bounds))))
            if token.payload is not None:
                claims.append(("what was promised is true of the event", at_most(promised, token.payload.timestamp)))
        return claims

    return body


# --- Production and terminal nodes ----------------------------------------------------------------------------------


def _expressions(run: Run, timestamp: core.TimestampOf, timestamps: tuple[core.TimestampOf, ...]) -> Sequence[_At]:
    """Return one `at` of each form."""
    return (
        timestamp,
        core.Shift(timestamp, run.integer("shift")),
        *(core.Combination(name, timestamps) for name in functions.of_timestamps()),
    )


def production(rule: str, *, payload: bool) -> Body:
    """I.2 at a production node, for an `at` of every kind: the bound by `generate`, emissions by `stamp`."""

    def body(run: Run) -> Claims:
        positions: dict[str, int] = {}
        at = choice(run, "at", _expressions(run, *timestamps_of_each(run, positions)))
        generate = compile_timestamp(at, positions, of_events=False)
        stamp = compile_timestamp(at, positions, of_events=True)

        def emitted(events: PartialMatch) -> Event | None:
            time = _if_any(stamp, times_of(events))
            return None if time is None else event_at("emitted", time)

        node = ProductionNode("production:R#1", "R", 1, emitted, generate)
        edge, bounds, later = (run.integers(name, ANY) for name in ("last bound", "arriving bound", "later event"))
        promised = run.integer("promised")
        partial = partial_match(run, "arriving", ANY) if payload else None
        run.assume(at_most(promised, generate(edge)), pointwise(edge, bounds), pointwise(bounds, later))
        run.assume(respects(edge, partial))
        following = _if_any(stamp, later)
        result = effect(run, rule, node, None, BetaToken(bounds, partial))
        assert result is not None
        claims = []
        for token in result.tokens:
            assert isinstance(token, AlphaToken)
            if following is not None:
                claims.append(("the bound sent is true of later emissions", at_most(token.bound, following)))
            claims.append(("the bound sent is not below what was promised", at_most(promised, token.bound)))
            if token.payload is not None:
                claims.append(("what was promised is true of the emission", at_most(promised, token.payload.timestamp)))
        return claims

    return body


def _if_any(stamp: Callable[[Sequence[int]], int], times: Sequence[int]) -> int | None:
    """Return the timestamp of an emission; None if it has none, so that nothing is emitted."""
    try:
        return stamp(times)
    except NoValue:
        return None


def monotone(function: Callable[[Sequence[int]], int], width: int | Width) -> Body:
    """Later timestamps do not give an earlier one."""

    def body(run: Run) -> Claims:
        lows, highs = run.integers("bound", width), run.integers("timestamp", width)
        run.assume(pointwise(lows, highs))
        return (("the bound computed is true of the timestamp computed", at_most(function(lows), function(highs))),)

    return body


def strictly_monotone(run: Run) -> Claims:
    """D lemma 19 with its sign read strictly: strictly later timestamps give strictly later ones."""
    lows, highs = run.integers("bound", 2), run.integers("timestamp", 2)
    run.assume(pointwise(lows, highs), some(map(before, lows, highs)))
    return (
        ("min of the bounds is below min of the timestamps", before(kernel.earliest(lows), kernel.earliest(highs))),
    )


def passed_on(run: Run) -> Claims:
    """A set-node with a stored left partial match, any others, and one to come."""
    node = Decisions(run).node(ANY)
    stored, later = partial_match(run, "stored", ANY), partial_match(run, "later", ANY)
    left = left_sample(run, node, stored)
    data = TwoInputData(run.integers("left bound", ANY), run.integer("right bound"), left, just(run))
    run.assume(respects(data.left_bounds, later))
    bounds, (bound,) = parts_of(summarized_bounds_after(Site(node, run.repairs, None, None), data), ANY)
    return (
        ("they are true of stored left events", both(respects(bounds, stored), pointwise(bounds, left.floors))),
        ("and of later ones", respects(bounds, later)),
        ("the last is true of the summaries of stored partial matches", at_most(bound, left_entry(node, stored).opens)),
        ("and of later ones", at_most(bound, left_entry(node, later).opens)),
    )


def batch(run: Run) -> Claims:
    """One result, the next, and the last, of any number; the first two are of one step."""
    results = Results(run, ANY)
    bounds = run.integers("bound after the step", ANY)
    site = Site(two_input_node(run, ANY, negated=False), run.repairs, None, None)
    first, following, last = results.looked_at(as_tokens(site, results.results, bounds))
    return (
        ("each carries its own result", results.own((first, following, last))),
        ("the bounds of one are true of the next", respects(first.bounds, following.payload)),
        ("bounds do not decrease from one to the next", pointwise(first.bounds, following.bounds)),
        ("the last has the bounds that hold after the step", pointwise(bounds, last.bounds)),
        ("and no others", pointwise(last.bounds, bounds)),
    )


# --- The lemmas -----------------------------------------------------------------------------------------------------

_KERNEL, _ENTRIES, _REACTION = (
    "parte.semantics.partelang.kernel",
    "parte.semantics.partelang.rules.entry",
    "parte.semantics.partelang.rules.reaction",
)
_GREATEST = Mutant("greatest-promise", f"{_KERNEL}:entry_bound", "lowest(bounds)", "-lowest(bounds)")
_LATEST_SOURCE = Mutant(
    "the-source-that-spoke-last",
    f"{_ENTRIES}:_merge",
    "kernel.entry_bound(bounds), token.payload",
    "token.bound, token.payload",
)
_OF_ANY_FORM = "an `at` of each kind over any number of events (of kinds within kinds: at-monotone, by induction)"
_BACKWARDS = Mutant(
    "shift-backwards", f"{_KERNEL}:shifted", "return timestamp + milliseconds", "return milliseconds - timestamp"
)


def _alpha_mutant(function: str, before_: str) -> Mutant:
    return Mutant(
        "one-too-many",
        f"parte.semantics.partelang.rules.alpha:{function}",
        before_,
        before_.replace("bound", "bound + 1"),
    )


AT_LEMMAS: Implementations[str] = Implementations(
    {"min": "lowest(timestamps)", "max": "highest(timestamps)", "avg": "mean(timestamps)"},
    partial(MissingFunction, "the lemmas"),
    of_timestamps=True,
)
"""The functions by which `at` combines timestamps, each with the value that the kernel returns."""


def _at_lemmas() -> list[Lemma]:
    lemmas = [
        Lemma(
            f"at-monotone-{name}",
            f"`{name}` of bounds is a bound on `{name}` of timestamps that they are true of.",
            f"{SECTION}, lemma 19",
            ("PARTE/PROD", "PARTE/PROD-BOTTOM"),
            "any number of operands",
            monotone(COMBINATIONS[name], ANY),
            Mutant(
                f"{name}-turned-round",
                f"{_KERNEL}:{COMBINATIONS[name].__name__}",
                f"return {returned}",
                f"return -{returned}",
            ),
            HOLDS,
        )
        for name, returned in AT_LEMMAS.entries.items()
    ]
    lemmas.append(
        Lemma(
            "at-monotone-shift",
            "A shifted bound is a bound on the shifted timestamp.",
            f"{SECTION}, lemma 19",
            ("PARTE/PROD", "PARTE/PROD-BOTTOM"),
            UNBOUNDED,
            lambda run: monotone(lambda times: kernel.shifted(times[0], run.integer("shift")), 1)(run),
            _BACKWARDS,
            HOLDS,
        )
    )
    return lemmas


LEMMAS = (
    Lemma(
        "bounds-in-batch",
        "The tokens of a step with several results carry these in order, the last one the bounds that hold after the "
        "step, and the bounds of each are true of the next and not above its bounds.",
        f"{SECTION}, lemmas 15, 17",
        ("PARTE/JOIN-LEFT", "PARTE/JOIN-RIGHT", "PARTE/NOT-RIGHT", "PARTE/NOT-RIGHT-BOTTOM"),
        "any number of results of any number of events (of those after the next: the contract is transitive)",
        batch,
        Mutant("ignore-the-companion", f"{_KERNEL}:batch_bound", "return lesser(bound, timestamp)", "return bound"),
        IN_SOUND,
    ),
    Lemma(
        "bounds-SET",
        "The bounds that a set-node passes on are true of the left events, and of the summaries, that it stores or "
        "that are to come.",
        OURS,
        tuple(
            info.id
            for side in (Side.LEFT, Side.RIGHT)
            for payload in (True, False)
            for info in rules_for(Family.FEATHERWEIGHT, Kind.SET, side, payload)
        ),
        f"any histories; {events_per_match(ANY)}",
        passed_on,
        Mutant(
            "summaries-from-the-greatest-distance",
            "parte.semantics.partelang.rules.collection:summarized_bounds_after",
            "kernel.expiration_time(left, site.node.minima)",
            "kernel.expiration_time(left, site.node.maxima)",
        ),
        HOLDS,
    ),
    Lemma(
        "bounds-ENTRY",
        "The bounds that an entry node stores, and those it sends with an event, are true, provided that a source's "
        "promises do not decrease.",
        f"{SECTION}, lemmas 9-11",
        ("PARTE/ENTRY",),
        _OF_SOURCES,
        entry("PARTE/ENTRY", payload=True),
        _LATEST_SOURCE,
        HOLDS,
    ),
    Lemma(
        "bounds-ENTRY-BOTTOM",
        "The bounds that an entry node stores, and those it sends without an event, are true, provided that a source's "
        "promises do not decrease.",
        f"{SECTION}, lemmas 9-11",
        ("PARTE/ENTRY-BOTTOM",),
        _OF_SOURCES,
        entry("PARTE/ENTRY-BOTTOM", payload=False),
        _GREATEST,
        HOLDS,
    ),
    Lemma(
        "bounds-ENTRY-decreasing",
        "An entry node's bounds are true even if a source promises less than it did before.",
        f"{SECTION}, lemmas 9, 10",
        ("PARTE/ENTRY", "PARTE/ENTRY-BOTTOM"),
        _OF_SOURCES,
        entry("PARTE/ENTRY-BOTTOM", payload=False, decreasing=True),
        None,
        FALSE,
        note="D §5.4.6 assumes that promises do not decrease; without that premise its lemmas 9 and 10 would fail",
    ),
    Lemma(
        "bounds-PROD",
        "The bound that a production node sends with an emission is true of later emissions.",
        f"{SECTION}, lemmas 18, 19",
        ("PARTE/PROD",),
        _OF_ANY_FORM,
        production("PARTE/PROD", payload=True),
        Mutant(
            "the-emission-as-its-own-bound",
            f"{_REACTION}:prod",
            "node.generate_bound(token.bounds)",
            "node.generate_bound([event.timestamp for event in token.payload])",
        ),
        HOLDS,
    ),
    Lemma(
        "bounds-PROD-BOTTOM",
        "The bound that a production node sends without an emission is true of later emissions.",
        f"{SECTION}, lemmas 18, 19",
        ("PARTE/PROD-BOTTOM",),
        _OF_ANY_FORM,
        production("PARTE/PROD-BOTTOM", payload=False),
        _BACKWARDS,
        HOLDS,
    ),
    *_at_lemmas(),
    Lemma(
        "at-strictly-monotone",
        "Where a bound is below a timestamp, `min` over the bounds is below `min` over the timestamps.",
        f"{SECTION}, lemma 19",
        ("PARTE/PROD", "PARTE/PROD-BOTTOM"),
        "2 operands",
        strictly_monotone,
        None,
        FALSE,
        note="the < of D lemma 19 read strictly; its gloss, a correct lower bound of, is what at-monotone states",
    ),
)
