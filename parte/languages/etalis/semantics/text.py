"""ETALIS as text: how programs are read and printed, and how results are printed."""

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
from parte.semantics.events.strictjson import dumped
from parte.semantics.source.text import Text

Json = Any


@lru_cache(8)
def parsed(text: str) -> Source:
    """Return the program that a text writes; the last few are remembered, for the other traces that they run on."""
    return parse_source(text)


KEYS = ("event", "arguments", "start", "end")


def shown(results: Iterable[Json]) -> list[str]:
    """Results by end, start, name and arguments, a line of JSON each."""
    return [dumped({name: result[name] for name in KEYS}) for result in sorted(results, key=_order)]


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
    shown=shown,
    # No file that is UTF-8 holds half a character; a text that a program hands over may.
    codes=tuple(code for code in CODES if code != "lone-surrogate"),
)
