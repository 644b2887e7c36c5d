"""Programs as relational queries: one compiler, built on sqlglot, and the engines that its queries run on.

`terms` and `expressions` translate expressions, `windows` constraints, `rules` a rule into a query, `programs` a
program into stages; `dialects` holds what engines say differently, and `duckdb` runs the stages in process. `faults`
and `contents` check the rows of a log, and `logs` runs a program on one in Parquet. All of that needs the extra
`parte[duckdb]`, so nothing of it is imported before it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING

from algebra.programs import Outcome
from algebra.relational.errors import EngineMissing, Unsupported
from semantics.events.event import TraceItem
from semantics.syntax import core

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["EngineMissing", "Log", "Unsupported", "explain", "run", "run_log"]

Domain = Mapping[str, Callable[..., bool]]

_NEEDED = ("duckdb", "numpy", "pyarrow", "sqlglot")


@dataclass(frozen=True, slots=True)
class Log:
    """A Parquet file with the columns of `algebra.relational.columns`: a log of events, whose rows have no order."""

    path: str | PathLike[str]


def run(
    program: core.Program, events: Iterable[TraceItem], domain: Domain | None = None, *, threads: int = 2
) -> Outcome:
    """All matches of a program over a trace, found by DuckDB; what `algebra.programs.run` gives.

    EngineMissing without the extra, MissingPredicate if `domain` lacks a declared predicate, Unsupported if the program
    cannot be said in SQL. What a callable of the domain raises is raised.
    """
    outcome: Outcome = _module("duckdb").run(program, events, domain, threads=threads)
    return outcome


def run_log(program: core.Program, log: Log, domain: Domain | None = None, *, threads: int = 2) -> Outcome:
    """All matches of a program in a log, found by DuckDB, which is given its columns and checks all of its rows.

    TraceError with everything that is wrong with the log, OSError if it cannot be read, and what `run` raises.
    """
    outcome: Outcome = _module("logs").run_log(program, log.path, domain, threads=threads)
    return outcome


def explain(program: core.Program, domain: Domain | None = None) -> dict[str, str]:
    """The SQL of each stage by the name of the relation that it makes, in the order in which they are made.

    Predicates that the domain lacks are shown as tables of the arguments for which they are true. Raises EngineMissing
    and Unsupported.
    """
    stages: dict[str, str] = _module("duckdb").explain(program, domain)
    return stages


def _module(name: str) -> ModuleType:
    try:
        return import_module(f"algebra.relational.{name}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in _NEEDED:
            raise
        raise EngineMissing(error.name.split(".")[0]) from None
