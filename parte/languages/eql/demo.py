"""`parte demo EQL`: a query over processes, files and connections of workstations.

All results that it prints are computed while it runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Column
from rich.text import Text

from parte import terminal
from parte.commands.demo import DirectoryOption, conclude, find, heading, mark, say, wide
from parte.inputs import explained
from parte.languages.eql import api as eql
from parte.semantics.events.event import Event
from parte.semantics.events.trace import load_trace

QUERY, TRACE = "macro.eql", "trace.jsonl"


def demo(directory: DirectoryOption = None) -> None:
    """Show what a query of EQL finds: shells that an office program started, and their connections."""
    folder = find(directory, "workstations", (QUERY, TRACE))
    text = (folder / QUERY).read_text(encoding="utf-8")
    with explained(str(folder / QUERY)):
        query = eql.parse(text)
    with explained(str(folder / TRACE)):
        items = load_trace(folder / TRACE)
    defined, results = eql.define(query, items), eql.run(query, items)
    console = wide()
    heading(console, "EQL: a sequence of events with one key")
    say(
        console,
        "A query in the language of Elastic has its meaning here twice: as a definition over the whole trace, and as a "
        "machine that takes one event at a time and stores at most one chain of events for each key and stage.",
    )
    heading(console, "The query")
    console.print(Text(text.rstrip(), "cyan"), soft_wrap=True)
    heading(console, f"What it finds among {sum(isinstance(item, Event) for item in items)} events")
    centred = [Column(name, justify="center") for name in ("definition", "machine")]
    table = terminal.table("keys", "events", *centred)
    for result in [*defined, *(result for result in results if result not in defined)]:
        keys, events = _text(result["keys"]), _text(result["events"])
        table.add_row(keys, events, mark(result in defined), mark(result in results))
    console.print(table)
    agreed = sorted(map(repr, defined)) == sorted(map(repr, results))
    say(console, "[bold green]Both agree[/]." if agreed else "[bold red]They differ[/].")
    files = f"{folder / QUERY} {folder / TRACE}"
    conclude(console, "Definition and machine", agreed, ".", [f"run {files}", f"compare {files}"])


def _text(values: Sequence[Any]) -> str:
    return ", ".join(map(str, values))
