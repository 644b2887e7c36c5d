"""The rulebook of a system: its inference rules by id, each with its section in the source and its function.

A *system* is a set of rules that are stated together (a calculus, a machine); its name qualifies the ids of its rules,
as in `PARTE/JOIN-LEFT`, so that one id names one rule everywhere: in a specification, at a function, in lemmas, cases,
mutants and reports. This module is independent of all languages; the modules with the rules fill a rulebook.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from types import ModuleType
from typing import Protocol, TypeVar

_ID = re.compile(r"[A-Z][A-Z0-9]*/[A-Z0-9]+(-[A-Z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Rule:
    """An inference rule: id, name, section of the source that states it, the models that have it, its function."""

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
        """The kind of node that the rule applies to; None if its system has no nodes or it is not about one."""
        return None

    @property
    def summary(self) -> str:
        """The first line of the function's docstring, or its whole first paragraph if that sentence goes on."""
        first, *others = (self.function.__doc__ or "").strip().split("\n\n")[0].splitlines()
        return first if first.endswith(".") else " ".join([first, *(line.strip() for line in others)])

    @property
    def location(self) -> str:
        """The module and first line of the function."""
        return f"{self.function.__module__}:{self.function.__code__.co_firstlineno}"


def local(identity: str) -> str:
    """Return the id of a rule without its system."""
    return identity.partition("/")[2]


class UnknownRule(KeyError):
    """No rule has that id; `near` are similar ids."""

    def __init__(self, identity: str, known: Iterable[str]) -> None:
        names: dict[str, list[str]] = {}
        for candidate in known:
            names.setdefault(candidate if "/" in identity else local(candidate), []).append(candidate)
        close = get_close_matches(identity, names, n=3, cutoff=0.4)
        self.near = tuple(similar for name in close for similar in names[name])
        super().__init__(f"no rule is called {identity!r}")

    def __str__(self) -> str:
        return str(self.args[0])


class AmbiguousRule(LookupError):
    """Rules of several systems, `ids`, have that name."""

    def __init__(self, identity: str, ids: Iterable[str]) -> None:
        self.ids = tuple(ids)
        super().__init__(f"rules of several systems are called {identity!r}")


_Rule = TypeVar("_Rule", bound=Rule)
_Function = TypeVar("_Function", bound=Callable[..., object])
_known: dict[str, Rule] = {}


class Rulebook(Mapping[str, _Rule]):
    """The rules of one system by id, in the order in which they were added. UnknownRule for another id."""

    def __init__(self, system: str) -> None:
        self.system = system
        self._rules: dict[str, _Rule] = {}

    def add(self, rule: _Rule) -> None:
        """Add a rule. ValueError if its id is of another system or taken, or if it has no docstring."""
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

    def __contains__(self, identity: object) -> bool:
        return identity in self._rules

    def __iter__(self) -> Iterator[str]:
        return iter(self._rules)

    def __len__(self) -> int:
        return len(self._rules)


def entering(rulebook: Rulebook[Rule], models: Iterable[str]) -> Callable[[str, str, str], Entering]:
    """Return the function that returns decorators: `rule(id, name, section)` enters a function into a rulebook, under
    an id without the system, with its name and section in the source. All models have these rules."""
    names = tuple(models)

    def rule(identity: str, name: str, section: str) -> Entering:
        def enter(function: _Function) -> _Function:
            rulebook.add(Rule(f"{rulebook.system}/{identity}", name, section, names, function))
            return function

        return enter

    return rule


class Entering(Protocol):
    """A decorator that enters a function into a rulebook, and returns it."""

    def __call__(self, function: _Function, /) -> _Function: ...


def entered(rulebook: Mapping[str, _Rule], *_: ModuleType) -> dict[str, _Rule]:
    """Return the rules of a rulebook by id, sorted. The arguments after it are modules with rules: importing them
    enters their rules."""
    return {identity: rulebook[identity] for identity in sorted(rulebook)}


def rule(identity: str) -> Rule:
    """Return the rule with a qualified id, of any imported system. Raise UnknownRule if there is none."""
    if identity not in _known:
        raise UnknownRule(identity, _known)
    return _known[identity]


def chosen(patterns: Iterable[str], rules: Iterable[_Rule]) -> tuple[_Rule, ...]:
    """Return the rules that match one of the patterns, in order; `*` stands for any text. No pattern: all rules.

    A pattern without a system is compared with ids without their systems. Raise UnknownRule for a pattern that matches
    no rule, AmbiguousRule for an id without a system that several systems have.
    """
    among = tuple(rules)
    wanted: set[str] = set()
    for pattern in patterns:
        matches = [rule.id for rule in among if fnmatchcase(rule.id if "/" in pattern else rule.local, pattern.upper())]
        if not matches:
            raise UnknownRule(pattern.upper(), [rule.id for rule in among])
        if len(matches) > 1 and "*" not in pattern:
            raise AmbiguousRule(pattern.upper(), matches)
        wanted.update(matches)
    return tuple(rule for rule in among if rule.id in wanted) if wanted else among
