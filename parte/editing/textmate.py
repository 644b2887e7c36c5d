"""TextMate grammars, by which VS Code and other editors colour programs (`editors/vscode/syntaxes`).

The patterns match every character except white space, each from the end of the one before, so they split a line as the
scanner of the language does. A grammar sees one line at a time: a unit must stand on the line of its number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from parte.editing.words import Colouring, Kind, Place

SCOPES = {
    Kind.DECLARATION: "storage.type",
    Kind.KEYWORD: "keyword.control",
    Kind.OPERATOR: "keyword.operator.word",
    Kind.CONSTANT: "constant.language",
    Kind.TYPE: "support.type",
    Kind.FUNCTION: "support.function",
    Kind.UNIT: "keyword.other.unit",
    Kind.DECLARED: "entity.name.type",
    Kind.NAME: "variable.other",
    Kind.NUMBER: "constant.numeric",
    Kind.STRING: "string.quoted",
    Kind.SYMBOL: "punctuation",
    Kind.COMMENT: "comment.line",
    Kind.ERROR: "invalid.illegal",
}
"""The names of the kinds in colour themes."""

_END = "(?![A-Za-z0-9_])"
_GAP = r"(?>\s*)"

Pattern = tuple[str, tuple[Kind, ...]]
"""A regular expression, and the kinds of its groups; if it has none, the kind of the whole."""


def grammar(colouring: Colouring) -> str:
    """Return the grammar of a language, as JSON."""
    root = f"source.{colouring.alias}"
    described = {
        "name": colouring.language,
        "scopeName": root,
        "fileTypes": [colouring.ending.removeprefix(".")],
        "patterns": [_described(pattern, colouring.alias) for pattern in _patterns(colouring)],
    }
    return json.dumps(described, indent=2, ensure_ascii=False) + "\n"


def _described(pattern: Pattern, alias: str) -> Mapping[str, object]:
    expression, kinds = pattern
    names = [f"{SCOPES[kind]}.{alias}" for kind in kinds]
    if re.compile(expression).groups == 0:
        return {"match": expression, "name": names[0]}
    return {
        "match": expression,
        "captures": {str(number): {"name": name} for number, name in enumerate(names, start=1)},
    }


def _patterns(colouring: Colouring) -> Iterator[Pattern]:
    """Yield the patterns. Of several that match at one place, the first counts."""

    def token(kind: str) -> str:
        return colouring.lexis.groups[kind]

    def words(listed: Iterable[str]) -> str:
        # The longest first, so that none hides another.
        either = "|".join(sorted(listed, key=lambda word: (-len(word), word)))
        return f"(?i:{either}){_END}" if colouring.any_case else f"(?:{either}){_END}"

    def of_kind(kind: Kind) -> list[str]:
        return [word for word, word_kind in colouring.words.items() if word_kind is kind]

    yield token("COMMENT"), (Kind.COMMENT,)
    yield token("STRING"), (Kind.STRING,)
    yield token("UNTERMINATED"), (Kind.ERROR,)
    for number in ("TIMESTAMP", "FLOAT"):
        if number in colouring.lexis.groups:
            yield token(number), (Kind.NUMBER,)
    if colouring.units:
        yield f"({token('INTEGER')}){_GAP}({words(colouring.units)})", (Kind.NUMBER, Kind.UNIT)
    yield token("INTEGER"), (Kind.NUMBER,)
    yield from (_place(place, words(place.words)) for place in colouring.places)
    if declarations := of_kind(Kind.DECLARATION):
        declared = f"({words(declarations)}){_GAP}(?!{words(colouring.words)})({token('NAME')})"
        yield declared, (Kind.DECLARATION, Kind.DECLARED)
    for kind in (Kind.DECLARATION, Kind.KEYWORD, Kind.OPERATOR, Kind.CONSTANT, Kind.TYPE, Kind.FUNCTION):
        if of_this_kind := of_kind(kind):
            yield words(of_this_kind) + (rf"(?={_GAP}\()" if kind is Kind.FUNCTION else ""), (kind,)
    yield token("NAME"), (Kind.NAME,)
    symbols, foreign = (token("SYMBOL"), (Kind.SYMBOL,)), (token("FOREIGN"), (Kind.ERROR,))
    groups = [*colouring.lexis.groups]
    yield from (symbols, foreign) if groups.index("SYMBOL") < groups.index("FOREIGN") else (foreign, symbols)
    yield token("UNKNOWN"), (Kind.ERROR,)


def _place(place: Place, words: str) -> Pattern:
    ahead = f"(?={_GAP}(?:{place.ahead}))" if place.ahead else ""
    if place.behind:
        return f"({place.behind}){_GAP}({words}){ahead}", (Kind.SYMBOL, Kind.NAME)
    return words + ahead, (Kind.NAME,)
