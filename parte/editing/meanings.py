"""What the words of each language mean: the clauses of the specification that say so.

The text of a clause is in `clauses.json`, which `python -m docs.generate` takes from the specification.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Final

from parte.editing.support import Support

CLAUSES_OF: Final[Mapping[str, Mapping[str, str]]] = {
    "PARTElang": {
        "type-aliases": "type",
        "templates": "template",
        "predicate-declarations": "predicate",
        "patterns": "rule where no",
        "windows-closed": "when in",
        "emissions": "then emit",
        "at-forms": "at",
        "assignments": "with",
        "keywords": "true false",
        "scalar-types": "Integer Float String Boolean",
        "function-min-max": "min max",
        "function-sum": "sum",
        "function-avg": "avg",
        "function-abs": "abs",
        "list-values": "list",
    },
    "CEL": {
        "core-q-select": "SELECT ALL",
        "core-q-from": "FROM",
        "cel-queries": "WHERE",
        "core-q-partition": "PARTITION BY",
        "core-q-within": "WITHIN",
        "core-q-consume": "CONSUME NONE ANY",
        "core-cea-strict": "STRICT",
        "core-cea-nxt": "NXT NEXT",
        "core-cea-last": "LAST",
        "core-cea-max": "MAX",
        "core-den-filter": "FILTER",
        "core-den-or": "OR",
        "core-den-as": "AS",
        "core-den-proj": "PROJ",
        "cel-predicates": "AND NOT TRUE FALSE",
    },
    "ETALIS": {
        **{
            f"etalis-{word}": f"{word} {word.upper()}"
            for word in ("seq", "and", "par", "or", "equals", "meets", "during", "starts", "finishes", "where", "not")
        },
        "etalis-data": "true false",
    },
    "LEAD": {
        "lead-text": "FROM AS DEFINE TIMEEVENT EVENTTYPE ENRICH MATCH RANGE",
        "lead-seq": "FOLLOWED",
        "lead-or": "OR",
        "lead-and": "AND",
        "lead-not": "NOT",
        "lead-within": "WITHIN",
        "lead-filter": "FILTER",
        "lead-sub-context": "SUBCONTEXT",
        "lead-pick": "MAX MIN",
        "lead-wait": "WAIT",
        "lead-first": "FIRST",
        "lead-last": "LAST",
        "lead-adjacent": "ADJ ADJACENT",
        "lead-every": "EVERY",
        "lead-all": "ALL CONSUME",
        "lead-collect": "COLLECT ACCEPT TERMINATE INVALIDATE",
        "lead-partition": "PARTITION BY WINDOW",
        "lead-check": "CHECK WHERE END",
        "lead-emit": "EMIT EVENT",
        "lead-conditions": "COUNT SUM AVG ANY AT LEAST MOST BETWEEN TRUE FALSE",
    },
}
"""The clauses, each with the words of which it says what they mean."""


@cache
def _texts() -> Mapping[str, str]:
    path = resources.files(__package__).joinpath("clauses.json")
    found: Mapping[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return found


def meaning(support: Support, word: str) -> str:
    """What a word means, as the specification says it, with the name of the clause; "" for a word of no clause."""
    wanted = word.upper() if support.colouring.any_case else word
    for clause, words in CLAUSES_OF[support.colouring.language].items():
        if wanted in words.split():
            return f"{_texts()[clause]}\n\n(specification: {clause})"
    return ""


def clauses() -> Iterator[str]:
    """All clauses that are shown."""
    return (clause for clauses in CLAUSES_OF.values() for clause in clauses)
