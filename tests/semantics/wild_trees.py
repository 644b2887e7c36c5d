"""Trees of CEL, ETALIS and LEAD at random, with any expression in any place in which the grammar admits one.

They are what the parsers build of some text, without regard to what `check` says of names, places and sizes. Those of
PARTElang are in `tests/semantics/partelang/syntax/trees.py`.
"""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import TypeVar

from hypothesis import strategies as st

from parte.languages.cel.semantics.syntax import lexis as cel_lexis
from parte.languages.cel.semantics.syntax import tree as cel
from parte.languages.etalis.semantics.syntax import lexis as etalis_lexis
from parte.languages.etalis.semantics.syntax import tree as etalis
from parte.languages.etalis.semantics.syntax.builder import written_quotient
from parte.languages.etalis.semantics.syntax.values import FRACTION, Number, Truth, number
from parte.languages.lead.semantics.syntax import lexis as lead_lexis
from parte.languages.lead.semantics.syntax import tree as lead

T = TypeVar("T")

_WORDS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,5}", fullmatch=True)
_LITTLE = st.integers(0, 3)
_FLOATS = st.floats(allow_nan=False, allow_infinity=False)
_LINES = st.text(st.characters(codec="utf-8", exclude_characters="\n\0"), max_size=6) | st.sampled_from(
    ("'", "it's", '"', "\\", '\\"', "--", "//x", "%", "1/2 ", "\r")
)


def _some(parts: st.SearchStrategy[T], least: int = 0, most: int = 3) -> st.SearchStrategy[tuple[T, ...]]:
    return st.lists(parts, min_size=least, max_size=most).map(tuple)


def _names(keywords: Collection[str], also: Collection[str] = ()) -> st.SearchStrategy[str]:
    """Names that are no keyword in any case; some are words that mean something elsewhere."""
    return (_WORDS | st.sampled_from(("ms", "s", "d", "events", "day", "event_time", *also))).filter(
        lambda word: word.upper() not in keywords
    )


# --- CEL --------------------------------------------------------------------------------------------------------------

_CEL_NAMES = _names(cel_lexis.KEYWORDS)
_CEL_ATTRIBUTES = _CEL_NAMES | st.sampled_from([word.lower() for word in sorted(cel_lexis.KEYWORDS)])
_CEL_LITERALS: st.SearchStrategy[cel.Operand] = (
    st.integers(-(2**63), 2**63 - 1) | _FLOATS | st.booleans() | _LINES
).map(cel.Literal)
_CEL_OPERANDS = _CEL_ATTRIBUTES.map(cel.Attribute) | _CEL_LITERALS
_CEL_OPERATORS = st.sampled_from(cel.Operator)


def _cel_predicates() -> st.SearchStrategy[cel.Predicate]:
    return st.recursive(
        st.builds(cel.Comparison, _CEL_OPERANDS, _CEL_OPERATORS, _CEL_OPERANDS),
        lambda inner: (
            st.builds(cel.Not, inner) | st.builds(cel.Every, _some(inner, 2)) | st.builds(cel.Some, _some(inner, 2))
        ),
        max_leaves=6,
    )


def _cel_conditions() -> st.SearchStrategy[cel.Condition]:
    return st.recursive(
        st.builds(cel.Holds, _CEL_NAMES, _cel_predicates())
        | st.builds(cel.Link, _CEL_NAMES, _CEL_ATTRIBUTES, _CEL_OPERATORS, _CEL_NAMES, _CEL_ATTRIBUTES),
        lambda inner: st.builds(cel.Both, _some(inner, 2)) | st.builds(cel.Either, _some(inner, 2)),
        max_leaves=4,
    )


def _cel_formulas() -> st.SearchStrategy[cel.Formula]:
    return st.recursive(
        _CEL_NAMES.map(cel.EventType),
        lambda inner: (
            st.builds(cel.Named, inner, _CEL_NAMES)
            | st.builds(cel.Filtered, inner, _cel_conditions())
            | st.builds(cel.Or, _some(inner, 2))
            | st.builds(cel.Sequence, _some(inner, 2), st.booleans())
            | st.builds(cel.Iteration, inner, st.booleans())
            | st.builds(cel.Projection, _some(_CEL_NAMES), inner)
        ),
        max_leaves=6,
    )


_CEL_WINDOWS: st.SearchStrategy[cel.Window] = st.builds(cel.EventWindow, _LITTLE) | st.builds(
    cel.TimeWindow, _some(st.tuples(_LITTLE, st.sampled_from(cel.Unit)), 1)
)

cel_queries = st.builds(
    cel.Query,
    st.sampled_from(cel.Strategy),
    st.none() | _some(_CEL_NAMES),
    _some(_CEL_NAMES),
    _cel_formulas(),
    _some(_CEL_ATTRIBUTES),
    st.none() | _CEL_WINDOWS,
    st.sampled_from(cel.Consumption),
)

# --- ETALIS -----------------------------------------------------------------------------------------------------------

_ETALIS_NAMES = st.from_regex(r"[a-z][A-Za-z0-9_]{0,5}", fullmatch=True).filter(
    lambda word: word not in etalis_lexis.WORDS
)
_ETALIS_VARIABLES = st.from_regex(r"[A-Z][A-Za-z0-9_]{0,5}", fullmatch=True).filter(
    lambda word: word not in etalis_lexis.WORDS
)
_NUMBERS = st.one_of(
    st.integers(-5, 5),
    st.integers(),
    st.fractions(),
    st.sampled_from((Fraction(-1, 3), Fraction(1, 3), Fraction(-1, 2), Fraction(5, 4), Fraction(10**20, 7))),
).map(number)
_NATURAL: st.SearchStrategy[Number] = _NUMBERS.filter(lambda value: value >= 0)
_STRINGS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6) | _LINES
_ETALIS_CONSTANTS: st.SearchStrategy[etalis.Term] = (
    _NUMBERS | st.sampled_from(Truth) | _STRINGS.filter(lambda text: not FRACTION.fullmatch(text))
).map(etalis.Constant)


def _calculated(left: etalis.Term, operator: etalis.Arithmetic, right: etalis.Term) -> etalis.Term:
    """A calculation, but for a quotient of two numbers, which is read as the number that it is."""
    quotient = written_quotient(left, right) if operator is etalis.Arithmetic.OVER else None
    return etalis.Calculation(left, operator, right) if quotient is None else etalis.Constant(quotient)


def _etalis_terms() -> st.SearchStrategy[etalis.Term]:
    return st.recursive(
        _ETALIS_VARIABLES.map(etalis.Variable) | _ETALIS_CONSTANTS,
        lambda inner: (
            st.builds(_calculated, inner, st.sampled_from(etalis.Arithmetic), inner)
            | st.builds(etalis.Comparison, inner, st.sampled_from(etalis.Relation), inner)
        ),
        max_leaves=6,
    )


_ETALIS_EVENTS = st.builds(etalis.EventPattern, _ETALIS_NAMES, _some(_etalis_terms()))


def _etalis_patterns() -> st.SearchStrategy[etalis.Pattern]:
    return st.recursive(
        _ETALIS_EVENTS | _NATURAL.map(etalis.Moment),
        lambda inner: (
            st.builds(etalis.Joined, inner, st.sampled_from(etalis.Operator), inner)
            | st.builds(etalis.Where, inner, _etalis_terms())
            | st.builds(etalis.Lasting, inner, _NATURAL)
            | st.builds(etalis.Negation, inner, inner, inner)
        ),
        max_leaves=5,
    )


etalis_programs = _some(st.builds(etalis.Rule, _ETALIS_EVENTS, _etalis_patterns())).map(etalis.Program)

# --- LEAD -------------------------------------------------------------------------------------------------------------

_LEAD_WORDS = lead_lexis.KEYWORDS | lead_lexis.SYNONYMS.keys()
_LEAD_NAMES = _names(_LEAD_WORDS)
_BEHIND_A_STOP = _LEAD_NAMES | st.sampled_from([word.lower() for word in sorted(_LEAD_WORDS)])
_PATHS = st.tuples(_LEAD_NAMES, _some(_BEHIND_A_STOP, 0, 2)).map(lambda drawn: (drawn[0], *drawn[1]))
_DURATIONS = st.builds(lead.Duration, st.integers(0, 10**6), st.sampled_from(lead.Unit))
_LEAD_LITERALS = (st.integers(0, 2**63 - 1) | _FLOATS.map(abs) | st.booleans() | _LINES).map(lead.Literal)
_AGGREGATES = st.builds(lead.Aggregate, st.sampled_from(lead.Function), st.just(()) | _PATHS)
_ITEMS = st.sampled_from(((None, None), (1, None), (3, None), (None, 0), (None, 2), (1, 2), (2, 2)))


def _lead_expressions() -> st.SearchStrategy[lead.Expression]:
    leaves: st.SearchStrategy[lead.Expression] = st.one_of(
        _LEAD_LITERALS, _DURATIONS, _PATHS.map(lead.Reference), _AGGREGATES, _LEAD_NAMES.map(lead.Outside)
    )

    def larger(inner: st.SearchStrategy[lead.Expression]) -> st.SearchStrategy[lead.Expression]:
        several = _some(inner, 2)
        return st.one_of(
            several.map(lead.Sum),
            several.map(lead.Product),
            inner.map(lead.Negative),
            st.builds(lead.Comparison, inner, st.sampled_from(lead.Operator), inner),
            several.map(lead.Both),
            several.map(lead.Either),
            inner.map(lead.Negation),
            st.builds(lambda items, condition: lead.Quantified(items[0], items[1], condition), _ITEMS, inner),
        )

    return st.recursive(leaves, larger, max_leaves=6)


_SMALL = _lead_expressions()
_EMISSIONS = st.builds(lead.Emission, _LEAD_NAMES, _some(_SMALL, 0, 2))


def _collects(inner: st.SearchStrategy[lead.Pattern]) -> st.SearchStrategy[lead.Collect]:
    limit = st.none() | _SMALL
    return st.builds(lead.Collect, inner, limit, limit, limit, st.none() | _LEAD_NAMES)


def _subcontexts(inner: st.SearchStrategy[lead.Pattern]) -> st.SearchStrategy[lead.Pattern]:
    branches = st.builds(lead.Branch, inner, _some(_EMISSIONS, 0, 1))
    bounds = st.sampled_from(((None, None), (1, 2)))
    sides = (_LEAD_NAMES, _LEAD_NAMES, st.none() | _SMALL, branches, st.none() | _SMALL, _LEAD_NAMES)
    return st.builds(
        lambda operand, bounds, item, of, chosen, branch, stop, name: lead.Subcontext(
            operand, item, of, bounds[0], bounds[1], chosen, branch, stop, name
        ),
        *(inner, bounds, *sides),
    )


def _joined(parts: tuple[lead.Pattern, ...]) -> lead.Pattern:
    """A conjunction, none of whose parts is one."""
    return lead.And(tuple(each for part in parts for each in (part.parts if isinstance(part, lead.And) else (part,))))


def _lead_patterns() -> st.SearchStrategy[lead.Pattern]:
    def larger(inner: st.SearchStrategy[lead.Pattern]) -> st.SearchStrategy[lead.Pattern]:
        several = _some(inner, 2)
        return st.one_of(
            several.map(_joined),
            several.map(lead.Or),
            several.map(lead.Sequence),
            inner.map(lead.Not),
            st.builds(lead.Within, inner, _DURATIONS, st.none() | inner),
            st.builds(lead.Wait, inner, _DURATIONS),
            st.builds(lead.Filtered, inner, _SMALL),
            _collects(inner),
            st.builds(lead.Pick, st.booleans(), _collects(inner), _AGGREGATES),
            st.builds(lead.Policy, st.sampled_from(lead.Choice), inner, _some(_LEAD_NAMES, 0, 2)),
            _subcontexts(inner),
        )

    return st.recursive(st.builds(lead.Atom, _LEAD_NAMES, st.none() | _LEAD_NAMES), larger, max_leaves=5)


def _outcomes() -> st.SearchStrategy[tuple[lead.Outcome, ...]]:
    def larger(inner: st.SearchStrategy[tuple[lead.Outcome, ...]]) -> st.SearchStrategy[tuple[lead.Outcome, ...]]:
        clauses = _some(st.builds(lead.Where, _SMALL, inner), 1, 2)
        return st.builds(lead.Check, st.booleans(), clauses).map(lambda check: (check,))

    return st.recursive(_some(_EMISSIONS, 1, 2), larger, max_leaves=3)


def _event_types(*, enriched: bool) -> st.SearchStrategy[tuple[lead.EventType, ...]]:
    attributes = st.builds(lead.Attribute, _LEAD_NAMES, _LEAD_NAMES, st.none() | _LEAD_LITERALS)
    return _some(st.builds(lead.EventType, _LEAD_NAMES, _some(attributes), st.just(enriched)), 0, 2)


_KEYS = st.builds(lead.Key, _LEAD_NAMES, _BEHIND_A_STOP, st.none()) | st.builds(
    lead.Key, st.just(""), st.just(""), st.integers(0, 10**6) | _DURATIONS
)

lead_rules = st.builds(
    lead.Rule,
    _some(st.builds(lead.Stream, _LEAD_NAMES, _LEAD_NAMES), 1),
    _some(st.builds(lead.TimeEvent, _LEAD_NAMES, _SMALL, _SMALL), 0, 2),
    st.tuples(_event_types(enriched=False), _event_types(enriched=True)).map(lambda drawn: drawn[0] + drawn[1]),
    _lead_patterns(),
    _some(_KEYS, 0, 2),
    st.just(()) | _outcomes(),
)
