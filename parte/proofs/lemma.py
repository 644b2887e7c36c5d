"""Lemmas: their statements, and the expectations about each before a solver runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from types import ModuleType

from parte.checker.solver.verdict import Verdict
from parte.proofs.mutation import Mutant
from parte.proofs.symbolic import Body
from parte.semantics.rulebook.models import Model
from parte.semantics.rulebook.registry import rule

SOUND, PUBLISHED, RUDIMENTARY = "sound", "published", "rudimentary"
MODELS = (SOUND, PUBLISHED, RUDIMENTARY)

UNBOUNDED = "unbounded"
"""The scope of a lemma about all times, histories and streams."""


@dataclass(frozen=True, slots=True)
class Lemma:
    """A lemma: one obligation for the solver.

    `statement` is one English sentence and `section` the place of D's argument for it. `scope` describes its range;
    `expected` has, for each model in which it is stated, the expected verdict. `defects` are those of `published`
    (docs/defects.md) that a refutation shows: with the repairs of all of them the lemma holds, with one left out it
    does not. `mutant` breaks it in `home`; a statement that is refuted there has none.
    """

    id: str
    statement: str
    section: str
    rules: tuple[str, ...]
    scope: str
    body: Body
    mutant: Mutant | None
    expected: Mapping[str, Verdict]
    defects: tuple[int, ...] = ()
    note: str = field(default="")

    def __post_init__(self) -> None:
        for identity in self.rules:
            rule(identity)  # raises UnknownRule if there is none
        if self.expected[self.home] is Verdict.PROVED and self.mutant is None:
            raise ValueError(f"{self.id} needs a mutant")

    @property
    def home(self) -> str:
        """The main model of the lemma: the first of `MODELS` in which it is stated."""
        return next(model for model in MODELS if model in self.expected)


HOLDS: Mapping[str, Verdict] = {SOUND: Verdict.PROVED, PUBLISHED: Verdict.PROVED}
REPAIRED: Mapping[str, Verdict] = {SOUND: Verdict.PROVED, PUBLISHED: Verdict.REFUTED}
IN_SOUND: Mapping[str, Verdict] = {SOUND: Verdict.PROVED}
FALSE: Mapping[str, Verdict] = {SOUND: Verdict.REFUTED, PUBLISHED: Verdict.REFUTED}


# --- All lemmas of a language -----------------------------------------------------------------------------------------


class UnknownLemma(LookupError):
    """No lemma has that id."""

    def __init__(self, identity: str, known: Iterable[str]) -> None:
        near = get_close_matches(identity, list(known), n=3, cutoff=0.4)
        super().__init__(f"no lemma is called {identity!r}" + (f"; near it: {', '.join(near)}" if near else ""))


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The lemmas of a language in their order, and their models by name."""

    lemmas: Sequence[Lemma]
    models: Mapping[str, Model]

    @classmethod
    def of(cls, models: Mapping[str, Model], *theorems: ModuleType) -> Catalogue:
        """Return the lemmas that modules have as their `LEMMAS`, in this order."""
        return cls(tuple(lemma for module in theorems for lemma in module.LEMMAS), models)

    def chosen(self, names: Iterable[str]) -> tuple[Lemma, ...]:
        """Return the lemmas with these ids, in their order; `*` stands for any text. No ids: all lemmas.

        Raise UnknownLemma for an id that no lemma has.
        """
        patterns = tuple(names)
        for pattern in patterns:
            if not any(fnmatchcase(lemma.id, pattern) for lemma in self.lemmas):
                raise UnknownLemma(pattern, (lemma.id for lemma in self.lemmas))
        return tuple(
            lemma
            for lemma in self.lemmas
            if not patterns or any(fnmatchcase(lemma.id, pattern) for pattern in patterns)
        )

    def refuting(self, ids: Collection[str]) -> Catalogue:
        """Return the lemmas about `sound` with their expected verdicts, except that these must be refuted.

        Raise UnknownLemma for an id that no lemma about `sound` has.
        """
        about = [lemma for lemma in self.lemmas if SOUND in lemma.expected]
        if unknown := sorted(set(ids) - {lemma.id for lemma in about}):
            raise UnknownLemma(unknown[0], (lemma.id for lemma in about))
        changed = (replace(lemma, expected={SOUND: Verdict.REFUTED}) if lemma.id in ids else lemma for lemma in about)
        return Catalogue(tuple(changed), self.models)

    def lacking(self, names: Collection[str]) -> Catalogue:
        """Return the same lemmas about models without some repairs, but with those without which nothing runs."""
        models = self.models.items()
        return replace(
            self, models={name: model.without(*set(names) - model.declaration.NEEDED) for name, model in models}
        )
