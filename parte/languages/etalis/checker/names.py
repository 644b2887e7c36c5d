"""Names that look like a slip for another (specification: etalis-names)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from parte.languages.etalis.checker.work import Work
from parte.languages.etalis.semantics.syntax import tree

SHORTEST = 4
"""Shorter names are near to each other anyway."""


def check_names(work: Work) -> None:
    """Find names that stand once, and are an insertion, an omission, another letter or two exchanged ones away from a
    name that stands elsewhere, with as many arguments. Names that one rule has together are told apart."""
    places = list(_places(work.program))
    counts = Counter(event.name for _, event in places)
    together = {frozenset((one.name, other.name)) for r, one in places for s, other in places if r is s}
    made = {rule.head.name for rule in work.program.rules}
    with work.deciding("names"):
        for rule, event in places:
            name = event.name
            if counts[name] > 1 or len(name) < SHORTEST:
                continue
            near = [
                other.name
                for _, other in places
                if other.name != name
                and len(other.arguments) == len(event.arguments)
                and len(other.name) >= SHORTEST
                and frozenset((name, other.name)) not in together
                and (counts[other.name] > 1 or (other.name in made) != (name in made))
                and is_near(name, other.name)
            ]
            if near:
                work.found.find(
                    "similar-name",
                    event.span,
                    f"`{name}` stands here only; is `{near[0]}` meant?",
                    rule=work.called(rule),
                    reason=["no rule uses it" if name in made else f"no rule makes `{name}`: it comes from the stream"],
                    hint="leave it if both are names of events",
                )


def _places(program: tree.Program) -> Iterator[tuple[tree.Rule, tree.EventPattern]]:
    for rule in program.rules:
        yield rule, rule.head
        yield from ((rule, node) for node in tree.within(rule.body) if isinstance(node, tree.EventPattern))


def is_near(one: str, other: str) -> bool:
    """One letter is another, is too much or missing, or two neighbours are exchanged."""
    if len(one) > len(other):
        one, other = other, one
    place = next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
    rest, longer = one[place:], other[place:]
    if len(one) < len(other):
        return rest == longer[1:]
    return rest[1:] == longer[1:] or (rest[:2] == longer[1::-1] and rest[2:] == longer[2:])
