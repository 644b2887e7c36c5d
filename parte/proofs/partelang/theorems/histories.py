"""Histories have the operations that the rules assume, both the plain ones and the indexed ones of quick runs.

Each operation is stated for a history with three entries, of any lifetimes and of two keys, of which one may have been
removed again. The same statements are proved of `PlainHistory` and `IndexedHistory`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from parte.checker.solver.verdict import Verdict
from parte.proofs.lemma import SOUND, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import event, name_of
from parte.proofs.statements import at_most, count_of, equal, every, same, some
from parte.proofs.symbolic import Body, Claims, Run, choice
from parte.semantics.events.event import POSITIVE_INFINITY
from parte.semantics.partelang import kernel
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.histories import Entry, History, IndexedHistory, PlainHistory
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.network import Network
from parte.semantics.partelang.rules.registry import TwoInputData
from parte.semantics.partelang.syntax import parse

# --- Entries ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sort:
    """The sort of a history: right events, or left partial matches of so many events, and how many entries came."""

    width: int
    instants: bool
    entries: int

    def entry(self, run: Run, name: str, key: str) -> Entry:
        """Return an entry. The lifetime of a single event is its window; that of several events may be anything."""
        events = tuple(event(run, f"{name}.{number}") for number in range(self.width))
        first, *others = (event.timestamp for event in events)
        if self.instants:
            return Entry(events, first, first, key)
        if others:
            return Entry(events, run.integer(f"{name} opens"), run.integer(f"{name} closes"), key)
        minimum, maximum = run.integer("minimum"), run.integer("maximum")
        return Entry(events, kernel.shifted(first, minimum), kernel.shifted(first, maximum), key)


RIGHT, LEFT, PAIRS = Sort(1, True, 3), Sort(1, False, 3), Sort(2, False, 2)


@dataclass(frozen=True)
class Situation:
    """A history, and the entries that it must have."""

    run: Run
    sort: Sort
    history: History
    present: Sequence[Entry]

    def least(self, history: History, present: Sequence[Entry]) -> Claims:
        """Claim that a history returns the least time of these entries at each position."""
        claims = []
        for position in range(self.sort.width):
            least, times = history.earliest(position), [entry.events[position].timestamp for entry in present]
            claims.append((f"nothing at {position} is earlier", every(at_most(least, time) for time in times)))
            attained = some(equal(least, time) for time in times or [POSITIVE_INFINITY])
            claims.append((f"something at {position} is as early, or there is nothing", attained))
        return claims


Operation = Callable[[Situation], Claims]


def means(make: Callable[[int], History], operation: Operation) -> Body:
    """An operation, after one of the entries may have been removed. If keys matter, the last may have another one."""
    keys = ("x", "y") if operation is overlapping else ("x",)

    def body(run: Run) -> Claims:
        sort = choice(run, "sort", (RIGHT, LEFT, PAIRS))
        entries = [sort.entry(run, f"p{number}", "x") for number in range(sort.entries)]
        entries[-1].key = choice(run, "the last key", keys)
        history = make(sort.width)
        for entry in entries:
            history = history.stored(entry)
        gone = choice(run, "gone", (None, *entries[:2]))
        if gone is not None and _among(gone, history):
            history = history.without([gone])
        return operation(Situation(run, sort, history, [entry for entry in entries if entry is not gone]))

    return body


# --- Operations -----------------------------------------------------------------------------------------------------


def stored(situation: Situation) -> Claims:
    """Every entry that was stored and not removed is there, once."""
    counted = len(situation.history) == count_of(situation.present)
    return (
        ("it holds what came and stayed, once", _are(situation.history, situation.present)),
        ("and counts it", counted),
    )


def overlapping(situation: Situation) -> Claims:
    """Right events are looked up by a window, left partial matches by an instant."""
    opens = situation.run.integer("opens")
    closes = situation.run.integer("closes") if situation.sort.instants else opens
    key = choice(situation.run, "key", ("x", "y"))
    overlaps = situation.history.overlapping(opens, closes, key)
    claims = [("nothing comes twice", _are(overlaps, {id(entry): entry for entry in overlaps}.values()))]
    claims.append(("nothing else comes", all(_among(entry, situation.present) for entry in overlaps)))
    for entry in situation.present:
        window = (entry.opens, opens, closes) if situation.sort.instants else (opens, entry.opens, entry.closes)
        expected = kernel.in_window(*window) if entry.key == key else False
        claims.append((f"{name_of(entry.events)} comes if it should", same(_among(entry, overlaps), expected)))
    return claims


def passed(situation: Situation) -> Claims:
    """A bound removes the entries that ended before it."""
    bound = situation.run.integer("bound")
    staying, leaving = situation.history.passed(bound)
    after = list(staying)
    claims = [("each entry stays or leaves, once", _are([*after, *leaving], situation.present))]
    claims.append(("what stays is counted", len(staying) == count_of(after)))
    for entry in situation.present:
        leaves = same(_among(entry, leaving), kernel.is_stale(entry.closes, bound))
        claims.append((f"{name_of(entry.events)} leaves if it has ended before the bound", leaves))
    return claims


def parted(situation: Situation) -> Claims:
    """Any condition divides a history."""
    stay = [entry for entry in situation.present if situation.run.truth(f"{name_of(entry.events)} stays")]
    staying, leaving = situation.history.parted(lambda entry: _among(entry, stay))
    gone = [entry for entry in situation.present if not _among(entry, stay)]
    return (("those of which the question holds stay", _are(staying, stay)), ("the others leave", _are(leaving, gone)))


def without(situation: Situation) -> Claims:
    """Any of the entries can be removed together."""
    gone = [entry for entry in situation.present if situation.run.truth(f"{name_of(entry.events)} goes")]
    history, rest = situation.history.without(gone), [entry for entry in situation.present if not _among(entry, gone)]
    return (("the others stay", _are(history, rest)), *situation.least(history, rest))


def earliest(situation: Situation) -> Claims:
    """The least time at each position."""
    return situation.least(situation.history, situation.present)


def _among(entry: Entry, entries: Iterable[Entry]) -> bool:
    return any(member is entry for member in entries)


def _are(actual: Iterable[Entry], expected: Iterable[Entry]) -> bool:
    """Return whether they are these very entries, each once, in any order."""
    return sorted(map(id, actual)) == sorted(map(id, expected))


# --- The lemmas -------------------------------------------------------------------------------------------------------

Edits = tuple[str, str, str]
"""The edits of a mutant: its name, and the change."""

_FIRST: Edits = ("the-first-alone", "for entry in entries", "for entry in list(entries)[:1]")
_OPERATIONS: Sequence[tuple[str, Operation, str, Edits, Edits]] = (
    (
        "stored",
        stored,
        "holds what was stored and has not gone, once, and counts it",
        ("lose-the-oldest", "(*self.entries, entry)", "(*self.entries[-1:], entry)"),
        ("count-one", "self._size += 1", "self._size = 1"),
    ),
    (
        "overlapping",
        overlapping,
        "finds, once, the entries of a key whose interval and the window that is asked for overlap",
        ("find-the-first", "for entry in self.entries if", "for entry in self.entries[:1] if"),
        ("stop-too-soon", "entry.opens > closes", "entry.opens >= closes"),
    ),
    (
        "passed",
        passed,
        "gives up those entries that have ended before a bound, and no other",
        ("at-the-end", "not is_stale(entry.closes, bound)", "is_stale(bound, entry.closes)"),
        ("one-at-a-time", "passed(bound)\n", "passed(bound)[:1]\n"),
    ),
    (
        "parted",
        parted,
        "is divided by any question into the entries of which it holds and the others",
        ("part-once", "staying if stays(entry) else", "staying if leaving or stays(entry) else"),
        ("keep-all", "return self.without(leaving), leaving", "return self, leaving"),
    ),
    (
        "without",
        without,
        "gives up the entries that are taken out, and no other, and knows the least times of these",
        _FIRST,
        _FIRST,
    ),
    (
        "earliest",
        earliest,
        "knows of each position the least timestamp, or +∞ if it holds nothing",
        ("never", "return min(", "return POSITIVE_INFINITY or min("),
        ("by-the-end-alone", "(self._by_event[position] if self._by_event else self._by_closes)", "self._by_closes"),
    ),
)
_SCOPE = (
    "histories to which 3 right events, 3 left events or 2 left pairs came, with lifetimes of any kind, "
    "and from which one may have gone"
)
_KINDS: Sequence[tuple[str, type[PlainHistory | IndexedHistory], Callable[[int], History], str]] = (
    ("plain", PlainHistory, lambda _: PlainHistory(), f"{_SCOPE}; any number by `frame-uniform`"),
    (
        "indexed",
        IndexedHistory,
        IndexedHistory,
        f"{_SCOPE}; longer histories in tests/semantics/partelang/test_histories.py",
    ),
)


def _lemma(name: str, operation: Operation, what: str, edits: Sequence[Edits], kind: int) -> Lemma:
    sort, holder, make, scope = _KINDS[kind]
    fault, before, after = edits[kind]
    return Lemma(
        f"history-{sort}-{name}",
        f"A history ({sort}) {what}.",
        "5.2.2, def. 13",
        (),
        scope,
        means(make, operation),
        Mutant(fault, f"{holder.__module__}:{holder.__name__}.{name}", before, after),
        {SOUND: Verdict.PROVED},
    )


@cache
def _network() -> Network:
    patterns = "a: A, b: A, c: A, no d: A when b in a [0 ms, 1 ms] c in b [0 ms, 1 ms] no d in c [0 ms, 1 ms]"
    return compile_program(parse(f"template A {{}} rule R where {patterns} then"), {}, {"A": ("s",)})


def _of_a_quick_run(width: int) -> History:
    """Return the initial left history, in a quick run, of the node that gets so many events at once."""
    for state in Machine(_network()).nodes:
        if isinstance(state.data, TwoInputData) and count_of(state.data.left_bounds) == width:
            assert isinstance(state.data.left, IndexedHistory)
            return state.data.left
    raise LookupError(f"no node takes {width} events from the left")


LEMMAS = (
    *(
        _lemma(name, operation, what, edits, kind)
        for kind in range(len(_KINDS))
        for name, operation, what, *edits in _OPERATIONS
    ),
    Lemma(
        "history-of-quick-runs",
        "The histories with which a quick run begins, at nodes whose bounds are read, know the least timestamp of each "
        "position.",
        "5.2.2, def. 13",
        (),
        f"a chain of 4 patterns; {_SCOPE}",
        means(_of_a_quick_run, earliest),
        Mutant(
            "of-one-position",
            f"{Machine.__module__}:Machine._initial",
            "len(node.left) if read or node.collects else 1",
            "1",
        ),
        {SOUND: Verdict.PROVED},
    ),
)
