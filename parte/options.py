"""The options that several commands share, and which of them go together."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Annotated

import typer

from parte import terminal
from parte.api import MODEL_NAMES, SEEDED, WHY_NOT, model_called
from parte.faults import TRACEBACK, of_variant
from parte.semantics.events.duration import parse_short_duration
from parte.semantics.events.files import check_room
from parte.semantics.partelang.failures.schedules import Crashing
from parte.semantics.partelang.repairs import PUBLISHED, SOUND, Repairs, repair_names
from parte.semantics.partelang.schedules import SCHEDULES
from parte.semantics.rulebook.models import Model
from parte.semantics.source.packages import Unavailable
from parte.semantics.source.similar import advice

MACHINES = tuple(name for name in MODEL_NAMES if model_called(name) is not None)

ProgramArgument = Annotated[str, typer.Argument(metavar="PROGRAM", help="The program; - is standard input.")]
TraceArgument = Annotated[
    str, typer.Argument(metavar="TRACE", help="Events in arrival order, JSON Lines; - is standard input.")
]


def _directories(names: list[str] | None) -> list[str] | None:
    for name in names or ():
        if not Path(name).is_dir():
            raise wrong("--include", f"{name} is no directory")
    return names


IncludeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--include",
        metavar="DIR",
        callback=_directories,
        help="A directory with files that the program may import; may be repeated.",
    ),
]
ModelOption = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="|".join(MODEL_NAMES),
        help="The event algebra, by its definition, with indexes or as SQL on DuckDB; the evaluator that Rocq proves; "
        "or a machine: repaired, as published, or the rudimentary one before it.",
    ),
]
MachineOption = Annotated[
    str, typer.Option("--model", metavar="|".join(MACHINES), help="The machine to compare with the event algebra.")
]
RepairOption = Annotated[
    list[str] | None,
    typer.Option("--repair", metavar="NAME", help="Add a repair to the published model; may be repeated."),
]
WithoutOption = Annotated[
    list[str] | None,
    typer.Option("--without", metavar="NAME", help="Take a repair from the sound model; may be repeated."),
]


_USAGE = typer.BadParameter.__mro__[1]  # typer names only this one of its usage errors, and click may not be there
_EXPECTED = (_USAGE, typer.Abort, typer.Exit, KeyboardInterrupt, MemoryError, OSError, Unavailable)
"""The exceptions that end a command without a fault of its own, or of a variant."""


def _varied(context: typer.Context, name: str | None) -> str | None:
    """Put a variant in place for as long as the command runs; its name."""
    if name is None or context.resilient_parsing:
        return None
    from parte.proofs.partelang.variants import VARIANTS
    from parte.proofs.variants import NoVariant, applied, variant_called

    try:
        with variant_explained():
            variant = variant_called(name, VARIANTS)
            context.with_resource(applied(variant))
    except NoVariant as problem:
        raise terminal.unusable(str(problem), problem.hint) from None
    return variant.name


@contextmanager
def variant_explained() -> Iterator[None]:
    """Turn what the code of a variant raises, whatever it is, into words on standard error and exit code 2."""
    try:
        yield
    except BaseException as fault:
        said = of_variant(fault, _EXPECTED)
        if not said:
            raise
        if os.environ.get(TRACEBACK):
            traceback.print_exception(fault)
        raise terminal.unusable(said, f"mend the file; with {TRACEBACK}=1 the whole traceback is shown") from None


VariantOption = Annotated[
    str | None,
    typer.Option(
        "--variant",
        metavar="NAME|FILE.py",
        callback=_varied,
        help="A registered variant of the rules of sound, or your own, in a Python file, which is run.",
    ),
]
DomainOption = Annotated[
    str | None, typer.Option("--domain", metavar="FILE", help="What the declared predicates are true for, as JSON.")
]
ScheduleOption = Annotated[
    str | None,
    typer.Option(
        "--schedule", metavar="|".join(SCHEDULES), help="Which step a machine takes next. [default: round-robin]"
    ),
]
SeedOption = Annotated[
    int | None, typer.Option("--seed", help="What the random and adversarial schedules draw from. [default: 0]")
]
FailuresOption = Annotated[
    float | None,
    typer.Option(
        "--failures",
        min=0,
        metavar="RATE",
        help="Draw the steps by --seed, and before each, with this probability, a crash of a node.",
    ),
]
CheckpointOption = Annotated[
    int | None,
    typer.Option(
        "--checkpoint",
        min=1,
        metavar="STEPS",
        help="With --failures: a checkpoint is due after so many steps of a node.",
    ),
]
CapacitiesOption = Annotated[
    str | None,
    typer.Option("--capacities", metavar="FILE", help="What the histories, inboxes and outboxes may hold, as JSON."),
]
StagingOption = Annotated[
    bool,
    typer.Option(
        "--staging/--no-staging",
        help="Run a machine with functions that are written for the program, or by the rules one by one: the results "
        "are the same.",
    ),
]
DisorderOption = Annotated[
    str | None,
    typer.Option(
        "--disorder",
        metavar="DURATION",
        help="How far an event may lag behind the latest of its source and template: '5 minutes', '250 ms'.",
    ),
]
FormOption = Annotated[
    str | None,
    typer.Option("--format", metavar="svg|dot", help="[default: that of the ending of FILE, else svg]"),
]
OutputOption = Annotated[
    str | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write. [default: standard output]")
]


def wrong(option: str, message: str) -> typer.BadParameter:
    """A usage error that names the option."""
    return typer.BadParameter(message, param_hint=f"'{option}'")


def finite(value: float | None) -> float | None:
    """Return a number of seconds. A usage error for NaN or infinity."""
    if value is not None and not isfinite(value):
        raise typer.BadParameter(f"expected a number of seconds, found {value}")
    return value


def disorder_of(text: str | None) -> int:
    """A disorder in milliseconds; 0 without the option."""
    if text is None:
        return 0
    try:
        milliseconds = parse_short_duration(text)
    except ValueError as error:
        raise wrong("--disorder", str(error)) from None
    if milliseconds < 0:
        raise wrong("--disorder", f"a disorder is not negative, found {text!r}")
    return milliseconds


def model_of(
    name: str, repair: Sequence[str] | None, without: Sequence[str] | None, variant: str | None = None
) -> str | Model:
    """The model that the options name: an evaluator of the algebra by its name, or a machine; a variant by its own."""
    check_model(name, MODEL_NAMES)
    _known("--repair", "repair", repair, repair_names())
    _known("--without", "repair", without, repair_names())
    if repair and name != PUBLISHED.name:
        reason = "repairs are added to the published model; give it --model published"
        raise wrong("--repair", f"does not go with the model {name}: {reason}")
    if without and name != SOUND.name:
        reason = "repairs are taken from the sound model, which has them all"
        raise wrong("--without", f"does not go with the model {name}: {reason}")
    if variant is not None:
        check_variant(variant, name)
        return replace(SOUND.without(*without or ()), name=variant)
    if repair:
        return PUBLISHED.repaired(*repair)
    if without:
        return SOUND.without(*without)
    return model_called(name) or name


def check_variant(variant: str | None, model: str) -> None:
    """A usage error for a variant of another model than `sound`."""
    if variant is not None and model != SOUND.name:
        raise wrong("--variant", f"does not go with the model {model}: a variant is one of the rules of {SOUND.name}")


def check_model(name: str, models: Sequence[str]) -> None:
    """A usage error if a language has no model of the name."""
    _known("--model", "model", [name], models)


def _known(option: str, what: str, names: Sequence[str] | None, known: Sequence[str]) -> None:
    for name in names or ():
        check_name(option, what, name, known)


def check_name(option: str, what: str, name: str, known: Iterable[str], otherwise: str = "") -> None:
    """Raise a usage error if nothing of the kind has the name. The hint is a similar name, else `otherwise` or all."""
    names = list(known)
    if name not in names:
        raise wrong(option, f"no {what} is called {name!r}; {advice(name, names, otherwise)}")


def check_machine_options(model: str, schedule: str | None, seed: int | None, capacities: str | None) -> None:
    """A usage error for options that are unknown or would change nothing."""
    if schedule is not None:
        _known("--schedule", "schedule", [schedule], SCHEDULES)
    if model_called(model) is None:
        for option, setting in (("schedule", schedule), ("seed", seed), ("capacities", capacities)):
            if setting is not None:
                raise wrong(f"--{option}", f"does not go with the model {model}: {WHY_NOT[option]}")
    if seed is not None and schedule not in SEEDED:
        chosen = schedule or SCHEDULES[0]
        raise wrong("--seed", f"changes nothing with the schedule {chosen}; it is for: {', '.join(SEEDED)}")


def crashing_of(
    failures: float | None, checkpoint: int | None, model: str | Model, schedule: str | None, seed: int | None
) -> Crashing | None:
    """Return the schedule with crashes; None without `--failures`. A usage error for options that do not go with it."""
    if failures is None:
        if checkpoint is not None:
            raise wrong("--checkpoint", "changes nothing without crashes: give --failures, too")
        return None
    if schedule is not None:
        raise wrong("--failures", "draws its own schedule: leave --schedule out")
    repairs = Repairs.of(model) if isinstance(model, Model) else None
    if repairs is None or not (repairs.slot_per_side and repairs.merge_by_promise):
        name = model.name if isinstance(model, Model) else model
        raise wrong("--failures", f"the model {name} cannot crash; use the model sound")
    if not failures < 1:
        raise wrong("--failures", f"expected a probability of less than 1, found {failures:g}")
    return Crashing(failures, seed or 0, checkpoint)


def check_new(option: str, directory: str) -> None:
    """A usage error if results would be written where something is already, or through a link that leads nowhere."""
    if not directory:  # nothing will be written
        return
    path = Path(directory)
    if path.is_symlink() and not path.exists():
        raise wrong(option, f"{directory} is a symbolic link that leads nowhere: name another directory")
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise wrong(option, f"{directory} is there already and not an empty directory: name another")
    if "://" not in directory:  # else it is on a file system that Spark knows
        try:
            check_room(directory)
        except OSError as problem:
            raise terminal.unusable(
                f"cannot write {problem.filename}: {problem.strerror}", "name a directory that can be written to"
            ) from None
