"""Stratification: no rule reacts, directly or not, to its own emissions (specification: stratification; D def. 3)."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from parte.semantics.partelang.syntax import ast
from parte.semantics.source.graphs import components
from parte.semantics.source.reporting import Reporter

_EFFORT = 1_000_000
"""Maximum number of edges in the search for the shortest cycle; in a huge component another cycle may be reported."""


@dataclass(frozen=True, slots=True)
class _Edge:
    """A rule reacts to one template and emits another."""

    reacts_to: str
    emits: str
    rule: ast.Rule
    emission: ast.Emission


def stratify(templates: Sequence[str], rules: Sequence[ast.Rule], reporter: Reporter) -> tuple[tuple[str, int], ...]:
    """Return the stratum of each template: 0 if no rule emits it, else one above all to which its rules react.

    Report templates that feed themselves, with the shortest cycle, once for each strongly connected component.
    """
    outgoing: dict[str, dict[str, _Edge]] = {name: {} for name in templates}
    for rule in rules:
        read = (template for pattern in rule.patterns for template in pattern.templates)
        matched = dict.fromkeys(template for template in read if template in outgoing)
        for emission in rule.emissions:
            if emission.template in outgoing:
                for template in matched:
                    if emission.template not in outgoing[template]:
                        outgoing[template][emission.template] = _Edge(template, emission.template, rule, emission)
    strata = dict.fromkeys(templates, 0)
    waiting = dict.fromkeys(templates, 0)
    for edges in outgoing.values():
        for target in edges:
            waiting[target] += 1
    ready = deque(name for name in templates if waiting[name] == 0)
    while ready:
        template = ready.popleft()
        for target in outgoing[template]:
            strata[target] = max(strata[target], strata[template] + 1)
            waiting[target] -= 1
            if waiting[target] == 0:
                ready.append(target)
    tangled = {name: outgoing[name] for name in templates if waiting[name] > 0}
    if tangled:
        for component in components(tangled):
            if len(component) == 1 and component[0] not in tangled[component[0]]:
                continue
            _report(component, tangled, reporter)
    return tuple(strata.items())


def _shortest_cycle(start: str, members: frozenset[str], graph: Mapping[str, Mapping[str, _Edge]]) -> list[_Edge]:
    """Return the shortest cycle through `start` within its component."""
    reached: dict[str, _Edge] = {}
    queue = deque([start])
    while start not in reached:
        template = queue.popleft()
        for target, edge in graph[template].items():
            if target in members and target not in reached:
                reached[target] = edge
                queue.append(target)
    cycle = [reached[start]]
    while cycle[-1].reacts_to != start:
        cycle.append(reached[cycle[-1].reacts_to])
    return cycle[::-1]


def _report(component: Sequence[str], graph: Mapping[str, Mapping[str, _Edge]], reporter: Reporter) -> None:
    members = frozenset(component)
    searched = 1 + _EFFORT // sum(len(graph[template]) for template in component)
    candidates = (_shortest_cycle(start, members, graph) for start in sorted(component)[:searched])
    cycle = min(candidates, key=lambda edges: (len(edges), min(edge.emission.span for edge in edges)))
    # Begin with the first emission in the program, so that each cycle is reported in only one way.
    last = min(range(len(cycle)), key=lambda number: cycle[number].emission.span)
    cycle = cycle[last + 1 :] + cycle[: last + 1]
    path = f"`{cycle[0].reacts_to}`" + "".join(f" → rule `{edge.rule.name}` → `{edge.emits}`" for edge in cycle[:20])
    rule, template = cycle[-1].rule, cycle[-1].emits
    if len(cycle) == 1:
        message = f"the rule `{rule.name}` emits `{template}`, to which it reacts: {path}"
    else:
        message = f"the rule `{rule.name}` emits `{template}`, to which it reacts through other rules: {path}"
    hint = "emit another template, declared for this purpose"
    reporter.report("recursive-rules", cycle[-1].emission.template_span, message, hint)
