"""ETALIS as text: parsing and printing of programs, and printing of results."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from parte.languages.etalis.semantics.syntax.codes import CODES
from parte.languages.etalis.semantics.syntax.json_form import program_to_json, schema
from parte.languages.etalis.semantics.syntax.parser import parse_source
from parte.languages.etalis.semantics.syntax.printer import print_source
from parte.languages.etalis.semantics.syntax.values import Number, rank, value_from_json
from parte.semantics.events.strictjson import compact
from parte.semantics.source.text import text_of

Json = Any


KEYS = ("event", "arguments", "start", "end")


def match_lines(results: Iterable[Json]) -> list[str]:
    """Return results sorted by end, start, name and arguments, a line of JSON each."""
    return [compact({name: result[name] for name in KEYS}) for result in sorted(results, key=_order)]


def _order(result: Json) -> tuple[Fraction, Fraction, str, list[tuple[int, Number, str]]]:
    arguments = [rank(value_from_json(value)) for value in result["arguments"]]
    return Fraction(result["end"]), Fraction(result["start"]), result["event"], arguments


TEXT = text_of(parse_source, print_source, lambda source: program_to_json(source.program), schema, match_lines, CODES)
parsed = TEXT.parse
