"""A trace in time with the results of a query, and the chains that a clause refuses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from parte.drawing.timeline import MOST_MATCHES, Band, Row, Timeline, drawn
from parte.languages.eql.algebra.reasons import Explained, explained
from parte.languages.eql.semantics.plans import Step, step_of
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.readings import Readings
from parte.semantics.events.event import Event
from parte.semantics.events.strictjson import dumped


def draw_results(query: tree.Query, events: Sequence[Event], readings: Readings, *, fluid: bool = False) -> Timeline:
    """Draw events in a lane for each key; below them the results, then the chains of all stages that break a clause,
    each with its maxspan, and with the times at which no missing event and no event of until may lie. A fluid
    drawing is as wide as its place."""
    chains = [chain for chain in explained(query, events, readings) if chain.whole]
    by_id = {event.id: event for event in events}
    lanes, styles = {}, {}
    steps = [*_steps(query, readings)]
    for event in events:
        fitting = [(style, step) for style, step in steps if step.key(event) is not None]
        styles[event.id] = fitting[0][0] if fitting else "unused"
        keys = fitting[0][1].written(event) if fitting else []
        lanes[event.id] = ", ".join(map(value_text, keys)) if keys else event.template if fitting else "in no stage"
    rows = [_row(chain, by_id) for chain in chains[:MOST_MATCHES]]
    return drawn(events, (), rows, ("chain", len(chains)), fluid=fluid, lanes=lanes, styles=styles)


def _steps(query: tree.Query, readings: Readings) -> Iterator[tuple[str, Step]]:
    """Yield the stages of a query with the styles of their events; the first that an event fits decides."""
    match query:
        case tree.Single(event=pattern):
            yield "event", step_of(tree.Stage(pattern), (), readings)
        case tree.Sample(by=by, items=items):
            yield from (("event", step_of(item, by, readings)) for item in items)
        case tree.Sequence(by=by, stages=stages, until=until):
            yield from (("until", step_of(stage, by, readings)) for stage in (until,) if stage is not None)
            yield from (("missing", step_of(stage, by, readings)) for stage in stages if stage.missing)
            yield from (("event", step_of(stage, by, readings)) for stage in stages if not stage.missing)


def _row(chain: Explained, events: dict[str, Event]) -> Row:
    times = [events[name].timestamp for name in chain.events]
    title = f"{', '.join(map(value_text, chain.keys))}{': ' * bool(chain.keys)}{', '.join(chain.events)}"
    if chain.failing:
        title = f"no result ({', '.join(dict.fromkeys(reason.rule for reason in chain.failing))}): {title}"
    bands = [
        Band(
            reason.demand,
            "window" if reason.rule == "EQL/SPAN" else "forbidden",
            reason.times,
            elements={name: events[name] for name in reason.without},
        )
        for reason in chain.reasons
        if reason.times is not None
    ]
    named = {f"stage {number}": events[name] for number, name in enumerate(chain.events, 1)}
    return Row(title, named, (min(times), max(times)), bands)


def value_text(value: object) -> str:
    """Return a value of a key as text."""
    return value if isinstance(value, str) else dumped(value)
