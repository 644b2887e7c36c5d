"""Programs as relational queries: one compiler, built on sqlglot, and the engines that run its queries.

`terms` and `expressions` translate expressions, `windows` constraints, `rules` a rule into a query, `programs` a
program into stages; `dialects` contains the differences between engines, and `duckdb` runs the stages in process.
`row_checks` and `contents` check the rows of a log, and `logs` runs a program on a log in Parquet. All of that needs
the extra `parte[duckdb]`, so nothing of it is imported before it is needed.
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
    """Return all matches of a program over a trace, found by DuckDB: those of `parte.algebra.partelang.programs.run`.

    Raise PackageMissing without the extra, MissingPredicate if `domain` lacks a declared predicate, Unsupported if SQL
    cannot express the program. An exception of a callable of the domain is passed on.
    """
    outcome: Outcome = _module("duckdb").run(program, events, domain, threads=threads)
    return outcome


def run_log(program: core.Program, log: Log, domain: Predicates | None = None, *, threads: int = 2) -> Outcome:
    """Return all matches of a program in a log, found by DuckDB, which reads its columns and checks all of its rows.

    Raise TraceError with everything that is wrong with the log, OSError if it cannot be read, and what `run` raises.
    """
    outcome: Outcome = _module("logs").run_log(program, log.path, domain, threads=threads)
    return outcome


def explain(program: core.Program, domain: Predicates | None = None) -> dict[str, str]:
    """Return the SQL of each stage by the name of its relation, in the order of creation.

    Predicates that the domain lacks are shown as tables of the arguments for which they are true. Raise PackageMissing
    or Unsupported.
    """
    stages: dict[str, str] = _module("duckdb").explain(program, domain)
    return stages


def _module(name: str) -> ModuleType:
    with importing("duckdb", *_NEEDED, message="the model duckdb needs the package {}, which is not installed"):
        return import_module(f"parte.algebra.partelang.relational.{name}")
