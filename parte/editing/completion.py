"""Completions at a place of a program, which may have errors."""

from __future__ import annotations

import re
from dataclasses import dataclass

from parte.editing.analysis import Analysis
from parte.editing.names import Choice, Extent, Name, Names
from parte.editing.support import Support

_WORD = re.compile("[A-Za-z0-9_]*")
_NUMBER = re.compile("[0-9]+(?=[A-Za-z])")
_FOLDED = re.compile("[A-Za-z0-9_]~")
_DETAIL = 80


@dataclass(frozen=True, slots=True)
class Proposal:
    """A word, its sort, and its declaration if it is a declared name."""

    word: str
    what: str
    detail: str = ""


KEYWORD = "keyword"


def completions(support: Support, text: str, offset: int) -> tuple[Extent, list[Proposal]]:
    """Return the words that fit at an offset, and the extent that they replace: that of the word at the offset.

    No word fits within comments, strings and numbers.
    """
    word = word_at(text, offset)
    if text[word.start : word.end][:1].isdigit() or _inside(support, text, word.start):
        return word, []
    tokens = support.tokens(f"{text[: word.start]}x")
    within = bool(tokens) and (tokens[-1].start_pos or 0) < word.start  # a part of a name with dots
    keywords, samples = support.following(tokens[:-1])
    proposals = {} if within else {keyword: Proposal(keyword, KEYWORD) for keyword in keywords}
    for sample in samples:
        completed = text[: word.start] + sample + text[word.end :]
        names = Analysis(support, completed).names
        here = names.at(word.start)
        for choice in here.choices if here else ():
            for proposal in _offered(names, choice, completed):
                if proposal.word != sample:
                    proposals.setdefault(proposal.word, proposal)
    return word, list(proposals.values())


def word_at(text: str, offset: int) -> Extent:
    """Return the extent of the word that contains an offset or ends there; an empty one if there is none."""
    start = offset
    if _FOLDED.search(text, max(offset - 2, 0), offset):  # `like~` is one word
        start -= 1
    while start > 0 and _WORD.fullmatch(text[start - 1]):
        start -= 1
    rest = _WORD.match(text, offset)
    number = _NUMBER.match(text, start)
    if number is not None and number.end() <= offset:  # a unit directly behind its number
        start = number.end()
    end = rest.end() if rest else offset
    return Extent(start, end + (start < end and text.startswith("~", end)))


def _inside(support: Support, text: str, offset: int) -> bool:
    """Return whether an offset is within a comment or a string, or at the end of a comment."""
    for piece in support.colouring.lexis.pattern.finditer(text):
        if piece.end() >= offset:
            within = piece.start() < offset < piece.end()
            if piece.lastgroup in ("COMMENT", "UNTERMINATED"):
                return piece.start() < offset
            return within and piece.lastgroup == "STRING"
    return False


def _offered(names: Names, choice: Choice, text: str) -> list[Proposal]:
    return [Proposal(word, choice.sort.value, _one_line(name, text)) for word, name in names.candidates(choice).items()]


def _one_line(name: Name | None, text: str) -> str:
    """Return a declaration on one line."""
    if name is None or name.declares is None:
        return ""
    line = " ".join(text[name.declares.start : name.declares.end].split())
    return line if len(line) <= _DETAIL else f"{line[: _DETAIL - 1]}…"
