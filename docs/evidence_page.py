"""The map of what is proved, explored and tested, from the catalogues of lemmas, theorems, schedules, cases, mutants.

A number is a count of entries of these catalogues; the tests run each entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from docs.heat_map import Cell, heat_map
from parte.checker.solver.verdict import Verdict
from parte.conformance.controls import every
from parte.conformance.coverage import coverage
from parte.conformance.engines.summary import REPORTS
from parte.conformance.kit import KIT
from parte.conformance.suites import load_suite
from parte.languages.language import Language
from parte.languages.partelang import PARTELANG
from parte.languages.registry import languages
from parte.proofs.facets import CONTROLS, LEMMAS, ROCQ
from parte.proofs.lemma import Lemma
from parte.proofs.partelang.exploration.catalogue import CATALOGUE
from parte.semantics.rulebook.listing import RULES

Table = Callable[[Sequence[str], Iterable[Sequence[str]]], str]
MOST_NAMES = 12
SOUND = "sound"
COLUMNS = ("in Rocq", "lemmas proved", "cases", "mutants")
"""Kinds of evidence about an inference rule: definitions and theorems, lemmas, cases in which it fires, mutants."""


def evidence_page(table: Table) -> str:
    """Return a table of the languages, and for each a map of its inference rules."""
    heads = ("language", "rules", "of these in Rocq", "lemmas proved", "explored", "cases", "mutants", "controls")
    return (
        f"## Languages\n\n{table((*heads, 'engines'), map(_language, languages()))}\n"
        "*Lemmas proved* are those about `sound`. *Explored* are programs and traces of which every schedule is run. "
        "*Controls* are faults in the code that the lemmas verify. *Engines* are those that ran the suite. "
        "A dash means that the language has none.\n"
        + "".join(f"\n## Rules of {language.name}\n\n{rules_map(language)}" for language in languages())
    )


def proved(language: Language) -> Sequence[Lemma]:
    """Return the lemmas that are expected to be proved about `sound`; the tests of the proofs check that they are."""
    lemmas = language[LEMMAS].lemmas if language.has(LEMMAS) else ()
    return [lemma for lemma in lemmas if lemma.expected.get(SOUND) is Verdict.PROVED]


def _language(language: Language) -> Sequence[str]:
    rules = language[RULES].rules
    stated = sum(any(language[ROCQ].about(rule)) for rule in rules) if language.has(ROCQ) else 0
    engines = len(list((language[KIT].recorded / REPORTS).glob("*.json")))
    numbers = (
        len(rules),
        stated,
        len(proved(language)),
        len(CATALOGUE) if language == PARTELANG else 0,
        len(load_suite(language).cases),
        len(language[KIT].mutants()),
        len(list(every(language))) if language.has(CONTROLS) else 0,
        engines,
    )
    return (language.name, *(f"{number:,}" if number else "–" for number in numbers))


def rules_map(language: Language) -> str:
    """Return the map of the inference rules of a language; the box of a cell has the names that it counts."""
    rows = ((rule, [_cell(names) for names in kinds]) for rule, kinds in evidence(language))
    caption = f"Evidence about each inference rule of {language.name}. A cell shows the names that it counts."
    return heat_map(f"rules-{language.name.lower()}", caption, ("rule", *COLUMNS), rows)


def evidence(language: Language) -> Iterator[tuple[str, Sequence[Sequence[str]]]]:
    """Yield each inference rule with the names of its evidence of every kind in `COLUMNS`."""
    covered = coverage(load_suite(language), language).rules
    for rule in language[RULES].rules:
        about = language[ROCQ].about(rule) if language.has(ROCQ) else ((), ())
        yield (
            rule,
            (
                [statement.name for statements in about for statement in statements],
                [lemma.id for lemma in proved(language) if rule in lemma.rules],
                covered.get(rule, ()),
                [mutant.name for mutant in language[KIT].mutants() if rule in mutant.rules],
            ),
        )


def _cell(names: Sequence[str]) -> Cell:
    more = [f"and {len(names) - MOST_NAMES:,} more"] if len(names) > MOST_NAMES else []
    return Cell(f"{len(names):,}" if names else "–", 1 if names else None, [*names[:MOST_NAMES], *more])
