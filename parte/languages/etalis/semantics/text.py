"""ETALIS as text: parsing and printing of programs, and printing of results."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from parte.languages.etalis.semantics.syntax.codes import CODES
from parte.languages.etalis.semantics.syntax.json_form import program_to_json, schema
from parte.languages.etalis.semantics.syntax.parser import Source, parse_source
from parte.languages.etalis.semantics.syntax.printer import print_source
from parte.languages.etalis.semantics.syntax.values import Number, rank, value_from_json
from parte.semantics.events.differences import as_written
from parte.semantics.events.strictjson import compact
from parte.semantics.source.text import Text

Json = Any


@lru_cache(8)
def parsed(text: str) -> Source:
    """Return the program that a text contains. A cache holds the last few, because they run on several traces."""
    return parse_source(text)


KEYS = ("event", "arguments", "start", "end")


def match_lines(results: Iterable[Json]) -> list[str]:
    """Return results sorted by end, start, name and arguments, a line of JSON each."""
    return [compact({name: result[name] for name in KEYS}) for result in sorted(results, key=_order)]


def _order(result: Json) -> tuple[Fraction, Fraction, str, list[tuple[int, Number, str]]]:
    arguments = [rank(value_from_json(value)) for value in result["arguments"]]
    return Fraction(result["end"]), Fraction(result["start"]), result["event"], arguments


TEXT = Text(
    parse=parsed,
    source=parse_source,
    layout=print_source,
    warnings=lambda source: source.warnings,
    tree=lambda source: program_to_json(source.program),
    schema=schema,
    key=lambda _: as_written,
    match_lines=match_lines,
    # No UTF-8 file contains a lone surrogate; a text from a program may.
    codes=tuple(code for code in CODES if code != "lone-surrogate"),
)
