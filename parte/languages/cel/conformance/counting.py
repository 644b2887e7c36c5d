"""What defects are shown by, counted in runs of the machine: results, nodes, visits, and what workers are sent."""

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
"""What is counted of a query on a stream, for each of so many processes, or for all of them at once."""


def results(
    query: Query,
    events: Sequence[Event],
    model: Model,
    processes: int,
    make: Callable[[Query, Model, int, int], Machine] = Machine,
) -> Counts:
    """How many different results each process prints. None of one that stops: edits make a machine stop by an
    assertion where the source has no case, or has no end."""
    try:
        return tuple(len(set(make(query, model, processes, index).run(events))) for index in range(processes))
    except AssertionError:
        return ()


def _parts(query: Query, events: Sequence[Event], model: Model, _: int) -> Counts:
    """How many results workers print that are sent maximal ones, each as often as it is printed."""
    return (sum(len(list(parts(task))) for task in tasks(query, events, model)),)


def _workers(query: Query, events: Sequence[Event], model: Model, processes: int) -> Counts:
    """How many results each worker is sent, by the power of as many choices as there are workers."""
    choose = power_of_choices(processes, Random(SEED), distinct=Repairs.of(model).distinct_choices)
    sent = [message.worker for message in dcere(Machine(query, model).run(events), processes, choose, lambda _: 1)]
    return tuple(map(sent.count, range(processes)))


SEED = 4
"""With which choices are drawn: three of sixteen that two workers have for two messages show defect 33."""


def _evaluated(query: Query, events: Sequence[Event], model: Model) -> tuple[Evaluation, int]:
    """What a stream has come to, and the least start that counts at its end; nothing but the first event's results is
    enumerated."""
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
    """How many nodes are live at the end."""
    evaluation, _least = _evaluated(query, events, model)
    return (sum(1 for _ in live(evaluation)),)


def _length(query: Query, events: Sequence[Event], model: Model, _: int) -> Counts:
    """How long the longest union-list is at the end."""
    evaluation, _least = _evaluated(query, events, model)
    return (max(map(len, evaluation.table.values())),)


def _paths(query: Query, events: Sequence[Event], model: Model, _: int) -> Counts:
    """How many results end with the last event."""
    evaluation, least = _evaluated(query, events, model)
    return (sum(counted(node, least)(node) for node in evaluation.roots(least)),)


def _first(query: Query, events: Sequence[Event], model: Model, processes: int) -> Counts:
    """How many nodes each process enters before its first result at the end, and for it."""
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
