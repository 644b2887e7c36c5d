"""Strings for the solver as sequences of characters, for functions that look into them (z3's theory of sequences).

The solver's characters end at U+2FFFF. Nothing depends on a character but its order and the ranges that are mentioned.
So if all mentioned ones are `readable`, other characters behind the last mentioned one stand for the greater ones: of a
solution up to `_SPARE` different ones are greater. The solver's characters include surrogates, which no String has;
callers have to drop solutions with such.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ctypes import c_uint
from typing import Any, NewType, cast

from parte.checker.solver import terms
from parte.checker.solver.backend import z3
from parte.checker.solver.queries import Model
from parte.checker.solver.terms import Formula, Number

Text = NewType("Text", object)
"""A term that is a sequence of characters."""

Language = NewType("Language", object)
"""A set of texts: a regular expression of the solver."""

LAST = 0x2FFFF
"""The last character of the solver."""
_SPARE = 0x1000
_LAST_CODE_POINT = 0x10FFFF

_SORT = z3.StringSort()
_LANGUAGES = z3.ReSort(_SORT)


def readable(first: int, last: int) -> bool:
    """Return whether the solver can distinguish the code points of a range from all others."""
    return first <= LAST - _SPARE and (last <= LAST - _SPARE or last == _LAST_CODE_POINT)


class Sequences:
    """Strings as sequences.

    With `in_parts`, that a text has a constant part is a formula about parts, else one about a language. The solver
    finds more solutions with the one, and more contradictions with the other.
    """

    def __init__(self, *, in_parts: bool = False) -> None:
        self.in_parts = in_parts

    def variable(self, name: str) -> tuple[object, Formula]:
        return z3.Const(f"{name} text", _SORT), terms.TRUE

    def constant(self, value: str) -> object:
        return constant(value)

    def function(self, name: str, arguments: Sequence[object]) -> tuple[object, Formula]:
        sorts = [cast(Any, argument).sort() for argument in arguments]
        return z3.Function(name, *sorts, _SORT)(*arguments), terms.TRUE

    def values(self, model: Model, of: Sequence[object]) -> list[str]:
        return [model.text(term) for term in of]


def constant(value: str) -> Text:
    """Return a constant text. Its characters are given by number: text with `\\u` is nothing special."""
    codes = (c_uint * max(1, len(value)))(*map(ord, value))
    context = z3.main_ctx()
    return Text(z3.SeqRef(z3.Z3_mk_u32string(context.ref(), len(value), codes), context))


def length(of: Text) -> Number:
    """Return the number of characters."""
    return Number(z3.Length(of))


def joined(texts: Sequence[Text]) -> Text:
    """Return the texts one after the other."""
    return texts[0] if len(texts) == 1 else Text(z3.Concat(*texts))


def starts_with(of: Text, beginning: Text) -> Formula:
    """Return the formula that a text begins with another."""
    return Formula(z3.PrefixOf(beginning, of))


def ends_with(of: Text, end: Text) -> Formula:
    """Return the formula that a text ends with another."""
    return Formula(z3.SuffixOf(end, of))


def contains(of: Text, part: Text) -> Formula:
    """Return the formula that a text contains another."""
    return Formula(z3.Contains(of, part))


def belongs(of: Text, to: Language) -> Formula:
    """Return the formula that a text belongs to a language."""
    return Formula(z3.InRe(of, to))


# --- Languages -------------------------------------------------------------------------------------------------------


def only(text: str) -> Language:
    """Return the language of one text."""
    return Language(z3.Re(constant(text)))


def anything() -> Language:
    """Return the language of all texts; the solver decides more about it than about any number of any characters."""
    return Language(z3.Full(_LANGUAGES))


def nothing() -> Language:
    """Return the language without texts."""
    return Language(z3.Empty(_LANGUAGES))


def any_character() -> Language:
    """Return the language of all texts of one character."""
    return Language(z3.AllChar(_LANGUAGES))


def one_of(ranges: Iterable[tuple[int, int]]) -> Language:
    """Return the language of the characters of some ranges, at least one; each is `readable`."""
    return choice([Language(z3.Range(constant(chr(low)), constant(chr(min(high, LAST))))) for low, high in ranges])


def chain(languages: Sequence[Language]) -> Language:
    """Return the texts that consist of one text of each language, in order."""
    return languages[0] if len(languages) == 1 else Language(z3.Concat(*languages))


def choice(languages: Sequence[Language]) -> Language:
    """Return the texts of any of the languages, at least one."""
    return languages[0] if len(languages) == 1 else Language(z3.Union(*languages))


def repetition(of: Language, least: int, most: int | None) -> Language:
    """Return the texts that consist of at least `least` texts, and at most `most` unless that is None."""
    if most is not None:
        return Language(z3.Loop(of, least, most))
    forever = Language(z3.Star(of))
    return forever if least == 0 else chain([Language(z3.Loop(of, least, least)), forever])
