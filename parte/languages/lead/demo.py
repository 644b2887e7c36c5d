"""`parte demo LEAD`: a rule over the doses and pulses of a clinic, from beginning to end.

All results that it prints are computed while it runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from rich.console import Console
from rich.table import Column
from rich.text import Text

from parte import terminal
from parte.commands.demo import DirectoryOption, conclude, find, heading, mark, say, wide
from parte.inputs import explained
from parte.languages.lead import api as lead
from parte.languages.lead.semantics.syntax.matches import Bound, Emitted, Match, Occurrence
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.semantics.events.event import Event
from parte.semantics.events.trace import load_trace

RULE, TRACE = "missed.lead", "trace.jsonl"


def demo(directory: DirectoryOption = None) -> None:
    """Show what a rule of LEAD finds: patients whom nobody came to see."""
    folder = find(directory, "clinic", (RULE, TRACE))
    text = (folder / RULE).read_text(encoding="utf-8")
    with explained(str(folder / RULE)):
        rule = lead.parse(text)
    with explained(str(folder / TRACE)):
        items = load_trace(folder / TRACE)
        seen = occurrences(rule, items)
    events = [occurrence.event for occurrence in seen]
    console = wide()
    defined, matches = lead.define(rule, items), lead.run(rule, items)
    _introduce(console)
    _show_trace(console, events, defined)
    _show_rule(console, text)
    agreed = _show_matches(console, defined, matches)
    agreed = _show_feeding(console, rule, events, defined) and agreed
    _show_published(console, rule, items, defined)
    net, files = lead.Machine(rule).net, f"{folder / RULE} {folder / TRACE}"
    conclude(
        console,
        "Definition and net",
        agreed,
        f". The net has {len(net.places)} places and {len(net.transitions)} transitions.",
        [
            f"run {files}",
            f"timeline {files} --output timeline.svg",
            f"graph {folder / RULE} --output net.svg",
        ],
    )


def _introduce(console: Console) -> None:
    heading(console, "LEAD: a rule over several streams")
    say(
        console,
        "Patients of a clinic get drugs. Their pulse is measured for four hours; where it is high, somebody is to come "
        "within half an hour. A rule in LEAD says when that went wrong. Its meaning stands here twice:",
    )
    say(
        console,
        "  [bold]definition[/]  temporal formulas, over the whole trace at once\n"
        "  [bold]net[/]         a prioritised coloured Petri net, which takes one event at a time",
    )


def _show_trace(console: Console, events: Sequence[Event], matches: Sequence[Match]) -> None:
    heading(console, f"The trace: {len(events)} events")
    among: dict[str, list[str]] = {}
    for number, match in enumerate(matches, 1):
        for identifier in _events(match):
            among.setdefault(identifier, []).append(str(number))
    attributes = list(dict.fromkeys(name for event in events for name in event.attributes))
    table = terminal.table("event", "stream", "time", *attributes, "in match")
    for event in events:
        table.add_row(
            Text(event.id, "bold" if event.id in among else ""),
            event.template,
            _clock(event.timestamp),
            *(Text(str(event.attributes.get(name, ""))) for name in attributes),
            Text(", ".join(among.get(event.id, ())), "cyan"),
        )
    console.print(table)


def _show_rule(console: Console, text: str) -> None:
    heading(console, "The rule")
    console.print(Text(text.rstrip(), "cyan"), soft_wrap=True)
    console.print()
    say(
        console,
        "[bold]->[/] is then; [bold]collect[/] makes a list, until four hours are over ([bold]!watch[/]) or it has "
        "three pulses. [bold]Subcontext[/] begins a branch for each pulse above 120: that nobody comes. "
        "[bold]every[/] looks at one dose after the other, PARTITION BY at each patient. CHECK FIRST chooses what is "
        "emitted.",
    )


def _show_matches(console: Console, defined: Sequence[Match], matches: Sequence[Match]) -> bool:
    heading(console, "What it finds")
    table = terminal.table(
        Column("match", justify="right"),
        "it binds",
        "ends",
        "it emits",
        Column("definition", justify="center"),
        Column("net", justify="center"),
    )
    every = [*defined, *(match for match in matches if match not in defined)]
    for number, match in enumerate(every, 1):
        table.add_row(
            str(number),
            "\n".join(f"{name}: {_text(bound)}" for name, bound in match.bindings),
            _clock(match.end),
            "\n".join(map(_emitted, match.emits)) or "nothing",
            mark(match in defined),
            mark(match in matches),
        )
    console.print(table)
    agree = list(defined) == list(matches)
    words = "[bold green]Both agree[/]" if agree else "[bold red]They differ[/]"
    say(console, f"{words}: {_count(len(defined))}. An item that binds nothing is a branch in which nobody came.")
    return agree


def _show_feeding(console: Console, rule: lead.Rule, events: Sequence[Event], defined: Sequence[Match]) -> bool:
    """Show the matches event by event. Return whether they are those of the definition."""
    heading(console, "As events come")
    feeding = lead.Feeding(lead.Machine(rule))
    matches: list[Match] = []
    lines = []
    for event in events:
        ended = feeding.event(event)
        matches += ended
        lines += [f"  with {event.id} ({_clock(event.timestamp)}): the match that ends {_clock(m.end)}" for m in ended]
    last = feeding.end()
    lines += [f"  when no more comes: the match that ends {_clock(match.end)}" for match in last]
    say(console, "A match is reported as soon as its instant is over:")
    console.print(Text("\n".join(lines)), soft_wrap=True)
    console.print()
    return [*matches, *last] == list(defined)


def _show_published(console: Console, rule: lead.Rule, items: Sequence[object], defined: Sequence[Match]) -> None:
    heading(console, "Why the net here is not the published one")
    trace = [item for item in items if isinstance(item, Event)]
    printed = lead.run(rule, trace, lead.PUBLISHED)
    right = sum(match in defined for match in printed)
    needed = [
        name for name in lead.SOUND.repair_names() if lead.run(rule, trace, lead.SOUND.without(name)) != list(defined)
    ]
    say(
        console,
        f"The net as its source draws it finds {_matches_text(len(printed), right)}. Without "
        f"{' or '.join(needed) or 'any one repair'} alone the repaired one errs on this trace, too: "
        "`parte rules --language LEAD` lists the repairs, docs/lead-defects.md what each is for.",
    )


def _events(match: Match) -> list[str]:
    """Return the ids of the events of a match, also of those in lists."""
    ids: list[str] = []
    for _, bound in match.bindings:
        if isinstance(bound, Occurrence):
            ids.append(bound.event.id)
        else:
            ids += [identifier for item in bound for identifier in _events(item)]
    return ids


def _text(bound: Bound) -> str:
    if isinstance(bound, Occurrence):
        return bound.event.id
    return f"[{', '.join(' '.join(_events(item)) or '–' for item in bound)}]"


def _emitted(event: Emitted) -> str:
    """Return an emitted event as text. An attribute `event_time` is written as a time."""
    values = (
        _clock(value) if name == "event_time" and isinstance(value, int) else value for name, value in event.attributes
    )
    return f"{event.template}({', '.join(map(str, values))})"


def _clock(time: int) -> str:
    return datetime.fromtimestamp(time / 1000, UTC).strftime("%H:%M")


def _matches_text(count: int, right: int) -> str:
    return f"{_count(count)} here, {right} of them right" if count else "nothing here"


def _count(number: int) -> str:
    return f"{number} match{'' if number == 1 else 'es'}"
