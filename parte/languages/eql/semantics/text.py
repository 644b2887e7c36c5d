"""EQL as text: parsing and printing of programs, and printing of results."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from parte.languages.eql.semantics.syntax.codes import CODES
from parte.languages.eql.semantics.syntax.json_form import query_to_json, schema
from parte.languages.eql.semantics.syntax.parser import Source, parse_source
from parte.languages.eql.semantics.syntax.printer import print_source
from parte.semantics.events.differences import as_written
from parte.semantics.events.strictjson import compact
from parte.semantics.source.text import Text

Json = Any


@lru_cache(8)
def parsed(text: str) -> Source:
    """Return the query that a text contains. A cache holds the last few, because they run on several traces."""
    return parse_source(text)


def match_lines(results: Iterable[Json]) -> list[str]:
    """Return results as lines of JSON, sorted as text: a result does not say when its events were."""
    return sorted(compact({name: result[name] for name in ("keys", "events")}) for result in results)


TEXT = Text(
    parse=parsed,
    source=parse_source,
    layout=print_source,
    warnings=lambda source: source.warnings,
    tree=lambda source: query_to_json(source.query),
    schema=schema,
    key=lambda _: as_written,
    match_lines=match_lines,
    # No UTF-8 file contains a lone surrogate; a text from a program may.
    codes=tuple(code for code in CODES if code != "lone-surrogate"),
)
