"""Hover texts for a place in a program: names with their declarations, types, durations, the meaning of words, and
the explanations of diagnostics. They are Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from parte.editing.analysis import Analysis
from parte.editing.meanings import meaning
from parte.editing.names import Entity, Extent, Name, Sort, extent_of
from parte.editing.positions import Lines
from parte.editing.words import Kind
from parte.semantics.source.spans import Position
from parte.semantics.source.tokens import Token

_SHOWN = 20
_WIDTH = 160
"""The greatest number of lines of a declaration, and of characters of a line."""


def hover(analysis: Analysis, offset: int) -> tuple[Extent, str] | None:
    """Return the hover text for an offset with the extent that it is about; None if there is none."""
    indexed = _token_at(analysis, offset)
    if indexed is None:
        return None
    index, token = indexed
    extent, parts = extent_of(token), list[str]()
    if (lasting := _duration(analysis, index)) is not None:
        extent, text = lasting
        parts.append(text)
    elif (name := analysis.names.at(extent.start)) is not None:
        parts.extend(_of_name(analysis, name))
        if name.entity.sort is Sort.FUNCTION:
            parts.append(meaning(analysis.support, token.value))
    elif token.type == "NAME":
        parts.append(_of_word(analysis, extent, token.value))
    if type_ := _type(analysis, extent.start):
        parts.append(f"type: `{type_}`")
    parts.extend(_of_diagnostics(analysis, offset))
    text = "\n\n".join(filter(None, parts))
    return (extent, text) if text else None


def _token_at(analysis: Analysis, offset: int) -> tuple[int, Token] | None:
    """Return the token that contains an offset, else the one that ends there."""
    ending = None
    for index, token in enumerate(analysis.tokens):
        start, end = extent_of(token)
        if start > offset:
            break
        if offset < end:
            return index, token
        ending = (index, token) if offset == end else None
    return ending


def _duration(analysis: Analysis, index: int) -> tuple[Extent, str] | None:
    """Return a whole number with its unit, in milliseconds."""
    tokens, support = analysis.tokens, analysis.support
    first = index if tokens[index].type == "INTEGER" else index - 1
    if first < 0 or first + 1 >= len(tokens) or tokens[first].type != "INTEGER":
        return None
    unit = tokens[first + 1].value.upper() if support.colouring.any_case else tokens[first + 1].value
    if tokens[first + 1].type != "NAME" or unit not in support.units:
        return None
    extent = extent_of(tokens[first], tokens[first + 1])
    length = int(tokens[first].value) * support.units[unit]
    return extent, f"`{tokens[first].value} {tokens[first + 1].value}` = {length:,} ms"


def _of_name(analysis: Analysis, name: Name) -> Iterator[str]:
    entity, names = name.entity, analysis.names
    declarations = names.declarations(entity)
    yield f"{entity.sort.value} `{entity.name}`{_of_owner(entity)}"
    if entity.sort is not Sort.RULE:
        yield from (_code(analysis, declaration.declares) for declaration in declarations[:1] if declaration.declares)
    for kind in {declaration.kind for declaration in declarations[:1] if declaration.kind}:
        yield from (
            _code(analysis, declaration.declares)
            for declaration in names.declarations(kind)[:1]
            if declaration.declares
        )


def _of_owner(entity: Entity) -> str:
    if entity.sort is Sort.ATTRIBUTE and entity.owner:
        return f" of `{entity.owner}`"
    return ""


def _code(analysis: Analysis, extent: Extent) -> str:
    """Return a piece of the program, cut to a size that fits."""
    lines = analysis.text[extent.start : extent.end].splitlines()
    excerpt = [line if len(line) <= _WIDTH else f"{line[:_WIDTH]}…" for line in lines[:_SHOWN]]
    more = ["…"] if len(lines) > _SHOWN else []
    return "\n".join([f"```{analysis.support.colouring.alias}", *excerpt, *more, "```"])


def _of_word(analysis: Analysis, extent: Extent, word: str) -> str:
    for start, kind, _ in analysis.support.colouring.pieces(analysis.text):
        if start == extent.start:
            return meaning(analysis.support, word) if kind not in (Kind.NAME, Kind.DECLARED) else ""
    return ""


def _type(analysis: Analysis, offset: int) -> str:
    if analysis.program is None:
        return ""
    line = analysis.text.count("\n", 0, offset) + 1
    column = offset - analysis.text.rfind("\n", 0, offset)
    return analysis.support.type_at(analysis.program, Position(line, column))


def _of_diagnostics(analysis: Analysis, offset: int) -> Iterator[str]:
    """Return the explanations of the codes of the diagnostics at an offset."""
    lines = Lines(analysis.text)
    codes = {
        diagnostic.code: analysis.support.codes[diagnostic.code]
        for diagnostic in analysis.diagnostics
        if lines.offset_of(diagnostic.span.start) <= offset <= lines.offset_of(diagnostic.span.end)
    }
    return (f"`{code.name}`: {code.title}. {code.explanation}" for code in codes.values())
