"""What is to be said of a place in a program: names with their declarations, types, lengths of time, the meaning of
words, and what a diagnostic is about. All of it is Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from lark import Token

from parte.editing.analysis import Analysis
from parte.editing.meanings import meaning
from parte.editing.names import Entity, Extent, Name, Sort, extent_of
from parte.editing.positions import Lines
from parte.editing.words import Kind
from parte.semantics.source.spans import Position

_SHOWN = 20
_WIDTH = 160
"""Lines of a declaration, and characters of each."""


def hover(analysis: Analysis, offset: int) -> tuple[Extent, str] | None:
    """What is to be said of an offset, and of what; None if there is nothing."""
    found = _token_at(analysis, offset)
    if found is None:
        return None
    index, token = found
    extent, parts = extent_of(token), list[str]()
    if (lasting := _duration(analysis, index)) is not None:
        extent, said = lasting
        parts.append(said)
    elif (name := analysis.names.at(extent.start)) is not None:
        parts.extend(_of_name(analysis, name))
        if name.entity.sort is Sort.FUNCTION:
            parts.append(meaning(analysis.support, token.value))
    elif token.type == "NAME":
        parts.append(_of_word(analysis, extent, token.value))
    if type_ := _type(analysis, extent.start):
        parts.append(f"type: `{type_}`")
    parts.extend(_of_diagnostics(analysis, offset))
    said = "\n\n".join(filter(None, parts))
    return (extent, said) if said else None


def _token_at(analysis: Analysis, offset: int) -> tuple[int, Token] | None:
    """The token that holds an offset, else the one that ends there."""
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
    """A whole number and its unit, in milliseconds."""
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
        yield from (_code(analysis, each.declares) for each in declarations[:1] if each.declares)
    for kind in {each.kind for each in declarations[:1] if each.kind}:
        yield from (_code(analysis, each.declares) for each in names.declarations(kind)[:1] if each.declares)


def _of_owner(entity: Entity) -> str:
    if entity.sort is Sort.ATTRIBUTE and entity.owner:
        return f" of `{entity.owner}`"
    return ""


def _code(analysis: Analysis, extent: Extent) -> str:
    """A piece of the program, cut to a size that fits."""
    lines = analysis.text[extent.start : extent.end].splitlines()
    shown = [line if len(line) <= _WIDTH else f"{line[:_WIDTH]}…" for line in lines[:_SHOWN]]
    more = ["…"] if len(lines) > _SHOWN else []
    return "\n".join([f"```{analysis.support.colouring.alias}", *shown, *more, "```"])


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
    """The explanations of the codes of what is wrong here."""
    lines = Lines(analysis.text)
    said = {
        each.code: analysis.support.codes[each.code]
        for each in analysis.diagnostics
        if lines.offset_of(each.span.start) <= offset <= lines.offset_of(each.span.end)
    }
    return (f"`{code.name}`: {code.title}. {code.explanation}" for code in said.values())
