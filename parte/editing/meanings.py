"""The meaning of the words of each language, from the clauses of the specification.

The text of a clause is in `clauses.json`, which `python -m docs.generate` takes from the specification.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources

from parte.editing.support import Support, supported


@cache
def _texts() -> Mapping[str, str]:
    path = resources.files(__package__).joinpath("clauses.json")
    texts: Mapping[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return texts


def meaning(support: Support, word: str) -> str:
    """Return the meaning of a word by the specification, with the name of the clause; "" for a word of no clause."""
    wanted = word.upper() if support.colouring.any_case else word
    for clause, words in support.clauses.items():
        if wanted in words.split():
            return f"{_texts().get(clause, '')}\n\n(specification: {clause})".lstrip()
    return ""


def clauses() -> Iterator[str]:
    """Return all clauses that are displayed."""
    return (clause for support in supported() for clause in support.clauses)
