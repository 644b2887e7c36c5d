"""Results as JSON (`proofs.schema.json`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal, cast

from parte.checker.solver.queries import Status
from parte.checker.solver.verdict import DECIDED, Verdict
from parte.proofs.certificates.check import Outcome
from parte.proofs.lemma import MODELS
from parte.proofs.prove import SOLVER_NAMES, Counterexample, Result
from parte.semantics.events.bounds import Bounds, Natural, Positive, Seconds, Text
from parte.semantics.events.codec import Codec, Json

_VERDICTS = tuple(verdict.value for verdict in DECIDED)


@dataclass(frozen=True, slots=True)
class _Solver:
    name: Annotated[str, Bounds(choices=SOLVER_NAMES)]
    answer: Status
    seconds: Seconds


@dataclass(frozen=True, slots=True)
class _Counterexample:
    """Values for which a lemma does not hold, "3/2" for a number that is not whole, and which of its claims they break
    when the code runs on them.
    """

    values: Mapping[str, int | bool | str]
    broken: Annotated[tuple[str, ...], Bounds(shortest=1)]


@dataclass(frozen=True, slots=True)
class _Certificate:
    """The report on cvc5's proof: the number of valid steps, and the trouble with the next one, if it is invalid."""

    outcome: Outcome
    steps: Natural
    trouble: str


@dataclass(frozen=True, slots=True)
class _Result:
    """The result of a lemma under a model."""

    id: Text
    statement: Text
    section: Text
    rules: tuple[str, ...]
    scope: Text
    mutant: str | None
    note: str
    model: Annotated[str, Bounds(choices=MODELS)]
    verdict: Annotated[Verdict, Bounds(choices=_VERDICTS)]
    expected: Annotated[Verdict, Bounds(choices=_VERDICTS)]
    defects: tuple[Positive, ...]
    counterexample: _Counterexample | None
    solvers: Annotated[tuple[_Solver, ...], Bounds(shortest=1)]
    paths: Natural
    seconds: Seconds
    trouble: str
    certificate: _Certificate | None


@dataclass(frozen=True, slots=True)
class _Results:
    version: Literal[1]
    asExpected: bool
    results: tuple[_Result, ...]


CODEC: Codec[_Results] = Codec(_Results)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of `results_to_json`."""
    return CODEC.schema("https://parte.example/schemas/proofs-1.json", "The results of parte prove --json")


def results_to_json(results: Sequence[Result]) -> dict[str, Json]:
    """Return the results, and whether all are as the catalogue expects."""
    form = _Results(1, all(result.as_expected for result in results), tuple(map(_result, results)))
    return cast(dict[str, Json], CODEC.encode(form))


def _result(result: Result) -> _Result:
    lemma, report = result.lemma, result.certificate
    return _Result(
        lemma.id,
        lemma.statement,
        lemma.section,
        lemma.rules,
        lemma.scope,
        None if lemma.mutant is None else lemma.mutant.name,
        lemma.note,
        result.model,
        result.verdict,
        lemma.expected[result.model],
        lemma.defects if result.counterexample is not None else (),
        None if result.counterexample is None else _counterexample(result.counterexample),
        tuple(
            _Solver(name, decision.status, round(decision.seconds, 4)) for name, decision in result.decisions.items()
        ),
        result.paths,
        round(result.seconds, 4),
        result.trouble,
        None if report is None else _Certificate(report.outcome, report.steps, report.trouble),
    )


def _counterexample(example: Counterexample) -> _Counterexample:
    values = {name: str(value) if isinstance(value, Fraction) else value for name, value in example.values.items()}
    return _Counterexample(values, example.broken)
