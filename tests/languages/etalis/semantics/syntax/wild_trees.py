"""Trees of ETALIS at random (`tests/semantics/wild_words.py`)."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.builder import written_quotient
from parte.languages.etalis.semantics.syntax.lexis import WORDS
from parte.languages.etalis.semantics.syntax.values import FRACTION, Number, Truth, number
from tests.semantics.wild_words import LINES, some

_NAMES = st.from_regex(r"[a-z][A-Za-z0-9_]{0,5}", fullmatch=True).filter(lambda word: word not in WORDS)
_VARIABLES = st.from_regex(r"[A-Z][A-Za-z0-9_]{0,5}", fullmatch=True).filter(lambda word: word not in WORDS)
_NUMBERS = st.one_of(
    st.integers(-5, 5),
    st.integers(),
    st.fractions(),
    st.sampled_from((Fraction(-1, 3), Fraction(1, 3), Fraction(-1, 2), Fraction(5, 4), Fraction(10**20, 7))),
).map(number)
_NATURAL: st.SearchStrategy[Number] = _NUMBERS.filter(lambda value: value >= 0)
_STRINGS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6) | LINES
_CONSTANTS: st.SearchStrategy[tree.Term] = (
    _NUMBERS | st.sampled_from(Truth) | _STRINGS.filter(lambda text: not FRACTION.fullmatch(text))
).map(tree.Constant)


def _calculated(left: tree.Term, operator: tree.Arithmetic, right: tree.Term) -> tree.Term:
    """A calculation, but for a quotient of two numbers, which is read as the number that it is."""
    quotient = written_quotient(left, right) if operator is tree.Arithmetic.OVER else None
    return tree.Calculation(left, operator, right) if quotient is None else tree.Constant(quotient)


def _terms() -> st.SearchStrategy[tree.Term]:
    return st.recursive(
        _VARIABLES.map(tree.Variable) | _CONSTANTS,
        lambda inner: (
            st.builds(_calculated, inner, st.sampled_from(tree.Arithmetic), inner)
            | st.builds(tree.Comparison, inner, st.sampled_from(tree.Relation), inner)
        ),
        max_leaves=6,
    )


_EVENTS = st.builds(tree.EventPattern, _NAMES, some(_terms()))


def _patterns() -> st.SearchStrategy[tree.Pattern]:
    return st.recursive(
        _EVENTS | _NATURAL.map(tree.Moment),
        lambda inner: (
            st.builds(tree.Joined, inner, st.sampled_from(tree.Operator), inner)
            | st.builds(tree.Where, inner, _terms())
            | st.builds(tree.Lasting, inner, _NATURAL)
            | st.builds(tree.Negation, inner, inner, inner)
        ),
        max_leaves=5,
    )


programs = some(st.builds(tree.Rule, _EVENTS, _patterns())).map(tree.Program)
