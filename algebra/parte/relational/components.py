"""The ids of emitted events, which quote the ids of external events that hold a delimiter
(specification: emitted-ids, emitted-ids-quoted).

Quoting takes a deep expression, so queries say `PARTE_COMPONENT(id)`, which is replaced by it before they are run.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from parte.algebra.parte.relational.dialects import Dialect
from parte.algebra.parte.relational.relations import Templates, column
from parte.semantics.parte.syntax import core

COMPONENT: Final = "PARTE_COMPONENT"
DELIMITERS: Final = '(),="\\'
"""What must not stand unquoted in an id within an id."""
_NAMED: Final = {"\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}
_ESCAPES: Final = {
    "\\": "\\\\",
    '"': '\\"',
    **{chr(code): f"\\{_NAMED.get(chr(code), f'u{code:04x}')}" for code in range(32)},
}
"""What JSON writes for the characters that it escapes, the backslash first, for the others are written with it."""


def emitted_id(rule: core.Rule, position: int | None, aliases: dict[str, str], templates: Templates) -> exp.Expr:
    """What `parte.semantics.events.match.emitted_id` gives; `aliases` of the positive variables, in pattern order."""
    text = f"{rule.name}(" if position is None else f"{rule.name}#{position}("
    parts: list[exp.Expr] = []
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
    joined = parts[0]
    for part in parts[1:]:
        joined = exp.DPipe(this=joined, expression=part, safe=True)
    return joined


def expanded(query: exp.Query, dialect: Dialect, *, plain: bool = False) -> exp.Query:
    """A copy of a query in which `PARTE_COMPONENT` is what it stands for: the id, if all ids are `plain`."""
    copy = query.copy()
    for call in list(copy.find_all(exp.Anonymous)):
        if call.this == COMPONENT:
            identity = call.expressions[0]
            call.replace(identity.copy() if plain else _component(identity, dialect))
    return copy


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
