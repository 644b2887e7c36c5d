"""Running programs on traces from Python: what `import parte` offers beside the data types."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import Final

from algebra import relational
from algebra.programs import Outcome as Found
from algebra.programs import run as evaluate
from semantics.blocking import Blocked
from semantics.capacities import UNBOUNDED, Capacities, CapacitiesError
from semantics.compilation import compile_program
from semantics.events.conformity import conform
from semantics.events.domain import Relation, bind_domain, read_domain
from semantics.events.event import TraceItem
from semantics.events.match import Match
from semantics.events.promises import arrivals
from semantics.events.trace import Trace
from semantics.execution import execute as run_machine
from semantics.network import Network
from semantics.repairs import MODELS, Family, Model
from semantics.schedules import Schedule, schedule_of
from semantics.state import EmissionFailure
from semantics.syntax import core
from semantics.syntax.elaborate import parse as parse
from semantics.syntax.parser import parse_source
from semantics.syntax.printer import print_program

EVALUATORS: Final[
    Mapping[str, Callable[[core.Program, Iterable[TraceItem], Mapping[str, Callable[..., bool]]], Found]]
] = {
    "algebra": evaluate,
    "indexed": partial(evaluate, evaluator="indexed"),
    "duckdb": relational.run,
}
"""The evaluators of the event algebra, by the names that stand beside those of the machines."""

OF_LOGS: Final = {"duckdb": relational.run_log}
"""Those of them that read a log in Parquet themselves."""

MODEL_NAMES: Final = (*EVALUATORS, "sound", "published", "rudimentary")
"""What `model` may be called: the evaluators of the algebra, then the machines."""

SEEDED: Final = ("random", "adversarial")
"""The schedules that a seed changes."""

DomainArgument = Mapping[str, Relation | Mapping[str, object]]
"""What a run supplies for each declared predicate: a callable that returns a bool, a table of `load_domain`, or
`{"true_for": rows}` or `{"false_for": rows}` as in a domain file."""

_SHOWN_FAILURES = 5


class EmissionWarning(UserWarning):
    """Emissions of a run had no value (an overflow, a division by zero), and so emitted nothing."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that a run gave.

    `matches` are in canonical order, each as often as it was found. `failures` are the emissions without a value.
    `steps` counts the steps of the machine that processed a token (rule PROC); None for the algebra, which takes none.
    `blocked` says why a machine stopped with input left; None if it did not.
    """

    matches: tuple[Match, ...]
    failures: tuple[EmissionFailure, ...] = ()
    steps: int | None = None
    blocked: Blocked | None = None


def run(
    program: core.Program,
    events: Iterable[TraceItem] | relational.Log,
    *,
    model: str | Model = "sound",
    schedule: str | Schedule | None = None,
    domain: DomainArgument | None = None,
    seed: int | None = None,
    capacities: Capacities | None = None,
    disorder: int = 0,
) -> list[Match]:
    """The matches of a program on a trace, in canonical order.

    Takes what `execute` takes and raises what it raises, and `Blocked` if the machine stopped with input left.
    Emissions without a value are reported by an `EmissionWarning`.
    """
    outcome = execute(
        program,
        events,
        model=model,
        schedule=schedule,
        domain=domain,
        seed=seed,
        capacities=capacities,
        disorder=disorder,
    )
    if outcome.blocked is not None:
        raise outcome.blocked
    if outcome.failures:
        shown = [describe_failure(failure) for failure in outcome.failures[:_SHOWN_FAILURES]]
        left = len(outcome.failures) - len(shown)
        more = [f"and {left} more; parte.execute returns them all"] if left else []
        warnings.warn("\n".join([*shown, *more]), EmissionWarning, stacklevel=2)
    return list(outcome.matches)


def execute(
    program: core.Program,
    events: Iterable[TraceItem] | relational.Log,
    *,
    model: str | Model = "sound",
    schedule: str | Schedule | None = None,
    domain: DomainArgument | None = None,
    seed: int | None = None,
    capacities: Capacities | None = None,
    disorder: int = 0,
) -> Outcome:
    """Run a program on a trace and hold back nothing: matches, failures, steps, and the report of a blocked machine.

    `model` is "algebra", "indexed" or "duckdb" (the evaluators of the event algebra), "sound", "published" or
    "rudimentary" (the machines), or a `Model`. `schedule` is None (round-robin), a name or a `Schedule`; `seed` is for
    the names that draw. `disorder` is by how many milliseconds an event may lag behind the latest of its source and
    template. With the model "duckdb", `events` may be an `algebra.relational.Log`, a Parquet file, which goes to DuckDB
    as it is: its rows have no order, so they break no promise, and `disorder` changes nothing.

    Raises TraceError if the trace does not fit the program or breaks its promises, DomainError if the predicates do
    not fit, CapacitiesError if a node that has capacities does not exist, ValueError for arguments that do not go
    together. With the model "duckdb" also `algebra.relational.EngineMissing`, an ImportError, without the extra
    `parte[duckdb]`, and `algebra.relational.Unsupported`, a ValueError, for a program that cannot be said in SQL; with
    a `Log` also OSError if it cannot be read.
    """
    chosen = model_called(model) if isinstance(model, str) else model
    if isinstance(events, relational.Log):
        if model not in OF_LOGS:
            raise ValueError(
                f"a Log goes with the model {' or '.join(OF_LOGS)}, not with {model!r}; read its events with "
                "algebra.relational.parquet.load_log"
            )
        _refuse_machine_arguments(str(model), schedule, seed, capacities)
        arrivals((), disorder=disorder)  # refuses what is no disorder
        return _outcome(OF_LOGS[str(model)](program, events, bind_domain(program, relations(domain or {}))))
    items = conform(program, events)
    filename = events.filename if isinstance(events, Trace) else None
    arriving = arrivals(items, disorder=disorder, filename=filename)
    predicates = bind_domain(program, relations(domain or {}))
    if chosen is None:
        _refuse_machine_arguments(str(model), schedule, seed, capacities)
        return _outcome(EVALUATORS[str(model)](program, items, predicates))
    if capacities is not None:
        check_capacities(program, chosen, capacities)
    result = run_machine(
        program,
        arriving,
        model=chosen,
        schedule=schedule_called(schedule, seed),
        predicates=predicates,
        capacities=capacities or UNBOUNDED,
    )
    return Outcome(result.matches, tuple(sorted(result.failures, key=_failure_order)), result.steps, result.blocked)


def _outcome(found: Found) -> Outcome:
    failures = tuple(EmissionFailure(item.rule, item.emission, item.bindings) for item in found.failures)
    return Outcome(tuple(found.matches), tuple(sorted(failures, key=_failure_order)))


def model_called(name: str) -> Model | None:
    """The machine of that name; None for the evaluators of the algebra. ValueError if there is no model of the name."""
    if name not in MODEL_NAMES:
        raise ValueError(f"no model is called {name!r}; there are: {', '.join(MODEL_NAMES)}")
    return MODELS.get(name)


def schedule_called(schedule: str | Schedule | None, seed: int | None) -> Schedule:
    """The schedule that is meant. ValueError for an unknown name, or for a seed that would change nothing."""
    if schedule is not None and not isinstance(schedule, str):
        if seed is not None:
            raise ValueError("a Schedule has its own seed: give one or the other")
        return schedule
    name = schedule or "round-robin"
    if seed is not None and name not in SEEDED:
        raise ValueError(f"a seed changes nothing with the schedule {name!r}; it is for: {', '.join(SEEDED)}")
    return schedule_of(name, seed or 0)


def relations(domain: DomainArgument) -> dict[str, Relation]:
    """The relations of a domain, with those that are written as in a domain file read. DomainError if one cannot be."""
    written = {name: given for name, given in domain.items() if isinstance(given, Mapping)}
    read = read_domain(written, filename="domain")
    return {name: read[name] if isinstance(given, Mapping) else given for name, given in domain.items()}


def network_of(program: core.Program, family: Family = Family.FEATHERWEIGHT) -> Network:
    """The network of a program, without sources: for looking at, not for running."""
    return compile_program(program, {predicate.name: _never for predicate in program.predicates}, {}, family)


def _never(*_arguments: object) -> bool:
    return False


def check_capacities(program: core.Program, model: Model, capacities: Capacities, filename: str = "capacities") -> None:
    """CapacitiesError if capacities are given for a node that the network of the program does not have."""
    names = [node.name for node in network_of(program, model.family).nodes]
    for name in capacities.nodes:
        if name not in names:
            near = get_close_matches(name, names, 1)
            hint = f"did you mean {near[0]}?" if near else "parte graph shows the nodes and their names"
            raise CapacitiesError(f"{filename}: nodes: no node of the program is called {name!r}; {hint}")


def format_program(text: str) -> str:
    """The program in canonical layout, with its comments. ProgramError if it cannot be read."""
    return print_program(parse_source(text))


def describe_failure(failure: EmissionFailure) -> str:
    """An emission without a value, in a sentence."""
    bindings = ", ".join(f"{variable}={event}" for variable, event in failure.bindings)
    return (
        f"{failure.rule}({bindings}): emission {failure.position} emits nothing, for a part of it has no value "
        "(an overflow, a division by zero, or a result beyond the finite numbers)"
    )


def _failure_order(failure: EmissionFailure) -> tuple[object, ...]:
    return failure.rule, failure.bindings, failure.position


def _refuse_machine_arguments(
    model: str, schedule: str | Schedule | None, seed: int | None, capacities: Capacities | None
) -> None:
    given: dict[str, object] = {"schedule": schedule, "seed": seed, "capacities": capacities}
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"{name} does not go with the model {model!r}: {WHY_NOT[name]}")


WHY_NOT: Final[Mapping[str, str]] = {
    "schedule": "the algebra says what a program means and takes no steps, so there is nothing to schedule",
    "seed": "the algebra makes no choices, so there is nothing to draw",
    "capacities": "the algebra has no nodes, so there is nothing to bound",
}
"""Why arguments for machines do not go with the algebra."""
