"""The names of a query in CEL: types and variables, which share their names, attributes, and streams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from parte.editing.names import Choice, Entity, Extent, Name, Names, Sort, extent_of, kind_at
from parte.languages.cel.semantics.syntax.lexis import CLAUSES
from parte.languages.cel.semantics.syntax.parser import typed
from parte.semantics.source.tokens import Token


def names(tokens: Sequence[Token]) -> Names:
    """Return the names among the tokens of a text."""
    return Names(tuple(_names(list(typed(tokens)))), undeclared=True)


def _names(tokens: Sequence[Token]) -> Iterator[Name]:
    clause, brackets, projecting = "", 0, False
    for index, token in enumerate(tokens):
        before, after, kind = kind_at(tokens, index - 1), kind_at(tokens, index + 1), token.type
        if kind in CLAUSES and before != "BY":
            clause = kind
        brackets += (kind == "LSQB") - (kind == "RSQB")
        projecting = kind == "PROJ" or (projecting and kind != "RPAR")
        if kind != "NAME":
            continue
        extent = extent_of(token)
        if clause == "FROM":
            yield _use(extent, Sort.STREAM, token.value)
        elif brackets > 0 or clause == "PARTITION":
            yield _use(extent, Sort.ATTRIBUTE, token.value)
        elif clause == "WHERE" and not projecting and after != "LSQB":
            entity = Entity(Sort.VARIABLE, "", token.value)
            if before == "AS":
                yield Name(extent, entity, _bound(tokens, index))
            else:
                yield Name(extent, entity, extent, choices=(Choice(Sort.VARIABLE),))
        elif clause in ("SELECT", "WHERE"):
            yield _use(extent, Sort.VARIABLE, token.value)


def _use(extent: Extent, sort: Sort, word: str) -> Name:
    return Name(extent, Entity(sort, "", word), choices=(Choice(sort),))


def _bound(tokens: Sequence[Token], index: int) -> Extent:
    """Return the extent of `φ AS name`, where φ is one word or stands in brackets."""
    first, depth = index - 2, 0
    while first > 0:
        depth += (tokens[first].type == "RPAR") - (tokens[first].type == "LPAR")
        if depth == 0 and tokens[first].type in ("NAME", "LPAR"):
            break
        first -= 1
    return extent_of(tokens[max(first, 0)], tokens[index])
