"""The clauses of the specification that editors show (`parte/editing/clauses.json`), without their links."""

from __future__ import annotations

import json
import re
from pathlib import Path

from parte.editing.meanings import clauses

FOLDER = Path(__file__).parent / "specification"
_CLAUSE = re.compile(
    r"""
    ^<a\ id="(?P<id>[a-z0-9-]+)"(?:\ class="tool")?></a>\n
    \*\*[^*]+\*\*(?:\ \*\(tool\)\*\.)?\ (?P<text>.+?)
    (?:\n\n(?P<form>```.*?```))?(?=\n\n|\n?\Z)
    """,
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


def clauses_json() -> str:
    """Return the text of each clause that editors show, with the form that follows it if there is one, by name."""
    texts: dict[str, str] = {}
    for page in sorted(FOLDER.glob("*.md")):
        for clause in _CLAUSE.finditer(page.read_text(encoding="utf-8")):
            form = f"\n\n{clause['form']}" if clause["form"] else ""
            texts[clause["id"]] = _LINK.sub(r"\1", " ".join(clause["text"].split())) + form
    return json.dumps({name: texts[name] for name in clauses()}, indent=2, ensure_ascii=False) + "\n"
