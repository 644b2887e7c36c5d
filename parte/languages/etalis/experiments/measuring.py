"""The measurements for each figure, list or claim of E."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from parte.conformance.casefiles.cases import Answers
from parte.conformance.engines.answers import lines_of
from parte.experiments.experiment import Row, Unit
from parte.languages.etalis.algebra.evaluation import evaluate
from parte.languages.etalis.algebra.readings import Readings
from parte.languages.etalis.conformance.engines.swi import adapter as swi
from parte.languages.etalis.conformance.notation import NOTATION, read_items
from parte.languages.etalis.experiments.streams import (
    FIGURE_1,
    SECTION_6_1,
    SECTION_6_2,
    chain,
    given_intervals,
    ticker,
    ticker_stream,
    ticks,
)
from parte.languages.etalis.running import event_to_json
from parte.languages.etalis.semantics.machine import Machine
from parte.languages.etalis.semantics.policies import POLICIES
from parte.languages.etalis.semantics.published.compiler import clause_text, compiled
from parte.languages.etalis.semantics.published.machine import Published
from parte.languages.etalis.semantics.published.repairs import PUBLISHED, SOUND
from parte.languages.etalis.semantics.published.terms import Structure
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.parser import parse
from parte.languages.etalis.semantics.syntax.streams import Instant, IntervalEvent, stream
from parte.semantics.events.records import read_records
from parte.semantics.source.packages import Unavailable

KEY = ("part", "what", "step", "policy")
"""The key of a row: its part of E, its subject, the greatest change of prices, and the policy."""

COLUMNS = ("measured", "kept", "found by ETALIS", "seconds", "seconds of ETALIS")

PRICES, TICKER, CLAUSES = "prices", "stock ticker", "clauses"
"""The parts that are data here, and for which E has no numbers."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A figure or list of E, with rules and a stream; `defect` or `why` says how it differs."""

    part: str
    what: str
    printed: str
    place: str
    rules: str = ""
    stream: str = ""
    policy: str = "unrestricted"
    during: str = "proper"
    defect: int = 0
    why: str = ""


@cache
def printed() -> Mapping[tuple[str, str], Printed]:
    """Return all figures and lists of E, by part and subject."""
    path = Path(str(resources.files(__package__).joinpath("printed.toml")))
    return {(entry.part, entry.what): entry for entry in read_records(path, "printed", Printed)}


@dataclass(frozen=True, slots=True)
class Asked:
    """A unit of work, with the parameters."""

    part: str
    what: str
    step: int
    policy: str
    ticks: int
    seed: int
    beside: bool


def measure(unit: Unit, count: int, seed: int, beside: bool) -> Sequence[Row]:
    """Return the row of a unit: the `measured` value, and for runs the number of goals `kept` and the processor time;
    for the authors' engine, if it runs `beside` and is installed, the number of its events, and its time."""
    query = Asked(
        str(unit["part"]), str(unit["what"]), int(unit["step"] or 0), str(unit["policy"]), count, seed, beside
    )
    return [dict.fromkeys(COLUMNS) | dict(PARTS[query.part](query))]


# --- Events -----------------------------------------------------------------------------------------------------------


def read(entry: Printed) -> tuple[tree.Program, list[Instant]]:
    """Return the rules and the stream of a printed entry, with the surroundings of its part."""
    rules, events = SURROUNDINGS.get(entry.part, lambda: ("", ""))()
    program = parse(rules + entry.rules)
    items = read_items([" ".join(filter(None, (events, entry.stream)))], {})
    return program, stream(program, lines_of(items))


SURROUNDINGS: Mapping[str, Callable[[], tuple[str, str]]] = {
    "figure 1": lambda: given_intervals(FIGURE_1),
    "section 6.1": lambda: SECTION_6_1,
    "section 6.1, calls": lambda: SECTION_6_1,
    "section 6.2": lambda: _with("e <- a SEQ b.", given_intervals(SECTION_6_2)),
}


def _with(rule: str, surroundings: tuple[str, str]) -> tuple[str, str]:
    return surroundings[0] + rule, surroundings[1]


def _events(query: Asked) -> Row:
    """Return the events of the machine, which the definition confirms."""
    entry = printed()[query.part, query.what]
    program, instants = read(entry)
    derived = list(Machine(program, POLICIES[entry.policy], during=entry.during).run(instants))
    assert derived == list(evaluate(program, instants, Readings(during=entry.during), entry.policy))
    return {"measured": events_text(derived)}


def events_text(events: Iterable[IntervalEvent]) -> str:
    """Return the events `e…` and `ie…`, without those that a rule derives only for the stream; `e` without its name if
    alone."""
    visible = [event for event in events if event.name in ("e", "ie1")]
    alone = all(event.name == "e" and not event.arguments for event in visible)
    lines = NOTATION.write(Answers(tuple(map(event_to_json, visible))))
    return " ".join(line.removeprefix("e") if alone else line for line in lines)


def _calls(query: Asked) -> Row:
    """Return how often the printed clauses call `e`, with repeated events."""
    program, instants = read(printed()[query.part, query.what])
    clauses = Published(program, SOUND.without("unique"))
    called = [term for instant in instants for term in clauses.happening(instant)]
    return {"measured": str(sum(isinstance(term, Structure) and term.name == "e" for term in called))}


# --- Clauses ----------------------------------------------------------------------------------------------------------


def _clauses(query: Asked) -> Row:
    """Return the number of clauses of a sequence of this many events: those that insert goals, check, and loop."""
    count = int(query.what)
    surrounding = Counter(map(clause_text, compiled(parse(""), PUBLISHED.repairs, "unrestricted").clauses))
    clauses = Counter(map(clause_text, compiled(chain(count), PUBLISHED.repairs, "unrestricted").clauses)) - surrounding
    return {"measured": sum(number for text, number in clauses.items() if not text.startswith("rules("))}


# --- The stock ticker -------------------------------------------------------------------------------------------------


def _prices(query: Asked) -> Row:
    """Return the share of consecutive prices of a stock for which the condition is true, in percent."""
    last: dict[str, int] = {}
    held = pairs = 0
    for name, price, _ in ticks(query.ticks, query.step, query.seed):
        before = last.get(name)
        if before is not None:
            pairs += 1
            held += 5 * before < 6 * price if query.what == "as printed" else 5 * price > 6 * before
        last[name] = price
    return {"measured": round(100 * held / pairs, 1)}


ETALIS_POLICIES = {here: there for here, there in swi.POLICIES.items() if here != "unrestricted"}
"""The policies of both engines that allow a long stream."""


def _ticker(query: Asked) -> Row:
    """Return the row of a run of the ticker: events found, goals kept at the end, processor time; and those of the
    authors' engine."""
    program, instants = ticker(query.what), ticker_stream(query.ticks, query.step, query.seed)
    machine = Machine(program, POLICIES[query.policy])
    before = time.process_time()
    derived_count = sum(1 for _ in machine.run(instants))
    row: dict[str, int | float | str | None] = {
        "measured": derived_count,
        "kept": machine.kept,
        "seconds": round(time.process_time() - before, 3),
    }
    if query.beside and query.policy in ETALIS_POLICIES:
        try:
            folder = swi.installation()
        except Unavailable:
            return row
        theirs = swi.fired(folder, program, ETALIS_POLICIES[query.policy], instants, limit=600)
        row |= {"found by ETALIS": len(theirs.events), "seconds of ETALIS": round(theirs.seconds, 3)}
    return row


PARTS: Mapping[str, Callable[[Asked], Row]] = {
    "figure 1": _events,
    "section 3": _events,
    CLAUSES: _clauses,
    "section 6.1": _events,
    "section 6.1, calls": _calls,
    "section 6.2": _events,
    PRICES: _prices,
    TICKER: _ticker,
}
