"""CEL as text: how programs are read and printed, and how results are printed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from parte.languages.cel.semantics.syntax.codes import CODES
from parte.languages.cel.semantics.syntax.json_form import query_to_json, schema
from parte.languages.cel.semantics.syntax.parser import Source, parse_source
from parte.languages.cel.semantics.syntax.printer import print_source
from parte.semantics.events.differences import as_written
from parte.semantics.events.strictjson import dumped
from parte.semantics.source.text import Text

Json = Any


@lru_cache(8)
def parsed(text: str) -> Source:
    """Return the query that a text writes; the last few are remembered, for the other traces that they run on."""
    return parse_source(text)


def shown(results: Iterable[Json]) -> list[str]:
    """Results by end and start, then by the ids of their events, a line each. Positions are not known here."""
    return list(map(line_of, sorted(results, key=lambda result: (result["end"], result["start"], result["events"]))))


def line_of(result: Json) -> str:
    """A result as a line of JSON, keys in order."""
    return dumped({name: result[name] for name in ("start", "end", "events")})


TEXT = Text(
    parse=parsed,
    source=parse_source,
    layout=print_source,
    warnings=lambda source: source.warnings,
    tree=lambda source: query_to_json(source.query),
    schema=schema,
    key=lambda _: as_written,
    shown=shown,
    # No file that is UTF-8 holds half a character; a text that a program hands over may.
    codes=tuple(code for code in CODES if code != "lone-surrogate"),
)
