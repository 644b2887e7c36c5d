"""Displays of values in notebooks: programs as text, networks and traces as drawings, matches as tables.

The layers below are independent of displays: `install` gives their classes the methods that notebooks call.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

from parte import api
from parte.checker.partelang.bounds.report import BoundsReport
from parte.checker.report.contents import Report
from parte.checker.report.text import render as render_checks
from parte.conformance.partelang.comparison import Comparison
from parte.conformance.partelang.why import Why
from parte.drawing import draw_svg
from parte.drawing.occupancy import Observing
from parte.drawing.stepper.page import Stepper, draw_steps
from parte.drawing.stepper.recording import LIMIT
from parte.drawing.timeline import Timeline, draw_timeline
from parte.proofs.partelang.exploration.report import Exploration
from parte.semantics.events.domain import DomainArgument, bind_domain, relations_of
from parte.semantics.events.event import Event, TraceItem, Value
from parte.semantics.events.match import Match
from parte.semantics.events.outcome import Blocked, Outcome
from parte.semantics.events.problems import InputError
from parte.semantics.events.scenario import Scenario
from parte.semantics.events.trace import Trace
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities
from parte.semantics.partelang.network import Network
from parte.semantics.partelang.repairs import family_of
from parte.semantics.partelang.schedules import Schedule
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.printer import print_program
from parte.semantics.rulebook.models import Model
from parte.semantics.source.diagnostics import ProgramError

MOST_ROWS = 100
"""The number of rows of a table that are shown; the caption states how many more there are."""


@dataclass(frozen=True, slots=True)
class NetworkDrawing:
    """A drawing of a network, which notebooks display. `svg` is self-contained."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg


def draw(
    program: core.Program,
    events: Iterable[TraceItem] | None = None,
    *,
    model: str | Model = "sound",
    domain: DomainArgument | None = None,
    disorder: int = 0,
) -> NetworkDrawing:
    """Draw the network of a program. With events, every node shows its greatest numbers of entries and tokens.

    The machine is fed one event after the other. Raises the errors of `parte.execute`, and ValueError for a model that
    has no such network: the evaluators of the algebra, and the rudimentary one.
    """
    network = api.network_of(program)
    if events is None:
        return NetworkDrawing(draw_svg(program, network))
    chosen = api.model_called(model) if isinstance(model, str) else model
    if chosen is None or family_of(chosen) is not network.family:
        raise ValueError(f"the model {model} has no such network; give sound or published")
    observing = Observing()
    api.execute(program, events, model=chosen, schedule=observing, domain=domain, disorder=disorder)
    return NetworkDrawing(draw_svg(program, network, observing.notes()))


def timeline(
    events: Sequence[TraceItem],
    matches: Sequence[Match] = (),
    program: core.Program | None = None,
    *,
    domain: DomainArgument | None = None,
) -> Timeline:
    """Draw a trace in time, with matches on it, and with the program the windows and the sets of each match.

    A set whose conditions call a predicate has its elements marked only with the domain.
    """
    predicates = bind_domain(program, relations_of(domain)) if program is not None and domain else {}
    return draw_timeline(events, matches, program, predicates=predicates)


def step(
    program: core.Program,
    events: Iterable[TraceItem],
    *,
    model: str | Model = "sound",
    schedule: str | Schedule | None = None,
    domain: DomainArgument | None = None,
    seed: int | None = None,
    capacities: Capacities | None = None,
    disorder: int = 0,
    first: int | None = None,
    limit: int = LIMIT,
) -> Stepper:
    """Show a run of a machine step by step: a page, whose text is `html`, that needs no other file.

    It has `limit` steps, from the `first` on. Without `first`, they begin with the run, or so that they include the
    first step that the algebra contradicts. Raises the errors of `parte.execute`, and ValueError for a model whose
    network cannot be drawn: the evaluators of the algebra, and the rudimentary one.
    """
    chosen = api.model_called(model) if isinstance(model, str) else model
    if chosen is None:
        raise ValueError(f"the model {model} takes no steps; give sound or published")
    predicates = bind_domain(program, relations_of(domain or {}))
    return draw_steps(
        Scenario.of(program, events, predicates, disorder=disorder),
        model=chosen,
        schedule=api.schedule_called(schedule, seed),
        capacities=capacities or UNBOUNDED,
        first=first,
        limit=limit,
    )


# --- Methods that notebooks call --------------------------------------------------------------------------------------


def network_html(network: Network) -> str:
    """Return the nodes of a network and the nodes that each feeds."""
    rows = [
        (node.name, ", ".join(f"{network.nodes[edge.node].name} ({edge.side.value})" for edge in edges))
        for node, edges in zip(network.nodes, network.successors, strict=True)
    ]
    return table(("node", "feeds"), rows)


def matches_html(matches: Sequence[Match]) -> str:
    """Return matches with the events that they bind and emit."""
    return table(("rule", "bindings", "emits"), [_row(match) for match in matches])


def outcome_html(outcome: Outcome) -> str:
    """Return all results of a run."""
    notes = [str(emission) for emission in (*outcome.failures, *outcome.suppressed)]
    if outcome.blocked is not None:
        notes.append(outcome.blocked.render())
    return matches_html(outcome.matches) + "".join(preformatted(note) for note in notes)


def _row(match: Match) -> tuple[str, str, str]:
    bindings = ", ".join(f"{variable} = {event}" for variable, event in match.bindings)
    return match.rule, bindings, "; ".join(_emitted(event) for event in match.emits)


def _emitted(event: Event) -> str:
    attributes = ", ".join(f"{name} = {_value(value)}" for name, value in event.attributes.items())
    return f"{event.template} at {event.timestamp} {{{attributes}}}"


def _value(value: Value) -> str:
    """Return a value as traces write it."""
    return json.dumps(value, ensure_ascii=False)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in HTML; all its content is text."""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows[:MOST_ROWS])
    more = len(rows) - MOST_ROWS
    note = f"<caption>{more:,} more are not shown</caption>" if more > 0 else ""
    return f"<table>{note}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def preformatted(text: str) -> str:
    """Return a text in HTML, unchanged."""
    # Notebooks may show the text of an output in a font of their own, in which carets are out of place.
    return f'<pre style="font-family: monospace; white-space: pre; overflow-x: auto">{escape(text)}</pre>'


_RENDERED = (Blocked, BoundsReport, Comparison, Exploration, ProgramError, InputError, Why)
"""Classes that notebooks display as the terminal does."""

DISPLAYS: tuple[tuple[type, str, Callable[..., str | list[str]]], ...] = (
    (core.Program, "_repr_html_", lambda program: preformatted(print_program(program.source))),
    (Network, "_repr_html_", network_html),
    (Trace, "_repr_svg_", lambda trace: draw_timeline(trace).svg),
    (Match, "_repr_html_", lambda match: matches_html((match,))),
    (api.Matches, "_repr_html_", matches_html),
    (Outcome, "_repr_html_", outcome_html),
    (Report, "_repr_html_", lambda report: preformatted(render_checks(report))),
    *((kind, "_repr_html_", lambda report: preformatted(report.render())) for kind in _RENDERED),
    # IPython shows these lines in place of a traceback.
    *((kind, "_render_traceback_", lambda error: error.render().split("\n")) for kind in (ProgramError, InputError)),
)
"""The classes that display themselves, each with the name and function of its method."""


def install() -> None:
    """Give the classes their methods; `import parte` calls this."""
    for cls, name, function in DISPLAYS:
        setattr(cls, name, function)
