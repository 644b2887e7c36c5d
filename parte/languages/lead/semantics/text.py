"""LEAD as text: functions that read and print programs, and print results."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from parte.languages.lead.semantics.syntax.codes import CODES
from parte.languages.lead.semantics.syntax.json_form import rule_to_json, schema
from parte.languages.lead.semantics.syntax.parser import Source, parse_source
from parte.languages.lead.semantics.syntax.printer import print_source
from parte.semantics.events.differences import as_written
from parte.semantics.events.strictjson import compact, dumped
from parte.semantics.source.text import Text

Json = Any


@lru_cache(8)
def parsed(text: str) -> Source:
    """Return the rule that a text writes. The last few are cached, because they often run on several traces."""
    return parse_source(text)


def match_lines(matches: Iterable[Json]) -> list[str]:
    """Return matches by end, bindings and partition, a line each."""
    return list(map(line_of, sorted(matches, key=_place)))


def _place(match: Json) -> tuple[int, str, str]:
    return match["end"], dumped(match["bindings"]), dumped(match.get("partition", []))


def line_of(match: Json) -> str:
    """Return a match as a line of JSON, keys in order."""
    return compact({name: match[name] for name in ("rule", "partition", "bindings", "end", "emits") if name in match})


TEXT = Text(
    parse=parsed,
    source=parse_source,
    layout=print_source,
    warnings=lambda source: source.warnings,
    tree=lambda source: rule_to_json(source.rule),
    schema=schema,
    key=lambda _: as_written,
    match_lines=match_lines,
    # A file in UTF-8 has no half character; a text that a program passes may have one.
    codes=tuple(code for code in CODES if code != "lone-surrogate"),
)
