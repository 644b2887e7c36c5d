"""Flink SQL behind the protocol, through PyFlink.

Strata are stages: the events that a stratum emits are written to a file and read by the next, as through a topic. A
computed time is not a rowtime in Flink, so they could not be joined by time in the query that emits them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from parte.conformance.engines.foreign import Inexpressible, plain
from parte.conformance.partelang.engines.declared import all_but
from parte.conformance.partelang.engines.flink.cluster import Cluster
from parte.conformance.partelang.engines.flink.expressions import MOST_ROWS, Expressions
from parte.conformance.partelang.engines.flink.intervals import LONGEST_PAST
from parte.conformance.partelang.engines.flink.queries import Query, decoded, rule_query
from parte.conformance.partelang.engines.flink.recognition import recognition_query
from parte.conformance.partelang.engines.flink.tables import domain_lines, domain_table, table_name
from parte.conformance.partelang.engines.flink.trace import TRACE, trace_table
from parte.conformance.partelang.engines.flink.watermarks import rows
from parte.conformance.protocol import Greeting
from parte.semantics.events.domain import DomainTable, Predicates
from parte.semantics.events.event import Arrival
from parte.semantics.partelang.syntax import core

Json = Any
Asking = Callable[[core.Rule, core.Program, Expressions], Query]
"""A function that returns the query of a rule of a program. Inexpressible gives the reason if there is none."""


class FlinkAdapter:
    """One cluster for all programs, started with the first trace.

    `ask` returns the query of a rule: of joins, by default. `moved` is the shift of Flink's time in ms.
    """

    def __init__(self, moved: int = 0, *, name: str = "Flink SQL", ask: Asking = rule_query) -> None:
        self.greeting = Greeting(name, f"apache-flink {metadata.version('apache-flink')}", constructs=all_but())
        self._moved = moved
        self._ask = ask
        self._cluster: Cluster | None = None

    def compile(self, program: core.Program, domain: Predicates) -> Callable[[Sequence[Arrival]], list[Json]]:
        """Compile the queries of a program, by stratum."""
        expressions = Expressions(domain)
        strata = [[self._ask(rule, program, expressions) for rule in rules] for rules in program.rules_by_stratum()]

        def find(arrivals: Sequence[Arrival]) -> list[Json]:
            cluster = self._cluster = self._cluster or Cluster()
            matches: list[Json] = []
            with tempfile.TemporaryDirectory(prefix="parte-flink-") as folder:
                for predicate in program.predicates:
                    table = domain[predicate.name]
                    if isinstance(table, DomainTable) and len(table.rows) > MOST_ROWS:
                        path = Path(folder) / f"{predicate.name}.rows"
                        path.write_text("".join(f"{line}\n" for line in domain_lines(table)), encoding="utf-8")
                        cluster.declare(table_name(predicate.name), domain_table(predicate, str(path)))
                for number, queries in enumerate(strata):
                    read = {pattern.template for query in queries for pattern in query.rule.patterns}
                    emitted = [event for match in matches for event in match["emits"]]
                    if any(constraint.lower is None for query in queries for constraint in query.rule.constraints):
                        _demand_short(arrivals, emitted)
                    path = Path(folder) / f"{number}.json"
                    path.write_text(
                        "".join(f"{line}\n" for line in rows(arrivals, emitted, read, self._moved)), encoding="utf-8"
                    )
                    cluster.declare(TRACE, trace_table(program, str(path), self._moved))
                    for query in queries:
                        decoded_matches = [
                            decoded(query, row) for row in cluster.rows(query.sql, updating=query.updating)
                        ]
                        matches.extend(decoded_matches)
            return [_plain(match) for match in matches]

        return find


def _demand_short(arrivals: Sequence[Arrival], emitted: Sequence[Json]) -> None:
    """Raise Inexpressible if a window that begins `LONGEST_PAST` before may begin too late."""
    times = [arrival.event.timestamp for arrival in arrivals if arrival.event is not None]
    times += [event["timestamp"] for event in emitted]
    if times and max(times) - min(times) > LONGEST_PAST:
        raise Inexpressible("a window without a beginning, over more than the 1970 years before that an interval has")


def _plain(match: Json) -> Json:
    emits = [
        event | {"attributes": {name: plain(value) for name, value in event["attributes"].items()}}
        for event in match["emits"]
    ]
    return match | {"emits": emits}


def recognizing() -> FlinkAdapter:
    """Return the adapter that queries by MATCH_RECOGNIZE."""
    return FlinkAdapter(name="Flink SQL, MATCH_RECOGNIZE", ask=recognition_query)
