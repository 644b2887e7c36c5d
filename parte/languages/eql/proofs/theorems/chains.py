"""Lemmas on chains: one event in a memory of any chains, missing events, and what is forgotten.

What is claimed is computed from the events by the clauses of the specification; no claim calls a rule of the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from parte.languages.eql.proofs.settings import (
    Events,
    chain,
    event,
    fits,
    fixed,
    in_order,
    in_span,
    lemma,
    memory,
    plan,
    slots_of,
    span,
    time_of,
)
from parte.languages.eql.semantics.chains import before as latest_two
from parte.languages.eql.semantics.chains import gap
from parte.languages.eql.semantics.plans import Key
from parte.languages.eql.semantics.sequences import Sequences, State, forget
from parte.languages.eql.semantics.syntax.readings import Readings
from parte.proofs.numbers import decided
from parte.proofs.statements import at_most, before, both, equal, every, moved, some
from parte.proofs.symbolic import Claims, Run, choice
from parte.semantics.events.event import POSITIVE_INFINITY, Event
from parte.semantics.rulebook.connectives import neg

_STAGES = ("A", "B", "C", "D")

# --- One event --------------------------------------------------------------------------------------------------------


def _step(slots: list[Events | None], fit: list[bool], now: Events, maxspan: int | None) -> list[Events | None]:
    """Return what each slot has after an event, and then the result: all chains go on in the same moment."""
    before_stage: list[Events | None] = [(), *slots]
    came = [
        (*events, *now) if fitting and events is not None and in_span((*events, *now)[0], now[0], maxspan) else None
        for events, fitting in zip(before_stage, fit, strict=True)
    ]
    stays = [None if fitting else events for events, fitting in zip(slots, fit[1:], strict=True)]
    return [new or old for new, old in zip(came, (*stays, None), strict=True)]


def moves(run: Run, count: int, until: str = "", keyed: bool = False) -> Claims:
    """An event that may fit any stage and until, with any keys, and a chain or nothing in each slot of each key."""
    names = _STAGES[:count]
    readings = Readings(until=until or "between")
    spanned = not run.truth("there is no maxspan")
    stages = plan(run, " ".join(names), readings, until=bool(until), keyed=keyed, spanned=spanned)
    keys: list[Key] = [()]
    values: dict[str, int] = {}
    if keyed:
        low, high = decided(run, "the lower key"), decided(run, "the higher key")
        run.assume(before(low, high))
        keys = [(False, low), (False, high)]
        values = {f"key for {name}": decided(run, f"key for {name}") for name in names}
    known = memory(run, stages, keys)
    slots = {key: slots_of(known, key) for key in keys}
    now = event(run, "e", values)
    results = known.event(now)
    claims, expected = [], []
    for key in keys:
        fit = [fits(run, now, name) and (not keyed or values[f"key for {name}"] == key[-1]) for name in names]
        ends = bool(until) and fits(run, now, "until")
        spared: list[Events | None] = [None for _ in slots[key]] if ends and until == "before" else slots[key]
        *left, result = _step(spared, fit, (now,), stages.maxspan)
        if ends and until != "before":
            left = [events if events and events[-1] is now and until == "between" else None for events in left]
        claims.append(("each slot has the chain that came, or the one that stays", slots_of(known, key) == left))
        expected += [] if result is None else [result]
    return (*claims, ("a chain of all stages is a result", [result.events for result in results] == expected))


# --- Missing events ---------------------------------------------------------------------------------------------------


def gaps(run: Run, border: str) -> Claims:
    """A chain behind which any number of missing events came, and one more, which may be its own last event."""
    waiting = chain(run, "a", 1)
    position, now = decided(run, "position"), event(run, "m")
    run.assume(at_most(waiting.positions[-1], position), at_most(waiting.ended, now.timestamp))
    if run.truth("a missing event came"):
        earliest = time_of(run, "the earliest that came")
        run.assume(at_most(waiting.ended, earliest), at_most(earliest, now.timestamp))
        waiting = replace(waiting, gap=earliest)
    counts = waiting.positions[-1] != position and (border == "order" or before(waiting.ended, now.timestamp))
    times = [*([] if waiting.gap is None else [waiting.gap]), *([now.timestamp] if counts else [])]
    marked = gap(waiting, now, position, border == "order")
    return (
        ("it is marked if one of them lies behind it", (marked.gap is None) is (times == [])),
        ("by the time of the earliest", marked.gap is None or _is_end(marked.gap, times, at_most)),
        ("it stays as it was", replace(marked, gap=None) == replace(waiting, gap=None)),
    )


def _is_end(end: int, times: Sequence[int], order: Callable[[int, int], bool]) -> bool:
    """Return whether a time is one of some, and in this order with each of them."""
    return both(every(order(end, time) for time in times), some(equal(end, time) for time in times))


def _lies(run: Run, stage: str, low: Event, high: Event, among: Events, border: str) -> bool:
    """Return whether an event of a missing stage lies between two events, in order or by time."""
    behind = among[among.index(low) :][1:]
    inside = [
        item
        for item in (behind[: behind.index(high)] if border == "order" else among)
        if border == "order" or (before(low.timestamp, item.timestamp) and before(item.timestamp, high.timestamp))
    ]
    return any(fits(run, item, stage) for item in inside)


def between(run: Run, text: str, names: str, border: str = "order", missing: str = "chain") -> Claims:
    """A sequence on some events: a fits A, and so on; each event may be one of each missing stage too."""
    words = text.split()
    stages = [word for word in words if not word.startswith("!")]
    events = fixed(run, "".join(stages), **{name: name.upper() if name.upper() in stages else "" for name in names})
    named = {item.id.upper(): item for item in events}
    machine = Sequences(plan(run, text, Readings(border=border, missing=missing)))
    results = [result.events for item in events for result in machine.event(item)]
    lies = [
        _lies(run, stage[1:], named[low], named[high], events, border)
        for low, stage, high in zip(words, words[1:], words[2:], strict=False)
        if stage.startswith("!")
    ]
    chain_of_all = tuple(named[stage] for stage in stages)
    spanned = in_span(chain_of_all[0], chain_of_all[-1], machine.plan.maxspan)
    return (
        (
            "there is a result unless one lies in between",
            results == ([chain_of_all] if spanned and not any(lies) else []),
        ),
    )


def latest(run: Run) -> Claims:
    """One to four missing events at the start."""
    events = in_order(run, *"wxyz"[: choice(run, "events", (1, 2, 3, 4))])
    pair: tuple[int | None, int | None] = (None, None)
    for item in events:
        pair = latest_two(pair, item.timestamp)
    last = events[-1].timestamp
    earlier = [item.timestamp for item in events if before(item.timestamp, last)]
    return (
        ("the latest time is kept", pair[0] is not None and equal(pair[0], last)),
        ("of those before it there is one if some event had one", (pair[1] is None) is (earlier == [])),
        (
            "it is the latest of them",
            pair[1] is None or _is_end(pair[1], earlier, lambda end, time: at_most(time, end)),
        ),
    )


def at_the_ends(run: Run, names: str, absence: str = "each", border: str = "order") -> Claims:
    """`![M] [A] [B] ![N]`: a fits A, b fits B; each event may be one of M and of N too; any bound after all."""
    early, late = names.split("ab")
    sides = ("!M " if early else "", " !N" if late else "")
    events = fixed(run, "AB", **{name: name.upper() if name in "ab" else "" for name in names})
    for item in events if early and late else ():
        run.assume(neg(run.truth(f"{item.id} fits {'N' if item in events[: len(early)] else 'M'}")))
    machine = Sequences(plan(run, "A B".join(sides), Readings(absence=absence, border=border)))
    reported = [result.events for item in events for result in machine.event(item)]
    (a, b), maxspan = [item for item in events if item.id in "ab"], machine.plan.maxspan
    assert maxspan is not None

    def apart(low: Event, high: Event) -> bool:
        return border == "order" or before(low.timestamp, high.timestamp)

    first = [item for item in events[: len(early)] if fits(run, item, "M") and apart(item, a)]
    last = [item for item in events[len(early) :][2:] if fits(run, item, "N") and apart(b, item)] if late else []
    if absence == "together":
        absent = not any(in_span(low, high, maxspan) for low in first for high in last)
    else:
        absent = not any(in_span(low, b, maxspan) for low in first) and not any(
            in_span(a, high, maxspan) for high in last
        )
    meant = [(a, b)] if in_span(a, b, maxspan) and absent else []
    bound = decided(run, "bound")
    now, then = machine.decided(bound), machine.decided(POSITIVE_INFINITY)
    if not late:
        return (("there is a result unless one lies before it", reported == meant and not now and not then),)
    known = before(moved(a.timestamp, maxspan), bound)
    return (
        ("nothing is reported before it is known", reported == []),
        (
            "it is when no event of its maxspan can come any more",
            [result.events for result in now] == (meant if known else []),
        ),
        ("or else at the end", [result.events for result in (*now, *then)] == meant),
    )


def certain(run: Run) -> Claims:
    """`[A] [B] ![N]` on two pairs, of one key, without N, and any bound."""
    events = fixed(run, "ABN", a="A", b="B", c="A", d="B")
    machine = Sequences(plan(run, "A B !N"))
    maxspan = machine.plan.maxspan
    assert maxspan is not None
    for item in events:
        machine.event(item)
    pairs = [(low, high) for low, high in (events[:2], events[2:]) if in_span(low, high, maxspan)]
    bound = decided(run, "bound")
    known = [pair for pair in pairs if before(moved(pair[0].timestamp, maxspan), bound)]
    now = [result.events for result in machine.decided(bound)]
    then = [result.events for result in machine.decided(POSITIVE_INFINITY)]
    return (
        ("those are results that no later event can rule out", now == known),
        ("the others wait", then == [pair for pair in pairs if pair not in known]),
    )


# --- Forgetting -------------------------------------------------------------------------------------------------------


def forgotten(run: Run) -> Claims:
    """Two chains and two times of missing events, any of which may not be there, at any time."""
    slots = [chain(run, name, 1) if run.truth(f"{name} is there") else None for name in "ab"]
    times = [time_of(run, name) if run.truth(f"{name} is there") else None for name in ("latest", "earlier")]
    state, now, maxspan = State([*slots], (times[0], times[1])), time_of(run, "now"), span(run)
    forget(state, now, maxspan)

    def young(time: int) -> bool:
        return at_most(now, moved(time, maxspan))

    return (
        ("just the chains stay that can go on", state.slots == [a if a and young(a.started) else None for a in slots]),
        (
            "and the times that a result can still need",
            state.before == tuple(time if time is not None and young(time) else None for time in times),
        ),
    )


def keys_forgotten(run: Run) -> Claims:
    """`![M] [A] [B]` on two events of any keys, each M or A or both or neither, and a later one that fits nothing."""
    keys = [(False, decided(run, f"key {name}")) for name in "xy"]
    *events, last = fixed(run, "B", x="", y="", z="")
    run.assume(neg(run.truth("z fits A")), neg(run.truth("z fits M")))
    machine = Sequences(plan(run, "!M A B", keyed=True))
    for item, key in zip(events, keys, strict=True):
        machine.event(replace(item, attributes={"key for M": key[1], "key for A": key[1]}))
    machine.event(last)
    meant = {
        key
        for item, key in zip(events, keys, strict=True)
        if in_span(item, last, machine.plan.maxspan) and (fits(run, item, "M") or fits(run, item, "A"))
    }
    return (("just the keys stay that have a time or a chain within maxspan", {*machine.states} == meant),)


LEMMAS = (
    *(
        lemma(
            f"an-event-moves-each-chain-once-{count}",
            "An event takes each chain before a stage that it fits on, once, within maxspan; what comes to a slot "
            "replaces what is there, and a chain of all stages is a result.",
            "eql-chain",
            "LAST-FIRST START TAKE EXPIRED OVERWRITE COMPLETE",
            f"{count} stages with any conditions, any maxspan or none, one key, any chains in the slots",
            partial(moves, count=count),
            mutant,
        )
        for count, mutant in (
            (2, ("chains:expired", "now - started > maxspan", "now - started >= maxspan")),
            (3, ("sequences:last_first", "reversed(range(len(run.plan.steps)))", "range(len(run.plan.steps))")),
            (4, ("sequences:overwrite", "= chain", "= state.slots[slot] or chain")),
        )
    ),
    lemma(
        "keys-do-not-meet",
        "An event moves the chains of its own key only, which may be another for each stage.",
        "eql-key",
        "KEY LAST-FIRST TAKE START",
        "2 stages, two keys with any numbers, any maxspan or none, any chains in the slots",
        partial(moves, count=2, keyed=True),
        ("plans:key_of", "key += [type(value) is bool, value]", "key += [type(value) is bool]"),
    ),
    *(
        lemma(
            f"until-{reading}",
            f"Under the reading `{reading}`, an event of until ends {chains} of its key, and no others.",
            "eql-until",
            "KILL LAST-FIRST TAKE",
            "3 stages and until with any conditions, one key, any chains in the slots",
            partial(moves, count=3, until=reading),
            mutant,
        )
        for reading, chains, mutant in (
            (
                "between",
                "the chains that do not end in it",
                ("chains:killed", "chain.positions[-1] != position", "chain.positions[0] != position"),
            ),
            (
                "before",
                "all chains before it fits a stage",
                ("sequences:Sequences.event", 'until == "before"', 'until == "never"'),
            ),
            ("inclusive", "all chains, once it is in them", ("chains:killed", "inclusive or", "not inclusive or")),
        )
    ),
    *(
        lemma(
            f"missing-events-mark-a-chain-{border}",
            f"A chain has the earliest time of the missing events behind its last event, by {border}.",
            "eql-missing",
            "GAP",
            "any number of missing events, by induction, at any times that do not decrease",
            partial(gaps, border=border),
            ("chains:gap", "or chain.gap is not None", ""),
        )
        for border in ("order", "timestamp")
    ),
    *(
        lemma(
            f"missing-between-{name}",
            f"`{text}` has a result unless a missing event lies between its neighbours{words}.",
            "eql-missing",
            "GAP TAKE COMPLETE EXPIRED",
            f"events {', '.join(names)} in this order at any times, each one of the missing stage or not, any maxspan",
            partial(between, text=text, names=names, border=border, missing=missing),
            mutant,
        )
        for name, text, names, border, missing, words, mutant in (
            ("two", "A !M B", "axyb", "order", "chain", "", ("chains:complete", "if chain.spoilt:", "if False:")),
            (
                "by-timestamp",
                "A !M B",
                "axyb",
                "timestamp",
                "chain",
                " by timestamp",
                ("chains:lies_between", "chain.gap < timestamp", "chain.gap <= timestamp"),
            ),
            ("first", "A !M B C", "axbc", "order", "chain", "", ("chains:take", "chain.spoilt or", "")),
            (
                "by-timestamp-first",
                "A !M B C",
                "axbc",
                "timestamp",
                "chain",
                " by timestamp",
                ("chains:take", "gap=None, spoilt=spoilt", "spoilt=spoilt"),
            ),
            (
                "last",
                "A B !N C",
                "abxc",
                "order",
                "chain",
                "",
                ("chains:gap", "chain.positions[-1] == position or", ""),
            ),
            (
                "pending",
                "A !M B C",
                "axbc",
                "order",
                "pending",
                " under the reading `pending`",
                ("sequences:Sequences._goes_on", "pending and lies_between", "pending and not lies_between"),
            ),
        )
    ),
    lemma(
        "the-latest-missing-event-before",
        "Of missing events at the start the latest time is kept, and the latest time before that.",
        "eql-missing",
        "BEFORE",
        "1 to 4 events at any times that do not decrease",
        latest,
        ("chains:before", "latest if latest[0] == timestamp else", ""),
    ),
    *(
        lemma(
            f"missing-{name}",
            f"`{text}` has a result unless {words}.",
            "eql-missing",
            rules,
            f"events {', '.join(names)} in this order at any times, each missing or not; any maxspan and bound",
            partial(at_the_ends, names=names, absence=absence, border=border),
            mutant,
        )
        for name, text, names, absence, border, words, rules, mutant in (
            (
                "at-the-start",
                "![M] [A] [B]",
                "mnab",
                "each",
                "order",
                "one lies before it, at most maxspan before its end",
                "BEFORE START COMPLETE",
                ("chains:complete", "chain.before >= chain.ended - maxspan", "chain.before > chain.ended - maxspan"),
            ),
            (
                "at-the-start-by-timestamp",
                "![M] [A] [B]",
                "mnab",
                "each",
                "timestamp",
                "one has an earlier timestamp, at most maxspan before its end",
                "BEFORE START COMPLETE",
                ("sequences:Sequences.move", "latest if by_order or latest != event.timestamp else earlier", "latest"),
            ),
            (
                "at-the-end",
                "[A] [B] ![N]",
                "abxy",
                "each",
                "order",
                "one lies behind it, at most maxspan after its start, and it is reported when that is certain",
                "WAIT AFTER ABSENT",
                (
                    "chains:ruled_out",
                    "event.timestamp - chain.started <= maxspan",
                    "event.timestamp - chain.ended <= maxspan",
                ),
            ),
            (
                "at-the-end-by-timestamp",
                "[A] [B] ![N]",
                "abxy",
                "each",
                "timestamp",
                "one has a later timestamp, at most maxspan after its start",
                "WAIT AFTER ABSENT",
                ("chains:ruled_out", "event.timestamp > chain.ended", "event.timestamp >= chain.ended"),
            ),
            (
                "at-both-ends",
                "![M] [A] [B] ![N]",
                "maby",
                "each",
                "order",
                "one lies within maxspan before or behind it",
                "BEFORE COMPLETE WAIT AFTER ABSENT",
                (
                    "chains:ruled_out",
                    "event.timestamp - chain.started <= maxspan",
                    "event.timestamp - chain.ended <= maxspan",
                ),
            ),
            (
                "at-both-ends-together",
                "![M] [A] [B] ![N]",
                "maby",
                "together",
                "order",
                "one before and one behind it are within one maxspan",
                "BEFORE COMPLETE WAIT AFTER ABSENT",
                ("chains:ruled_out", "event.timestamp - chain.before <= maxspan", "True"),
            ),
        )
    ),
    lemma(
        "chains-wait-until-it-is-certain",
        "Of the chains that wait for an absence, those are results for which no event can come within maxspan.",
        "eql-release",
        "WAIT ABSENT",
        "2 chains of one key at any times, any maxspan and bound",
        certain,
        ("sequences:wait", "waiting.setdefault(key, []).append(chain)", "waiting[key] = [chain]"),
    ),
    lemma(
        "what-can-go-on-is-kept",
        "Just the chains and times of missing events that are at most maxspan old are kept.",
        "eql-machine",
        "FORGET",
        "2 slots and 2 times, each with any time or empty",
        forgotten,
        ("sequences:forget", "now - chain.started > maxspan", "now - chain.started >= maxspan"),
    ),
    lemma(
        "keys-are-forgotten",
        "Just the keys are kept that have a chain or a time of a missing event within maxspan.",
        "eql-machine",
        "FORGET BEFORE START",
        "2 events of any keys, each of the missing first stage and of the first stage or not, and a later event",
        keys_forgotten,
        ("sequences:Sequences._forget", "now - self._due[0][0] > maxspan", "now - self._due[0][0] > maxspan + 1"),
    ),
)
