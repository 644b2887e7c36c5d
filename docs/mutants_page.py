"""The page of mutants: what each does, which rules it contradicts, and the case of the suite that tells it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from parte.conformance.mutants import Mutant
from parte.conformance.parte.mutants import mutants

Table = Callable[[Sequence[str], Iterable[Sequence[str]]], str]


def mutants_page(notice: str, table: Table) -> str:
    """The page, with tables as the other pages have them. The cases were measured; a test puts each to its mutant."""
    every = mutants()
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
        f"# Mutants\n\n{notice}\n\nModels that err in one way each. The suite must tell every one of them from the "
        f"model that it was made of; `parte suite mutants` puts it to them. There are {len(every)}: "
        f"{counts['sound']} of `sound`, {counts['algebra']} of the algebra. The suite kills "
        f"{len(every) - len(surviving)}.\n\n"
        "A mutant behaves like its model with what its description says. Of the rules that it contradicts the first is "
        "the one that reports name. One of `sound` has any room, unless it says otherwise: *in measured room* is what "
        "`sound` needs for the rates of the trace, where an error that costs room shows as a machine that blocks.\n\n"
        + (f"## Survivors\n\n{survivors}\n" if surviving else "")
        + "## All mutants\n\n"
        + table(("mutant", "rules", "decided by", "behaves like its model with …", "killed by"), rows)
    )


def _rules(mutant: Mutant) -> str:
    return ", ".join(f"`{rule}`" for rule in mutant.rules)


def _description(mutant: Mutant) -> str:
    return "; ".join((mutant.description, *mutant.circumstances))


def _killer(mutant: Mutant) -> str:
    return f"`{mutant.killer}`" if mutant.killer else "survives"
