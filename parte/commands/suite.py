"""`parte suite`: the contents of the conformance suite, checks of it, its coverage, the errors that it detects."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Column, Table
from rich.text import Text

from parte import terminal
from parte.commands.catalogue import HELP
from parte.commands.conform import SuiteOption, check_profiles, suite_from
from parte.commands.languages import chosen_language
from parte.conformance.coverage import Coverage, coverage
from parte.conformance.fixtures import FixtureError, Suite, called
from parte.conformance.kit import KIT
from parte.conformance.mutants import Mutant
from parte.conformance.mutants.killing import MutantResult, outcomes
from parte.inputs import writing
from parte.languages.language import Language
from parte.options import MachineOption, check_model, check_new, wrong
from parte.semantics.events.locks import held
from parte.semantics.rulebook.listing import RULES
from parte.semantics.source.similar import advice

app = typer.Typer(
    name="suite",
    help="Describe and check the conformance suite: its contents, its coverage, the errors that it detects.",
    epilog=HELP,
    no_args_is_help=True,
    rich_markup_mode=None,
)

_SHOWN = 200
"""The number of characters that are shown of a text; only faulty cases have longer texts."""

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs to read.")]


@app.command("list")
def list_cases(
    context: typer.Context,
    profile: Annotated[str | None, typer.Option("--profile", metavar="NAME", help="Only cases of a profile.")] = None,
    suite: SuiteOption = None,
    as_json: AsJson = False,
) -> None:
    """List the cases with their ids, profiles and descriptions."""
    language = chosen_language(context)
    check_profiles((profile,) if profile else (), language)
    loaded = suite_from(suite, language)
    chosen = loaded.select((profile,) if profile else ())
    if as_json:
        records = [{"id": c.id, "profile": c.profile, "description": c.description, "since": c.since} for c in chosen]
        terminal.write(json.dumps(records, indent=2, ensure_ascii=False) + "\n")
        return
    table = terminal.table(_named("case"), Column("profile", no_wrap=True), "description")
    for case in chosen:
        cells = (Text(terminal.printable(text[:_SHOWN])) for text in (case.id, case.profile, case.description))
        table.add_row(*cells)
    console = terminal.output_console()
    console.print(table)
    console.print(f"{len(chosen)} cases of suite {_called(loaded)}", markup=False)


@app.command()
def lint(context: typer.Context, suite: SuiteOption = None) -> None:
    """Check every case: shape, metadata, and that the algebra and the sound machine say what the case expects.

    The suite of this project must cover every profile, diagnostic code and inference rule, too.

    Exit codes: 0; 1 if something is wrong.
    """
    from parte.conformance.lint import lint_suite

    language = chosen_language(context)
    faults = 0
    for objection in lint_suite(language, Path(suite) if suite else None, whole=suite is None):
        faults += 1
        terminal.report(str(objection))
    if faults:
        terminal.error(f"the suite has {faults} fault{'' if faults == 1 else 's'}")
        raise typer.Exit(terminal.DIFFERENT)
    terminal.output_console().print(f"{len(suite_from(suite, language).cases)} cases, no faults", markup=False)


@app.command()
def admit(
    context: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="Examine every case again, not only new ones.")] = False,
    suite: SuiteOption = None,
) -> None:
    """Admit new cases: hold what they expect against the algebra and the sound machine, and measure which rules fire.

    Case files get their layout.

    Exit codes: 0; 1 if a case is refused.
    """
    from parte.conformance import lint

    language = chosen_language(context)
    suite_from(suite, language)
    refusals = 0
    root = Path(suite) if suite else language[KIT].suite
    with terminal.refusing(OSError), held(root):
        for id_, refused in lint.admit(language, root, every=every):
            refusals += bool(refused)
            terminal.report(f"{id_}: {refused or 'admitted'}")
    if refusals:
        raise typer.Exit(terminal.DIFFERENT)


@app.command()
def export(
    context: typer.Context,
    out: Annotated[str, typer.Argument(metavar="DIR", help="A directory that is empty or does not exist.")],
    suite: SuiteOption = None,
) -> None:
    """Write the cases as JSON, one file each, with the elaborated tree of each program, and the schema of the files.

    `parte conform --suite DIR` takes the directory. Exit codes: 0; 2 if it cannot be written.
    """
    from parte.conformance.exporting import export_suite

    directory = Path(out)
    check_new("DIR", out)
    language = chosen_language(context)
    loaded = suite_from(suite, language)
    with writing(out), terminal.refusing(FixtureError):
        export_suite(loaded, directory, language)
    terminal.write(f"{len(loaded.cases)} cases of suite {_called(loaded)}\n")


@app.command("coverage")
def show_coverage(
    context: typer.Context,
    model: MachineOption = "sound",
    cases: Annotated[bool, typer.Option("--cases", help="Also show rules and codes case by case.")] = False,
    suite: SuiteOption = None,
    as_json: AsJson = False,
) -> None:
    """Show which inference rules fire and which diagnostic codes are expected, and in how many cases.

    Exit codes: 0; 1 if a rule or a code is exercised by no case, though one could.
    """
    language = chosen_language(context)
    with_rules = {name for rule in language[RULES].rules.values() for name in rule.models}
    machines = [name for name in reversed(language[KIT].models) if name in with_rules]
    check_model(model, [*(name for name in language[KIT].models if name not in with_rules), *machines])
    if model not in machines:
        alternatives = " or ".join(filter(None, (", ".join(machines[:-1]), machines[-1])))
        raise wrong("--model", f"{model} has no inference rules; give {alternatives}")
    loaded = suite_from(suite, language)
    covered = coverage(loaded, language, model)
    if as_json:
        record = {
            "model": covered.model,
            "rules": covered.rules,
            "codes": covered.codes,
            "unreachable": covered.unreachable,
        }
        terminal.write(json.dumps(record, indent=2) + "\n")
    else:
        console = terminal.output_console()
        console.print(_counts("inference rule", covered.rules, covered.unreachable))
        console.print(_counts("diagnostic code", covered.codes, {}))
        if cases:
            console.print(_by_case(covered))
    if covered.missing:
        terminal.error(f"no case exercises {', '.join(covered.missing)}")
        raise typer.Exit(terminal.DIFFERENT)


def _called(suite: Suite) -> str:
    return called(suite.version, suite.digest, suite.extensions)


def _named(what: str) -> Column:
    return Column(what, style="cyan", overflow="fold")


def _counts(what: str, cases_by_name: Mapping[str, Sequence[str]], excused: Mapping[str, str]) -> Table:
    table = terminal.table(_named(what), Column("cases", justify="right"), "for example")
    for name, ids in cases_by_name.items():
        table.add_row(name, str(len(ids)), Text(min(ids, key=len) if ids else excused.get(name, "none")))
    return table


def _by_case(covered: Coverage) -> Table:
    table = terminal.table(_named("case"), "rules and codes")
    by_case: dict[str, list[str]] = {}
    for name, ids in (*covered.rules.items(), *covered.codes.items()):
        for id_ in ids:
            by_case.setdefault(id_, []).append(name)
    for id_, names in sorted(by_case.items()):
        table.add_row(id_, ", ".join(names))
    return table


@app.command("mutants")
def show_mutants(
    context: typer.Context,
    mutant: Annotated[
        list[str] | None,
        typer.Option("--mutant", metavar="NAME", help="Only this mutant, or those of this model; may be repeated."),
    ] = None,
    every: Annotated[
        bool,
        typer.Option("--all", help="Try every case, not only until a case detects the mutant; count those that do."),
    ] = False,
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, max=64, help="Processes. [default: one a processor]")
    ] = None,
    suite: SuiteOption = None,
    as_json: AsJson = False,
) -> None:
    """Put the suite to models that err in one way each: every error must make some case fail.

    Exit codes: 0; 1 if a mutant survives without a stated reason, or is killed in spite of one.
    """
    language = chosen_language(context)
    chosen = _mutants(mutant or (), language)
    suite_from(suite, language)  # what is wrong with its files is told before anything runs
    root, processes = Path(suite) if suite else language[KIT].suite, min(jobs or os.cpu_count() or 1, len(chosen))
    results = list(outcomes(chosen, root, language, every=every, jobs=processes))
    if as_json:
        terminal.write(json.dumps([_record(outcome) for outcome in results], indent=2, ensure_ascii=False) + "\n")
    else:
        console = terminal.output_console()
        console.print(_of_mutants(results, every=every))
        killed = sum(outcome.killed for outcome in results)
        console.print(f"{killed} of {len(results)} mutants are killed", markup=False)
    faults = [outcome.fault for outcome in results if outcome.fault]
    for fault in faults:
        terminal.error(fault)
    if faults:
        raise typer.Exit(terminal.DIFFERENT)


def _mutants(names: Sequence[str], language: Language) -> tuple[Mutant, ...]:
    known = language[KIT].mutants()
    chosen = tuple(m for m in known if not names or any(name in (m.name, m.of) for name in names))
    for name in names:
        if not any(name in (m.name, m.of) for m in chosen):
            hint = advice(name, [m.name for m in known], "parte suite mutants lists them")
            raise wrong("--mutant", f"no mutant is called {name}; {hint}")
    return chosen


def _record(outcome: MutantResult) -> dict[str, object]:
    mutant, judgement = outcome.mutant, outcome.judgement
    return {
        "mutant": mutant.name,
        "of": mutant.of,
        "rules": mutant.rules,
        "sections": mutant.sections,
        "description": mutant.description,
        "killed_by": outcome.killer or None,
        "verdict": None if judgement is None else judgement.verdict.value,
        "kills": outcome.kills,
        "tried": outcome.tried,
        "survives": mutant.survives or None,
    }


def _of_mutants(results: Iterable[MutantResult], *, every: bool) -> Table:
    columns = [_named("mutant"), Column("first rule", no_wrap=True), Column("killed by", overflow="fold")]
    table = terminal.table(*columns, *([Column("cases", justify="right")] if every else []))
    for outcome in results:
        killer = outcome.killer or f"survives: {outcome.mutant.survives or 'no reason is stated'}"
        counted = (str(len(outcome.kills)),) if every else ()
        table.add_row(outcome.mutant.name, outcome.mutant.rules[0], Text(killer), *counted)
    return table
