"""The page of mutants: the change of each, the rules that it contradicts, and the case that detects it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from parte.conformance.kit import KIT
from parte.conformance.mutants import Mutant
from parte.languages.language import Language
from parte.languages.registry import languages

_ROOM = (
    "One of `sound` has any room, unless it says otherwise: *in measured room* is what `sound` needs for the rates of "
    "the trace, where an error that costs room shows as a machine that blocks."
)
Table = Callable[[Sequence[str], Iterable[Sequence[str]]], str]


def mutants_page(table: Table) -> str:
    """Return the tables of the page, from the recorded results; a test runs each case on its mutant."""
    return "\n".join(_of(language, table) for language in languages())


def _of(language: Language, table: Table) -> str:
    every = language[KIT].mutants()
    surviving = [mutant for mutant in every if mutant.survives]
    counts = Counter(mutant.of for mutant in every)
    rows = [
        (
            f"`{mutant.name}`",
            _rules(mutant),
            "; ".join(mutant.sections),
            _description(mutant),
            _killer(mutant),
        )
        for mutant in every
    ]
    survivors = "".join(f"- `{mutant.name}`: {mutant.survives}\n" for mutant in surviving)
    return (
        f"## {language.name}\n\nThere are {len(every)}: "
        f"{', '.join(f'{count} of `{model}`' for model, count in counts.items())}. The suite kills "
        f"{len(every) - len(surviving)}.{' ' + _ROOM if any(mutant.circumstances for mutant in every) else ''}\n\n"
        + (f"### {language.name}: survivors\n\n{survivors}\n" if surviving else "")
        + table(("mutant", "rules", "decided by", "behaves like its model with …", "killed by"), rows)
    )


def _rules(mutant: Mutant) -> str:
    return ", ".join(f"`{rule}`" for rule in mutant.rules)


def _description(mutant: Mutant) -> str:
    return "; ".join((mutant.description, *mutant.circumstances))


def _killer(mutant: Mutant) -> str:
    return f"`{mutant.killer}`" if mutant.killer else "survives"
