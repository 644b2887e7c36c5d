"""`parte demo CEL`: a query over the sensors of a warehouse, from beginning to end.

All results in its texts are computed during the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich.console import Console
from rich.table import Column
from rich.text import Text

from parte import terminal
from parte.commands.demo import DirectoryOption, conclude, find, heading, mark, say, wide
from parte.inputs import explained
from parte.languages.cel import api as cel
from parte.languages.cel.semantics.syntax.streams import stream
from parte.languages.cel.semantics.syntax.tree import Strategy
from parte.semantics.events.event import Event
from parte.semantics.events.trace import load_trace

QUERY, TRACE = "fire.ceql", "trace.jsonl"


def demo(directory: DirectoryOption = None) -> None:
    """Show what a query of CEL finds: fires in a warehouse, by its sensors."""
    folder = find(directory, "warehouse", (QUERY, TRACE))
    text = (folder / QUERY).read_text(encoding="utf-8")
    with explained(str(folder / QUERY)):
        query = cel.parse(text)
    with explained(str(folder / TRACE)):
        events = stream(query, load_trace(folder / TRACE))
    console = wide()
    defined, computed = cel.define(query, events), sorted(cel.run(query, events))
    _introduce(console)
    _show_trace(console, events, defined)
    _show_query(console, text)
    agreed = _show_results(console, events, defined, computed)
    _show_strategy(console, query, events, defined)
    agreed = _show_shares(console, query, events) and agreed
    _show_published(console, query, events, defined)
    files = f"{folder / QUERY} {folder / TRACE}"
    conclude(
        console,
        "Definition and machine",
        agreed,
        ".",
        [
            f"run {files}",
            f"timeline {files} --output timeline.svg",
            f"graph {folder / QUERY} --output automaton.svg",
        ],
    )


def _introduce(console: Console) -> None:
    heading(console, "CEL: a query over a stream of events")
    say(
        console,
        "Sensors in the zones of a warehouse report temperature (T) and humidity (H). Where a zone was cool, then dry, "
        "and is hot within five minutes, it burns. CEL, the query language of CORE, says that in a few lines. Its "
        "meaning stands here twice:",
    )
    say(
        console,
        "  [bold]definition[/]  which sets of events are results; looks at the whole stream at once\n"
        "  [bold]machine[/]     an automaton that takes one event at a time, keeps all results in one\n"
        "              small graph, and prints each in a number of steps that its size bounds",
    )


def _show_trace(console: Console, events: Sequence[Event], results: Sequence[cel.ComplexEvent]) -> None:
    heading(console, f"The stream: {len(events)} events")
    attributes = list(dict.fromkeys(name for event in events for name in event.attributes))
    table = terminal.table(
        Column("position", justify="right"), "event", "type", Column("second", justify="right"), *attributes, "in"
    )
    for position, event in enumerate(events):
        among = [f"[{result.start}, {result.end}]" for result in results if position in result.positions]
        table.add_row(
            str(position),
            Text(event.id, "bold" if among else ""),
            event.template,
            f"{event.timestamp / 1000:g}",
            *(Text(str(event.attributes.get(name, ""))) for name in attributes),
            Text(", ".join(among), "cyan"),
        )
    console.print(table)


def _show_query(console: Console, text: str) -> None:
    heading(console, "The query")
    console.print(Text(text.rstrip(), "cyan"), soft_wrap=True)
    console.print()
    say(
        console,
        "[bold];[/] is later, with anything between; [bold]+[/] is once or more; AS names events, and FILTER says what "
        "holds of them. PARTITION BY looks at each zone by itself. Of all results from one start to one end, MAX keeps "
        "those with the most events.",
    )


def _show_results(
    console: Console, events: Sequence[Event], defined: list[cel.ComplexEvent], computed: list[cel.ComplexEvent]
) -> bool:
    heading(console, "What it finds")
    table = terminal.table(
        "interval", "events", Column("definition", justify="center"), Column("machine", justify="center")
    )
    for result in sorted({*defined, *computed}):
        table.add_row(
            f"[{result.start}, {result.end}]", _ids(result, events), mark(result in defined), mark(result in computed)
        )
    console.print(table)
    agree = defined == computed
    words = "[bold green]Both agree[/]" if agree else "[bold red]They differ[/]"
    say(console, f"{words}: {_count(len(defined))} by the definition.")
    return agree


def _show_strategy(
    console: Console, query: cel.Query, events: Sequence[Event], defined: list[cel.ComplexEvent]
) -> None:
    every = cel.define(replace(query, strategy=Strategy.ALL), events)
    heading(console, "Without MAX")
    say(
        console,
        f"SELECT * in place of SELECT MAX * finds {_count(len(every))} in place of {len(defined)}: each choice of dry "
        "readings is one more.",
        "\n",
    )
    table = terminal.table("interval", "events", Column("kept by MAX", justify="center"))
    for result in every:
        table.add_row(f"[{result.start}, {result.end}]", _ids(result, events), "yes" if result in defined else "")
    console.print(table)


def _show_shares(console: Console, query: cel.Query, events: Sequence[Event]) -> bool:
    every = replace(query, strategy=Strategy.ALL)
    shares = [list(cel.run(every, events, processes=2, index=index)) for index in range(2)]
    together = sorted(result for share in shares for result in share)
    heading(console, "Two processes")
    exact = together == cel.define(every, events)
    say(
        console,
        "Processes that know nothing of each other can share the results: each reads the whole stream and prints its "
        f"part. Without MAX the first prints {_count(len(shares[0]))}, the second {_count(len(shares[1]))}; together "
        f"that is {'[bold green]each result once[/]' if exact else '[bold red]something else[/]'}.",
    )
    return exact


def _show_published(
    console: Console, query: cel.Query, events: Sequence[Event], defined: list[cel.ComplexEvent]
) -> None:
    published = list(cel.run(query, events, cel.PUBLISHED))
    right = len([result for result in set(published) if result in defined])
    heading(console, "Why the machine here is not the published one")
    say(
        console,
        f"The algorithms as published find {_count(len(published))} on this stream, {right} of them right: they count "
        "processes from 1, and a window of minutes in positions, among other things. `parte rules --language CEL` "
        "lists the repairs.",
    )


def _ids(result: cel.ComplexEvent, events: Sequence[Event]) -> Text:
    return Text(" ".join(events[position].id for position in result.positions))


def _count(number: int) -> str:
    return f"{number} result{'' if number == 1 else 's'}"
