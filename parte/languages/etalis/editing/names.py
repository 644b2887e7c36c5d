"""The names of a program in ETALIS: events, declared by the heads of rules, and the variables of each rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from parte.editing.names import Choice, Entity, Name, Names, Sort, extent_of, kind_at
from parte.languages.etalis.semantics.syntax.parser import split
from parte.semantics.source.tokens import Token


def names(tokens: Sequence[Token]) -> Names:
    """Return the names among the tokens of a text."""
    return Names(
        tuple(name for number, rule in enumerate(split(tokens), 1) for name in _names(rule, str(number))),
        undeclared=True,
    )


def _names(rule: Sequence[Token], number: str) -> Iterator[Name]:
    """Yield the names of a rule. Brackets in a condition, and those after the name of an event, contain terms."""
    arrow = next((index for index, token in enumerate(rule) if token.type == "ARROW"), len(rule))
    depth, terms, condition = 0, 0, 0
    for index, token in enumerate(rule):
        kind = token.type
        if kind == "LPAR":
            depth += 1
            if not terms and not condition and kind_at(rule, index - 1) == "LOWER":
                terms = depth
        elif kind == "RPAR":
            depth -= 1
            terms = 0 if terms > depth else terms
            condition = 0 if condition > depth + 1 else condition
        elif kind == "WHERE":
            condition = depth + 1
        elif kind in ("OPERATOR", "_COMMA", "ARROW") and not terms:
            condition = 0
        elif kind == "LOWER" and not terms and not condition:
            head = index < arrow
            declares = extent_of(rule[0], rule[-1]) if head else None
            yield Name(extent_of(token), Entity(Sort.EVENT, "", token.value), declares, choices=(Choice(Sort.EVENT),))
        elif kind == "UPPER":
            binds = extent_of(token) if terms and index > arrow else None
            choices = (Choice(Sort.VARIABLE, number),)
            yield Name(extent_of(token), Entity(Sort.VARIABLE, number, token.value), binds, choices=choices)
