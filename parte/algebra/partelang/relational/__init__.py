"""Programs as relational queries: one compiler, built on sqlglot, and the engines that its queries run on.

`terms` and `expressions` translate expressions, `windows` constraints, `rules` a rule into a query, `programs` a
program into stages; `dialects` holds what engines say differently, and `duckdb` runs the stages in process. `faults`
and `contents` check the rows of a log, and `logs` runs a program on one in Parquet. All of that needs the extra
`parte[duckdb]`, so nothing of it is imported before it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING

from parte.algebra.partelang.relational.errors import Unsupported
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import TraceItem
from parte.semantics.events.outcome import Outcome
from parte.semantics.partelang.syntax import core
from parte.semantics.source.packages import importing

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["Log", "Unsupported", "explain", "run", "run_log"]


_NEEDED = ("duckdb", "numpy", "pyarrow", "sqlglot")


@dataclass(frozen=True, slots=True)
class Log:
    """A Parquet file with the columns of `relational.columns`: a log of events, whose rows have no order."""

    path: str | PathLike[str]


def run(
    program: core.Program, events: Iterable[TraceItem], domain: Predicates | None = None, *, threads: int = 2
) -> Outcome:
    """All matches of a program over a trace, found by DuckDB; what `parte.algebra.partelang.programs.run` gives.

    PackageMissing without the extra, MissingPredicate if `domain` lacks a declared predicate, Unsupported if the
    program cannot be said in SQL. What a callable of the domain raises is raised.
    """
    outcome: Outcome = _module("duckdb").run(program, events, domain, threads=threads)
    return outcome


def run_log(program: core.Program, log: Log, domain: Predicates | None = None, *, threads: int = 2) -> Outcome:
    """All matches of a program in a log, found by DuckDB, which is given its columns and checks all of its rows.

    TraceError with everything that is wrong with the log, OSError if it cannot be read, and what `run` raises.
    """
    outcome: Outcome = _module("logs").run_log(program, log.path, domain, threads=threads)
    return outcome


def explain(program: core.Program, domain: Predicates | None = None) -> dict[str, str]:
    """The SQL of each stage by the name of the relation that it makes, in the order in which they are made.

    Predicates that the domain lacks are shown as tables of the arguments for which they are true. Raises PackageMissing
    and Unsupported.
    """
    stages: dict[str, str] = _module("duckdb").explain(program, domain)
    return stages


def _module(name: str) -> ModuleType:
    with importing("duckdb", *_NEEDED, message="the model duckdb needs the package {}, which is not installed"):
        return import_module(f"parte.algebra.partelang.relational.{name}")
