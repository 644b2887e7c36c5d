"""The rulebook of a system: its inference rules by id, each with what links it to its source and to the code.

A *system* is a set of rules that are stated together (a calculus, a machine); its name qualifies the ids of its rules,
as in `PARTE/JOIN-LEFT`, so that one id names one rule wherever it stands: in a specification, at a function, in lemmas,
cases, mutants and reports. This module knows no language; a rulebook is filled by the modules that hold its rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TypeVar

_ID = re.compile(r"[A-Z][A-Z0-9]*/[A-Z0-9]+(-[A-Z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Rule:
    """An inference rule: its name, its place in the text that states it, the models that have it, and its code."""

    id: str
    name: str
    section: str
    models: tuple[str, ...]
    function: Callable[..., object]

    @property
    def local(self) -> str:
        """The id without the system."""
        return local(self.id)

    @property
    def node(self) -> str | None:
        """The kind of node that asks for it; None if its system has no nodes, or the rule is not about one."""
        return None

    @property
    def summary(self) -> str:
        """The first line of the function's documentation, or all of its first sentences where that goes on."""
        first, *others = (self.function.__doc__ or "").strip().split("\n\n")[0].splitlines()
        return first if first.endswith(".") else " ".join([first, *(line.strip() for line in others)])

    @property
    def location(self) -> str:
        """The place of the function: module and first line."""
        return f"{self.function.__module__}:{self.function.__code__.co_firstlineno}"


def local(identity: str) -> str:
    """The id of a rule without the system that qualifies it."""
    return identity.partition("/")[2]


class UnknownRule(KeyError):
    """No rule has that id; `near` are ids that look like it."""

    def __init__(self, asked: str, known: Iterable[str]) -> None:
        names: dict[str, list[str]] = {}
        for one in known:
            names.setdefault(one if "/" in asked else local(one), []).append(one)
        close = get_close_matches(asked, names, n=3, cutoff=0.4)
        self.near = tuple(one for name in close for one in names[name])
        super().__init__(f"no rule is called {asked!r}")

    def __str__(self) -> str:
        return str(self.args[0])


class AmbiguousRule(LookupError):
    """Rules of several systems, `ids`, have that name."""

    def __init__(self, asked: str, ids: Iterable[str]) -> None:
        self.ids = tuple(ids)
        super().__init__(f"rules of several systems are called {asked!r}")


_Rule = TypeVar("_Rule", bound=Rule)
_known: dict[str, Rule] = {}


class Rulebook(Mapping[str, _Rule]):
    """The rules of one system by their ids, in the order in which they were added. UnknownRule for another id."""

    def __init__(self, system: str) -> None:
        self.system = system
        self._rules: dict[str, _Rule] = {}

    def add(self, rule: _Rule) -> None:
        """Add a rule. ValueError for an id that is not of this system or is taken, and for want of a docstring."""
        if not _ID.fullmatch(rule.id) or not rule.id.startswith(f"{self.system}/"):
            raise ValueError(f"expected an id of the form {self.system}/NAME-OF-RULE, found {rule.id}")
        if rule.id in _known:
            raise ValueError(f"there is a rule {rule.id} already")
        if not (rule.function.__doc__ or "").strip():
            raise ValueError(f"rule {rule.id} needs a docstring")
        self._rules[rule.id] = _known[rule.id] = rule

    def __getitem__(self, identity: str) -> _Rule:
        if identity not in self._rules:
            raise UnknownRule(identity, self._rules)
        return self._rules[identity]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rules)

    def __len__(self) -> int:
        return len(self._rules)


def rule(identity: str) -> Rule:
    """The rule with a qualified id, of whichever system. UnknownRule if none that is imported has it."""
    if identity not in _known:
        raise UnknownRule(identity, _known)
    return _known[identity]


def chosen(patterns: Iterable[str], rules: Iterable[_Rule]) -> tuple[_Rule, ...]:
    """Return the rules that patterns name, in order, where `*` stands for anything; all for no pattern.

    A pattern without a system is compared with the ids without theirs. UnknownRule for one that names none,
    AmbiguousRule for an id without a system that several systems have.
    """
    among = tuple(rules)
    wanted: set[str] = set()
    for pattern in patterns:
        found = [one.id for one in among if fnmatchcase(one.id if "/" in pattern else one.local, pattern.upper())]
        if not found:
            raise UnknownRule(pattern.upper(), [one.id for one in among])
        if len(found) > 1 and "*" not in pattern:
            raise AmbiguousRule(pattern.upper(), found)
        wanted.update(found)
    return tuple(one for one in among if one.id in wanted) if wanted else among
