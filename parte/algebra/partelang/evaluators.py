"""The evaluators of the event algebra by their names: the definition, the one with indexes, and SQL on DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final

from parte.algebra.partelang import relational
from parte.algebra.partelang.programs import run
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import TraceItem
from parte.semantics.events.outcome import Outcome
from parte.semantics.partelang.syntax import core

Evaluator = Callable[[core.Program, Iterable[TraceItem], Predicates], Outcome]

EVALUATORS: Final[Mapping[str, Evaluator]] = {
    "algebra": run,
    "indexed": partial(run, evaluator="indexed"),
    "duckdb": relational.run,
}

OF_LOGS: Final = {"duckdb": relational.run_log}
"""The evaluators that read a log in Parquet themselves."""
