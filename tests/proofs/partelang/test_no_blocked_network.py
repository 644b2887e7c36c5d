"""D §8.3, §8.4: `published` is blocked at D's sizes, `sound` at the checker's is not; silence blocks any size."""

from __future__ import annotations

from pathlib import Path

import pytest

from parte.checker.environment.deployment import Deployment, Emits, Source
from parte.checker.partelang.bounds.bounds import bounds
from parte.proofs.partelang.exploration.explore import explore
from parte.proofs.partelang.exploration.reduction import reduced
from parte.proofs.partelang.exploration.report import Exploration
from parte.proofs.partelang.exploration.retrace import retrace
from parte.proofs.partelang.exploration.search import search
from parte.proofs.partelang.exploration.states import Space
from parte.semantics.events.event import POSITIVE_INFINITY, Event, Progress, TraceItem
from parte.semantics.events.promises import arrivals
from parte.semantics.events.rates import Rate
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import Capacities, NodeCapacities
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.execution import sources_of
from parte.semantics.partelang.repairs import PUBLISHED, SOUND
from parte.semantics.partelang.sizes import prescribed_capacities
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.rulebook.models import Model

PAGE = Path(__file__).resolve().parents[3] / "docs" / "proofs.md"
EVERY = Rate(1, 1)

NOW = "rule R where a: A, b: A when b in a [0 ms, 0 ms] then"
LATER = "rule R where a: A, b: A when b in a [4 ms, 6 ms] then"
NEGATED = "rule R where a: A, no b: B when no b in a [0 ms, 0 ms] then"
SILENT = "rule R where a: A, no b: B when no b in a [0 ms, 4 ms] then"
"""The rule of D fig. 8.1, with milliseconds for its seconds."""


def program_of(rule: str) -> core.Program:
    return parse("".join(f"template {name} {{ k: Integer }}\n" for name in "AB" if f": {name}" in rule) + rule)


def sent(text: str) -> tuple[Event, ...]:
    words = text.split()
    return tuple(Event(word.lower(), word[0], int(word[1:]), {"k": 0}, "s") for word in words)


def viable(rule: str) -> Capacities:
    program = program_of(rule)
    source = Source("s", tuple(Emits(template.name, EVERY) for template in program.templates))
    return bounds(program, Deployment((source,))).capacities()


def prescribed(rule: str, model: Model) -> Capacities:
    """D's sizes for one event a millisecond."""
    program = program_of(rule)
    pairs = {("s", template.name): EVERY for template in program.templates}
    network = compile_program(program, {}, {name: (source,) for source, name in pairs})
    return prescribed_capacities(network, pairs, model)


# --- At D's sizes -----------------------------------------------------------------------------------------------------

BLOCKED = ((NOW, "A0 A1"), (NEGATED, "A0 A1 B0"), (LATER, "A0 A1 A2 A3"))


def explored(rule: str, trace: str, model: Model, capacities: Capacities) -> Exploration:
    result = explore(
        Scenario.of(program_of(rule), sent(trace)), model=model, capacities=capacities, box_occupancy=False
    )
    assert not result.truncated
    return result


@pytest.mark.parametrize(("rule", "trace"), BLOCKED)
def test_published_is_blocked_at_the_sizes_of_d_and_with_one_event_less_it_is_not(rule: str, trace: str) -> None:
    result = explored(rule, trace, PUBLISHED, prescribed(rule, PUBLISHED))
    assert result.blocked is not None
    assert result.blocked.outcome.blocked is not None, (
        "the machine that took the schedule says why nothing more is possible"
    )
    row = f"| `{rule.removeprefix('rule R where ').removesuffix(' then')}` | {trace} | {len(result.blocked.steps)} |"
    assert row in PAGE.read_text(encoding="utf-8"), f"the page should have the row {row}"
    *before, _ = [word for word in trace.split() if word[0] == "A"]
    shorter = " ".join([*before, *(word for word in trace.split() if word[0] == "B")])
    assert explored(rule, shorter, PUBLISHED, prescribed(rule, PUBLISHED)).blocked is None


@pytest.mark.parametrize(("rule", "trace"), BLOCKED)
def test_sound_is_not_blocked_at_its_own(rule: str, trace: str) -> None:
    result = explored(rule, trace, SOUND, viable(rule))
    assert result.correct
    assert result.blocked is None


def test_the_shortest_schedule_is_on_the_page_step_by_step() -> None:
    result = explored(*BLOCKED[0], PUBLISHED, prescribed(NOW, PUBLISHED))
    assert result.blocked is not None
    steps = "\n".join(f"{number:2}. {step}" for number, step in enumerate(result.blocked.steps, 1))
    assert steps in PAGE.read_text(encoding="utf-8"), f"the page should have these steps:\n{steps}"
    assert explored(NOW, "A0", PUBLISHED, prescribed(NOW, PUBLISHED)).blocked is None


# --- Without promises -------------------------------------------------------------------------------------------------


def stuck(
    items: tuple[TraceItem, ...], size: int | None = None, rule: str = SILENT, model: Model = SOUND
) -> int | None:
    """The steps of a shortest schedule after which events wait that no schedule can move; None if there is none.

    The sources have not ended: what they promise is what the trace says. `size` is that of the not-node's left history;
    without it, it is what the checker says.
    """
    program, fed = program_of(rule), arrivals(items)
    arriving = tuple(arrival for arrival in fed if arrival.bound != POSITIVE_INFINITY)
    capacities = viable(rule)
    if size is not None:
        node = capacities.of("not:R.b")
        larger = NodeCapacities(size, node.right, node.inbox, size)
        capacities = Capacities(capacities.default, dict(capacities.nodes) | {"not:R.b": larger})
    network = compile_program(program, {}, sources_of(fed))
    space = Space(network, arriving, model, capacities)
    search_result = search(space, reduced(space), 200_000)
    assert not search_result.truncated
    held_up = [end for end in search_result.ends if end.blocked]
    if not held_up:
        return None
    shortest = min(held_up, key=lambda end: len(end.path))
    assert retrace(network, arriving, model, capacities, shortest.path).outcome.blocked is not None
    return len(shortest.path)


def silence(events: int) -> tuple[Event, ...]:
    """A of every millisecond, and of B only that of the first, as in D fig. 8.1."""
    return sent(" ".join(["B0", *(f"A{time}" for time in range(events))]))


def test_with_promises_the_rule_of_figure_8_1_runs_at_its_viable_sizes() -> None:
    promises = tuple(Progress("s", "B", time) for time in range(1, 12))
    assert stuck((*silence(12), *promises)) is None
    assert stuck(silence(12)) is not None, "the trace is long enough to fill the history"


@pytest.mark.parametrize("size", [1, 2, 5, 6, 9])
def test_without_them_it_is_stuck_whatever_the_size(size: int) -> None:
    """A history with one place more takes one event more: no size is enough (D §8.4.1), as `silence-keeps-*` says."""
    assert stuck(silence(size + 1), size) is None  # the B defeats one of them
    assert stuck(silence(size + 2), size) is not None


def test_without_reported_silence_rejected_events_do_the_same() -> None:
    """Events that a condition rejects are promises too; the variant that drops them is refuted (defect 8)."""
    rule = "rule R where a: A, no b: B { k > 0 } when no b in a [0 ms, 0 ms] then"
    items = sent(" ".join(f"A{time} B{time}" for time in range(9)))
    assert stuck(items, None, rule) is None
    assert stuck(items, None, rule, SOUND.without("report-silence")) is not None
