"""CEL as text: parsing and printing of programs, and printing of results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from parte.languages.cel.semantics.syntax.codes import CODES
from parte.languages.cel.semantics.syntax.json_form import query_to_json, schema
from parte.languages.cel.semantics.syntax.parser import parse_source
from parte.languages.cel.semantics.syntax.printer import print_source
from parte.semantics.events.strictjson import compact
from parte.semantics.source.text import text_of

Json = Any


def match_lines(results: Iterable[Json]) -> list[str]:
    """Return results sorted by end and start, then by the ids of their events, a line each. Positions are not known
    here."""
    return list(map(line_of, sorted(results, key=lambda result: (result["end"], result["start"], result["events"]))))


def line_of(result: Json) -> str:
    """Return a result as a line of JSON, keys in order."""
    return compact({name: result[name] for name in ("start", "end", "events")})


TEXT = text_of(parse_source, print_source, lambda source: query_to_json(source.query), schema, match_lines, CODES)
parsed = TEXT.parse
