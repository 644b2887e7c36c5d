"""Suppressions of emissions (specification: suppression)."""

from __future__ import annotations

from parte.semantics.partelang.syntax import ast, core
from parte.semantics.partelang.syntax.declarations import Schema
from parte.semantics.partelang.syntax.scope import Scope


def elaborate_suppression(node: ast.Suppression, schema: Schema, scope: Scope) -> core.Suppression:
    """Return the suppression of an emission of a template. All errors are reported; after one the result is useless."""
    report = scope.reporter.report
    template = schema.template.name
    keys: list[str] = []
    for key in node.keys:
        name = key.attribute
        if name not in schema.attributes:
            hint = scope.reporter.suggestion(name, schema.attributes, f"see the declaration of `{template}`")
            report("unknown-attribute", key.span, f"the template `{template}` has no attribute `{name}`", hint)
        elif name in keys:
            report("invalid-key", key.span, f"`{name}` is a key already", "remove one of the two")
        elif isinstance(schema.attributes[name], core.ListOf):
            message = f"`{name}` is a list, and expected is an attribute with a single value"
            report("invalid-key", key.span, message, "use another attribute as the key")
        keys.append(name)
    milliseconds = node.duration.milliseconds
    if milliseconds < 1:
        message = f"events cannot be {milliseconds} milliseconds apart: expected is at least one millisecond"
        report("suppression-too-short", node.duration.span, message, "choose a longer duration")
    return core.Suppression(tuple(keys), max(milliseconds, 1), span=node.span)
