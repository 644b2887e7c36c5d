"""What could be written at a place of a program, which need not be one as it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

from parte.editing.analysis import Analysis
from parte.editing.names import Choice, Extent, Name, Names
from parte.editing.support import Support

_WORD = re.compile("[A-Za-z0-9_]*")
_DETAIL = 80


@dataclass(frozen=True, slots=True)
class Proposal:
    """A word, what it is, and how it is declared if it is a name that is."""

    word: str
    what: str
    detail: str = ""


KEYWORD = "keyword"


def completions(support: Support, text: str, offset: int) -> tuple[Extent, list[Proposal]]:
    """The words that fit at an offset, and what they stand in place of: the word that is there.

    Nothing fits within comments, strings and numbers.
    """
    word = word_at(text, offset)
    if text[word.start : word.end][:1].isdigit() or _inside(support, text, word.start):
        return word, []
    keywords, samples = support.following(support.tokens(text[: word.start]))
    proposals = {each: Proposal(each, KEYWORD) for each in keywords}
    for sample in samples:
        completed = text[: word.start] + sample + text[word.end :]
        names = Analysis(support, completed).names
        here = names.at(word.start)
        for choice in here.choices if here else ():
            for each in _offered(names, choice, completed):
                if each.word != sample:
                    proposals.setdefault(each.word, each)
    return word, list(proposals.values())


def word_at(text: str, offset: int) -> Extent:
    """The word that holds an offset or ends there; an empty one if there is none."""
    start = offset
    while start > 0 and _WORD.fullmatch(text[start - 1]):
        start -= 1
    found = _WORD.match(text, offset)
    return Extent(start, found.end() if found else offset)


def _inside(support: Support, text: str, offset: int) -> bool:
    """Whether an offset lies within a comment or a string, or at the end of a comment."""
    for piece in support.colouring.lexis.pattern.finditer(text):
        if piece.end() >= offset:
            within = piece.start() < offset < piece.end()
            if piece.lastgroup in ("COMMENT", "UNTERMINATED"):
                return piece.start() < offset
            return within and piece.lastgroup == "STRING"
    return False


def _offered(names: Names, choice: Choice, text: str) -> list[Proposal]:
    return [Proposal(word, choice.sort.value, _shown(name, text)) for word, name in names.candidates(choice).items()]


def _shown(name: Name | None, text: str) -> str:
    """A declaration on one line."""
    if name is None or name.declares is None:
        return ""
    shown = " ".join(text[name.declares.start : name.declares.end].split())
    return shown if len(shown) <= _DETAIL else f"{shown[: _DETAIL - 1]}…"
