"""Trees of CEL at random (`tests/semantics/wild_words.py`)."""

from __future__ import annotations

from hypothesis import strategies as st

from parte.languages.cel.semantics.syntax import lexis, tree
from tests.semantics.wild_words import FLOATS, LINES, LITTLE, names, some

_NAMES = names(lexis.KEYWORDS)
_ATTRIBUTES = _NAMES | st.sampled_from([word.lower() for word in sorted(lexis.KEYWORDS)])
_LITERALS: st.SearchStrategy[tree.Operand] = (st.integers(-(2**63), 2**63 - 1) | FLOATS | st.booleans() | LINES).map(
    tree.Literal
)
_OPERANDS = _ATTRIBUTES.map(tree.Attribute) | _LITERALS
_OPERATORS = st.sampled_from(tree.Operator)


def _predicates() -> st.SearchStrategy[tree.Predicate]:
    return st.recursive(
        st.builds(tree.Comparison, _OPERANDS, _OPERATORS, _OPERANDS),
        lambda inner: (
            st.builds(tree.Not, inner) | st.builds(tree.Every, some(inner, 2)) | st.builds(tree.Some, some(inner, 2))
        ),
        max_leaves=6,
    )


def _conditions() -> st.SearchStrategy[tree.Condition]:
    return st.recursive(
        st.builds(tree.Holds, _NAMES, _predicates())
        | st.builds(tree.Link, _NAMES, _ATTRIBUTES, _OPERATORS, _NAMES, _ATTRIBUTES),
        lambda inner: st.builds(tree.Both, some(inner, 2)) | st.builds(tree.Either, some(inner, 2)),
        max_leaves=4,
    )


def _formulas() -> st.SearchStrategy[tree.Formula]:
    return st.recursive(
        _NAMES.map(tree.EventType),
        lambda inner: (
            st.builds(tree.Named, inner, _NAMES)
            | st.builds(tree.Filtered, inner, _conditions())
            | st.builds(tree.Or, some(inner, 2))
            | st.builds(tree.Sequence, some(inner, 2), st.booleans())
            | st.builds(tree.Iteration, inner, st.booleans())
            | st.builds(tree.Projection, some(_NAMES), inner)
        ),
        max_leaves=6,
    )


_WINDOWS: st.SearchStrategy[tree.Window] = st.builds(tree.EventWindow, LITTLE) | st.builds(
    tree.TimeWindow, some(st.tuples(LITTLE, st.sampled_from(tree.Unit)), 1)
)

queries = st.builds(
    tree.Query,
    st.sampled_from(tree.Strategy),
    st.none() | some(_NAMES),
    some(_NAMES),
    _formulas(),
    some(_ATTRIBUTES),
    st.none() | _WINDOWS,
    st.sampled_from(tree.Consumption),
)
