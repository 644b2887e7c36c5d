"""Measures of defects, counted in runs of the machine: results, nodes, visits, and messages to workers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from parte.languages.cel.semantics.distribution import dcere, power_of_choices
from parte.languages.cel.semantics.enumeration import counted, enumerate_paths, share
from parte.languages.cel.semantics.evaluation import Evaluation, live
from parte.languages.cel.semantics.machine import Machine, q_within
from parte.languages.cel.semantics.maximal import parts, tasks
from parte.languages.cel.semantics.repairs import Repairs
from parte.languages.cel.semantics.syntax.tree import Query
from parte.semantics.events.event import Event
from parte.semantics.rulebook.models import Model

Counts = tuple[int, ...]
Measure = Callable[[Query, Sequence[Event], Model, int], Counts]
"""A count for a query on a stream, one for each of several processes, or one for all of them together."""


def results(
    query: Query,
    events: Sequence[Event],
    model: Model,
    processes: int,
    make: Callable[[Query, Model, int, int], Machine] = Machine,
) -> Counts:
    """Return the number of different results that each process prints; empty if a process stops. Edits make a machine
    stop by an assertion where the source has no case, or has no end."""
    try:
        return tuple(len(set(make(query, model, processes, index).run(events))) for index in range(processes))
    except AssertionError:
        return ()


def _parts(query: Query, events: Sequence[Event], model: Model, _: int) -> Counts:
    """Return the number of results that workers print for maximal results, repeated ones counted separately."""
    return (sum(len(list(parts(task))) for task in tasks(query, events, model)),)


def _workers(query: Query, events: Sequence[Event], model: Model, processes: int) -> Counts:
    """Return the number of results sent to each worker, by the power of as many choices as there are workers."""
    choose = power_of_choices(processes, Random(SEED), distinct=Repairs.of(model).distinct_choices)
    sent = [message.worker for message in dcere(Machine(query, model).run(events), processes, choose, lambda _: 1)]
    return tuple(map(sent.count, range(processes)))


SEED = 4
"""The seed of the choices: three of sixteen choices by two workers for two messages show defect 33."""


def _evaluated(query: Query, events: Sequence[Event], model: Model) -> tuple[Evaluation, int]:
    """Return the evaluation of a stream, and the least start that counts at its end; only the results of the first
    event are enumerated."""
    machine = Machine(query, model)
    machine.event(events[0])
    (substream,) = machine.substreams.values()
    least = 0
    for position, event in enumerate(events):
        start, least = q_within(query.window, event, position, machine.repairs.time_windows)
        if position > 0:
            substream.evaluation.event(event, position, start, least)
    return substream.evaluation, least


def _nodes(query: Query, events: Sequence[Event], model: Model, _: int) -> Counts:
    """Return the number of nodes that are live at the end."""
    evaluation, _least = _evaluated(query, events, model)
    return (sum(1 for _ in live(evaluation)),)


def _length(query: Query, events: Sequence[Event], model: Model, _: int) -> Counts:
    """Return the length of the longest union-list at the end."""
    evaluation, _least = _evaluated(query, events, model)
    return (max(map(len, evaluation.table.values())),)


def _paths(query: Query, events: Sequence[Event], model: Model, _: int) -> Counts:
    """Return the number of results that end with the last event."""
    evaluation, least = _evaluated(query, events, model)
    return (sum(counted(node, least)(node) for node in evaluation.roots(least)),)


def _first(query: Query, events: Sequence[Event], model: Model, processes: int) -> Counts:
    """Return the number of nodes that each process enters at the end up to its first result."""
    evaluation, least = _evaluated(query, events, model)
    (root,) = evaluation.roots(least)
    counts = counted(root, least)
    visited: list[int] = [0] * processes
    for index in range(processes):

        def visit(index: int = index) -> None:
            visited[index] += 1

        next(enumerate_paths(root, least, visit, share(counts(root), processes, index), counts))
    return tuple(visited)


MEASURES: Mapping[str, Measure] = {
    "results": results,
    "results of workers": _parts,
    "messages": _workers,
    "live nodes": _nodes,
    "longest list": _length,
    "paths": _paths,
    "nodes before the first result": _first,
}
