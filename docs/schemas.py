"""Writes the JSON Schemas of all formats beside what they describe: `python -m docs.schemas`. `schemas` gives them."""

from __future__ import annotations

import json
import re
from pathlib import Path

from parte.checker.parte import relations
from parte.checker.parte.bounds import report as bounds
from parte.checker.report import json_form as checks
from parte.conformance import exchange, messages, results
from parte.proofs import json_form as proofs
from parte.semantics.parte.syntax import json_form as programs

ROOT = Path(__file__).parent.parent
_BRACKETS = re.compile(r"[\[{]\s[^\[\]{}]*[\]}]")


def _on_one_line(found: re.Match[str]) -> str:
    """An innermost list or object, if it is short."""
    line = " ".join(found[0].split())
    return f"{line[0]}{line[2:-2]}{line[-1]}" if len(line) < 100 else found[0]


def schemas() -> dict[Path, str]:
    """The file of every schema with its text."""
    made = {
        "semantics/parte/syntax/program": programs.schema(),
        "checker/report": checks.schema(bounds.schema()),
        "checker/relation": relations.schema(),
        "proofs/proofs": proofs.schema(),
        "conformance/fixture": exchange.schema(),
        "conformance/protocol": messages.schema(),
        "conformance/report": results.schema(),
    }
    return {
        ROOT / f"{name}.schema.json": _BRACKETS.sub(_on_one_line, json.dumps(schema, indent=2, ensure_ascii=False))
        + "\n"
        for name, schema in made.items()
    }


def main() -> None:
    """Write the schemas."""
    for path, text in schemas().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
