"""Level 2 in Polars: functions on Strings, patterns as regular expressions of Rust, and aggregates of sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from string import ascii_lowercase, ascii_uppercase
from typing import assert_never

import polars as pl

from parte.conformance.engines.foreign import Inexpressible
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.functions import LONGEST_STRING
from parte.semantics.source.regular import Chain, Characters, Choice, Range, Regular, Repetition, regular
from parte.semantics.source.wildcards import ONE, segments

Expressions = Sequence[pl.Expr]
_SURROGATES = (0xD800, 0xDFFF)
"""Code points that are no characters: no String has one, and no class of Rust ends with one."""


def where_present(operands: Expressions, value: pl.Expr) -> pl.Expr:
    """Return a value that is null where an operand is."""
    return pl.when(pl.all_horizontal(operand.is_not_null() for operand in operands)).then(value)


def _concatenated(arguments: Expressions) -> pl.Expr:
    joined = pl.concat_str(*arguments)
    return pl.when(joined.str.len_chars() <= LONGEST_STRING).then(joined)


def _letters(replaced: str, replacing: str) -> Callable[[Expressions], pl.Expr]:
    """Return a function that replaces letters; `to_lowercase` of Polars changes those of all alphabets."""
    return lambda arguments: arguments[0].str.replace_many(list(replaced), list(replacing))


STRINGS: Mapping[str, Callable[[Expressions], pl.Expr]] = {
    "starts_with": lambda arguments: arguments[0].str.starts_with(arguments[1]),
    "ends_with": lambda arguments: arguments[0].str.ends_with(arguments[1]),
    "contains": lambda arguments: arguments[0].str.contains(arguments[1], literal=True),
    "length": lambda arguments: arguments[0].str.len_chars().cast(pl.Int64),
    "concat": _concatenated,
    "lower": _letters(ascii_uppercase, ascii_lowercase),
    "upper": _letters(ascii_lowercase, ascii_uppercase),
}


# --- Patterns ---------------------------------------------------------------------------------------------------------


def tested(operand: pl.Expr, function: str, pattern: str) -> pl.Expr:
    """Return the test of a String by the constant pattern of `like` or `matches`."""
    described = _wildcards(pattern) if function == "like" else _written(regular(pattern))
    return operand.str.contains(rf"\A(?:{described})\z")


def _wildcards(pattern: str) -> str:
    return "(?s:.*)".join(
        "".join("(?s:.)" if item is ONE else _character(ord(item)) for item in segment) for segment in segments(pattern)
    )


def _written(tree: Regular) -> str:
    match tree:
        case Characters(ranges):
            return f"[{''.join(map(_range, _without_surrogates(ranges)))}]"
        case Chain(parts):
            return "".join(map(_written, parts))
        case Choice(alternatives):
            return f"(?:{'|'.join(map(_written, alternatives))})"
        case Repetition(part, least, most):
            return f"(?:{_written(part)}){{{least},{'' if most is None else most}}}"
        case _:
            assert_never(tree)


def _without_surrogates(ranges: Sequence[Range]) -> Iterator[Range]:
    """Yield ranges without surrogates. Inexpressible if there is nothing else, as a class of Rust is not empty."""
    before, after = _SURROGATES
    parts = [
        part
        for first, last in ranges
        for part in ((first, min(last, before - 1)), (max(first, after + 1), last))
        if part[0] <= part[1]
    ]
    if not parts:
        raise Inexpressible("a pattern of surrogates, which no String of Polars has")
    yield from parts


def _range(characters: Range) -> str:
    first, last = characters
    return _character(first) if first == last else f"{_character(first)}-{_character(last)}"


def _character(code: int) -> str:
    return rf"\x{{{code:X}}}"


# --- Sets -------------------------------------------------------------------------------------------------------------


def column_of(aggregate: core.Aggregate) -> str:
    """Return the column of the value of an aggregate; no name of PARTElang has a parenthesis."""
    distinct = "distinct " if aggregate.distinct else ""
    return f"{aggregate.function}({distinct}{aggregate.variable}.{aggregate.attribute})"


def gathered(aggregate: core.Aggregate, value: pl.Expr, timestamp: pl.Expr) -> pl.Expr:
    """Return an aggregate over the events of one match; `value` is the attribute. A sum has 128 bit."""
    match aggregate.function:
        case "exists" | "count" if aggregate.attribute is None:
            return pl.len()
        case "count":
            return value.drop_nulls().n_unique() if aggregate.distinct else value.count()
        case "sum":
            return value.cast(pl.Int128).sum()
        case "min":
            return value.min()
        case "max":
            return value.max()
        case "first" | "last" as end:
            ordered = value.sort_by(timestamp, value).drop_nulls()
            return ordered.first() if end == "first" else ordered.last()
        case function:
            raise AssertionError(f"the aggregate {function} has no translation")


def finished(aggregate: core.Aggregate) -> pl.Expr:
    """Return the value of an aggregate; that of a match without events is null in its column, and so is a sum beyond 64
    bit in the end."""
    column = pl.col(column_of(aggregate))
    match aggregate.function:
        case "exists":
            return column.is_not_null()
        case "count" | "sum":
            return column.fill_null(0).cast(pl.Int64, strict=False)
        case _:
            return column
