"""The names of a query in EQL: categories, and fields, of which each part between dots is a name of its own.

Nothing is declared in EQL: the first place of a name stands for its declaration.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from parte.editing.names import Choice, Entity, Extent, Name, Names, Sort, kind_at
from parte.languages.eql.semantics.syntax.functions import FUNCTIONS
from parte.languages.eql.semantics.syntax.parser import typed
from parte.semantics.source.tokens import Token

_PARTS = re.compile(r"`(?:[^`\n]|``)+`|[^.]+")
_WHOLE = re.compile(".+")


def names(tokens: Sequence[Token]) -> Names:
    """Return the names among the tokens of a text."""
    return Names(tuple(_names(list(typed(tokens)))), {Choice(Sort.FUNCTION): tuple(FUNCTIONS)}, undeclared=True)


def _names(tokens: Sequence[Token]) -> Iterator[Name]:
    seen, condition = set[Entity](), False
    for index, token in enumerate(tokens):
        condition = token.type == "WHERE" or (condition and token.type != "RSQB")
        if token.type != "NAME" or kind_at(tokens, index + 1) == "LPAR":
            continue
        event = kind_at(tokens, index - 1) in ("", "LSQB")
        sort, owner = Sort.EVENT if event else Sort.ATTRIBUTE, ""
        for part in (_WHOLE if event else _PARTS).finditer(token.value):
            start = token.start_pos or 0
            extent, entity = Extent(start + part.start(), start + part.end()), Entity(sort, owner, part.group())
            functions = (Choice(Sort.FUNCTION),) if condition and not owner else ()
            declares = None if entity in seen else extent
            yield Name(extent, entity, declares, choices=(Choice(sort, owner), *functions))
            seen.add(entity)
            owner = f"{owner}.{part.group()}" if owner else part.group()
