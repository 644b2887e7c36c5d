"""The ids of emitted events, which quote the ids of external events that hold a delimiter, and are shortened
(specification: emitted-ids, emitted-ids-quoted, emitted-ids-bounded).

Quoting takes a deep expression, so queries say `PARTE_COMPONENT(id)`, which is replaced by it before they are run, and
so is `PARTE_SHORTENED(rule, id)`.
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
"""What must not stand unquoted in an id within an id."""
_NAMED: Final = {"\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}
_ESCAPES: Final = {
    "\\": "\\\\",
    '"': '\\"',
    **{chr(code): f"\\{_NAMED.get(chr(code), f'u{code:04x}')}" for code in range(32)},
}
"""What JSON writes for the characters that it escapes, the backslash first, for the others are written with it."""


def emitted_id(
    rule: core.Rule,
    position: int | None,
    aliases: Mapping[str, str],
    templates: Templates,
    named: exp.Expr | None = None,
) -> exp.Expr:
    """What `parte.semantics.events.match.emitted_id` gives; `aliases` of the positive variables, in pattern order.

    `named` is the name of the rule if only the row says it.
    """
    place = "" if position is None else f"#{position}"
    name: exp.Expr = exp.Literal.string(f"{rule.name}{place}")
    parts: list[exp.Expr] = []
    text = f"{rule.name}{place}("
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
    """A copy of a query in which our functions are what they stand for: components are ids, if all ids are `plain`.

    With `quoted`, a column of that name holds the component of an id that is not plain, and NULL beside the others.
    """
    copy = query.copy()
    for call in list(copy.find_all(exp.Anonymous)):
        if call.this == COMPONENT:
            identity = call.expressions[0]
            call.replace(
                _listed(identity, quoted) if quoted else identity.copy() if plain else _component(identity, dialect)
            )
    for call in list(copy.find_all(exp.Anonymous)):
        if call.this == SHORTENED:
            name, identity = call.expressions
            call.replace(_shortened(name, identity, dialect))
    return copy


def _listed(identity: exp.Expr, quoted: str) -> exp.Expr:
    beside = identity.copy()
    beside.set("this", exp.to_identifier(quoted, quoted=True))
    return exp.Coalesce(this=beside, expressions=[identity.copy()])


def _shortened(name: exp.Expr, identity: exp.Expr, dialect: Dialect) -> exp.Expr:
    """What `parte.semantics.events.match.shortened` gives."""
    short = exp.LTE(this=exp.Length(this=identity.copy()), expression=exp.Literal.number(LONGEST_ID))
    digest: exp.Expr = name.copy()
    for part in (exp.Literal.string(f"({DIGEST}"), dialect.sha256(identity.copy()), exp.Literal.string(")")):
        digest = exp.DPipe(this=digest, expression=part, safe=True)
    return exp.Case(ifs=[exp.If(this=short, true=identity.copy())], default=digest)


def _component(identity: exp.Expr, dialect: Dialect) -> exp.Expr:
    """An id as JSON if it holds a delimiter, else as it is."""
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
