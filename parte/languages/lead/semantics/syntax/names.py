"""The meaning of the names of a rule (specification: lead-names).

A scope has the names of the bindings of one match: of the whole pattern, of an item of a list, or of a branch. It maps
the name of an event to None, and the name of a list to the scope of its items.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from parte.languages.lead.semantics.syntax import tree

Scope = dict[str, "Scope | None"]
LIST = "list"
"""The name of a list without a name."""


def resolved(pattern: tree.Pattern, left: frozenset[str] = frozenset()) -> tree.Pattern:
    """Return the pattern with bare names behind `from` resolved: a name that is bound to the left means that event."""
    match pattern:
        case tree.Sequence(parts=parts):
            done: list[tree.Pattern] = []
            for part in parts:
                done.append(resolved(part, left))
                left |= events_of(done[-1])
            return replace(pattern, parts=tuple(done))
        case tree.Within(operand=operand, source=source):
            if isinstance(source, tree.Atom) and source.name is None and source.stream in left:
                bound = tree.Bound(source.stream, span=source.span)
                return replace(pattern, operand=resolved(operand, left), source=bound)
            if source is None or isinstance(source, tree.Bound):
                return replace(pattern, operand=resolved(operand, left))
            anew = resolved(source, left)
            inside = left | events_of(anew) if tree.is_open(operand) else left
            return replace(pattern, operand=resolved(operand, inside), source=anew)
        case tree.And(parts=parts) | tree.Or(parts=parts):
            return replace(pattern, parts=tuple(resolved(part, left) for part in parts))
        case tree.Pick(collect=collect):
            return replace(pattern, collect=cast(tree.Collect, resolved(collect, left)))
        case tree.Subcontext(operand=operand, item=item, branch=branch):
            after = resolved(branch.pattern, frozenset({item}))
            return replace(pattern, operand=resolved(operand, left), branch=replace(branch, pattern=after))
        case tree.Atom() | tree.Bound():
            return pattern
        case _:
            return replace(pattern, operand=resolved(pattern.operand, left))


def events_of(pattern: tree.Pattern) -> frozenset[str]:
    """Return the names of the events that the matches of a pattern bind. An event without a name has the alias of
    its stream."""
    return frozenset(name for name, items in scope_of(named(pattern)).items() if items is None)


def named(pattern: tree.Pattern) -> tree.Pattern:
    """Return the pattern with a name for every event and list, unique in its scope: `A`, `A#2`, `list`."""
    return _named(pattern, {})


def _named(pattern: tree.Pattern, seen: dict[str, int]) -> tree.Pattern:
    match pattern:
        case tree.Atom(name=None, stream=stream):
            return replace(pattern, name=_numbered(stream, seen))
        case tree.Atom() | tree.Bound():
            return pattern
        case tree.And(parts=parts) | tree.Or(parts=parts) | tree.Sequence(parts=parts):
            return replace(pattern, parts=tuple(_named(part, seen) for part in parts))
        case tree.Not(operand=operand):
            return replace(pattern, operand=named(operand))
        case tree.Within(operand=operand, source=source):
            first = _named(operand, seen)
            return replace(pattern, operand=first, source=None if source is None else _named(source, seen))
        case tree.Collect(operand=operand, name=name):
            return replace(pattern, operand=named(operand), name=name or _numbered(LIST, seen))
        case tree.Pick(collect=collect):
            return replace(pattern, collect=cast(tree.Collect, _named(collect, seen)))
        case tree.Subcontext(operand=operand, branch=branch):
            inside = replace(branch, pattern=named(branch.pattern))
            return replace(pattern, operand=_named(operand, seen), branch=inside)
        case _:
            return replace(pattern, operand=_named(pattern.operand, seen))


def _numbered(name: str, seen: dict[str, int]) -> str:
    seen[name] = seen.get(name, 0) + 1
    return name if seen[name] == 1 else f"{name}#{seen[name]}"


def scope_of(pattern: tree.Pattern) -> Scope:
    """Return the names that the matches of a named pattern bind, in the order of the text."""
    scope: Scope = {}
    _scope(pattern, scope)
    return scope


def _scope(pattern: tree.Pattern, scope: Scope) -> None:
    match pattern:
        case tree.Atom(name=name):
            scope[name or pattern.stream] = None
        case tree.Collect(operand=operand, name=name):
            scope[name or LIST] = scope_of(operand)
        case tree.Pick(collect=collect):
            _scope(collect, scope)
        case tree.Not() | tree.Bound():
            pass
        case tree.And(parts=parts) | tree.Or(parts=parts) | tree.Sequence(parts=parts):
            for part in parts:
                _scope(part, scope)
        case tree.Within(operand=operand, source=source):
            _scope(operand, scope)
            if source is not None:
                _scope(source, scope)
        case tree.Subcontext(operand=operand, branch=branch, name=name):
            _scope(operand, scope)
            scope[name] = scope_of(branch.pattern)
        case _:
            _scope(pattern.operand, scope)


def twins(parts: tuple[tree.Pattern, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the names of the unnamed events of one stream in a chain of `and`, in order, for streams with several."""
    groups: dict[str, list[str]] = {}
    for part in parts:
        if isinstance(part, tree.Atom) and part.name and part.name.partition("#")[0] == part.stream:
            groups.setdefault(part.stream, []).append(part.name)
    return tuple(tuple(names) for names in groups.values() if len(names) > 1)


def units(parts: tuple[tree.Pattern, ...]) -> tuple[tuple[tree.Pattern, ...], ...]:
    """Return the parts of a sequence, each open part together with the part that follows it."""
    complete: list[tuple[tree.Pattern, ...]] = []
    begun: tuple[tree.Pattern, ...] = ()
    for part in parts:
        begun = (*begun, part)
        if not tree.is_open(part):
            complete.append(begun)
            begun = ()
    return (*complete, begun) if begun else tuple(complete)
