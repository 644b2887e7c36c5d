"""What is measured for each thing that L prints, by the part of L in which it stands."""

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
    """`printed.toml`."""
    text = resources.files(__package__).joinpath("printed.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def entry_of(unit: Unit) -> Mapping[str, Any]:
    """The entry that a unit names."""
    found: list[Mapping[str, Any]] = entries()["printed"]
    (entry,) = (each for each in found if (each["part"], each["what"]) == (unit["part"], unit["what"]))
    return entry


def measure(unit: Unit) -> Sequence[Row]:
    """The rows of a unit: what is `printed` and what comes out `here`, by number where there are several."""
    return PARTS[str(unit["part"])](entry_of(unit))


# --- Matches ----------------------------------------------------------------------------------------------------------


def events_of(words: Sequence[str], instant: int) -> list[Event]:
    """Events written as stream and time in instants, `A 1.2` for the second of the stream at 1."""
    found = []
    for word in words:
        stream, _, label = word.partition(" ")
        found.append(Event(f"{stream}{label}", stream, int(label.partition(".")[0]) * instant, {}))
    return found


def found_by_both(rule: tree.Rule, events: Sequence[Event]) -> list[Match]:
    """What definition and net find. Disagreement if they differ."""
    seen = occurrences(rule, events)
    meant = evaluate(rule, seen)
    if meant != Machine(rule).run(seen):
        raise Disagreement(rule)
    return meant


def _matches(entry: Mapping[str, Any]) -> Sequence[Row]:
    rule = parse(f"FROM A, B, C MATCH {entry['rule']}")
    events = events_of(entries()["streams"]["figure-1"], entry.get("instant", 1))
    found = {
        ",".join(bound.event.id[1:] for _, bound in match.bindings if isinstance(bound, Occurrence))
        for match in found_by_both(rule, events)
    }
    printed = entry["printed"].split("; ")
    return [
        _row(printed="; ".join(sorted(printed)), here="; ".join(sorted(found)), number=len(printed), count=len(found))
    ]


# --- Text -------------------------------------------------------------------------------------------------------------


def _syntax(entry: Mapping[str, Any]) -> Sequence[Row]:
    """Whether the grammar here takes the syntax as printed; if not, the same thing as it is written here."""
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
    """What figure 2 emits for a user, as printed and mended."""
    figure = entries()["figure-2"]
    kinds = {"Accesses": entry["accesses"], "ArtifactsBought": entry["bought"], "Shares": entry["shared"]}
    hours = sorted((hour, kind) for kind, each in kinds.items() for hour in each)
    who = {"uid": 1, "gid": 7}
    events = [Event("i0", "Installations", 0, who)]
    events += [Event(f"e{number}", kind, hour * HOUR, who) for number, (hour, kind) in enumerate(hours, 1)]
    here, mended = (
        _emitted(parse(figure["rule"].replace("LEAVING", figure[which])), events) for which in ("printed", "mended")
    )
    return [_row(printed=entry["printed"], here=here, mended=mended)]


def _emitted(rule: tree.Rule, events: Sequence[Event]) -> str:
    emitted = [each for match in found_by_both(rule, events) for each in match.emits if each.template != "leaving"]
    return "; ".join(f"{each.template}, {_when(each.timestamp)}" for each in emitted) or NOTHING


def _when(time: int) -> str:
    return "before 3 days" if time < 72 * HOUR else "after 3 days"


# --- Times and counts -------------------------------------------------------------------------------------------------


def _ends(entry: Mapping[str, Any]) -> Sequence[Row]:
    """When a pattern matches. X is a stream of the rule that no pattern asks for: it enables the rule."""
    rule = parse(f"FROM A, B, X MATCH {entry['rule']}")
    (found,) = found_by_both(rule, events_of(entry["stream"], 1_000))
    return [_row(printed=entry["printed"], here=str(found.end // 1_000))]


def _lists(entry: Mapping[str, Any]) -> Sequence[Row]:
    """How many lists a repetition with skipping has, before the first item and after each."""
    return [
        _row(printed=str(printed), here=str(lists_after(number)), number=number)
        for number, printed in enumerate(entry["steps"])
    ]


def lists_after(items: int) -> int:
    """The lists that the net of a choice among all lists holds after so many items."""
    rule = parse("FROM A, X MATCH max(collect(A) terminate(count() > 99), count())")
    machine = Machine(rule)
    words = ["X 0", *(f"A {number}" for number in range(1, items + 1))]
    run = Run(machine.net, machine.repairs, {}, {})
    run.run(occurrences(rule, events_of(words, 1)))
    (place,) = (each for each in machine.net.places if each.name.startswith("lists"))
    return sum(len(token.colour) for token in run.all_stored(place) if isinstance(token.colour, tuple))


def _orders(entry: Mapping[str, Any]) -> Sequence[Row]:
    """The different orders of some events, each of which a conjunction of as many finds once."""
    letters = entry["letters"]
    rule = parse(f"FROM {', '.join(sorted(set(letters)))} MATCH all({' and '.join(letters)})")
    here = 0
    for order in orders(letters):
        events = [Event(f"{letter}{time}", letter, time, {}) for time, letter in enumerate(order)]
        here += len(Machine(rule).run(occurrences(rule, events)))
    return [_row(printed=entry["printed"], here=str(here))]


def orders(letters: str) -> list[str]:
    """The different orders of letters."""
    if not letters:
        return [""]
    return [one + rest for one in sorted(set(letters)) for rest in orders(letters.replace(one, "", 1))]


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
"""How the entries of a part of L are measured."""
