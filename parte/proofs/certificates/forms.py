"""The rules that one pattern states (`forms.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from parte.proofs.certificates.reading import Tree, term, trees
from parte.proofs.certificates.rules import Unfounded, counted
from parte.proofs.certificates.terms import OPERATORS, IllFormed, Term


@dataclass(frozen=True, slots=True)
class Form:
    """A rule: the conclusion follows from premises and arguments that match these patterns."""

    premises: tuple[Tree, ...]
    arguments: tuple[Tree, ...]
    conclusion: Tree

    def __call__(self, premises: Sequence[Term], arguments: Sequence[Term]) -> Term:
        """The rule itself."""
        names: dict[str, Term] = {}
        for what, patterns, terms in (
            ("premise", self.premises, premises),
            ("argument", self.arguments, arguments),
        ):
            for pattern, found in zip(patterns, counted(terms, len(patterns), what), strict=True):
                if not _matches(pattern, found, meant := dict(names)):
                    known = "".join(f", where {name} = {one}" for name, one in names.items())
                    raise Unfounded(f"expected a {what} of the form {shown(pattern)}{known}, found {found}")
                names = meant
        return term(self.conclusion, names)


def _matches(pattern: Tree, found: Term, names: dict[str, Term]) -> bool:
    """Return whether a term matches a pattern. Add the names of the pattern that have no term yet to `names`."""
    if isinstance(pattern, list):
        operator, *inner = pattern
        if found.head != operator or operator not in OPERATORS or len(inner) != len(found.arguments):
            return False
        return all(_matches(part, argument, names) for part, argument in zip(inner, found.arguments, strict=True))
    try:
        return term(pattern, names) is found
    except IllFormed:
        names[pattern] = found
        return True


def shown(pattern: Tree) -> str:
    """A pattern as it is written."""
    return pattern if isinstance(pattern, str) else f"({' '.join(map(shown, pattern))})"


@cache
def forms() -> Mapping[str, Form]:
    """Every form by the name of its rule."""
    table = tomllib.loads(files(__package__).joinpath("forms.toml").read_text(encoding="utf-8"))
    return {name: _form(**entry) for name, entry in table.items()}


def _form(conclusion: str, premises: Sequence[str] = (), arguments: Sequence[str] = ()) -> Form:
    (stated,) = trees(conclusion)
    return Form(tuple(trees(" ".join(premises))), tuple(trees(" ".join(arguments))), stated)
