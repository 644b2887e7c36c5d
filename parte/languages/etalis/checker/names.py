"""A check for names that look like misspellings of others (specification: etalis-names)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from parte.languages.etalis.checker.work import Work
from parte.languages.etalis.semantics.syntax import tree

SHORTEST = 4
"""The least length of names to compare; shorter names are similar anyway."""


def check_names(work: Work) -> None:
    """Report names that occur once, and differ by an insertion, an omission, another letter or two exchanged letters
    from a name that occurs elsewhere, with as many arguments. Two names in one rule are considered different."""
    places = list(_places(work.program))
    counts = Counter(event.name for _, event in places)
    together = {frozenset((first.name, second.name)) for r, first in places for s, second in places if r is s}
    derived_names = {rule.head.name for rule in work.program.rules}
    with work.deciding("names"):
        for rule, event in places:
            name = event.name
            if counts[name] > 1 or len(name) < SHORTEST:
                continue
            near = [
                candidate.name
                for _, candidate in places
                if candidate.name != name
                and len(candidate.arguments) == len(event.arguments)
                and len(candidate.name) >= SHORTEST
                and frozenset((name, candidate.name)) not in together
                and (counts[candidate.name] > 1 or (candidate.name in derived_names) != (name in derived_names))
                and is_near(name, candidate.name)
            ]
            if near:
                work.collector.find(
                    "similar-name",
                    event.span,
                    f"`{name}` stands here only; is `{near[0]}` meant?",
                    rule=work.called(rule),
                    reason=[
                        "no rule uses it"
                        if name in derived_names
                        else f"no rule makes `{name}`: it comes from the stream"
                    ],
                    hint="leave it if both are names of events",
                )


def _places(program: tree.Program) -> Iterator[tuple[tree.Rule, tree.EventPattern]]:
    for rule in program.rules:
        yield rule, rule.head
        yield from ((rule, node) for node in tree.within(rule.body) if isinstance(node, tree.EventPattern))


def is_near(short_name: str, long_name: str) -> bool:
    """Return whether one letter differs, is inserted or missing, or two neighbours are exchanged."""
    if len(short_name) > len(long_name):
        short_name, long_name = long_name, short_name
    place = next(
        (place for place, (a, b) in enumerate(zip(short_name, long_name, strict=False)) if a != b), len(short_name)
    )
    rest, long_rest = short_name[place:], long_name[place:]
    if len(short_name) < len(long_name):
        return rest == long_rest[1:]
    return rest[1:] == long_rest[1:] or (rest[:2] == long_rest[1::-1] and rest[2:] == long_rest[2:])
