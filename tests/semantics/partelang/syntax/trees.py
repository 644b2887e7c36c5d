"""Source trees at random: well formed, but without regard to scopes and types."""

from __future__ import annotations

from hypothesis import strategies as st

from parte.semantics.events.duration import UNITS
from parte.semantics.partelang.syntax import ast
from parte.semantics.partelang.syntax.expectations import KEYWORDS

words = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
names = words.filter(lambda word: word not in KEYWORDS)
# Keywords and units are allowed as attributes; `true` and `false` only after a variable.
attributes = st.one_of(names, st.sampled_from([*sorted(KEYWORDS), *sorted(UNITS)]))
bare_attributes = attributes.filter(lambda word: word not in ("true", "false"))

durations = st.builds(ast.Duration, st.integers(-(10**10), 10**10), st.sampled_from(ast.Unit))
literals = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.booleans(),
).map(ast.Literal)
operators = st.sampled_from(ast.BinaryOperator)


def expressions(bare: st.SearchStrategy[str] = bare_attributes) -> st.SearchStrategy[ast.Expression]:
    """Expressions; `bare` are the attributes that may stand without a variable."""
    leaves: st.SearchStrategy[ast.Expression] = st.one_of(
        literals, durations, st.builds(ast.Reference, st.none(), bare), st.builds(ast.Reference, names, attributes)
    )

    def extend(parts: st.SearchStrategy[ast.Expression]) -> st.SearchStrategy[ast.Expression]:
        return st.one_of(
            st.builds(ast.Negate, parts),
            st.builds(ast.Binary, operators, parts, parts),
            st.builds(ast.Call, names, st.lists(parts, max_size=3).map(tuple)),
        )

    return st.recursive(leaves, extend, max_leaves=12)


named_types = st.builds(ast.NamedType, names)
types: st.SearchStrategy[ast.TypeExpression] = st.one_of(
    named_types, st.builds(ast.ListTypeExpression, named_types, st.integers(1, 1024))
)
templates = st.builds(ast.Template, names, st.lists(st.builds(ast.Slot, attributes, types), max_size=4).map(tuple))
patterns = st.builds(ast.Pattern, st.booleans(), names, names, st.lists(expressions(), max_size=3).map(tuple))
constraints = st.builds(ast.Constraint, st.booleans(), names, names, durations, durations)
assignments = st.builds(ast.Assignment, attributes, expressions())
emissions = st.builds(ast.Emission, names, expressions(names), st.lists(assignments, max_size=3).map(tuple))
rules = st.builds(
    ast.Rule,
    names,
    st.lists(patterns, max_size=3).map(tuple),
    st.lists(constraints, max_size=3).map(tuple),
    st.lists(emissions, max_size=2).map(tuple),
)
declarations: st.SearchStrategy[ast.Declaration] = st.one_of(
    st.builds(ast.TypeAlias, names, types),
    templates,
    st.builds(ast.Predicate, names, st.lists(types, max_size=3).map(tuple)),
    rules,
)
programs = st.builds(ast.SourceProgram, st.lists(declarations, max_size=4).map(tuple))
