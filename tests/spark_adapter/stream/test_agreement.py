"""The stream finds what the algebra finds: the whole suite and random programs, all through one query."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

import parte.algebra.partelang.programs
from parte.algebra.partelang.incremental.evaluation import check
from parte.algebra.partelang.relational.errors import Unsupported
from parte.conformance.partelang.strategies import cases
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG
from parte.semantics.events.conformity import conform
from parte.semantics.events.domain import read_domain
from parte.semantics.events.event import Event
from parte.semantics.events.trace import read_trace, trace_lines
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.spark_adapter.errors import Unusable
from parte.spark_adapter.stream.detection import ENGINES, SETTINGS
from parte.spark_adapter.stream.job import Job, job_of
from parte.spark_adapter.stream.query import Stream, results
from parte.spark_adapter.stream.rows import LATEST
from tests.parte.test_emitted_ids import chain
from tests.sampling import EXHAUSTIVE, WHOLE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MIDDLE = 1_000_000_000_000
"""Every trace is moved in time so that its first half ends here: then one watermark between two batches fits all."""


@dataclass(frozen=True)
class Case:
    """A program and the halves of its trace."""

    job: Job
    halves: tuple[tuple[Event, ...], tuple[Event, ...]]

    def expected(self) -> tuple[list[str], list[str], list[str]]:
        outcome = parte.algebra.partelang.programs.run(
            self.job.program, [*self.halves[0], *self.halves[1]], self.job.predicates
        )
        failures, suppressed = (
            sorted(json.dumps(emission.record(), separators=(",", ":")) for emission in emissions)
            for emissions in (outcome.failures, outcome.suppressed)
        )
        return sorted(match.to_json() for match in outcome.matches), failures, suppressed


def case_of(job: Job, events: Sequence[Event]) -> Case | None:
    """A case whose second half is above the end of its first; None if Spark cannot hold its times."""
    ordered = sorted(events, key=lambda event: event.timestamp)
    cut = len(ordered) // 2
    shift = MIDDLE - ordered[max(cut - 1, 0)].timestamp if ordered else 0
    moved = tuple(replace(event, timestamp=event.timestamp + shift) for event in ordered)
    if any(abs(event.timestamp) > LATEST for event in moved):
        return None
    return Case(job, (moved[:cut], moved[cut:]))


@cache
def suite_cases() -> tuple[dict[str, Case], list[str]]:
    """The cases of the suite that can be run, and the ids of those whose times Spark cannot hold."""
    runnable, beyond = {}, []
    for fixture in load_suite(PARTELANG).cases.values():
        if fixture.expected.rejected is not None:
            continue
        program = parse(fixture.text)
        try:
            job = job_of(program, read_domain(fixture.domain))
        except Unusable as error:
            if "`-ever`" not in str(error) and "both alternatives" not in str(error):
                raise
            continue
        items = conform(job.program, read_trace(fixture.trace_text, nulls=True))
        case = case_of(job, [item for item in items if isinstance(item, Event)])
        if case is None:
            beyond.append(fixture.id)
        else:
            runnable[fixture.id] = case
    return runnable, beyond


@cache
def random_cases(count: int) -> dict[str, Case]:
    cases_by_name: dict[str, Case] = {}

    @settings(max_examples=count, derandomize=True, database=None, deadline=None)
    @given(cases())
    def draw(case: tuple[core.Program, Sequence[object]]) -> None:
        program, trace = case
        drawn_case = case_of(job_of(program), [item for item in trace if isinstance(item, Event)])
        assert drawn_case is not None
        cases_by_name[f"random {len(cases_by_name)}"] = drawn_case

    draw()
    return cases_by_name


def has_queries(program: core.Program) -> bool:
    """True if the queries of a stream support a program: they reject sets and suppression."""
    return not any(rule.collected or any(emission.once for emission in rule.emissions) for rule in program.rules)


def write(directory: Path, name: str, half: int, chosen: dict[str, Case]) -> None:
    rows = [(id_, line.encode()) for id_, case in chosen.items() for line in trace_lines(case.halves[half])]
    table = pa.table({"job": [job for job, _ in rows], "line": [line for _, line in rows]})
    pq.write_table(table, directory / name)
    os.utime(directory / name, (half, half))


EVERY = 8
"""One case of so many: `test_bucket` and `test_keyed` put more of them, in `make test-whole` all, to both engines,
without Spark."""
QUICK = 16
"""And of these, one of so many goes into the tests that always run, ..."""
USUAL = 8
"""... and one of so many into `make test-all`."""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("share", [QUICK, pytest.param(USUAL, marks=EXHAUSTIVE), pytest.param(1, marks=WHOLE)])
def test_the_stream_agrees_with_the_algebra(spark: SparkSession, tmp_path: Path, engine: str, share: int) -> None:
    for key, value in SETTINGS.items():
        spark.conf.set(key, value)
    suite, beyond = suite_cases()
    chosen = suite | random_cases(100)
    if engine == "queries":
        refused = [id_ for id_, case in chosen.items() if not has_queries(case.job.program)]
        for id_ in refused:
            with pytest.raises(Unsupported, match=r"\(`all`\)|`once`"):
                check(chosen[id_].job.program, {})
        chosen = {id_: case for id_, case in chosen.items() if id_ not in refused}
    chosen = dict(islice(chosen.items(), 0, None, EVERY * share))
    if engine == "machine":  # which alone has a row for what is suppressed
        chosen["level-2/suppression/per-key"] = suite["level-2/suppression/per-key"]
    # The ids of emitted events are shortened; each bucket compiles every rule, so the chain is short.
    deep = case_of(job_of(parse(chain(5))), [Event("é" * length, "T0", length, {}) for length in (80, 95, 96, 97)])
    assert deep is not None
    chosen["chain"] = deep
    source = tmp_path / "in"
    source.mkdir()
    write(source, "first.parquet", 0, chosen)
    write(source, "second.parquet", 1, chosen)
    lines = spark.readStream.schema("job string, line binary").option("maxFilesPerTrigger", 1).parquet(str(source))
    jobs = {id_: case.job for id_, case in chosen.items()}
    stream = Stream(lines, jobs, str(tmp_path / "out"), str(tmp_path / "checkpoint"), engine=engine)
    for last in (False, True):
        query = stream.end() if last else stream.start(once=True)
        query.awaitTermination()
        assert all(progress.observedMetrics["parte"].late == 0 for progress in query.recentProgress)
    kinds = ("match", "failure", "suppressed")
    records: dict[str, tuple[list[str], ...]] = {id_: ([], [], []) for id_ in chosen}
    for row in results(spark, str(tmp_path / "out")).collect():
        assert row.kind in kinds, row
        records[row.job][kinds.index(row.kind)].append(row.record)
    wrong = [id_ for id_, case in chosen.items() if tuple(map(sorted, records[id_])) != case.expected()]
    assert wrong == []
    assert sum(len(matches) for matches, *_ in records.values()) > 1000 / EVERY / share
    # What this test leaves out, and why: times beyond the year 9999.
    assert all(id_.startswith(("extremes/", "novalue/", "level-2/timestamps/")) or "/longest" in id_ for id_ in beyond)
    assert len(beyond) < 10
