"""The ids of emitted events: they quote ids of external events that contain a delimiter, and are shortened
(specification: emitted-ids, emitted-ids-quoted, emitted-ids-bounded).

Quoting takes a deep expression. So queries contain `PARTE_COMPONENT(id)` and `PARTE_SHORTENED(rule, id)`, which are
replaced by expressions before a query is run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from parte.algebra.partelang.relational.dialects import Dialect
from parte.algebra.partelang.relational.relations import Templates, column
from parte.semantics.events.match import DIGEST, LONGEST_ID
from parte.semantics.partelang.syntax import core

COMPONENT: Final = "PARTE_COMPONENT"
SHORTENED: Final = "PARTE_SHORTENED"
DELIMITERS: Final = '(),="\\'
"""The characters that must not be unquoted in an id within an id."""
_NAMED: Final = {"\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}
_ESCAPES: Final = {
    "\\": "\\\\",
    '"': '\\"',
    **{chr(code): f"\\{_NAMED.get(chr(code), f'u{code:04x}')}" for code in range(32)},
}
"""The JSON escapes of characters; the backslash comes first, because the other escapes contain it."""


def emitted_id(
    rule: core.Rule,
    position: int | None,
    aliases: Mapping[str, str],
    templates: Templates,
    named: exp.Expr | None = None,
) -> exp.Expr:
    """Return the SQL of `parte.semantics.events.match.emitted_id`; `aliases` are those of the positive variables.

    `named` is the name of the rule if it is a column of the row.
    """
    place = "" if position is None else f"#{position}"
    name: exp.Expr = exp.Literal.string(f"{rule.reported}{place}")
    parts: list[exp.Expr] = []
    text = f"{rule.reported}{place}("
    if named is not None:
        name = _concatenated([named.copy(), exp.Literal.string(place)]) if place else named.copy()
        parts, text = [named.copy()], f"{place}("
    for pattern in rule.positive:
        alias = aliases[pattern.variable]
        identity = column(alias, templates.identity)
        component: exp.Expr = exp.Anonymous(this=COMPONENT, expressions=[identity])
        if templates[pattern.template].mixed:
            emitted = exp.If(this=column(alias, templates.emitted), true=identity.copy())
            component = exp.Case(ifs=[emitted], default=component)
        parts += [exp.Literal.string(f"{text}{pattern.variable}="), component]
        text = ","
    parts.append(exp.Literal.string(")"))
    return exp.Anonymous(this=SHORTENED, expressions=[name, _concatenated(parts)])


def _concatenated(parts: Sequence[exp.Expr]) -> exp.Expr:
    joined = parts[0]
    for part in parts[1:]:
        joined = exp.DPipe(this=joined, expression=part, safe=True)
    return joined


def expanded(query: exp.Query, dialect: Dialect, *, plain: bool = False, quoted: str = "") -> exp.Query:
    """Return a copy of a query with our functions replaced; components are the ids themselves if all ids are `plain`.

    With `quoted`, a column of that name contains the quoted form of an id that is not plain, and NULL for other ids.
    """
    copy = query.copy()
    calls = [call for call in copy.find_all(exp.Anonymous) if call.this in (COMPONENT, SHORTENED)]
    for call in calls:
        if call.this == COMPONENT:
            identity = call.expressions[0]
            call.replace(
                _listed(identity, quoted) if quoted else identity.copy() if plain else _component(identity, dialect)
            )
    for call in calls:
        if call.this == SHORTENED:
            name, identity = call.expressions
            call.replace(_shortened(name, identity, dialect))
    return copy


def _listed(identity: exp.Expr, quoted: str) -> exp.Expr:
    beside = identity.copy()
    beside.set("this", exp.to_identifier(quoted, quoted=True))
    return exp.Coalesce(this=beside, expressions=[identity.copy()])


def _shortened(name: exp.Expr, identity: exp.Expr, dialect: Dialect) -> exp.Expr:
    """Return the SQL of `parte.semantics.events.match.shortened`."""
    short = exp.LTE(this=exp.Length(this=identity.copy()), expression=exp.Literal.number(LONGEST_ID))
    digest: exp.Expr = name.copy()
    for part in (exp.Literal.string(f"({DIGEST}"), dialect.sha256(identity.copy()), exp.Literal.string(")")):
        digest = exp.DPipe(this=digest, expression=part, safe=True)
    return exp.Case(ifs=[exp.If(this=short, true=identity.copy())], default=digest)


def _component(identity: exp.Expr, dialect: Dialect) -> exp.Expr:
    """Return an id as JSON if it contains a delimiter, else as it is."""
    nothing = exp.Literal.string("")
    without = exp.Anonymous(this="TRANSLATE", expressions=[identity.copy(), dialect.text(DELIMITERS), nothing])
    quoted = identity.copy()
    for character, escape in _ESCAPES.items():
        replaced = [quoted, dialect.text(character), dialect.text(escape)]
        quoted = exp.Anonymous(this="REPLACE", expressions=replaced)
    mark = dialect.text('"')
    quoted = exp.DPipe(this=exp.DPipe(this=mark, expression=quoted, safe=True), expression=mark.copy(), safe=True)
    plain = exp.EQ(this=without, expression=identity.copy())
    return exp.Case(ifs=[exp.If(this=plain, true=identity.copy())], default=quoted)
