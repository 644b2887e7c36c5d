"""Hypothesis strategies for programs of ETALIS and streams, for property tests of any engine
(docs/specification/etalis.md).

Programs are valid by construction. Ties, self-joins, recursion, also through NOT, terms without value and numbers that
are not whole are common. Everything shrinks towards `e <- a.` and a stream without events.

    from parte.languages.etalis.conformance.strategies import cases

    @given(cases())
    def test_my_engine(case):
        program, instants = case
        ...
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from itertools import accumulate, count, groupby

from hypothesis import strategies as st

from parte.languages.etalis.conformance.engine import CHOSEN, POLICY
from parte.languages.etalis.conformance.generation import GAPS, LENGTHS, VALUES, VARIABLES, is_recursive
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.streams import Arguments, Instant

GIVEN: Mapping[str, int] = {"a": 0, "b": 1, "c": 1, "d": 2}
DERIVED: Mapping[str, int] = {"e": 0, "f": 1, "g": 1, "h": 2}
"""The names of events, those that rules derive apart, and how many arguments they have."""

_OTHER = {"a": "e", "e": "a", "b": "c", "c": "b", "d": "h", "h": "d", "f": "g", "g": "f"}
"""For each name another one with as many arguments."""
_JOINING = [operator for operator in tree.Operator if operator is not tree.Operator.OR]
_CONSTANTS = st.sampled_from(VALUES).map(tree.Constant)

Names = tuple[str, ...]


# --- Patterns ---------------------------------------------------------------------------------------------------------


@cache
def _events(names: Names) -> st.SearchStrategy[tree.Pattern]:
    arities = {**GIVEN, **DERIVED}
    variables: st.SearchStrategy[tree.Term] = st.sampled_from(VARIABLES).map(tree.Variable)

    def of(name: str) -> st.SearchStrategy[tree.Pattern]:
        arguments = st.tuples(*[variables | _CONSTANTS for _ in range(arities[name])])
        return arguments.map(lambda terms: tree.EventPattern(name, terms))

    return st.sampled_from(names).flatmap(of)


@cache
def terms(bound: tuple[str, ...]) -> st.SearchStrategy[tree.Term]:
    """Terms whose variables are some of those that are bound."""
    if not bound:
        return _CONSTANTS
    variables: st.SearchStrategy[tree.Term] = st.sampled_from(bound).map(tree.Variable)
    plain = variables | _CONSTANTS
    return plain | st.builds(tree.Calculation, variables, st.sampled_from(tree.Arithmetic), plain)


def _bound(pattern: tree.Pattern) -> tuple[str, ...]:
    return tuple(sorted(tree.bound(pattern)))


def _filtered(pattern: tree.Pattern) -> st.SearchStrategy[tree.Pattern]:
    side = terms(_bound(pattern))
    comparisons = st.builds(tree.Comparison, side, st.sampled_from(tree.Relation), side)
    return comparisons.map(lambda condition: tree.Where(pattern, condition))


def _alternative(pattern: tree.Pattern) -> tree.Pattern:
    """The pattern, or the same of other events, if there are any: both bind the same."""

    def other(node: tree.Pattern) -> tree.Pattern:
        return replace(node, name=_OTHER[node.name]) if isinstance(node, tree.EventPattern) else node

    others = tree.PATTERNS.mapped(pattern, other)
    return pattern if others == pattern else tree.Joined(pattern, tree.Operator.OR, others)


@cache
def patterns(names: Names, depth: int = 2, negations: bool = True) -> st.SearchStrategy[tree.Pattern]:
    """Patterns of events with some names, of at most so many operators one in another.

    Variables that only what is absent has are called W1, W2, … in each."""
    found = _events(names)
    if depth == 0:
        return found
    inner = patterns(names, depth - 1, negations)
    made = [
        found,
        st.builds(tree.Joined, inner, st.sampled_from(_JOINING), inner),
        st.builds(tree.Lasting, inner, st.sampled_from(sorted(LENGTHS))),
        inner.flatmap(_filtered),
        inner.map(_alternative),
        st.sampled_from((0, 1, 2, 4)).map(tree.Moment),
    ]
    if negations:
        made.append(st.builds(tree.Negation, patterns(names, depth - 1, negations=False), inner, inner))
    return st.one_of(made)


def _apart(body: tree.Pattern) -> tree.Pattern:
    """With names of their own for the variables that only what is absent has."""
    numbers = count(1)

    def renamed(node: tree.Pattern) -> tree.Pattern:
        if not isinstance(node, tree.Negation):
            return node
        lacking = sorted(tree.variables(node.absent) - tree.bound(node))
        fresh = {name: f"W{next(numbers)}" for name in lacking}

        def other(part: tree.Node) -> tree.Node:
            return replace(part, name=fresh.get(part.name, part.name)) if isinstance(part, tree.Variable) else part

        return replace(node, absent=tree.TREE.mapped(node.absent, other))

    return tree.PATTERNS.mapped(body, renamed)


# --- Programs ---------------------------------------------------------------------------------------------------------


@st.composite
def rules(draw: st.DrawFn, head: str, names: Names, depth: int = 2, negations: bool = True) -> tree.Rule:
    """Rules for events of a name, over events of others."""
    body = _apart(draw(patterns(names, depth, negations)))
    arguments = tuple(draw(terms(_bound(body))) for _ in range({**GIVEN, **DERIVED}[head]))
    return tree.Rule(tree.EventPattern(head, arguments), body)


@st.composite
def programs(
    draw: st.DrawFn, *, most: int = 3, depth: int = 2, negations: bool = True, recursive: bool = True
) -> tree.Program:
    """Programs of at most so many rules, with NOT and with recursion if they are asked for."""
    heads = draw(st.lists(st.sampled_from(tuple(DERIVED)), min_size=1, max_size=most))
    made = []
    for head in heads if recursive else sorted(heads):
        names = (*GIVEN, *DERIVED) if recursive else (*GIVEN, *(name for name in DERIVED if name < head))
        made.append(draw(rules(head, names, depth, negations)))
    program = tree.Program(tuple(made))
    return program if recursive or not is_recursive(program) else tree.Program(tuple(made[:1]))


# --- Streams ----------------------------------------------------------------------------------------------------------


@cache
def _atoms() -> st.SearchStrategy[tuple[str, Arguments]]:
    arities = {**GIVEN, "f": 1}

    def of(name: str) -> st.SearchStrategy[tuple[str, Arguments]]:
        return st.tuples(st.just(name), st.tuples(*[st.sampled_from(VALUES)] * arities[name]))

    return st.sampled_from(tuple(arities)).flatmap(of)


@st.composite
def streams(draw: st.DrawFn, most: int = 7) -> tuple[Instant, ...]:
    """Streams of at most so many events, several at one instant among them."""
    gaps = draw(st.lists(st.sampled_from(sorted(set(GAPS))), max_size=most))
    timed = [(time, draw(_atoms())) for time in accumulate(gaps)]
    return tuple(
        Instant(time, frozenset(atom for _, atom in group)) for time, group in groupby(timed, key=lambda pair: pair[0])
    )


def cases(most: int = 7, *, recursive: bool = True) -> st.SearchStrategy[tuple[tree.Program, tuple[Instant, ...]]]:
    """A program and a stream for it."""
    return st.tuples(programs(recursive=recursive), streams(most))


# --- Options ----------------------------------------------------------------------------------------------------------


@cache
def readings() -> st.SearchStrategy[dict[str, str]]:
    """How E is read: all that is not said is as by default."""
    return st.fixed_dictionaries({name: st.sampled_from(values) for name, values in CHOSEN.items() if name != POLICY})


@cache
def policies() -> st.SearchStrategy[str]:
    """The policies by name, for programs without recursion."""
    return st.sampled_from(CHOSEN[POLICY])
