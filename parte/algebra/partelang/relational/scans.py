"""The scans of a rule: the events that may fill each pattern, as far as they alone decide it.

The event is called the same in all scans, so that those with equal conditions are equal and made once. Scans that
share only some conditions are made of a common one if these ask a table, which costs more than to keep the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from parte.algebra.partelang.relational.relations import table
from parte.algebra.partelang.relational.terms import every

EVENT = "$event"
"""What an event is called in the scan of its relation."""

Scan = exp.Table | exp.Select


@dataclass(frozen=True, slots=True)
class Filtered:
    """The events of a relation that fulfil some conditions."""

    events: str
    conditions: tuple[exp.Expr, ...]

    @property
    def sql(self) -> Scan:
        """The scan as a query, or the relation itself."""
        if not self.conditions:
            return table(self.events)
        source = exp.alias_(table(self.events), EVENT, table=True, quoted=True)
        demanded = every(condition.copy() for condition in self.conditions)
        return exp.Select(expressions=[exp.Star()]).from_(source).where(demanded, copy=False)


def filtered(events: str, conditions: Sequence[exp.Expr], alias: str) -> Filtered:
    """The scan of a relation by conditions on an alias of it."""
    return Filtered(events, tuple(of_event(condition.copy(), alias) for condition in conditions))


def of_event(condition: exp.Expr, alias: str) -> exp.Expr:
    """A condition on an alias as one on the event of a scan; changed in place."""
    for mention in list(condition.find_all(exp.Column)):
        if mention.table == alias:
            mention.set("table", exp.to_identifier(EVENT, quoted=True))
    return condition


def shared(scans: Mapping[str, Filtered]) -> tuple[dict[str, Filtered], dict[str, Filtered]]:
    """The scans by variable, and those that several are made of, by the names that they have in the query."""
    common: dict[str, Filtered] = {}
    made = dict(scans)
    for events in dict.fromkeys(scan.events for scan in scans.values()):
        alike = {variable: scan for variable, scan in scans.items() if scan.events == events and scan.conditions}
        for base in _bases(list(alike.values())):
            name = f"{EVENT}s{len(common) + 1}"
            common[name] = base
            for variable, scan in alike.items():
                if all(condition in scan.conditions for condition in base.conditions):
                    rest = tuple(condition for condition in scan.conditions if condition not in base.conditions)
                    made[variable] = Filtered(name, rest)
    return made, common


def _bases(scans: Sequence[Filtered]) -> list[Filtered]:
    if len(scans) < 2:
        return []
    first, *others = scans
    both = tuple(condition for condition in first.conditions if all(condition in scan.conditions for scan in others))
    if any(condition.find(exp.Exists) for condition in both):
        return [Filtered(first.events, both)]
    equal = [scan for position, scan in enumerate(scans) if scan in scans[:position]]
    return [scan for position, scan in enumerate(equal) if scan not in equal[:position]]
