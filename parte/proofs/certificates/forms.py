"""The rules that a single pattern states (`forms.toml`)."""

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
    """A rule: from premises of these patterns, for arguments of these patterns, follows the conclusion."""

    premises: tuple[Tree, ...]
    arguments: tuple[Tree, ...]
    conclusion: Tree

    def __call__(self, premises: Sequence[Term], arguments: Sequence[Term]) -> Term:
        """Apply the rule."""
        names: dict[str, Term] = {}
        for what, patterns, terms in (
            ("premise", self.premises, premises),
            ("argument", self.arguments, arguments),
        ):
            for pattern, actual in zip(patterns, counted(terms, len(patterns), what), strict=True):
                if not _matches(pattern, actual, meant := dict(names)):
                    known = "".join(f", where {name} = {value}" for name, value in names.items())
                    raise Unfounded(f"expected a {what} of the form {pattern_text(pattern)}{known}, found {actual}")
                names = meant
        return term(self.conclusion, names)


def _matches(pattern: Tree, actual: Term, names: dict[str, Term]) -> bool:
    """Return whether a term has a form. Bind names in the pattern that have no term yet."""
    if isinstance(pattern, list):
        operator, *inner = pattern
        if actual.head != operator or operator not in OPERATORS or len(inner) != len(actual.arguments):
            return False
        return all(_matches(part, argument, names) for part, argument in zip(inner, actual.arguments, strict=True))
    try:
        return term(pattern, names) is actual
    except IllFormed:
        names[pattern] = actual
        return True


def pattern_text(pattern: Tree) -> str:
    """Return a pattern as it is written."""
    return pattern if isinstance(pattern, str) else f"({' '.join(map(pattern_text, pattern))})"


@cache
def forms() -> Mapping[str, Form]:
    """Return the forms by the names of their rules."""
    table = tomllib.loads(files(__package__).joinpath("forms.toml").read_text(encoding="utf-8"))
    return {name: _form(**entry) for name, entry in table.items()}


def _form(conclusion: str, premises: Sequence[str] = (), arguments: Sequence[str] = ()) -> Form:
    (stated,) = trees(conclusion)
    return Form(tuple(trees(" ".join(premises))), tuple(trees(" ".join(arguments))), stated)
