"""Functions that run programs on traces from Python: `import parte` offers them beside the data types."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from parte.algebra.partelang import relational
from parte.algebra.partelang.evaluators import EVALUATORS, OF_LOGS
from parte.semantics.events.domain import DomainArgument, bind_domain, relations_of
from parte.semantics.events.event import TraceItem
from parte.semantics.events.match import Match
from parte.semantics.events.outcome import Outcome
from parte.semantics.events.promises import arrivals
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.execution import execute as run_machine
from parte.semantics.partelang.network import Network
from parte.semantics.partelang.repairs import MODELS, Family
from parte.semantics.partelang.schedules import Schedule, schedule_of
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse as parse
from parte.semantics.rulebook.models import Model
from parte.semantics.source.diagnostics import printable

if TYPE_CHECKING:
    from parte.checker.environment.deployment import Deployment
    from parte.checker.environment.schedule import QuerySchedule
    from parte.checker.report.contents import Report
    from parte.conformance.partelang.why import Why
    from parte.proofs.prove import Result
    from parte.proofs.variants import Variant

PROVED: Final = "proved"
"""The name of the evaluator that is extracted from the theorem (`parte.proofs.partelang.evaluator`)."""

MODEL_NAMES: Final = (*EVALUATORS, PROVED, *reversed(MODELS))
"""The names for `model`: the evaluators of the algebra, the one that is proved, then the machines."""

SEEDED: Final = ("random", "adversarial")
"""The schedules that depend on a seed."""

CHECK_TIMEOUT: Final = 10.0
"""Seconds for one question to the solver."""

PROVE_TIMEOUT: Final = 60.0
"""Seconds for the decision on one lemma."""

_SHOWN_FAILURES = 5


class EmissionWarning(UserWarning):
    """A warning that emissions of a run had no value (an overflow, a division by zero), and so emitted nothing."""


class Matches(list[Match]):
    """The matches of a run: a list, which notebooks show as a table."""


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
    staging: bool = True,
) -> Matches:
    """Return the matches of a program on a trace, in canonical order.

    The arguments are those of `execute`. Raise the errors of `execute`, and `Blocked` if the machine stopped with input
    left. Emissions without a value are reported by an `EmissionWarning`.
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
        staging=staging,
    )
    if outcome.blocked is not None:
        raise outcome.blocked
    if outcome.failures:
        described = [str(failure) for failure in outcome.failures[:_SHOWN_FAILURES]]
        left = len(outcome.failures) - len(described)
        more = [f"and {left} more; parte.execute returns them all"] if left else []
        warnings.warn(printable("\n".join([*described, *more])), EmissionWarning, stacklevel=2)
    return Matches(outcome.matches)


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
    staging: bool = True,
) -> Outcome:
    """Run a program on a trace and return everything: matches, failures, steps, and the report of a blocked machine.

    `model` is "algebra", "indexed" or "duckdb" (the evaluators of the event algebra), "proved" (the evaluator that is
    extracted from the theorem), "sound", "published" or "rudimentary" (the machines), or a `Model`. `schedule` is None
    (round-robin), a name or a `Schedule`; `seed` is for the named schedules that use random numbers. `disorder` is the
    greatest lag in milliseconds of an event behind the latest one of its source and template. With the model "duckdb",
    `events` may be an `parte.algebra.partelang.relational.Log`, a Parquet file, which goes to DuckDB unchanged: its
    rows have no order, so they break no promise, and `disorder` changes nothing. Without `staging`, the model "sound"
    fires its rules one by one instead of running functions that are written for the program; the results are the same.

    Raises TraceError if the trace does not fit the program or breaks its promises, DomainError if the predicates do not
    fit, CapacitiesError if a node that has capacities does not exist, ValueError for arguments that exclude each other.
    With the model "duckdb" also `parte.semantics.source.packages.PackageMissing`, an ImportError, without the extra
    `parte[duckdb]`, and `parte.algebra.partelang.relational.Unsupported`, a ValueError, for a program that SQL cannot
    express; with a `Log` also OSError if it cannot be read. With the model "proved" also
    `parte.semantics.source.packages.Unavailable` if `make rocq` was not run, and
    `parte.semantics.rulebook.running.UnsupportedRun` for a program that it does not run.
    """
    chosen = model_called(model) if isinstance(model, str) else model
    if isinstance(events, relational.Log):
        if model not in OF_LOGS:
            raise ValueError(
                f"a Log goes with the model {' or '.join(OF_LOGS)}, not with {model!r}; read its events with "
                "parte.algebra.partelang.relational.parquet.load_log"
            )
        _refuse_machine_arguments(str(model), schedule, seed, capacities)
        arrivals((), disorder=disorder)  # raises for an invalid disorder
        return OF_LOGS[str(model)](program, events, bind_domain(program, relations_of(domain or {})))
    predicates = bind_domain(program, relations_of(domain or {}))
    scenario = Scenario.of(program, events, predicates, disorder=disorder)
    if chosen is None:
        _refuse_machine_arguments(str(model), schedule, seed, capacities)
        if model == PROVED:
            from parte.proofs.partelang.evaluator.evaluation import execute as run_proved

            return run_proved(scenario)
        return EVALUATORS[str(model)](program, scenario.items, predicates)
    drawn = schedule_called(schedule, seed)
    limits = capacities or UNBOUNDED
    return run_machine(scenario, model=chosen, schedule=drawn, capacities=limits, staging=staging)


def why(
    program: core.Program,
    events: Iterable[TraceItem],
    rule: str | None = None,
    bindings: Mapping[str, str] | None = None,
    *,
    model: str | Model | None = None,
    domain: DomainArgument | None = None,
    disorder: int = 0,
) -> Why:
    """Explain why a rule matches the events with the ids in `bindings`, or does not. Print the result to read it.

    Variables that are not bound are searched for, and the nearest misses are reported. `rule` may be omitted if the
    program has only one. With the name of a machine, or a `Model`, the result includes the step at which that machine
    lost a match of the algebra. Raises LookupError for an unknown rule, variable or event, and the errors of `execute`.
    """
    from parte.conformance.partelang.why import why as explain

    machine = model_called(model) if isinstance(model, str) else model
    if model is not None and machine is None:
        raise ValueError(f"the model {model!r} is an evaluator of the algebra, which every answer is about")
    predicates = bind_domain(program, relations_of(domain or {}))
    return explain(Scenario.of(program, events, predicates, disorder=disorder), rule, bindings, model=machine)


def model_called(name: str) -> Model | None:
    """Return the machine of that name; None for the evaluators of the algebra. Raise ValueError if there is no such
    model."""
    if name not in MODEL_NAMES:
        raise ValueError(f"no model is called {name!r}; there are: {', '.join(MODEL_NAMES)}")
    return MODELS.get(name)


def schedule_called(schedule: str | Schedule | None, seed: int | None) -> Schedule:
    """Return the selected schedule. Raise ValueError for an unknown name, or for a seed that would change nothing."""
    if schedule is not None and not isinstance(schedule, str):
        if seed is not None:
            raise ValueError("a Schedule has its own seed: give one or the other")
        return schedule
    name = schedule or "round-robin"
    if seed is not None and name not in SEEDED:
        raise ValueError(f"a seed changes nothing with the schedule {name!r}; it is for: {', '.join(SEEDED)}")
    return schedule_of(name, seed or 0)


def network_of(program: core.Program, family: Family = Family.FEATHERWEIGHT) -> Network:
    """Return the network of a program, without sources: for display, not for running."""
    return compile_program(program, {predicate.name: _never for predicate in program.predicates}, {}, family)


def _never(*_arguments: object) -> bool:
    return False


def format_program(text: str) -> str:
    """Return the program in canonical layout, with its comments. Raise ProgramError if it cannot be read."""
    from parte.semantics.partelang.text import TEXT

    return TEXT.printed(text)


def _refuse_machine_arguments(
    model: str, schedule: str | Schedule | None, seed: int | None, capacities: Capacities | None
) -> None:
    arguments: dict[str, object] = {"schedule": schedule, "seed": seed, "capacities": capacities}
    for name, value in arguments.items():
        if value is not None:
            raise ValueError(f"{name} does not go with the model {model!r}: {WHY_NOT[name]}")


WHY_NOT: Final[Mapping[str, str]] = {
    "schedule": "the algebra says what a program means and takes no steps, so there is nothing to schedule",
    "seed": "the algebra makes no choices, so there is nothing to draw",
    "capacities": "the algebra has no nodes, so there is nothing to bound",
}
"""The reasons why arguments for machines exclude the algebra."""


def varied(variant: str | Variant) -> AbstractContextManager[None]:
    """Return a context in which the machine of this process is a variant of `sound`: `with parte.varied("late-expiry"):
    …`.

    `variant` is a `Variant`, the name of a registered one, or the file of one, which is run. Raises NoVariant, a
    ValueError, for an unknown name, or for a variant that does not fit the machine.
    """
    from parte.proofs.partelang.variants import VARIANTS
    from parte.proofs.variants import applied, variant_called

    return applied(variant_called(variant, VARIANTS) if isinstance(variant, str) else variant)


# --- Functions that need a solver. They import it only when they are called, so that all else works without it. -------


def check(
    program: core.Program | str,
    deployment: Deployment | None = None,
    *,
    schedule: QuerySchedule | None = None,
    domain: DomainArgument | None = None,
    timeout: float = CHECK_TIMEOUT,
) -> Report:
    """Decide the guarantees of a program before it runs; `program` is elaborated, or a text.

    A deployment (`parte.checker.environment.deployment.load_deployment`) adds sizes and rates. A schedule
    (`parte.checker.environment.schedule.QuerySchedule`) adds what runs of a query see. Without a domain, the
    declared predicates may be any relations. Raises ProgramError if the text is no program, DomainError or
    DeploymentError if the domain or the deployment does not fit it, and `PackageMissing`, an ImportError, without z3.
    """
    from parte.checker.partelang.check import check as decide

    relations = None if domain is None else relations_of(domain)
    return decide(program, deployment, schedule=schedule, domain=relations, timeout=timeout)


class ProvedModel(Enum):
    """The models that lemmas are about."""

    SOUND = "sound"
    PUBLISHED = "published"
    RUDIMENTARY = "rudimentary"


class SolverChoice(Enum):
    """The solvers that decide."""

    Z3 = "z3"
    CVC5 = "cvc5"
    BOTH = "both"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the solvers."""
        return ("z3", "cvc5") if self is SolverChoice.BOTH else (str(self.value),)


def prove(
    ids: Iterable[str] = (),
    *,
    model: str = "sound",
    solver: str = "z3",
    export: Path | None = None,
    timeout: float = PROVE_TIMEOUT,
    certificates: bool = False,
) -> tuple[Result, ...]:
    """Decide lemmas: those with these ids, where `*` stands for anything, or all.

    `solver` is "z3", "cvc5" or "both". With `certificates`, every proof by cvc5 is checked. Raises LookupError for an
    id that no lemma has, ValueError for an unknown model or solver or for certificates without cvc5, and ImportError if
    a solver is not installed. Under a variant (`varied`), the lemmas that the variant lists as refuted are expected to
    fail.
    """
    from parte.proofs.partelang.catalogue import CATALOGUE
    from parte.proofs.prove import prove as decide
    from parte.proofs.variants import current

    model, names, variant = ProvedModel(model).value, SolverChoice(solver).names, current()
    return decide(
        ids,
        model=model,
        solvers=names,
        export=export,
        timeout=timeout,
        catalogue=CATALOGUE if variant is None else CATALOGUE.refuting(variant.refutes),
        certificates=certificates,
    )
