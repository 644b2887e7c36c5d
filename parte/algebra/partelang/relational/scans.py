"""The scans of a rule: the events that may fill each pattern, as far as they alone decide it.

The event has the same name in all scans, so that scans with equal conditions are equal and computed once. Scans that
share only some conditions read a common scan if these conditions query a table or call Python: that costs more than to
store the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from parte.algebra.partelang.relational.python_functions import PYTHON_FUNCTIONS
from parte.algebra.partelang.relational.relations import Answers, Relation, table
from parte.algebra.partelang.relational.terms import every

EVENT = "$event"
"""The name of an event in the scan of its relation."""

Scan = exp.Table | exp.Select


@dataclass(frozen=True, slots=True)
class Filtered:
    """The events of a relation that satisfy some conditions."""

    events: str
    conditions: tuple[exp.Expr, ...]

    @property
    def sql(self) -> Scan:
        """Return the scan as a query, or the relation itself."""
        if not self.conditions:
            return table(self.events)
        source = exp.alias_(table(self.events), EVENT, table=True, quoted=True, copy=False)
        demanded = every(condition.copy() for condition in self.conditions)
        return exp.Select(expressions=[exp.Star()]).from_(source, copy=False).where(demanded, copy=False)


def filtered(events: str, conditions: Sequence[exp.Expr], alias: str) -> Filtered:
    """Return the scan of a relation by conditions on an alias of it."""
    return Filtered(events, tuple(of_event(condition.copy(), alias) for condition in conditions))


def of_event(condition: exp.Expr, alias: str) -> exp.Expr:
    """Change a condition on an alias into one on the event of a scan, in place, and return it."""
    for mention in list(condition.find_all(exp.Column)):
        if mention.table == alias:
            mention.set("table", exp.to_identifier(EVENT, quoted=True))
    return condition


def is_costly(condition: exp.Expr, relations: Mapping[str, Relation]) -> bool:
    """Return whether a condition queries a table or calls a Python function for each event."""
    if condition.find(exp.Exists, exp.Subquery) is not None:
        return True
    functions = {
        *PYTHON_FUNCTIONS,
        *(relation.name for relation in relations.values() if isinstance(relation, Answers)),
    }
    return any(call.this in functions for call in condition.find_all(exp.Anonymous))


def shared(
    scans: Mapping[str, Filtered], relations: Mapping[str, Relation]
) -> tuple[dict[str, Filtered], dict[str, Filtered]]:
    """Return the scans by variable, and the scans that several of them read, by their names in the query."""
    common: dict[str, Filtered] = {}
    result = dict(scans)
    for events in dict.fromkeys(scan.events for scan in scans.values()):
        alike = {variable: scan for variable, scan in scans.items() if scan.events == events and scan.conditions}
        for base in _bases(list(alike.values()), relations):
            name = f"{EVENT}s{len(common) + 1}"
            common[name] = base
            for variable, scan in alike.items():
                if all(condition in scan.conditions for condition in base.conditions):
                    rest = tuple(condition for condition in scan.conditions if condition not in base.conditions)
                    result[variable] = Filtered(name, rest)
    return result, common


def _bases(scans: Sequence[Filtered], relations: Mapping[str, Relation]) -> list[Filtered]:
    if len(scans) < 2:
        return []
    first, *others = scans
    both = tuple(condition for condition in first.conditions if all(condition in scan.conditions for scan in others))
    if any(is_costly(condition, relations) for condition in both):
        return [Filtered(first.events, both)]
    equal = [scan for position, scan in enumerate(scans) if scan in scans[:position]]
    return [scan for position, scan in enumerate(equal) if scan not in equal[:position]]
