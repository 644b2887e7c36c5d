"""The events that a match emits (specification: lead-check, lead-emit; L §4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from parte.languages.lead.semantics.conditions import View, compiled, true_of
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Emitted

Types = Mapping[str, Sequence[tree.Attribute]]


def emitted(node: tree.Emission, view: View, end: int, types: Types) -> Emitted:
    """Return an emitted event. An attribute has the name that the type gives it, or that of the attribute it is
    taken from."""
    declared = list(types.get(node.type, ()))
    pairs: list[tuple[str, int | float | str | bool | None]] = []
    for number, argument in enumerate(node.arguments):
        if number < len(declared):
            name = declared[number].name
        else:
            name = argument.path[-1] if isinstance(argument, tree.Reference) else f"value{number + 1}"
        if name in [known for known, _ in pairs]:
            name = f"value{number + 1}"
        pairs.append((name, compiled(argument)(view)))
    rest = declared[len(node.arguments) :]
    pairs += [
        (attribute.name, attribute.default.value if attribute.default is not None else None) for attribute in rest
    ]
    return Emitted(node.type, end, tuple(dict(pairs).items()))


def outcome(parts: Sequence[tree.Outcome], view: View, end: int, types: Types) -> Iterator[Emitted]:
    """Yield the events that EMIT and CHECK emit for a match."""
    for part in parts:
        if isinstance(part, tree.Emission):
            yield emitted(part, view, end, types)
            continue
        for clause in part.clauses:
            if true_of(clause.condition, view):
                yield from outcome(clause.outcome, view, end, types)
                if part.first:
                    break
