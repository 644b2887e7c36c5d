"""Distribution by maximal results: each worker enumerates some of their parts (specification: cel-maximal; T §4.2.1,
Algorithms 3 and 4).

A maximal result consists of groups, its runs of one type. A configuration is a number of events of each group; the
parts of a maximal result with a configuration are a task, and a task goes to one worker.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, groupby, product
from math import comb, prod

from parte.languages.cel.semantics.machine import Machine
from parte.languages.cel.semantics.refinement import Unsupported
from parte.languages.cel.semantics.repairs import SOUND, Repairs
from parte.languages.cel.semantics.rulebook import rule
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.checking import top_conditions
from parte.semantics.events.complex_event import ComplexEvent
from parte.semantics.events.event import Event
from parte.semantics.rulebook.models import Model


@dataclass(frozen=True, slots=True)
class Group:
    """Consecutive events of one type in a result, by position."""

    type: str
    positions: tuple[int, ...]


Groups = tuple[Group, ...]
Configuration = tuple[tuple[str, int], ...]
"""The number of events of each group, by type; of two groups of one type the last counts, as in T's map."""


@dataclass(frozen=True, slots=True)
class Task:
    """The parts with one configuration of some maximal results that end with the same event."""

    configuration: Configuration
    maximal: tuple[Groups, ...]

    @property
    def size(self) -> int:
        """The number of parts, counted separately for each maximal result."""
        sizes = dict(self.configuration)
        return sum(
            prod(comb(len(group.positions), sizes.get(group.type, 0)) for group in groups) for groups in self.maximal
        )


def why_not(query: tree.Query) -> str | None:
    """Return why the parts of maximal results are not the results of a query; None if they are, each once.

    They are for R1(+); …; Rk of different types, the last without +: then a choice of events of each group of a result
    is a result with the same end, and each result is a part of a maximal one (rivals read as `end`).
    """
    formula, _ = top_conditions(query.formula)
    parts = formula.parts if isinstance(formula, tree.Sequence) and not formula.contiguous else (formula,)
    names = [
        operand.name
        for operand in (
            part.operand if isinstance(part, tree.Iteration) and not part.contiguous else part for part in parts
        )
        if isinstance(operand, tree.EventType)
    ]
    reasons = {
        "its formula is no sequence of types, with + or without": len(names) < len(parts),
        "two of its parts have one type": len(set(names)) < len(names),
        "its last part has a +": isinstance(parts[-1], tree.Iteration),
        "it selects variables": query.selected is not None,
        f"it has the strategy {query.strategy.value}": query.strategy is not tree.Strategy.ALL,
        "it has a window, and MAX comes before the window": query.window is not None,
        "it consumes events": query.consumption is not tree.Consumption.NONE,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def tasks(query: tree.Query, events: Iterable[Event], model: Model = SOUND, *, joined: bool = True) -> Iterator[Task]:
    """Yield the tasks of a master for its workers, as events arrive: for each event the large tasks first.

    If they are not `joined`, maximal results with the same configuration are separate tasks (T's program calls this
    MME), and a part of several of them is found several times. Raise Unsupported for a query that the strategy does not
    fit.
    """
    reason = why_not(query)
    if reason is not None and Repairs.of(model).fragment_only:
        raise Unsupported(f"maximal results do not stand for the results of this query: {reason}")
    machine = Machine(replace(query, strategy=tree.Strategy.MAX), model, rivals="end")
    types: list[str] = []
    for event in events:
        types.append(event.template)
        maximal = [grouped(result, types) for result in machine.event(event) if result.positions]
        for some in [maximal] if joined else [[groups_of_one] for groups_of_one in maximal]:
            yield from sorted(mcee(some, machine.repairs), key=lambda task: task.size, reverse=True)


def grouped(result: ComplexEvent, types: Sequence[str]) -> Groups:
    """PARTITION: return the runs of one type in a result."""
    runs = groupby(result.positions, types.__getitem__)
    return tuple(Group(name, tuple(run)) for name, run in runs)


@rule("MCEE", "Algorithms 3, 4", "4.2.1")
def mcee(maximal: Iterable[Groups], repairs: Repairs) -> list[Task]:
    """A task for each configuration: all maximal results that have it."""
    by_configuration: dict[Configuration, list[Groups]] = {}
    for groups in maximal:
        for configuration in configurations(groups, repairs):
            by_configuration.setdefault(configuration, []).append(groups)
    return [Task(configuration, tuple(some)) for configuration, some in by_configuration.items()]


def configurations(groups: Groups, repairs: Repairs) -> Iterator[Configuration]:
    """Algorithm 4: yield each number of events, from 1 to all, for each group; unrepaired, a last group of one is
    lost."""
    counted = groups if repairs.last_groups or len(groups[-1].positions) > 1 else groups[:-1]
    for sizes in product(*(range(1, len(group.positions) + 1) for group in counted)):
        yield tuple(zip((group.type for group in counted), sizes, strict=True))


def parts(task: Task) -> Iterator[ComplexEvent]:
    """ENUMERATE: yield the parts of a task, each once, even if several of its maximal results have it. T looks them up
    in a tree of groups; a configuration that lacks a group gives nothing."""
    sizes = dict(task.configuration)
    printed: set[tuple[int, ...]] = set()
    for groups in task.maximal:
        if all(group.type in sizes for group in groups):
            for chosen in product(*(combinations(group.positions, sizes[group.type]) for group in groups)):
                positions = tuple(chain.from_iterable(chosen))
                if positions not in printed:
                    printed.add(positions)
                    yield ComplexEvent(positions[-1], positions[0], positions)
