"""The work of Spark's workers: batches of traces in, batches of results out. This module does not import Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import pyarrow as pa

from parte.semantics.events.domain import Predicates, bind_domain, read_domain
from parte.semantics.events.scenario import Scenario
from parte.semantics.events.trace import read_trace
from parte.semantics.events.types import has_optional
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.source.diagnostics import ProgramError
from parte.spark_adapter.replay.expected import judge_models
from parte.spark_adapter.replay.models import compare_models
from parte.spark_adapter.replay.plan import EXPECTED, Plan
from parte.spark_adapter.replay.result import Progress
from parte.spark_adapter.replay.rows import RESULTS, row_of
from parte.spark_adapter.traces.format import TRACES, BadRow, fixture_of, item_lines, items_rows, unescape
from parte.spark_adapter.traces.random import Recipe, random_case

Row = Mapping[str, Any]

_CACHED = 256
_LONG = 2**16  # characters of a text that is not cached: a cache full of such texts has 16 MiB times a few
_ROWS, _CHARACTERS = 1000, 2**24  # a batch of results ends after so many


# --- From rows to inputs ---------------------------------------------------------------------------------------------


def replay_batches(plan: Plan, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the results for batches with the columns of `replay_frames.joined`."""
    return _batched(row for batch in batches for row in _rows(plan, batch))


def _rows(plan: Plan, batch: pa.RecordBatch) -> Iterator[Row]:
    ids = batch.column("trace_id")
    for index in range(batch.num_rows):
        # The row is converted to Python within the budget, as it may be too large itself.
        yield row_of(_text_of(ids[index]), plan, _work(plan, batch, index))


def _text_of(value: pa.StringScalar) -> str | None:
    """Return a text, with invalid UTF-8 as escapes: Spark does not check it, and every trace must have a row."""
    content = value.as_buffer() if value.is_valid else None
    return None if content is None else content.to_pybytes().decode(errors="backslashreplace")


def _work(plan: Plan, batch: pa.RecordBatch, index: int) -> Callable[[Progress], None]:
    def work(progress: Progress) -> None:
        try:
            row = {name: batch.column(name)[index].as_py() for name in batch.schema.names}
        except UnicodeDecodeError as problem:
            raise BadRow(f"a text of the row is not UTF-8: {problem.reason}") from None
        if plan.against == EXPECTED:
            if row["fixture"] is None:
                raise BadRow("the trace carries no expectation: compare it with a model, such as algebra")
            judge_models(fixture_of(row["fixture"], row["document"], item_lines(row["events"])), plan, progress)
        else:
            compare_models(_scenario(row), plan, progress)

    return work


def _scenario(row: Row) -> Scenario[core.Program]:
    """Return the scenario of a row. ProgramError, DomainError, TraceError or BadRow if the row has no valid trace."""
    program, predicates = _checked(_text(row), _document(row))
    disorder = row["disorder"] or 0
    if disorder < 0:
        raise BadRow(f"disorder: expected milliseconds, not negative; found {disorder}")
    items = read_trace(item_lines(row["events"]), filename="events", nulls=has_optional(program))
    return Scenario.of(program, items, predicates, disorder=disorder)


def _text(row: Row) -> str:
    text = row["program"] if row["program"] is not None else unescape(row["text"], row["escaped"])
    if text is None:
        missing = "neither program nor program_id is given"
        if row["program_id"] is not None:
            missing = f"no program has the id {row['program_id']!r}"
        raise BadRow(f"{missing}; expected a text, or the id of one in the table of programs")
    return str(text)


def _document(row: Row) -> str:
    if row["domain_id"] is not None and row["document"] is None:
        raise BadRow(f"no domain has the id {row['domain_id']!r}; expected one of the table of domains")
    return "{}" if row["document"] is None else str(row["document"])


def _checked(text: str, document: str) -> tuple[core.Program, Predicates]:
    """Return a program and its predicates, with a cache for results and errors."""
    if len(text) + len(document) > _LONG:
        program = parse(text)
        return program, bind_domain(program, read_domain(document))
    program_or_error = _parsed(text)
    if isinstance(program_or_error, ProgramError):
        raise program_or_error.with_traceback(None)
    return program_or_error, _bound(text, document)


@lru_cache(maxsize=_CACHED)
def _parsed(text: str) -> core.Program | ProgramError:
    try:
        return parse(text)
    except ProgramError as error:
        return error


@lru_cache(maxsize=_CACHED)
def _bound(text: str, document: str) -> Predicates:
    program = _parsed(text)
    assert not isinstance(program, ProgramError)
    return bind_domain(program, read_domain(document))


# --- Random cases ----------------------------------------------------------------------------------------------------


def replay_numbers(plan: Plan, recipe: Recipe, numbers: Iterable[int]) -> Iterator[Row]:
    """Yield the results for random cases by their numbers."""
    for number in numbers:
        yield row_of(trace_name(recipe, number), plan, _random_work(plan, recipe, number))


def trace_name(recipe: Recipe, number: int) -> str:
    """Return the id of a random trace."""
    return f"random-{recipe.seed}-{number}"


def _random_work(plan: Plan, recipe: Recipe, number: int) -> Callable[[Progress], None]:
    def work(progress: Progress) -> None:
        case = random_case(recipe, number)
        compare_models(Scenario.of(case.program, case.items), plan, progress)

    return work


def replay_random_batches(plan: Plan, recipe: Recipe, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the results for batches of numbers, in a column `id`."""
    return _batched(replay_numbers(plan, recipe, (n for batch in batches for n in batch.column("id").to_pylist())))


def generate_batches(recipe: Recipe, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield random traces for batches of numbers, as rows of `traces_format.TRACES`."""
    for batch in batches:
        numbers = batch.column("id").to_pylist()
        for first in range(0, len(numbers), _ROWS):
            rows = [_generated(recipe, number) for number in numbers[first : first + _ROWS]]
            yield pa.RecordBatch.from_pylist(rows, TRACES)


def _generated(recipe: Recipe, number: int) -> Row:
    case = random_case(recipe, number)
    events = items_rows(case.items)
    return {"trace_id": trace_name(recipe, number), "program": case.text, "disorder": 0, "events": events}


# --- Batches ---------------------------------------------------------------------------------------------------------


def _batched(rows: Iterable[Row]) -> Iterator[pa.RecordBatch]:
    """Yield rows in batches that are never large: a column of text ends at two gigabytes."""
    held: list[Row] = []
    size = 0
    for row in rows:
        held.append(row)
        size += sum(map(len, row["matches"] or ()))
        if len(held) >= _ROWS or size >= _CHARACTERS:
            yield pa.RecordBatch.from_pylist(held, RESULTS)
            held, size = [], 0
    if held:
        yield pa.RecordBatch.from_pylist(held, RESULTS)
