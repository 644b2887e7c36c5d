"""Write the JSON Schema of every format beside the format: `python -m docs.schemas`. `schemas` returns them."""

from __future__ import annotations

from pathlib import Path

from docs.guests import guests
from parte.checker.partelang import relations
from parte.checker.partelang.bounds import report as bounds
from parte.checker.report import json_form as checks
from parte.conformance import exchange, messages, results
from parte.conformance.partelang.shapes import SHAPES
from parte.logs import mapping as mappings
from parte.proofs import json_form as proofs
from parte.rule_tests import reports as tests
from parte.semantics.events.files import write_whole
from parte.semantics.events.schemas import written
from parte.semantics.partelang.syntax import json_form as programs

ROOT = Path(__file__).parent.parent


def schemas() -> dict[Path, str]:
    """Return the file of every schema with its text."""
    tables_by_name = {
        "parte/semantics/partelang/syntax/program": programs.schema(),
        "parte/checker/report": checks.schema(bounds.schema()),
        "parte/checker/relation": relations.schema(),
        "parte/proofs/proofs": proofs.schema(),
        "parte/logs/mapping": mappings.schema(),
        "parte/conformance/partelang/fixture": exchange.schema(SHAPES),
        "parte/conformance/protocol": messages.schema(),
        "parte/conformance/report": results.schema(),
        "parte/rule_tests/tests": tests.schema(),
    }
    for guest in guests():
        tables_by_name |= guest.schemas
    return {ROOT / f"{name}.schema.json": written(schema) for name, schema in tables_by_name.items()}


def main() -> None:
    """Write the schemas."""
    for path, text in schemas().items():
        write_whole(path, text)


if __name__ == "__main__":
    main()
