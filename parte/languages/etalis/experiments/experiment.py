"""Experiment `etalis`: the figures, lists and measurements of E beside those made here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parte.experiments.experiment import Experiment, Presentation, Row, Scalar, Scale, Table, Unit
from parte.experiments.page import span
from parte.experiments.printed import Line, frame, lines_of, missing, plain
from parte.languages.etalis.experiments.measuring import (
    CLAUSES,
    ETALIS_POLICIES,
    KEY,
    PRICES,
    TICKER,
    Printed,
    measure,
    printed,
)
from parte.languages.etalis.experiments.streams import CONDITIONS

if TYPE_CHECKING:
    import pandas as pd

POLICIES = ("recent", *ETALIS_POLICIES)
"""The policies of the runs of the ticker; under `unrestricted` it has too many events."""

CLOCKED = frozenset({"seconds", "seconds of ETALIS"})


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters: the ticker has `ticks` events, and prices change by at most one of `steps`. Sequences have up to
    `events` events. The authors' engine runs `beside`, if it is installed."""

    ticks: int = 50_000
    steps: tuple[int, ...] = (10, 100, 150, 200, 1000)
    step: int = 150
    events: int = 8
    seed: int = 1
    beside: bool = True


def _units(parameters: Parameters) -> list[Unit]:
    keys: list[tuple[Scalar, ...]] = [(entry.part, entry.what, 0, entry.policy) for entry in printed().values()]
    keys += [(CLAUSES, str(count), 0, "unrestricted") for count in range(2, parameters.events + 1)]
    keys += [(PRICES, condition, step, "unrestricted") for step in parameters.steps for condition in CONDITIONS]
    keys += [(TICKER, condition, parameters.step, policy) for condition in CONDITIONS for policy in POLICIES]
    return [dict(zip(KEY, key, strict=True)) for key in keys]


def _measure(parameters: Parameters, unit: Unit) -> Sequence[Row]:
    return measure(unit, parameters.ticks, parameters.seed, parameters.beside)


# --- What it shows ---------------------------------------------------------------------------------------------------


def _present(parameters: Parameters, rows: pd.DataFrame) -> Presentation:
    lines = [{name: plain(value) for name, value in row.items()} for row in lines_of(rows)]
    parts = {title: [_beside(line) for line in lines if line["part"] in of] for title, of in PARTS.items()}
    ticker = [_run(line, parameters) for line in lines if line["part"] == TICKER]
    prices = [line for line in lines if line["part"] == PRICES]
    clauses = [line for line in lines if line["part"] == CLAUSES]
    tables = [
        *(Table(title, frame(comparisons), NOTES.get(title, "")) for title, comparisons in parts.items()),
        Table("Clauses of a sequence (§5)", frame(list(map(_counted, clauses))), NOTES[CLAUSES]),
        Table("A rise of more than 20 % (§7)", frame(list(_shares(prices))), NOTES[PRICES]),
        Table(f"The stock ticker (§7), {parameters.ticks:,} events", frame(ticker), NOTES[TICKER]),
        missing(__package__),
    ]
    return Presentation(tables, [], " ".join(_answer(parts, clauses, prices, ticker, parameters)))


PARTS = {
    "Figure 1": ("figure 1",),
    "Examples of §3": ("section 3",),
    "Lists of §6": ("section 6.1", "section 6.1, calls", "section 6.2"),
}
"""The tables of figures, examples and lists, with the parts of E that they contain."""

NOTES = {
    "Figure 1": "p1 is [0,2] [3,5] [6,10], p2 [1,3] [4,10], p3 [3,4] [6,10]. Machine and definition find the same.",
    "Lists of §6": "How often e is called is counted with E's own clauses, without the repair by which what happens "
    "again is left out (defect 10).",
    CLAUSES: "E says that the transformation is linear. For n events in sequence the printed clauses are 2(n - 1) "
    "that insert goals and check, and a loop for each of the 2n - 1 events, those in between and the head included.",
    PRICES: "Of two prices of a stock that follow each other, in how many cases the condition holds, in percent. By "
    "how much prices change at most (step) E does not tell.",
    TICKER: "Events a second of processor time, from the first tick to the last, both engines in one run on one core. "
    "`recent-consuming` is what ETALIS calls recent; it has no `recent`. Where the numbers of events differ, the "
    "reason is in [engines.md](../../engines.md): ETALIS keeps one goal for each company, price and volume.",
}


def _known(line: Line) -> Printed:
    return printed()[str(line["part"]), str(line["what"])]


def _agrees(line: Line) -> bool:
    return str(line["measured"]) == _known(line).printed


def _beside(line: Line) -> Line:
    """Return the value of E, the value here, and why they differ."""
    known = _known(line)
    why = known.why or (f"defect {known.defect}" if known.defect else "")
    return {
        "what": known.what,
        "policy": known.policy,
        "E has": known.printed,
        "here": str(line["measured"]) or "–",
        "agrees": _agrees(line),
        "why not": why,
        "where": known.place,
    }


def _counted(line: Line) -> Line:
    events = int(str(line["what"]))
    return {"events": events, "clauses": line["measured"], "4n - 3": 4 * events - 3}


def _shares(prices: Sequence[Line]) -> Iterator[Line]:
    for step in dict.fromkeys(line["step"] for line in prices):
        yield {"step": step} | {str(line["what"]): line["measured"] for line in prices if line["step"] == step}


def _rate(count: int, seconds: Scalar) -> int | None:
    return round(count / float(seconds)) if seconds else None


def _run(line: Line, parameters: Parameters) -> Line:
    own, theirs = line["seconds"], line["seconds of ETALIS"]
    return {
        "condition": line["what"],
        "policy": line["policy"],
        "found": line["measured"],
        "goals kept": line["kept"],
        "events/s": _rate(parameters.ticks, own),
        "found by ETALIS": line["found by ETALIS"],
        "events/s of ETALIS": _rate(parameters.ticks, theirs),
        "ratio": round(float(theirs) / float(own), 2) if own and theirs else None,
    }


def _answer(
    parts: Mapping[str, Sequence[Line]],
    clauses: Sequence[Line],
    prices: Sequence[Line],
    ticker: Sequence[Line],
    parameters: Parameters,
) -> Iterator[str]:
    for title, lines in parts.items():
        yield f"{title}: {sum(bool(line['agrees']) for line in lines)} of {len(lines)} are as E has them."
    linear = all(line["measured"] == 4 * int(str(line["what"])) - 3 for line in clauses)
    yield f"A sequence of n events has {'4n - 3' if linear else 'not always 4n - 3'} clauses."
    shares = {str(line["what"]): line["measured"] for line in prices if line["step"] == parameters.step}
    yield (
        f"The printed condition for a rise of more than 20 % holds of {shares['as printed']} % of consecutive prices "
        f"that change by {parameters.step} at most, the one that is meant of {shares['as meant']} % (defect 30)."
    )
    ratios = [float(line["ratio"]) for line in ticker if line["ratio"]]
    if ratios:
        yield (
            f"On the stock ticker the machine takes {span(min(ratios), max(ratios))} times as many events a second as "
            "the authors' engine beside it."
        )
    else:
        yield "The authors' engine was not installed where this ran."


ETALIS = Experiment(
    name="etalis",
    title="What the source of ETALIS draws, lists and measures",
    question="E (Anicic, Fodor, Stühmer, Rudolph, Stojanovic, *ETALIS*, EDBT 2010) explains its language by a figure, "
    "examples and lists, and measures an engine. What of it comes out again here?",
    data="Fig. 1, the examples of §3 with streams made for them, the lists of §6 and the program of §7 with its event "
    "generator: two stocks, prices and volumes from 1 to 1000, a tick a day. Its conditions are in whole numbers, "
    "`5 * P1 < 6 * P2` for `Pr1 < 1.20 * Pr2`, for both engines. The authors' engine is run if `PARTE_ETALIS` names "
    "its folder ([conformance.md](../../conformance.md)).",
    scales={
        Scale.SMALL: Parameters(ticks=300, events=4, beside=False),
        Scale.DEFAULT: Parameters(),
        Scale.FULL: Parameters(ticks=100_000, events=20),
    },
    units=_units,
    measure=_measure,
    present=_present,
    clocked=CLOCKED,
    alone=True,
)
