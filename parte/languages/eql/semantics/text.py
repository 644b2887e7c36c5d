"""EQL as text: parsing and printing of programs, and printing of results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from parte.languages.eql.semantics.syntax.codes import CODES
from parte.languages.eql.semantics.syntax.json_form import query_to_json, schema
from parte.languages.eql.semantics.syntax.parser import parse_source
from parte.languages.eql.semantics.syntax.printer import print_source
from parte.semantics.events.strictjson import compact
from parte.semantics.source.text import text_of

Json = Any


def match_lines(results: Iterable[Json]) -> list[str]:
    """Return results as lines of JSON, sorted as text: a result does not say when its events were."""
    return sorted(compact({name: result[name] for name in ("keys", "events")}) for result in results)


TEXT = text_of(parse_source, print_source, lambda source: query_to_json(source.query), schema, match_lines, CODES)
parsed = TEXT.parse
