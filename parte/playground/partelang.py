"""What can be asked of programs in PARTElang."""

from __future__ import annotations

from collections.abc import Callable

from parte import api
from parte.algebra.partelang.programs import run
from parte.playground.exchange import Answer, Mark, Request, Task, errors, matches_in
from parte.playground.marks import reported
from parte.semantics.events.domain import Domain, bind_domain, read_domain
from parte.semantics.events.scenario import Scenario
from parte.semantics.events.trace import Trace, read_trace
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.text import parsed
from parte.semantics.rulebook.models import Model

MOST_FAILURES = 20
"""So many emissions without a value are told."""
MOST_STEPS = 2_000
"""So many steps are shown."""


def rules_of(text: str) -> tuple[str, ...]:
    """The names of the rules of a program."""
    return tuple(rule.name for rule in parsed(text).rules)


def _trace(asked: Request) -> Trace:
    return read_trace(asked.trace, filename="trace")


def _domain(asked: Request) -> Domain:
    return read_domain(asked.domain, filename="domain") if asked.domain.strip() else {}


def _scenario(asked: Request) -> Scenario[core.Program]:
    program = parsed(asked.program)
    predicates = bind_domain(program, _domain(asked))
    return Scenario.of(program, _trace(asked), predicates, disorder=asked.lag)


def _machine(asked: Request, what: str) -> Model:
    machine = api.model_called(asked.model)
    if machine is None:
        raise ValueError(f"{asked.model} takes no steps, so there is nothing to {what}; choose a machine")
    return machine


def _run(asked: Request) -> Answer:
    machine = api.model_called(asked.model) is not None
    schedule = asked.schedule or None if machine else None
    outcome = api.execute(
        parsed(asked.program),
        _trace(asked),
        model=asked.model,
        schedule=schedule,
        domain=_domain(asked),
        seed=asked.seed if schedule in api.SEEDED else None,
        disorder=asked.lag,
    )
    lines = [match.to_json() for match in outcome.matches]
    marks = [Mark("settings", "warning", str(failure)) for failure in outcome.failures[:MOST_FAILURES]]
    if len(outcome.failures) > MOST_FAILURES:
        left = len(outcome.failures) - MOST_FAILURES
        marks.append(Mark("settings", "warning", f"and {left:,} more emissions without a value"))
    if outcome.blocked is not None:
        marks.append(Mark("settings", "error", outcome.blocked.render()))
    text = "".join(f"{line}\n" for line in lines)
    return Answer(outcome.blocked is None, text, tuple(marks), matches_in(lines))


def _compare(asked: Request) -> Answer:
    from parte.conformance.partelang.comparison import compare

    found = compare(_scenario(asked), model=_machine(asked, "compare"))
    return Answer(found.agrees, found.render() + "\n")


def _check(asked: Request) -> Answer:
    return reported(api.check(asked.program, domain=_domain(asked) if asked.domain.strip() else None))


def _why(asked: Request) -> Answer:
    from parte.conformance.partelang.bindings import read_bindings
    from parte.conformance.partelang.why import UnknownBinding, why

    bindings = dict(read_bindings(asked.bindings)) if asked.bindings.strip() else {}
    try:
        found = why(_scenario(asked), asked.rule or None, bindings, model=api.model_called(asked.model))
    except UnknownBinding as error:
        return errors("settings", [str(error)])
    return Answer(bool(found.matches) and found.difference is None, found.render() + "\n")


def _timeline(asked: Request) -> Answer:
    from parte.drawing.timeline import draw_timeline

    it = _scenario(asked)
    found = run(it.program, it.events, it.predicates, "indexed")
    return Answer(True, drawing=draw_timeline(it.items, found.matches, it.program).svg)


def _network(asked: Request) -> Answer:
    """The network; with a trace that can be used also how full the stores of the machine get on it."""
    from parte.displays import draw

    program = parsed(asked.program)
    if not asked.trace.strip():
        return Answer(True, drawing=draw(program).svg)
    return Answer(True, drawing=draw(program, _trace(asked), domain=_domain(asked), disorder=asked.lag).svg)


def _step(asked: Request) -> Answer:
    """The run step by step, as a page."""
    from parte.drawing.stepper.page import draw_steps

    machine = _machine(asked, "show")
    schedule = asked.schedule or None
    seed = asked.seed if schedule in api.SEEDED else None
    found = draw_steps(
        _scenario(asked),
        model=machine,
        schedule=api.schedule_called(schedule, seed),
        limit=MOST_STEPS,
        title=f"{machine.name}, step by step",
    )
    told: tuple[Mark, ...] = ()
    if found.shown < found.steps:
        last = found.first - 1 + found.shown
        told = (Mark("settings", "note", f"of {found.steps:,} steps {found.first:,} to {last:,} are shown"),)
    return Answer(not found.missing and not found.spurious, page=found.html, marks=told)


TASKS: dict[Task, Callable[[Request], Answer]] = {
    "run": _run,
    "compare": _compare,
    "check": _check,
    "why": _why,
    "timeline": _timeline,
    "network": _network,
    "step": _step,
}
