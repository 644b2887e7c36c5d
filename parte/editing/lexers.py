"""Lexers for Pygments, one for each language. The installed package registers them, so that Pygments finds them by
name."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from pygments import token
from pygments.lexer import Lexer

from parte.editing.partelang.colouring import COLOURING
from parte.editing.words import Colouring, Kind

_TOKENS = {
    Kind.DECLARATION: token.Keyword.Declaration,
    Kind.KEYWORD: token.Keyword,
    Kind.OPERATOR: token.Operator.Word,
    Kind.CONSTANT: token.Keyword.Constant,
    Kind.TYPE: token.Keyword.Type,
    Kind.FUNCTION: token.Name.Builtin,
    Kind.UNIT: token.Keyword.Pseudo,
    Kind.DECLARED: token.Name.Class,
    Kind.NAME: token.Name,
    Kind.NUMBER: token.Number,
    Kind.STRING: token.String,
    Kind.SYMBOL: token.Punctuation,
    Kind.COMMENT: token.Comment.Single,
    Kind.SPACE: token.Whitespace,
    Kind.ERROR: token.Error,
}


@cache
def lexer_of(colouring: Colouring) -> type[Lexer]:
    """Return the lexer of a language, as the class that Pygments expects."""

    def get_tokens_unprocessed(_self: object, text: str) -> Iterator[tuple[int, object, str]]:
        return ((start, _TOKENS[kind], value) for start, kind, value in colouring.pieces(text))

    members = {
        "__doc__": f"Programs in {colouring.language}.",
        "name": colouring.language,
        "aliases": [colouring.alias],
        "filenames": [f"*{colouring.ending}"],
        "url": "",
        "get_tokens_unprocessed": get_tokens_unprocessed,
    }
    return type(f"{colouring.language}Lexer", (Lexer,), members)


PartelangLexer = lexer_of(COLOURING)
