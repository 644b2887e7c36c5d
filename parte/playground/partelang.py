"""The tasks of the playground for programs in PARTElang."""

from __future__ import annotations

from collections.abc import Callable

from parte import api
from parte.algebra.partelang.programs import run
from parte.playground.exchange import Answer, Mark, Request, Task, errors, matches_in
from parte.playground.marks import reported
from parte.semantics.events.domain import Domain, bind_domain, read_domain
from parte.semantics.events.scenario import Scenario
from parte.semantics.events.trace import Trace, read_trace
from parte.semantics.events.types import has_optional
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.text import parsed
from parte.semantics.rulebook.models import Model

MOST_FAILURES = 20
"""The greatest number of emissions without a value that are reported."""
MOST_STEPS = 2_000
"""The greatest number of steps that are shown."""


def rules_of(text: str) -> tuple[str, ...]:
    """Return the names of the rules of a program."""
    return tuple(rule.name for rule in parsed(text).rules)


def _trace(request: Request) -> Trace:
    return read_trace(request.trace, filename="trace", nulls=has_optional(parsed(request.program)))


def _domain(request: Request) -> Domain:
    return read_domain(request.domain, filename="domain") if request.domain.strip() else {}


def _scenario(request: Request) -> Scenario[core.Program]:
    program = parsed(request.program)
    predicates = bind_domain(program, _domain(request))
    return Scenario.of(program, _trace(request), predicates, disorder=request.lag)


def _machine(request: Request, what: str) -> Model:
    machine = api.model_called(request.model)
    if machine is None:
        raise ValueError(f"{request.model} takes no steps, so there is nothing to {what}; choose a machine")
    return machine


def _run(request: Request) -> Answer:
    machine = api.model_called(request.model) is not None
    schedule = request.schedule or None if machine else None
    outcome = api.execute(
        parsed(request.program),
        _trace(request),
        model=request.model,
        schedule=schedule,
        domain=_domain(request),
        seed=request.seed if schedule in api.SEEDED else None,
        disorder=request.lag,
    )
    lines = [match.to_json() for match in outcome.matches]
    marks = [Mark("settings", "warning", str(failure)) for failure in outcome.failures[:MOST_FAILURES]]
    if len(outcome.failures) > MOST_FAILURES:
        left = len(outcome.failures) - MOST_FAILURES
        marks.append(Mark("settings", "warning", f"and {left:,} more emissions without a value"))
    marks += [Mark("settings", "note", str(suppressed)) for suppressed in outcome.suppressed[:MOST_FAILURES]]
    if len(outcome.suppressed) > MOST_FAILURES:
        left = len(outcome.suppressed) - MOST_FAILURES
        marks.append(Mark("settings", "note", f"and {left:,} more suppressed emissions"))
    if outcome.blocked is not None:
        marks.append(Mark("settings", "error", outcome.blocked.render()))
    text = "".join(f"{line}\n" for line in lines)
    return Answer(outcome.blocked is None, text, tuple(marks), matches_in(lines))


def _compare(request: Request) -> Answer:
    from parte.conformance.partelang.comparison import compare

    comparison = compare(_scenario(request), model=_machine(request, "compare"))
    return Answer(comparison.agrees, comparison.render() + "\n")


def _check(request: Request) -> Answer:
    return reported(api.check(request.program, domain=_domain(request) if request.domain.strip() else None))


def _why(request: Request) -> Answer:
    from parte.conformance.partelang.bindings import read_bindings
    from parte.conformance.partelang.why import UnknownBinding, why

    bindings = dict(read_bindings(request.bindings)) if request.bindings.strip() else {}
    try:
        explanation = why(_scenario(request), request.rule or None, bindings, model=api.model_called(request.model))
    except UnknownBinding as error:
        return errors("settings", [str(error)])
    return Answer(bool(explanation.matches) and explanation.difference is None, explanation.render() + "\n")


def _timeline(request: Request) -> Answer:
    from parte.drawing.timeline import draw_timeline

    scenario = _scenario(request)
    outcome = run(scenario.program, scenario.events, scenario.predicates, "indexed")
    drawn = draw_timeline(scenario.items, outcome.matches, scenario.program, predicates=scenario.predicates)
    return Answer(True, drawing=drawn.svg)


def _network(request: Request) -> Answer:
    """Draw the network; with a trace, also the greatest sizes of the stores of the machine on it."""
    from parte.displays import draw

    program = parsed(request.program)
    if not request.trace.strip():
        return Answer(True, drawing=draw(program).svg)
    return Answer(True, drawing=draw(program, _trace(request), domain=_domain(request), disorder=request.lag).svg)


def _step(request: Request) -> Answer:
    """Return the run step by step, as a page."""
    from parte.drawing.stepper.page import draw_steps

    machine = _machine(request, "show")
    schedule = request.schedule or None
    seed = request.seed if schedule in api.SEEDED else None
    stepper = draw_steps(
        _scenario(request),
        model=machine,
        schedule=api.schedule_called(schedule, seed),
        limit=MOST_STEPS,
        title=f"{machine.name}, step by step",
    )
    notes: tuple[Mark, ...] = ()
    if stepper.shown < stepper.steps:
        last = stepper.first - 1 + stepper.shown
        notes = (Mark("settings", "note", f"of {stepper.steps:,} steps {stepper.first:,} to {last:,} are shown"),)
    return Answer(not stepper.missing and not stepper.spurious, page=stepper.html, marks=notes)


TASKS: dict[Task, Callable[[Request], Answer]] = {
    "run": _run,
    "compare": _compare,
    "check": _check,
    "why": _why,
    "timeline": _timeline,
    "network": _network,
    "step": _step,
}
