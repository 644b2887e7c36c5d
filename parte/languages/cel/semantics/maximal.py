"""Results shared among workers by maximal ones, of which each worker enumerates some of the parts
(specification: cel-maximal; T §4.2.1, Algorithms 3 and 4).

A maximal result falls into groups, the runs of one type in it. A configuration says how many events of each group; the
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
    """Events of one type that follow each other in a result, by position."""

    type: str
    positions: tuple[int, ...]


Groups = tuple[Group, ...]
Configuration = tuple[tuple[str, int], ...]
"""How many events of each group, by their type; of groups of one type the last counts, as T's map has it."""


@dataclass(frozen=True, slots=True)
class Task:
    """The parts with a configuration of some maximal results that end with the same event."""

    configuration: Configuration
    maximal: tuple[Groups, ...]

    @property
    def size(self) -> int:
        """How many parts there are, those of several maximal results counted for each."""
        sizes = dict(self.configuration)
        return sum(
            prod(comb(len(group.positions), sizes.get(group.type, 0)) for group in groups) for groups in self.maximal
        )


def why_not(query: tree.Query) -> str | None:
    """Why the parts of maximal results are not the results of a query; None if they are, each once.

    They are for R1(+); …; Rk of different types, the last without +: then what has an event of each group of a result
    is a result that ends where it does, and each result is a part of a maximal one (rivals read as `end`).
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
    """What a master has for its workers, as events come: of each event the large tasks first.

    Where they are not `joined`, maximal results that share a configuration are tasks of their own (T's program calls
    this MME), and what is a part of several of them is found several times. Unsupported for a query that the strategy
    does not fit.
    """
    reason = why_not(query)
    if reason is not None and Repairs.of(model).fragment_only:
        raise Unsupported(f"maximal results do not stand for the results of this query: {reason}")
    machine = Machine(replace(query, strategy=tree.Strategy.MAX), model, rivals="end")
    types: list[str] = []
    for event in events:
        types.append(event.template)
        maximal = [grouped(result, types) for result in machine.event(event) if result.positions]
        for some in [maximal] if joined else [[each] for each in maximal]:
            yield from sorted(mcee(some, machine.repairs), key=lambda task: task.size, reverse=True)


def grouped(result: ComplexEvent, types: Sequence[str]) -> Groups:
    """PARTITION: a result as its runs of one type."""
    runs = groupby(result.positions, types.__getitem__)
    return tuple(Group(name, tuple(run)) for name, run in runs)


@rule("MCEE", "Algorithms 3, 4", "4.2.1")
def mcee(maximal: Iterable[Groups], repairs: Repairs) -> list[Task]:
    """For each configuration a task: all maximal results that have it."""
    found: dict[Configuration, list[Groups]] = {}
    for groups in maximal:
        for configuration in configurations(groups, repairs):
            found.setdefault(configuration, []).append(groups)
    return [Task(configuration, tuple(some)) for configuration, some in found.items()]


def configurations(groups: Groups, repairs: Repairs) -> Iterator[Configuration]:
    """Algorithm 4: each number of events, from 1 to all, for each group; unrepaired, a last group of one is lost."""
    counted = groups if repairs.last_groups or len(groups[-1].positions) > 1 else groups[:-1]
    for sizes in product(*(range(1, len(group.positions) + 1) for group in counted)):
        yield tuple(zip((group.type for group in counted), sizes, strict=True))


def parts(task: Task) -> Iterator[ComplexEvent]:
    """ENUMERATE: the parts of a task, each once, whatever number of its maximal results have it. T looks them up in a
    tree of groups; a configuration that lacks a group gives nothing."""
    sizes = dict(task.configuration)
    printed: set[tuple[int, ...]] = set()
    for groups in task.maximal:
        if all(group.type in sizes for group in groups):
            for chosen in product(*(combinations(group.positions, sizes[group.type]) for group in groups)):
                positions = tuple(chain.from_iterable(chosen))
                if positions not in printed:
                    printed.add(positions)
                    yield ComplexEvent(positions[-1], positions[0], positions)
