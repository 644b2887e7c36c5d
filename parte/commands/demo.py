"""`parte demo`: the fraud scenarios from beginning to end, for people who have never heard of PARTE.

Everything it says about results is computed while it runs.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Column
from rich.text import Text

from parte import terminal
from parte.algebra.partelang.programs import run
from parte.commands import examples
from parte.commands.languages import named
from parte.conformance.partelang.comparison import Comparison, compare
from parte.conformance.protocol import DEFAULT_LANGUAGE
from parte.inputs import explained
from parte.semantics.events.domain import bind_domain, load_domain
from parte.semantics.events.event import Event
from parte.semantics.events.match import Match
from parte.semantics.events.problems import TraceError
from parte.semantics.events.scenario import Scenario
from parte.semantics.events.trace import load_trace
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.repairs import PUBLISHED, repair_names
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse

SCENARIOS, PRINTED, TRACE, DOMAIN = "scenarios.parte", "refund-scam-as-printed.parte", "trace.jsonl", "domain.json"

_WIDEST = 100
_STORIES: Mapping[str, tuple[str, str]] = {
    "FraudPassThrough": (
        "Pass-through",
        "Money comes in over an unusual route, and within 14 days the same amount leaves the account over another.",
    ),
    "FraudDiffusion": (
        "Diffusion",
        "Money comes in, and within 14 days it leaves again in three parts that add up to it, give or take a tenth. "
        "The rule does not say which part is which, so it finds every order of the same three.",
    ),
    "FraudRefundScam": (
        "Refund scam",
        "A transfer is refunded and then claimed to be fraudulent, so that the bank refunds it once more, and no other "
        "transfer explains the refund.",
    ),
}


@dataclass(frozen=True, slots=True)
class Example:
    """The files of the example: both programs on its trace."""

    directory: Path
    scenarios: Scenario[core.Program]
    printed: Scenario[core.Program]


@dataclass(frozen=True, slots=True)
class Findings:
    """The matches of a program by the definition of the language and by the machine."""

    algebra: tuple[Match, ...]
    machine: tuple[Match, ...]

    @property
    def agree(self) -> bool:
        """Both have the same matches, with the same emitted events."""
        return [match.to_json() for match in self.algebra] == [match.to_json() for match in self.machine]

    def of(self, rule: str) -> Findings:
        """The matches of one rule."""
        return Findings(
            tuple(match for match in self.algebra if match.rule == rule),
            tuple(match for match in self.machine if match.rule == rule),
        )

    def all(self) -> list[Match]:
        """Every match that the definition or the machine finds, once."""
        matches = {match.to_json(): match for match in (*self.algebra, *self.machine)}
        return list(matches.values())


DirectoryOption = Annotated[
    str | None, typer.Option("--directory", metavar="DIR", help="Where the example is. [default: below examples]")
]


def demo(
    language: Annotated[
        str | None, typer.Argument(metavar="[LANGUAGE]", help=f"Of which language. [default: {DEFAULT_LANGUAGE}]")
    ] = None,
    directory: DirectoryOption = None,
) -> None:
    """Show what PARTE does: three kinds of fraud, found in a stream of money transfers, or the demo of a language."""
    if language is not None and (chosen := named(language, "LANGUAGE")).name != DEFAULT_LANGUAGE:
        from parte.commands.general import command_of

        command_of(chosen, "demo")(directory)
        return
    example = _load(find(directory, "fraud", (SCENARIOS, PRINTED, TRACE, DOMAIN)))
    console = wide()
    findings, printed = _findings(example.scenarios), _findings(example.printed)
    _introduce(console)
    _show_trace(console, example, findings)
    for rule in example.scenarios.program.rules:
        _show_rule(console, rule, findings.of(rule.name))
    _show_printed(console, printed)
    _show_published(console, example, findings)
    agreed = findings.agree and printed.agree
    where = example.directory
    conclude(
        console,
        "The algebra and the sound machine",
        agreed,
        f": {_count(len(findings.algebra))} of {len(example.scenarios.program.rules)} rules.",
        [
            f"run {where / SCENARIOS} {where / TRACE} \\\n      --domain {where / DOMAIN}",
            f"graph {where / SCENARIOS} --output network.svg",
        ],
    )


# --- Reading and running ----------------------------------------------------------------------------------------------


def find(directory: str | None, name: str, files: Sequence[str]) -> Path:
    """The directory of an example: the one given, or in the current directory, or the one that came with PARTE."""
    candidates = [Path(directory)] if directory else [Path("examples") / name, (examples.FOLDER / name).resolve()]
    for candidate in candidates:
        if all((candidate / file).is_file() for file in files):
            return candidate
    raise terminal.unusable(
        f"the example was not found in {' nor in '.join(map(str, candidates))}: it needs the files {', '.join(files)}",
        f"`parte examples {name} --out DIR` writes it; name its directory with --directory",
    )


def _load(directory: Path) -> Example:
    def program(name: str) -> core.Program:
        path = directory / name
        with explained(str(path)):
            return parse(path.read_text(encoding="utf-8"))

    scenarios, printed = program(SCENARIOS), program(PRINTED)
    with explained(str(directory / DOMAIN)):
        predicates = bind_domain(scenarios, load_domain(directory / DOMAIN))
    with explained(str(directory / TRACE)):
        trace = load_trace(directory / TRACE)
        try:
            return Example(directory, Scenario.of(scenarios, trace, predicates), Scenario.of(printed, trace))
        except TraceError as problem:  # its hints are for commands that take traces of any kind
            hint = "`parte examples fraud --out DIR` writes the trace of the demo anew"
            raise TraceError(replace(problem, hint=hint) for problem in problem.problems) from None


def _findings(scenario: Scenario[core.Program]) -> Findings:
    algebra = run(scenario.program, scenario.items, scenario.predicates)
    return Findings(algebra.matches, execute(scenario).matches)


def wide() -> Console:
    """The console of a demo: as wide as the terminal, but not so wide that nobody can read it."""
    return terminal.output_console(min(terminal.output_console().width, _WIDEST))


# --- What is shown ----------------------------------------------------------------------------------------------------


def say(console: Console, markup: str, end: str = "\n\n") -> None:
    """Print a paragraph."""
    console.print(Text.from_markup(markup), end=end)


def heading(console: Console, title: str) -> None:
    """Print a title."""
    console.print(Rule(Text(title, "bold"), align="left", characters="─", style="dim"))


def _introduce(console: Console) -> None:
    heading(console, "PARTE: patterns of events, detected in bounded space")
    say(
        console,
        "A bank sees a stream of money transfers, and some patterns in it point to fraud: one transfer is harmless, "
        "two or four of them in the right order and time are not. In PARTElang one writes down such a pattern as a "
        "rule. Here three rules run over a small trace, by two means that have no code for it in common:",
    )
    say(
        console,
        "  [bold]algebra[/]  what a rule means, by definition; looks at the whole trace at once\n"
        "  [bold]machine[/]  a network that takes one event at a time and forgets what no\n"
        "           longer matters, so that it can run forever",
    )
    say(console, "The machine is right if it finds what the definition says, no more and no less.")


def _show_trace(console: Console, example: Example, findings: Findings) -> None:
    events = example.scenarios.events
    heading(console, f"The trace: {len(events)} events")
    roles: dict[str, dict[str, None]] = {}
    for match in findings.all():
        for _, identity in match.bindings:
            roles.setdefault(identity, {})[_title(match.rule).lower()] = None
    plain = [Column(name, no_wrap=True) for name in ("event", "time (UTC)", "what happened")]
    table = terminal.table(*plain, Column("amount", no_wrap=True, justify="right"), "part of")
    for event in events:
        names = roles.get(event.id, {})
        style = "bold" if names else ""
        what, amount = _contents(event)
        table.add_row(
            Text(event.id, style), _time(event.timestamp), Text(what), Text(amount), Text(", ".join(names), "cyan")
        )
    console.print(table)


def _contents(event: Event) -> tuple[str, str]:
    """The accounts of a transfer and its amount; for a claim, its object."""
    attributes = event.attributes
    if "transaction_id" in attributes:
        return f"claim on transfer {attributes['transaction_id']}", ""
    origin, target, amount = (attributes.get(name, "?") for name in ("originator", "destination", "amount"))
    return f"{_account(origin)} → {_account(target)}", f"{amount:,.2f}" if isinstance(amount, float) else str(amount)


def _account(name: object) -> str:
    """A for AAA-AAA-AAA; any other name as it is."""
    letters = set(str(name)) - {"-"}
    return letters.pop() if len(letters) == 1 else str(name)


def _time(milliseconds: int) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)
    return moment.strftime("%m-%d %H:%M:%S")


def _show_rule(console: Console, rule: core.Rule, findings: Findings) -> None:
    heading(console, f"{_title(rule.name)}: rule {rule.name}")
    story = _STORIES.get(rule.name, ("", ""))[1]
    if story:
        say(console, escape(story), "\n" if findings.all() else "\n\n")  # a table begins with an empty line itself
    bound = [Column(pattern.variable, no_wrap=True) for pattern in rule.positive]
    table = terminal.table(*bound, *(Column(name, justify="center") for name in ("algebra", "machine")))
    algebra, machine = (_lines(matches) for matches in (findings.algebra, findings.machine))
    for match in sorted(findings.all(), key=_by_number):
        line = match.to_json()
        cells = [Text(identity) for _, identity in match.bindings]
        table.add_row(*cells, mark(line in algebra), mark(line in machine))
    if findings.all():
        console.print(table)
    _verdict(console, findings)


def _lines(matches: Iterable[Match]) -> set[str]:
    return {match.to_json() for match in matches}


def _by_number(match: Match) -> list[tuple[int, str]]:
    """Bindings in the order in which people count: t9 before t10."""
    return [(len(identity), identity) for _, identity in match.bindings]


def mark(present: bool) -> Text:
    """The word that says whether a model finds a match."""
    return Text("found", "green") if present else Text("missing", "bold red")


def _verdict(console: Console, findings: Findings) -> None:
    if findings.agree:
        say(console, f"[bold green]Both agree:[/] {_count(len(findings.algebra))}.")
    else:
        counts = f"the algebra has {_count(len(findings.algebra))}, the machine {_count(len(findings.machine))}"
        say(console, f"[bold red]They differ:[/] {counts}.")


def _show_printed(console: Console, findings: Findings) -> None:
    heading(console, "The refund scam as its source prints it")
    say(
        console,
        "The dissertation that defines PARTE prints the last rule without the condition that the transfer explaining "
        "the refund be another one.",
    )
    _verdict(console, findings)
    if findings.agree and not findings.algebra:
        say(
            console,
            "It finds nothing, and rightly so: an event may fill several patterns of a rule, so the suspicious "
            "transfer itself counts as the one that explains the refund. The rule above says [cyan]id != incoming.id"
            "[/]. Both the definition and the machine show the slip at once.",
        )


def _show_published(console: Console, example: Example, findings: Findings) -> None:
    result: Comparison = compare(example.scenarios, model=PUBLISHED, schedules=0)
    if result.difference is None:
        return
    heading(console, "Why the machine here is not the published one")
    missing, spurious = len(result.difference.missing), len(result.difference.spurious)
    say(
        console,
        f"The rules of the machine as published give another result on this trace: [bold red]{missing} of the "
        f"{_count(len(findings.algebra))} missing[/], {spurious} too many. The sound machine is the published one with "
        f"{len(repair_names())} named repairs (`parte rules` lists them). This is the first step of the published "
        "machine that contradicts the algebra, found by `parte compare`:",
    )
    first = result.difference.first
    if first is not None:
        for line in first.render():
            console.print(Padding(Text(line.strip()), (0, 0, 0, 2)))
        console.print()


def conclude(console: Console, who: str, agreed: bool, more: str, examples: Sequence[str]) -> None:
    """Print whether all agreed, with `more` if they did, and the commands to type next, by their arguments.

    Exit with DIFFERENT if they did not agree.
    """
    heading(console, "In short")
    say(
        console,
        f"[bold green]{who} agree on everything above[/]{more}"
        if agreed
        else f"[bold red]{who} do not agree[/]: this is a defect of PARTE.",
    )
    console.print("See for yourself:")
    console.print(Text("\n".join(f"  {called()} {example}" for example in examples), "cyan"), soft_wrap=True)
    if not agreed:
        raise typer.Exit(terminal.DIFFERENT)


def called() -> str:
    """The text to type for the command: its name, or its path if a shell would not find it by its name."""
    called, known = Path(sys.argv[0]), shutil.which("parte")
    if called.name != "parte" or not called.is_file() or (known is not None and called.samefile(known)):
        return "parte"
    absolute = called.absolute()
    return str(absolute.relative_to(Path.cwd()) if absolute.is_relative_to(Path.cwd()) else absolute)


def _title(rule: str) -> str:
    return _STORIES.get(rule, (rule, ""))[0]


def _count(number: int) -> str:
    return f"{number} match{'' if number == 1 else 'es'}"
