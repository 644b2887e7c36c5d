"""Writes the JSON Schemas of all formats beside what they describe: `python -m docs.schemas`. `schemas` gives them."""

from __future__ import annotations

from pathlib import Path

from parte.checker.partelang import relations
from parte.checker.partelang.bounds import report as bounds
from parte.checker.report import json_form as checks
from parte.conformance import exchange, messages, results
from parte.conformance.partelang.shapes import SHAPES
from parte.languages.cel.conformance.notation import SHAPES as CEL_SHAPES
from parte.languages.cel.semantics.syntax import json_form as queries
from parte.languages.etalis.conformance.notation import SHAPES as ETALIS_SHAPES
from parte.languages.etalis.semantics.syntax import json_form as etalis_programs
from parte.languages.lead.conformance.notation import SHAPES as LEAD_SHAPES
from parte.languages.lead.semantics.syntax import json_form as lead_rules
from parte.proofs import json_form as proofs
from parte.semantics.events.files import write_whole
from parte.semantics.events.schemas import written
from parte.semantics.partelang.syntax import json_form as programs

ROOT = Path(__file__).parent.parent


def schemas() -> dict[Path, str]:
    """The file of every schema with its text."""
    made = {
        "semantics/parte/syntax/program": programs.schema(),
        "parte/checker/report": checks.schema(bounds.schema()),
        "checker/relation": relations.schema(),
        "proofs/proofs": proofs.schema(),
        "semantics/cel/syntax/query": queries.schema(),
        "semantics/lead/syntax/rule": lead_rules.schema(),
        "conformance/parte/fixture": exchange.schema(SHAPES),
        "conformance/cel/fixture": exchange.schema(CEL_SHAPES),
        "semantics/etalis/syntax/program": etalis_programs.schema(),
        "conformance/etalis/fixture": exchange.schema(ETALIS_SHAPES),
        "conformance/lead/fixture": exchange.schema(LEAD_SHAPES),
        "conformance/protocol": messages.schema(),
        "conformance/report": results.schema(),
    }
    return {ROOT / f"{name}.schema.json": written(schema) for name, schema in made.items()}


def main() -> None:
    """Write the schemas."""
    for path, text in schemas().items():
        write_whole(path, text)


if __name__ == "__main__":
    main()
