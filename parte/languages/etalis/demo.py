"""`parte demo ETALIS`: rules over the events of a bakery, from beginning to end.

All results in its texts are computed during the run.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Column
from rich.text import Text

from parte import terminal
from parte.commands.demo import DirectoryOption, conclude, find, heading, mark, say, wide
from parte.inputs import explained
from parte.languages.etalis import api as etalis
from parte.languages.etalis.drawing.intervals import atom_text, write_intervals
from parte.languages.etalis.semantics.published.machine import Published
from parte.languages.etalis.semantics.published.repairs import PUBLISHED
from parte.languages.etalis.semantics.syntax.values import text_of

PROGRAM, TRACE = "oven.etalis", "trace.jsonl"

_FOLLOWS = "follows(B, C) <- start(B) SEQ alarm(C)."
_POLICIES = ("unrestricted", "recent", "recent-consuming", "chronological")


def demo(directory: DirectoryOption = None) -> None:
    """Show what rules of ETALIS derive: what went on in a bakery, by the events of its oven."""
    folder = find(directory, "bakery", (PROGRAM, TRACE))
    text = (folder / PROGRAM).read_text(encoding="utf-8")
    with explained(str(folder / PROGRAM)):
        program = etalis.parse(text)
    with explained(str(folder / TRACE)):
        lines = (folder / TRACE).read_text(encoding="utf-8").splitlines()
        instants = etalis.stream(program, lines, str(folder / TRACE))
    console = wide()
    defined, computed = etalis.define(program, instants), list(etalis.run(program, instants))
    _introduce(console)
    _show_rules(console, text)
    agreed = _show_results(console, defined, computed)
    _show_time(console, instants, computed)
    agreed = _show_policies(console, instants) and agreed
    _show_readings(console, program, instants, defined)
    _show_published(console, program, instants, defined)
    files = f"{folder / PROGRAM} {folder / TRACE}"
    conclude(
        console,
        "Definition and machine",
        agreed,
        ".",
        [
            f"run {files}",
            f"timeline {files} --output timeline.svg",
            f"graph {folder / PROGRAM} --output network.svg",
            f"explore {files}",
        ],
    )


def _introduce(console: Console) -> None:
    heading(console, "ETALIS: rules that derive events with intervals")
    say(
        console,
        "The oven of a bakery reports that a batch starts or is done, that its door opens or closes; somebody takes "
        "the bread out, and an alarm reminds of what is still in. These events are instants. In the ETALIS Language "
        "for Events rules derive others from them, each with the interval over which it happens. What rules mean "
        "stands here twice:",
    )
    say(
        console,
        "  [bold]definition[/]  the least model of the rules, on the whole stream at once\n"
        "  [bold]machine[/]     rules of one operator each; what waits for its other half is kept\n"
        "              as a goal, and forgotten when no result can need it",
    )


def _show_rules(console: Console, text: str) -> None:
    heading(console, "The rules")
    console.print(Text(text.rstrip(), "cyan"), soft_wrap=True)
    console.print()
    say(
        console,
        "[bold]SEQ[/] is one after the other, [bold]DURING[/] the first within the second, [bold]NOT(c).\\[a, b][/] a "
        "and then b without c between them, and [bold](P).2[/] what lasts at most 2. Capital letters are variables. A "
        "rule may look for what another derives: a draught is a door that stands open during a baking.",
    )


def _show_results(console: Console, defined: list[etalis.IntervalEvent], computed: list[etalis.IntervalEvent]) -> bool:
    heading(console, "What they derive")
    table = terminal.table(
        "event", "interval", Column("definition", justify="center"), Column("machine", justify="center")
    )
    for event in defined + [event for event in computed if event not in defined]:
        interval = f"[{text_of(event.start)}, {text_of(event.end)}]"
        name = Text(atom_text(event.name, event.arguments))
        table.add_row(name, interval, mark(event in defined), mark(event in computed))
    console.print(table)
    agree = defined == computed
    words = "[bold green]Both agree[/]" if agree else "[bold red]They differ[/]"
    say(console, f"{words}: {_count(len(defined))} by the definition.")
    return agree


def _show_time(console: Console, instants: Sequence[etalis.Instant], derived: list[etalis.IntervalEvent]) -> None:
    heading(console, "The stream in time, and below the line what follows from it")
    console.print(Text(write_intervals(instants, derived, console.width)), soft_wrap=True)


def _show_policies(console: Console, instants: Sequence[etalis.Instant]) -> bool:
    """Show the same rule under policies; return whether the machine agrees with the equation of each."""
    program = etalis.parse(_FOLLOWS)
    heading(console, "Policies")
    say(
        console,
        "If alarms did not say which batch they are about, which start would each belong to? A policy says which goals "
        "an event takes, and whether they are used up. Of the rule",
    )
    console.print(Text(f"  {_FOLLOWS}\n", "cyan"))
    table = terminal.table("policy", "start and alarm")
    agree = True
    for policy in _POLICIES:
        derived = list(etalis.run(program, instants, policy))
        agree = agree and derived == etalis.define(program, instants, policy=policy)
        table.add_row(policy, Text(", ".join(" – ".join(map(str, event.arguments)) for event in derived)))
    console.print(table)
    say(
        console,
        "[bold green]Each is what its equation says.[/] Only of [bold]unrestricted[/] does E say what it means."
        if agree
        else "[bold red]The machine differs from the equation.[/]",
    )
    return agree


def _show_readings(
    console: Console,
    program: etalis.Program,
    instants: Sequence[etalis.Instant],
    defined: list[etalis.IntervalEvent],
) -> None:
    exactly = etalis.define(program, instants, etalis.Readings(lasting="exactly"))
    lost = [atom_text(event.name, event.arguments) for event in defined if event not in exactly]
    heading(console, "To the letter")
    say(
        console,
        "Fig. 2 of the source has (P).2 last exactly 2, its text at most 2. Read by the letter (--reading "
        f"lasting=exactly) the rules do not derive {', '.join(lost) or 'anything else'}.",
    )


def _show_published(
    console: Console,
    program: etalis.Program,
    instants: Sequence[etalis.Instant],
    defined: list[etalis.IntervalEvent],
) -> None:
    published = list(Published(program, PUBLISHED).run(instants))
    count, right = _count(len(published)), len([event for event in published if event in defined])
    heading(console, "Why the machine here is not the published one")
    say(
        console,
        f"The Prolog clauses that the source prints derive {count} of this stream, {right} of them right, "
        f"where the rules mean {len(defined)}: and that is with the repairs without which nothing runs. "
        "`parte rules --language ETALIS` lists the repairs.",
    )


def _count(number: int) -> str:
    return f"{number} event{'' if number == 1 else 's'}"
