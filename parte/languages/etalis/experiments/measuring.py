"""What is measured for each thing that E draws, lists or claims."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from parte.conformance.engines.answers import lines_of
from parte.experiments.experiment import Row, Unit
from parte.languages.etalis.algebra.evaluation import evaluate
from parte.languages.etalis.algebra.readings import Readings
from parte.languages.etalis.conformance.engine import event_to_json
from parte.languages.etalis.conformance.engines.swi import adapter as swi
from parte.languages.etalis.conformance.notation import read_items, write_answers
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
"""What names a row: where it stands in E, what it is about, by how much prices change, and the policy."""

COLUMNS = ("measured", "kept", "found by ETALIS", "seconds", "seconds of ETALIS")

PRICES, TICKER, CLAUSES = "prices", "stock ticker", "clauses"
"""The parts that E gives no numbers for that are data here."""


@dataclass(frozen=True, slots=True)
class Printed:
    """Something that E draws or lists, with rules and a stream; `defect` or `why` says how it differs."""

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
    """All that E draws and lists, by part and what it is."""
    path = Path(str(resources.files(__package__).joinpath("printed.toml")))
    return {(each.part, each.what): each for each in read_records(path, "printed", Printed)}


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
    """The row of a unit: what is `measured`, and of runs how many goals were `kept` and the processor time; of the
    authors' engine, if it is asked `beside` and installed, how many events it found, and its time."""
    asked = Asked(
        str(unit["part"]), str(unit["what"]), int(unit["step"] or 0), str(unit["policy"]), count, seed, beside
    )
    return [dict.fromkeys(COLUMNS) | dict(PARTS[asked.part](asked))]


# --- Events -----------------------------------------------------------------------------------------------------------


def read(each: Printed) -> tuple[tree.Program, list[Instant]]:
    """The rules and the stream of something printed, with what is given by its part."""
    rules, events = SURROUNDINGS.get(each.part, lambda: ("", ""))()
    program = parse(rules + each.rules)
    items = read_items([" ".join(filter(None, (events, each.stream)))], {})
    return program, stream(program, lines_of(items))


SURROUNDINGS: Mapping[str, Callable[[], tuple[str, str]]] = {
    "figure 1": lambda: given_intervals(FIGURE_1),
    "section 6.1": lambda: SECTION_6_1,
    "section 6.1, calls": lambda: SECTION_6_1,
    "section 6.2": lambda: _with("e <- a SEQ b.", given_intervals(SECTION_6_2)),
}


def _with(rule: str, given: tuple[str, str]) -> tuple[str, str]:
    return given[0] + rule, given[1]


def _events(asked: Asked) -> Row:
    """What the machine derives, which the definition confirms."""
    each = printed()[asked.part, asked.what]
    program, instants = read(each)
    found = list(Machine(program, POLICIES[each.policy], during=each.during).run(instants))
    assert found == list(evaluate(program, instants, Readings(during=each.during), each.policy))
    return {"measured": shown(found)}


def shown(events: Iterable[IntervalEvent]) -> str:
    """The events `e…` and `ie…`, those that only a rule made for the stream left out; `e` without its name if alone."""
    told = [event for event in events if event.name in ("e", "ie1")]
    alone = all(event.name == "e" and not event.arguments for event in told)
    lines = write_answers((tuple(map(event_to_json, told)), ()))
    return " ".join(line.removeprefix("e") if alone else line for line in lines)


def _calls(asked: Asked) -> Row:
    """How often `e` is called by the printed clauses, where what happens again is not left out."""
    program, instants = read(printed()[asked.part, asked.what])
    clauses = Published(program, SOUND.without("unique"))
    called = [term for instant in instants for term in clauses.happening(instant)]
    return {"measured": str(sum(isinstance(term, Structure) and term.name == "e" for term in called))}


# --- Clauses ----------------------------------------------------------------------------------------------------------


def _clauses(asked: Asked) -> Row:
    """How many clauses a sequence of so many events has: those that insert goals, check, and loop."""
    count = int(asked.what)
    surrounding = Counter(map(clause_text, compiled(parse(""), PUBLISHED.repairs, "unrestricted").clauses))
    found = Counter(map(clause_text, compiled(chain(count), PUBLISHED.repairs, "unrestricted").clauses)) - surrounding
    return {"measured": sum(number for text, number in found.items() if not text.startswith("rules("))}


# --- The stock ticker -------------------------------------------------------------------------------------------------


def _prices(asked: Asked) -> Row:
    """Of how many consecutive prices of a stock the condition holds, in percent."""
    last: dict[str, int] = {}
    held = pairs = 0
    for name, price, _ in ticks(asked.ticks, asked.step, asked.seed):
        before = last.get(name)
        if before is not None:
            pairs += 1
            held += 5 * before < 6 * price if asked.what == "as printed" else 5 * price > 6 * before
        last[name] = price
    return {"measured": round(100 * held / pairs, 1)}


ETALIS_POLICIES = {here: there for here, there in swi.POLICIES.items() if here != "unrestricted"}
"""What both have that a long stream can be run under."""


def _ticker(asked: Asked) -> Row:
    """A run of the ticker: events found, goals kept in the end, processor time; and of the authors' engine."""
    program, instants = ticker(asked.what), ticker_stream(asked.ticks, asked.step, asked.seed)
    machine = Machine(program, POLICIES[asked.policy])
    before = time.process_time()
    found = sum(1 for _ in machine.run(instants))
    row: dict[str, int | float | str | None] = {
        "measured": found,
        "kept": machine.kept,
        "seconds": round(time.process_time() - before, 3),
    }
    if asked.beside and asked.policy in ETALIS_POLICIES:
        try:
            folder = swi.installation()
        except Unavailable:
            return row
        theirs = swi.fired(folder, program, ETALIS_POLICIES[asked.policy], instants, limit=600)
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
