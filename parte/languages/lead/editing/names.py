"""The names of a rule in LEAD: streams and bound names, which share their names; event types; attributes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from parte.editing.names import Choice, Entity, Extent, Name, Names, Sort, extent_of, kind_at
from parte.languages.lead.semantics.syntax.parser import typed
from parte.semantics.source.tokens import Token


def names(tokens: Sequence[Token]) -> Names:
    """Return the names among the tokens of a text."""
    return Names(tuple(_names(list(typed(tokens)))), undeclared=True)


def _names(tokens: Sequence[Token]) -> Iterator[Name]:
    clause, depth, declaring = "", 0, ""
    for index, token in enumerate(tokens):
        before, after, kind = kind_at(tokens, index - 1), kind_at(tokens, index + 1), token.type
        depth += (kind == "LPAR") - (kind == "RPAR")
        if depth == 0 and kind in ("FROM", "DEFINE", "ENRICH", "MATCH", "PARTITION", "EMIT", "CHECK"):
            clause = clause if kind == "FROM" and before == "UNIT" else kind
        if kind in ("TIMEEVENT", "EVENTTYPE"):
            declaring = kind
        if kind != "NAME":
            continue
        extent, word = extent_of(token), token.value
        if before == "DOT":
            yield Name(extent, Entity(Sort.ATTRIBUTE, "", word), choices=(Choice(Sort.ATTRIBUTE),))
        elif clause == "FROM":
            named = before == "AS" or after != "AS"
            whole = extent_of(tokens[index - 2], token) if before == "AS" and index > 1 else extent
            yield Name(extent, Entity(Sort.STREAM if not named else Sort.VARIABLE, "", word), whole if named else None)
        elif clause in ("DEFINE", "ENRICH") and depth == 0:
            sort = Sort.EVENT if clause == "ENRICH" or declaring == "EVENTTYPE" else Sort.VARIABLE
            yield Name(extent, Entity(sort, "", word), _to_bracket(tokens, index))
        elif clause in ("DEFINE", "ENRICH") and (clause == "ENRICH" or declaring == "EVENTTYPE"):
            if before == "NAME":  # the word before is its type
                yield Name(extent, Entity(Sort.ATTRIBUTE, "", word), extent_of(tokens[index - 1], token))
        elif before == "AS" or (after == "STEP" and before == "LPAR"):
            yield Name(extent, Entity(Sort.VARIABLE, "", word), extent)
        elif before == "EVENT":
            yield Name(extent, Entity(Sort.EVENT, "", word), choices=(Choice(Sort.EVENT),))
        else:
            yield Name(extent, Entity(Sort.VARIABLE, "", word), choices=(Choice(Sort.VARIABLE),))


def _to_bracket(tokens: Sequence[Token], index: int) -> Extent:
    """Return the extent from the word before a name to the bracket that closes its declaration."""
    first = index - 1 if kind_at(tokens, index - 1) in ("TIMEEVENT", "EVENTTYPE") else index
    depth = 0
    for last in range(index + 1, len(tokens)):
        depth += (tokens[last].type == "LPAR") - (tokens[last].type == "RPAR")
        if depth <= 0:
            return extent_of(tokens[first], tokens[last])
    return extent_of(tokens[first], tokens[index])
