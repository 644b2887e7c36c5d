"""`parte experiment`: run an experiment, and write its page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from parte import terminal
from parte.faults import of_variant
from parte.interruptions import INTERRUPTED
from parte.options import VariantOption, check_name, wrong
from parte.semantics.events.files import below

if TYPE_CHECKING:
    from parte.experiments.experiment import Experiment, Scale
    from parte.experiments.running import Result

ALL = "all"
SEED = "seed"


def _clone(name: str, repository: str) -> object:
    """Return the option of a corpus."""
    return typer.Option(f"--{name}", metavar="DIR", help=f"Read a clone of {repository} (experiment detections).")


def experiment(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Which one, or 'all'. Without it, they are listed.")
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where each writes its page, in a directory of its name.")
    ] = Path("experiments"),
    small: Annotated[bool, typer.Option("--small", help="The size that the tests run, in seconds.")] = False,
    full: Annotated[bool, typer.Option("--full", help="The size of the dissertation; may take hours.")] = False,
    parameters: Annotated[
        Path | None,
        typer.Option(
            "--parameters", metavar="FILE", help="TOML with other values for some parameters of one experiment."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, metavar="N", help="Draw other data, where any are drawn.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, metavar="N", help="Processes, where the clock is not measured.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget what DIR holds of an earlier run.")] = False,
    panther: Annotated[str | None, _clone("panther", "panther-labs/panther-analysis")] = None,
    sigma: Annotated[str | None, _clone("sigma", "SigmaHQ/sigma")] = None,
    elastic: Annotated[str | None, _clone("elastic", "elastic/detection-rules")] = None,
    eqllib: Annotated[str | None, _clone("eqllib", "endgameinc/eqllib")] = None,
    variant: VariantOption = None,
) -> None:
    """Rerun an experiment: its question, data, tables, plots and answer. One that was interrupted goes on.

    `detections` reads clones of public repositories, one or more; 'all' runs it only if one is named.

    Exit codes: 0 when it is done; 2 if an input cannot be used; 130 if it was interrupted.
    """
    from concurrent.futures.process import BrokenProcessPool

    from parte.experiments.catalogue import BY_NAME, EXPERIMENTS
    from parte.experiments.experiment import Scale

    if small and full:
        raise wrong("--small", "and --full exclude each other")
    scale = Scale.SMALL if small else Scale.FULL if full else Scale.DEFAULT
    if name is None:
        _list(EXPERIMENTS)
        return
    if name == ALL and parameters is not None:
        raise wrong("--parameters", "every experiment has parameters of its own; give one of them as NAME")
    if name == ALL and variant is not None:
        raise wrong("--variant", "not every experiment varies; give one of them as NAME")
    check_name("NAME", "experiment", name, [*BY_NAME, ALL])
    corpora = {"panther": panther, "sigma": sigma, "elastic": elastic, "eqllib": eqllib}
    folders = {option: folder for option, folder in corpora.items() if folder is not None}
    if name != ALL:
        _check_folders(BY_NAME[name], folders)
    chosen_ones = [chosen for chosen in EXPERIMENTS if folders or not chosen.inputs] if name == ALL else [BY_NAME[name]]
    for chosen in chosen_ones:
        try:
            drawn = None if name == ALL and not _draws(chosen) else seed
            result = _run(chosen, scale, parameters, drawn, out, jobs, fresh, folders)
        except BrokenProcessPool as problem:
            what = f"a process ended while it measured: {problem}"
            raise terminal.unusable(what, "if memory is short, give fewer --jobs") from problem
        except (ValueError, OSError) as problem:
            if of_variant(problem):
                raise
            raise terminal.unusable(str(problem)) from problem
        except KeyboardInterrupt:
            terminal.note("interrupted: the same command goes on where it was")
            raise typer.Exit(INTERRUPTED) from None
        terminal.write(f"{result.presentation.answer}\n\n{out / chosen.name / 'README.md'}\n")


def _list(experiments: tuple[Experiment[Any], ...]) -> None:
    from rich.table import Table

    table = Table("experiment", "what it is about", box=None)
    for known in experiments:
        table.add_row(known.name, known.title)
    terminal.output_console().print(table)


def _draws(chosen: Experiment[Any]) -> bool:
    return any(hasattr(parameters, SEED) for parameters in chosen.scales.values())


def _check_folders(chosen: Experiment[Any], folders: Mapping[str, str]) -> None:
    """A usage error for a folder that an experiment does not read, or that has no name."""
    for option, folder in folders.items():
        if option not in chosen.inputs:
            raise wrong(f"--{option}", f"the experiment {chosen.name} reads no such folder; detections does")
        if not folder:
            raise wrong(f"--{option}", "expected a folder, found an empty text")


def _run(
    chosen: Experiment[Any],
    scale: Scale,
    file: Path | None,
    seed: int | None,
    out: Path,
    jobs: int | None,
    fresh: bool,
    folders: Mapping[str, str],
) -> Result:
    from parte.experiments.parameters import read_parameters, with_values
    from parte.experiments.running import run_experiment

    values = chosen.scales[scale]
    if file is not None:
        values = read_parameters(file, values)
    if seed is not None:
        if not _draws(chosen):
            raise wrong("--seed", f"the experiment {chosen.name} draws nothing")
        values = with_values(values, {SEED: seed}, "--seed")
    if chosen.inputs:
        values = with_values(values, folders, "options")
    console = terminal.errors_console()
    progress = console if console.is_terminal else None
    return run_experiment(chosen, values, below(out, chosen.name), jobs=jobs, fresh=fresh, progress=progress)
