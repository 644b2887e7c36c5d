"""LEAD as text: functions that read and print programs, and print results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from parte.languages.lead.semantics.syntax.codes import CODES
from parte.languages.lead.semantics.syntax.json_form import rule_to_json, schema
from parte.languages.lead.semantics.syntax.parser import parse_source
from parte.languages.lead.semantics.syntax.printer import print_source
from parte.semantics.events.strictjson import compact, dumped
from parte.semantics.source.text import text_of

Json = Any


def match_lines(matches: Iterable[Json]) -> list[str]:
    """Return matches by end, bindings and partition, a line each."""
    return list(map(line_of, sorted(matches, key=_place)))


def _place(match: Json) -> tuple[int, str, str]:
    return match["end"], dumped(match["bindings"]), dumped(match.get("partition", []))


def line_of(match: Json) -> str:
    """Return a match as a line of JSON, keys in order."""
    return compact({name: match[name] for name in ("rule", "partition", "bindings", "end", "emits") if name in match})


TEXT = text_of(parse_source, print_source, lambda source: rule_to_json(source.rule), schema, match_lines, CODES)
parsed = TEXT.parse
