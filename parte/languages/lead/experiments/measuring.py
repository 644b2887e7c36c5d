"""Measurements for each result that L prints, by the part of L."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from parte.experiments.experiment import Row, Unit
from parte.languages.lead.algebra.rules import evaluate
from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.net import Run
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Match, Occurrence
from parte.languages.lead.semantics.syntax.parser import parse
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.semantics.events.event import Event
from parte.semantics.source.diagnostics import ProgramError

HOUR = 3_600_000
NOTHING = "nothing"


class Disagreement(Exception):
    """Definition and net find different matches."""


@cache
def entries() -> Mapping[str, Any]:
    """Return the content of `printed.toml`."""
    text = resources.files(__package__).joinpath("printed.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def entry_of(unit: Unit) -> Mapping[str, Any]:
    """Return the entry that a unit names."""
    printed: list[Mapping[str, Any]] = entries()["printed"]
    (entry,) = (
        candidate for candidate in printed if (candidate["part"], candidate["what"]) == (unit["part"], unit["what"])
    )
    return entry


def measure(unit: Unit) -> Sequence[Row]:
    """Return the rows of a unit: the `printed` result and the result `here`, by number if there are several."""
    return PARTS[str(unit["part"])](entry_of(unit))


# --- Matches ----------------------------------------------------------------------------------------------------------


def events_of(words: Sequence[str], instant: int) -> list[Event]:
    """Return events written as stream and time in instants; `A 1.2` is the second event of the stream at 1."""
    events = []
    for word in words:
        stream, _, label = word.partition(" ")
        events.append(Event(f"{stream}{label}", stream, int(label.partition(".")[0]) * instant, {}))
    return events


def found_by_both(rule: tree.Rule, events: Sequence[Event]) -> list[Match]:
    """Return the matches that definition and net find. Raise Disagreement if they differ."""
    seen = occurrences(rule, events)
    meant = evaluate(rule, seen)
    if meant != Machine(rule).run(seen):
        raise Disagreement(rule)
    return meant


def _matches(entry: Mapping[str, Any]) -> Sequence[Row]:
    rule = parse(f"FROM A, B, C MATCH {entry['rule']}")
    events = events_of(entries()["streams"]["figure-1"], entry.get("instant", 1))
    matches = {
        ",".join(bound.event.id[1:] for _, bound in match.bindings if isinstance(bound, Occurrence))
        for match in found_by_both(rule, events)
    }
    printed = entry["printed"].split("; ")
    return [
        _row(
            printed="; ".join(sorted(printed)), here="; ".join(sorted(matches)), number=len(printed), count=len(matches)
        )
    ]


# --- Text -------------------------------------------------------------------------------------------------------------


def _syntax(entry: Mapping[str, Any]) -> Sequence[Row]:
    """Return the syntax as printed if the grammar accepts it, else the same construct as it is written here."""
    printed, rule = entry["printed"], entry["rule"]
    assert _taken(rule)
    return [_row(printed=printed, here=printed if _taken(printed) else rule)]


def _taken(pattern: str) -> bool:
    try:
        parse(f"FROM A, B, C MATCH {pattern}")
    except ProgramError:
        return False
    return True


# --- Figure 2 ---------------------------------------------------------------------------------------------------------


def _users(entry: Mapping[str, Any]) -> Sequence[Row]:
    """Return the events that figure 2 emits for a user, as printed and mended."""
    figure = entries()["figure-2"]
    kinds = {"Accesses": entry["accesses"], "ArtifactsBought": entry["bought"], "Shares": entry["shared"]}
    hours = sorted((hour, kind) for kind, times in kinds.items() for hour in times)
    who = {"uid": 1, "gid": 7}
    events = [Event("i0", "Installations", 0, who)]
    events += [Event(f"e{number}", kind, hour * HOUR, who) for number, (hour, kind) in enumerate(hours, 1)]
    here, mended = (
        _emitted(parse(figure["rule"].replace("LEAVING", figure[which])), events) for which in ("printed", "mended")
    )
    return [_row(printed=entry["printed"], here=here, mended=mended)]


def _emitted(rule: tree.Rule, events: Sequence[Event]) -> str:
    emitted = [event for match in found_by_both(rule, events) for event in match.emits if event.template != "leaving"]
    return "; ".join(f"{event.template}, {_when(event.timestamp)}" for event in emitted) or NOTHING


def _when(time: int) -> str:
    return "before 3 days" if time < 72 * HOUR else "after 3 days"


# --- Times and counts -------------------------------------------------------------------------------------------------


def _ends(entry: Mapping[str, Any]) -> Sequence[Row]:
    """Return the end of the match of a pattern. X is a stream of the rule that the pattern does not use: it enables
    the rule."""
    rule = parse(f"FROM A, B, X MATCH {entry['rule']}")
    (match,) = found_by_both(rule, events_of(entry["stream"], 1_000))
    return [_row(printed=entry["printed"], here=str(match.end // 1_000))]


def _lists(entry: Mapping[str, Any]) -> Sequence[Row]:
    """Return the numbers of lists of a repetition with skipping, before the first item and after each item."""
    return [
        _row(printed=str(printed), here=str(lists_after(number)), number=number)
        for number, printed in enumerate(entry["steps"])
    ]


def lists_after(items: int) -> int:
    """Return the number of lists that the net of a choice among all lists has after `items` items."""
    rule = parse("FROM A, X MATCH max(collect(A) terminate(count() > 99), count())")
    machine = Machine(rule)
    words = ["X 0", *(f"A {number}" for number in range(1, items + 1))]
    run = Run(machine.net, machine.repairs, {}, {})
    run.run(occurrences(rule, events_of(words, 1)))
    (place,) = (candidate for candidate in machine.net.places if candidate.name.startswith("lists"))
    return sum(len(token.colour) for token in run.all_stored(place) if isinstance(token.colour, tuple))


def _orders(entry: Mapping[str, Any]) -> Sequence[Row]:
    """Count the different orders of some events. A conjunction of as many events finds each order once."""
    letters = entry["letters"]
    rule = parse(f"FROM {', '.join(sorted(set(letters)))} MATCH all({' and '.join(letters)})")
    here = 0
    for order in orders(letters):
        events = [Event(f"{letter}{time}", letter, time, {}) for time, letter in enumerate(order)]
        here += len(Machine(rule).run(occurrences(rule, events)))
    return [_row(printed=entry["printed"], here=str(here))]


def orders(letters: str) -> list[str]:
    """Return the different orders of letters."""
    if not letters:
        return [""]
    return [letter + rest for letter in sorted(set(letters)) for rest in orders(letters.replace(letter, "", 1))]


def _row(
    *, printed: str, here: str, number: int | None = None, count: int | None = None, mended: str | None = None
) -> Row:
    return {"number": number, "printed": printed, "here": here, "count": count, "mended": mended}


PARTS: Mapping[str, Callable[[Mapping[str, Any]], Sequence[Row]]] = {
    "table 1": _matches,
    "examples": _matches,
    "table 2": _syntax,
    "figure 2": _users,
    "figures 7 and 8": _ends,
    "figure 6": _lists,
    "orders": _orders,
}
"""The functions that measure the entries of each part of L."""
