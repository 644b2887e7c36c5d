"""Foreign engines against their lists of known failures, and against the algebra with operations of another kind."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, cast

import pytest

import parte.algebra.partelang.expressions
import parte.algebra.partelang.values
from parte.algebra.partelang.values import Operation
from parte.conformance.engines.registry import engine_called
from parte.conformance.engines.summary import KNOWN, known_failures, read_causes
from parte.conformance.kit import KIT
from parte.conformance.partelang.engines.reference import ReferenceEngine
from parte.conformance.partelang.engines.table import ENGINES
from parte.conformance.protocol import Engine, Found, Json, Load
from parte.conformance.results import Report
from parte.conformance.runner.judging import Prepared, prepare
from parte.conformance.runner.running import Settings, run_engine
from parte.conformance.runner.specs import spec_of
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG
from parte.semantics.events.types import Scalar


@cache
def prepared() -> list[Prepared]:
    """All cases of the suite."""
    return [prepare(case, PARTELANG) for case in load_suite(PARTELANG).cases.values()]


def failures_now_and_known(label: str) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """How an engine fails in the suite, and the list of how it is known to."""
    suite = load_suite(PARTELANG)
    run = run_engine(spec_of(f"model:{label}", ENGINES), prepared(), Settings(timeout=60))
    report = Report(suite.version, suite.digest, "", (run.info,), run.results)
    listed = (PARTELANG[KIT].recorded / KNOWN / f"{label}.jsonl").read_text(encoding="utf-8").splitlines()
    return known_failures(report, label, read_causes(PARTELANG[KIT].recorded, label)), [
        json.loads(line) for line in listed
    ]


def caused_by(label: str, cause: str) -> list[str]:
    """The cases in which an engine is known to fail for a reason; there are some."""
    cases = sorted(
        case for case, known_cause in read_causes(PARTELANG[KIT].recorded, label).items() if known_cause == cause
    )
    assert cases
    return cases


def differing(label: str, cases: Iterable[str]) -> list[str]:
    """The cases in which an engine and the algebra, as it is patched now, find different matches."""
    suite, different = load_suite(PARTELANG), []
    for id_ in cases:
        case = prepare(suite.cases[id_], PARTELANG)
        theirs, ours = (
            _matches(engine, case.load, case.fixture.trace)
            for engine in (engine_called(ENGINES, label), ReferenceEngine("algebra"))
        )
        if theirs != ours:
            different.append(id_)
    return different


def with_integers(monkeypatch: pytest.MonkeyPatch, convert: Callable[[Any], Any]) -> None:
    """Let the algebra make of an exact integer what `convert` makes of it."""
    monkeypatch.setattr(parte.algebra.partelang.values, "integer", convert)
    monkeypatch.setattr(parte.algebra.partelang.expressions, "integer", convert)


def wrapped(exact: int) -> int:
    """An integer that wraps around at 64 bit."""
    return (exact + 2**63) % 2**64 - 2**63


def _matches(engine: Engine, load: Load, trace: Any) -> list[Json]:
    engine.load(load)
    reply = engine.run(trace)
    assert isinstance(reply, Found), reply
    return sorted(reply.matches, key=lambda match: json.dumps([match["rule"], match["bindings"]], sort_keys=True))


def with_ieee_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the algebra have infinities and NaN, with comparisons as Polars orders them: NaN equals itself, above all."""
    values = parte.algebra.partelang.values

    def divided(left: float, right: float) -> float:
        if right:
            return left / right
        return math.copysign(math.inf, left * math.copysign(1.0, right)) if left else math.nan

    def ordered(value: Any) -> Any:
        return (isinstance(value, float) and math.isnan(value), value)

    def compared(compare: Operation) -> Operation:
        return lambda left, right: compare(ordered(left), ordered(right))

    monkeypatch.setattr(values, "real", lambda rounded: rounded)
    monkeypatch.setitem(cast(dict[Any, Operation], values.ARITHMETIC), ("/", Scalar.FLOAT), divided)
    for name, compare in tuple(values.COMPARISON.items()):
        monkeypatch.setitem(cast(dict[Any, Operation], values.COMPARISON), name, compared(compare))
