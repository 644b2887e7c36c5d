"""Stratification (D def. 3): integer strata as a certificate, or a shortest cycle from an unsatisfiable core.

Every template has a stratum, a non-negative integer. A rule that reacts to one template and emits another demands that
the stratum of the second is above that of the first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from parte.checker.partelang.sources import RuleSource
from parte.checker.solver import terms
from parte.checker.solver.errors import CheckerBug
from parte.checker.solver.queries import Session, Status
from parte.semantics.partelang.syntax import core


@dataclass(frozen=True, slots=True)
class Demand:
    """A demand of a rule: it reacts to one template and emits another, by its emission at `position` (from 0)."""

    rule: RuleSource
    reacts_to: str
    emits: str
    position: int


@dataclass(frozen=True, slots=True)
class Stratification:
    """Strata that meet all demands, or a cycle of demands that no strata meet; neither if the solver did not decide."""

    strata: Mapping[str, int] | None
    cycle: tuple[Demand, ...]


def demands_of(rules: Sequence[RuleSource]) -> list[Demand]:
    """Return the demands of the rules, each pair of templates once: with the first of the rules that demand it."""
    demands: dict[tuple[str, str], Demand] = {}
    for source in rules:
        for position, emission in enumerate(source.rule.emissions):
            for template in dict.fromkeys(pattern.template for pattern in source.rule.patterns):
                demands.setdefault((template, emission.template), Demand(source, template, emission.template, position))
    return list(demands.values())


def stratify(program: core.Program, rules: Sequence[RuleSource], session: Session) -> Stratification:
    """Return the least strata of a program, or a shortest cycle."""
    demands = demands_of(rules)
    labelled = {f"{number}": _demand(demand) for number, demand in enumerate(demands)}
    # The solver gets the demands without labels first: labels cost time, and most programs need no core.
    answer = session.ask("stratification", *labelled.values())
    if answer.status is Status.SATISFIABLE:
        return Stratification(_certificate(program, demands, session), ())
    if answer.status is Status.UNKNOWN:
        return Stratification(None, ())
    core_ = session.ask("stratification: core", labelled=labelled).core
    cycle = _shortest_cycle([demands[int(label)] for label in core_], demands)
    chosen = {f"{number}": _demand(demand) for number, demand in enumerate(cycle)}
    confirmed = session.ask("stratification: cycle", labelled=chosen)
    if confirmed.status is Status.SATISFIABLE or (confirmed.core and len(confirmed.core) < len(cycle)):
        raise CheckerBug("the cycle found is not what contradicts the strata")
    return Stratification(None, cycle)


def _stratum(template: str) -> terms.Number:
    return terms.integer(f"stratum {template}")


def _demand(demand: Demand) -> terms.Formula:
    return terms.below(_stratum(demand.reacts_to), _stratum(demand.emits))


def _certificate(program: core.Program, demands: Sequence[Demand], session: Session) -> dict[str, int]:
    """Return the least strata, as longest paths, confirmed by the solver."""
    following: dict[str, list[str]] = {template.name: [] for template in program.templates}
    waiting = dict.fromkeys(following, 0)
    for demand in demands:
        following[demand.reacts_to].append(demand.emits)
        waiting[demand.emits] += 1
    strata = dict.fromkeys(following, 0)
    ready = deque(name for name, count in waiting.items() if count == 0)
    while ready:
        template = ready.popleft()
        for target in following[template]:
            strata[target] = max(strata[target], strata[template] + 1)
            waiting[target] -= 1
            if waiting[target] == 0:
                ready.append(target)
    values = [terms.equal(_stratum(name), terms.whole(stratum)) for name, stratum in strata.items()]
    confirmed = session.ask("stratification: certificate", *map(_demand, demands), *values)
    if confirmed.status is Status.UNSATISFIABLE:
        raise CheckerBug("the strata found do not meet the demands of the rules")
    return strata


def _shortest_cycle(core_: Sequence[Demand], demands: Sequence[Demand]) -> tuple[Demand, ...]:
    """Return a shortest cycle through a template of the core; the core has a cycle, but not always a shortest one."""
    following: dict[str, list[Demand]] = {}
    for demand in demands:
        following.setdefault(demand.reacts_to, []).append(demand)
    best: list[Demand] | None = None
    for start in dict.fromkeys(demand.reacts_to for demand in core_):
        cycle = _cycle_through(start, following, None if best is None else len(best))
        if cycle is not None and (best is None or len(cycle) < len(best)):
            best = cycle
    if best is None:
        raise CheckerBug("demands that contradict each other hold no cycle")
    # Starts from the emission that is first in the program, so that a cycle is always reported in the same way.
    last = min(range(len(best)), key=lambda number: best[number].rule.emitted_span(best[number].position))
    return (*best[last + 1 :], *best[: last + 1])


def _cycle_through(start: str, following: Mapping[str, Sequence[Demand]], limit: int | None) -> list[Demand] | None:
    reached: dict[str, Demand] = {}
    distance = {start: 0}
    queue = deque([start])
    while queue and start not in reached:
        template = queue.popleft()
        if limit is not None and distance[template] + 1 >= limit:
            return None
        for demand in following.get(template, ()):
            if demand.emits not in reached:
                reached[demand.emits] = demand
                distance.setdefault(demand.emits, distance[template] + 1)
                queue.append(demand.emits)
    if start not in reached:
        return None
    cycle = [reached[start]]
    while cycle[-1].reacts_to != start:
        cycle.append(reached[cycle[-1].reacts_to])
    return cycle[::-1]
