"""`parte prove`: the machine-checked lemmas about the models. It needs z3, which is an optional dependency.

Nothing of the proofs is imported before it is asked for, so that everything else works without z3.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Column
from rich.text import Text

from parte import api, terminal
from parte.options import VariantOption, check_variant, finite, wrong

if TYPE_CHECKING:
    from parte.proofs.prove import Result


IdsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[ID]...",
        help="Lemmas, or controls, '*' standing for anything. [default: all, or a sample of controls]",
    ),
]
SolverOption = Annotated[api.SolverChoice, typer.Option("--solver", help="Which solvers decide.")]
ExportOption = Annotated[
    Path | None,
    typer.Option("--export", metavar="DIR", help="Write each lemma there as SMT-LIB 2, and its certificate."),
]
CertificatesOption = Annotated[
    bool, typer.Option("--certificates", help="Have cvc5 write a proof of each lemma, and check it.")
]
TimeoutOption = Annotated[
    float, typer.Option("--timeout", min=0.1, callback=finite, metavar="SECONDS", help="For the decision on one lemma.")
]

ControlsOption = Annotated[
    bool,
    typer.Option(
        "--controls",
        help="Instead, check which lemma detects each planted fault of the machine; a sample, unless faults are named.",
    ),
]
AllOption = Annotated[
    bool, typer.Option("--all", help="With --controls: every control, which takes an hour; Ctrl-C prints what is done.")
]


def prove(
    ids: IdsArgument = None,
    model: Annotated[
        api.ProvedModel, typer.Option("--model", help="The model they are about.")
    ] = api.ProvedModel.SOUND,
    solver: SolverOption = api.SolverChoice.Z3,
    export: ExportOption = None,
    timeout: TimeoutOption = api.PROVE_TIMEOUT,
    certificates: CertificatesOption = False,
    controls: ControlsOption = False,
    every_one: AllOption = False,
    variant: VariantOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs to read.")] = False,
) -> None:
    """Prove the lemmas about a model on the functions that it runs, or refute them with a counterexample.

    Exit codes: 0 if every result is the one that the catalogue of lemmas names (a statement that is known to fail must
    be refuted); 1 if one is not, if a lemma is vacuous, if the solvers disagree, if a proof is not accepted, or if a
    control is detected by no lemma and no reason is stated; 2 if there is no such lemma or a solver is missing; 130
    after Ctrl-C.
    """
    check_variant(variant, model.value)
    if controls:
        if variant is not None:
            raise wrong("--variant", "does not go with --controls, which are faults of sound")
        from parte.commands.controls import show_controls
        from parte.conformance.protocol import DEFAULT_LANGUAGE
        from parte.languages.registry import language_called

        show_controls(
            language_called(DEFAULT_LANGUAGE), ids or (), every_one=every_one, timeout=timeout, as_json=as_json
        )
        return
    check_all(every_one)
    show(
        lambda: api.prove(
            ids or (),
            model=model.value,
            solver=solver.value,
            export=export,
            timeout=timeout,
            certificates=certificates,
        ),
        "D",
        as_json=as_json,
    )


def check_all(every_one: bool) -> None:
    """A usage error for --all without --controls."""
    if every_one:
        raise wrong("--all", "goes with --controls; without it all lemmas are proved that are not named")


def show(decide: Callable[[], tuple[Result, ...]], source: str, *, as_json: bool) -> None:
    """Show the results of lemmas, with their sections in the source. Exit code 1 if one is not as expected."""
    from parte.proofs.json_form import results_to_json
    from parte.proofs.lemma import UnknownLemma
    from parte.proofs.prove import NoProver

    unknown, unwritable = "parte prove --json lists them all", "name another directory for --export"
    with (
        terminal.refusing(UnknownLemma, hint=unknown),
        terminal.refusing(OSError, hint=unwritable),
        terminal.refusing(NoProver, hint="add --solver cvc5"),
    ):
        results = decide()
    if as_json:
        terminal.write(json.dumps(results_to_json(results), indent=2, ensure_ascii=False) + "\n")
    else:
        _show(results, source)
    if not all(result.as_expected for result in results):
        raise typer.Exit(terminal.DIFFERENT)


_STYLES = {"proved": "green", "refuted": "yellow", "not proved": "bold red"}


def _show(results: Sequence[Result], source: str) -> None:
    console = terminal.output_console()
    table = terminal.table(
        Column("lemma", overflow="fold", style="cyan", ratio=3),
        Column("statement; section and scope", ratio=6),
        Column("result", ratio=2),
        Column("solver", no_wrap=True),
        Column("time", no_wrap=True, justify="right"),
    )
    for result in results:
        lemma = result.lemma
        where = f"{source} §{lemma.section}; {lemma.scope}"
        solvers = ", ".join(result.decisions)
        table.add_row(
            Text(lemma.id), Text.assemble(lemma.statement, "\n", (where, "dim")), _said(result), solvers, _time(result)
        )
    console.print(table)
    for result in results:
        if result.counterexample is not None:
            console.print(_counterexample(result), soft_wrap=True)
    console.print(Text(_summary(results), "bold"))


def _said(result: Result) -> Text:
    text = Text(result.verdict.value, _STYLES[result.verdict.value])
    if result.trouble:
        text.append(f"\n{result.trouble}", "bold red")
    elif not result.as_expected:
        text.append("\nnot as expected", "bold red")
    if result.certificate is not None and not result.certificate.trouble:
        text.append(f"\nchecked, {result.certificate.steps} steps", "dim")
    return text


def _time(result: Result) -> str:
    return f"{result.seconds:.2f} s"


def _counterexample(result: Result) -> Text:
    assert result.counterexample is not None
    from parte.proofs.variants import current

    variant = current()
    defects = "" if variant else ", ".join(map(str, result.lemma.defects))
    under = variant.name if variant else result.model
    text = Text(f"{result.lemma.id} under {under}" + (f", defect {defects}" if defects else ""), "bold")
    text.append("".join(f"\n  broken: {sentence}" for sentence in result.counterexample.broken), "not bold")
    values = (f"{name} = {str(value).lower()}" for name, value in result.counterexample.values.items())
    text.append("\n  with " + "; ".join(values) + "\n", "not bold dim")
    return text


def _summary(results: Sequence[Result]) -> str:
    counts = {verdict: sum(result.verdict.value == verdict for result in results) for verdict in _STYLES}
    counted = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    unexpected = sum(not result.as_expected for result in results)
    seconds = sum(result.seconds for result in results)
    ending = f"; {unexpected} not as expected" if unexpected else ", all as expected"
    certificates = [result.certificate for result in results if result.certificate is not None]
    if certificates:
        ending += f"; {sum(not proof.trouble for proof in certificates)} of {len(certificates)} proofs by cvc5 checked"
    return f"{len(results)} lemmas in {seconds:.1f} s: {counted or 'none'}{ending}"
