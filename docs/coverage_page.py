"""The page of the coverage of all suites, from the cases and their measurements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from parte.conformance.coverage import codes_of, coverage
from parte.conformance.fixtures import BY_HAND, Fixture, Suite
from parte.conformance.kit import KIT
from parte.conformance.suites import load_suite
from parte.languages.language import Language
from parte.languages.registry import languages

Table = Callable[[Sequence[str], Iterable[Sequence[str]]], str]


def coverage_page(table: Table) -> str:
    """Return the tables of the page for every language; `table` writes one in Markdown."""
    return "\n".join(_suite(language, table) for language in languages())


def _suite(language: Language, table: Table) -> str:
    suite = load_suite(language)
    covered = coverage(suite, language)
    numbers = {rule: str(number) for number, rule in enumerate(covered.rules, 1)}
    areas = Counter(id_.split("/")[0] for id_ in suite.cases)
    profiles = Counter(case.profile for case in suite.cases.values())
    origins = Counter(map(_origin, suite.cases.values()))
    rules = [
        (
            numbers[rule],
            f"`{rule}`",
            str(len(cases)),
            _example(cases) if cases else covered.unreachable.get(rule, "none"),
        )
        for rule, cases in covered.rules.items()
    ]
    codes = [(f"`{code}`", str(len(cases)), _example(cases)) for code, cases in covered.codes.items()]
    return (
        f"## {language.name}\n\nSuite {suite.version}: {len(suite.cases)} cases. By profile: "
        f"{_counted({name: profiles[name] for name in language[KIT].profiles})}. By area: {_counted(areas)}. "
        f"By origin: {_counted(origins)}.\n\n### {language.name}: rules\n\n"
        + table(("", "rule", "cases", "for example"), rules)
        + f"\n### {language.name}: diagnostic codes\n\n"
        + table(("code", "cases", "for example"), codes)
        + f"\n### {language.name}: case by case\n\nRules by their numbers above.\n\n"
        + table(("case", "profile", "rules and codes"), _cases(suite, numbers))
    )


def _origin(case: Fixture) -> str:
    """Return the origin of a case, without the seed."""
    return "written by hand" if case.origin == BY_HAND else case.origin.replace(",", " ").split()[0]


def _example(cases: Sequence[str]) -> str:
    return f"`{min(cases, key=lambda case: (case.split('/')[0] in ('breadth', 'laws'), len(case), case))}`"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def _cases(suite: Suite, numbers: Mapping[str, str]) -> Iterable[Sequence[str]]:
    for case in suite.cases.values():
        exercised = [" ".join(numbers[rule] for rule in case.rules), *(f"`{code}`" for code in codes_of(case))]
        yield f"`{case.id}`", case.profile, ", ".join(part for part in exercised if part)
