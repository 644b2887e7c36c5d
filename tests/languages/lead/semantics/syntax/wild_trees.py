"""Trees of LEAD at random (`tests/semantics/wild_words.py`)."""

from __future__ import annotations

from hypothesis import strategies as st

from parte.languages.lead.semantics.syntax import lexis, tree
from tests.semantics.wild_words import FLOATS, LINES, names, some

_WORDS = lexis.KEYWORDS | lexis.SYNONYMS.keys()
_NAMES = names(_WORDS)
_BEHIND_A_STOP = _NAMES | st.sampled_from([word.lower() for word in sorted(_WORDS)])
_PATHS = st.tuples(_NAMES, some(_BEHIND_A_STOP, 0, 2)).map(lambda drawn: (drawn[0], *drawn[1]))
_DURATIONS = st.builds(tree.Duration, st.integers(0, 10**6), st.sampled_from(tree.Unit))
_LITERALS = (st.integers(0, 2**63 - 1) | FLOATS.map(abs) | st.booleans() | LINES).map(tree.Literal)
_AGGREGATES = st.builds(tree.Aggregate, st.sampled_from(tree.Function), st.just(()) | _PATHS)
_ITEMS = st.sampled_from(((None, None), (1, None), (3, None), (None, 0), (None, 2), (1, 2), (2, 2)))


def _expressions() -> st.SearchStrategy[tree.Expression]:
    leaves: st.SearchStrategy[tree.Expression] = st.one_of(
        _LITERALS, _DURATIONS, _PATHS.map(tree.Reference), _AGGREGATES, _NAMES.map(tree.Outside)
    )

    def larger(inner: st.SearchStrategy[tree.Expression]) -> st.SearchStrategy[tree.Expression]:
        several = some(inner, 2)
        return st.one_of(
            several.map(tree.Sum),
            several.map(tree.Product),
            inner.map(tree.Negative),
            st.builds(tree.Comparison, inner, st.sampled_from(tree.Operator), inner),
            several.map(tree.Both),
            several.map(tree.Either),
            inner.map(tree.Negation),
            st.builds(lambda items, condition: tree.Quantified(items[0], items[1], condition), _ITEMS, inner),
        )

    return st.recursive(leaves, larger, max_leaves=6)


_SMALL = _expressions()
_EMISSIONS = st.builds(tree.Emission, _NAMES, some(_SMALL, 0, 2))


def _collects(inner: st.SearchStrategy[tree.Pattern]) -> st.SearchStrategy[tree.Collect]:
    limit = st.none() | _SMALL
    return st.builds(tree.Collect, inner, limit, limit, limit, st.none() | _NAMES)


def _subcontexts(inner: st.SearchStrategy[tree.Pattern]) -> st.SearchStrategy[tree.Pattern]:
    branches = st.builds(tree.Branch, inner, some(_EMISSIONS, 0, 1))
    bounds = st.sampled_from(((None, None), (1, 2)))
    sides = (_NAMES, _NAMES, st.none() | _SMALL, branches, st.none() | _SMALL, _NAMES)
    return st.builds(
        lambda operand, bounds, item, of, chosen, branch, stop, name: tree.Subcontext(
            operand, item, of, bounds[0], bounds[1], chosen, branch, stop, name
        ),
        *(inner, bounds, *sides),
    )


def _joined(parts: tuple[tree.Pattern, ...]) -> tree.Pattern:
    """A conjunction, none of whose parts is one."""
    return tree.And(
        tuple(subcontext for part in parts for subcontext in (part.parts if isinstance(part, tree.And) else (part,)))
    )


def _patterns() -> st.SearchStrategy[tree.Pattern]:
    def larger(inner: st.SearchStrategy[tree.Pattern]) -> st.SearchStrategy[tree.Pattern]:
        several = some(inner, 2)
        return st.one_of(
            several.map(_joined),
            several.map(tree.Or),
            several.map(tree.Sequence),
            inner.map(tree.Not),
            st.builds(tree.Within, inner, _DURATIONS, st.none() | inner),
            st.builds(tree.Wait, inner, _DURATIONS),
            st.builds(tree.Filtered, inner, _SMALL),
            _collects(inner),
            st.builds(tree.Pick, st.booleans(), _collects(inner), _AGGREGATES),
            st.builds(tree.Policy, st.sampled_from(tree.Choice), inner, some(_NAMES, 0, 2)),
            _subcontexts(inner),
        )

    return st.recursive(st.builds(tree.Atom, _NAMES, st.none() | _NAMES), larger, max_leaves=5)


def _outcomes() -> st.SearchStrategy[tuple[tree.Outcome, ...]]:
    def larger(inner: st.SearchStrategy[tuple[tree.Outcome, ...]]) -> st.SearchStrategy[tuple[tree.Outcome, ...]]:
        clauses = some(st.builds(tree.Where, _SMALL, inner), 1, 2)
        return st.builds(tree.Check, st.booleans(), clauses).map(lambda check: (check,))

    return st.recursive(some(_EMISSIONS, 1, 2), larger, max_leaves=3)


def _event_types(*, enriched: bool) -> st.SearchStrategy[tuple[tree.EventType, ...]]:
    attributes = st.builds(tree.Attribute, _NAMES, _NAMES, st.none() | _LITERALS)
    return some(st.builds(tree.EventType, _NAMES, some(attributes), st.just(enriched)), 0, 2)


_KEYS = st.builds(tree.Key, _NAMES, _BEHIND_A_STOP, st.none()) | st.builds(
    tree.Key, st.just(""), st.just(""), st.integers(0, 10**6) | _DURATIONS
)

rules = st.builds(
    tree.Rule,
    some(st.builds(tree.Stream, _NAMES, _NAMES), 1),
    some(st.builds(tree.TimeEvent, _NAMES, _SMALL, _SMALL), 0, 2),
    st.tuples(_event_types(enriched=False), _event_types(enriched=True)).map(lambda drawn: drawn[0] + drawn[1]),
    _patterns(),
    some(_KEYS, 0, 2),
    st.just(()) | _outcomes(),
)
