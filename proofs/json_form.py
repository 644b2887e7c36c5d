"""Results as JSON, in the form of `proofs.schema.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files

from proofs.prove import Result


def results_to_json(results: Sequence[Result]) -> dict[str, object]:
    """The results, and whether all are as the catalogue expects."""
    return {
        "version": 1,
        "asExpected": all(result.as_expected for result in results),
        "results": [_result(result) for result in results],
    }


def schema() -> Mapping[str, object]:
    """The JSON Schema of `results_to_json`."""
    found = json.loads(files("proofs").joinpath("proofs.schema.json").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def _result(result: Result) -> dict[str, object]:
    lemma, example = result.lemma, result.counterexample
    return {
        "id": lemma.id,
        "statement": lemma.statement,
        "section": lemma.section,
        "rules": list(lemma.rules),
        "scope": lemma.scope,
        "mutant": None if lemma.mutant is None else lemma.mutant.name,
        "note": lemma.note,
        "model": result.model,
        "verdict": result.verdict.value,
        "expected": lemma.expected[result.model].value,
        "defects": list(lemma.defects) if example is not None else [],
        "counterexample": None if example is None else {"values": dict(example.values), "broken": list(example.broken)},
        "solvers": [
            {"name": name, "answer": decision.status.value, "seconds": round(decision.seconds, 4)}
            for name, decision in result.decisions.items()
        ],
        "paths": result.paths,
        "seconds": round(result.seconds, 4),
        "trouble": result.trouble,
    }
