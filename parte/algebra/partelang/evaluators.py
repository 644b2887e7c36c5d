"""The evaluators of the event algebra by their names: the definition, the one with indexes, and SQL on DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final, Literal

from parte.algebra.partelang import relational
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import TraceItem
from parte.semantics.events.outcome import Outcome
from parte.semantics.partelang.syntax import core

Evaluator = Callable[[core.Program, Iterable[TraceItem], Predicates], Outcome]


def _by(
    evaluator: Literal["naive", "indexed"],
    program: core.Program,
    events: Iterable[TraceItem],
    domain: Predicates | None = None,
) -> Outcome:
    from parte.algebra.partelang.programs import run  # which a run of a machine does not need

    return run(program, events, domain, evaluator)


EVALUATORS: Final[Mapping[str, Evaluator]] = {
    "algebra": partial(_by, "naive"),
    "indexed": partial(_by, "indexed"),
    "duckdb": relational.run,
}

OF_LOGS: Final = {"duckdb": relational.run_log}
"""The evaluators that read a log in Parquet themselves."""
