"""The page of what the suite covers, from the cases and what was measured of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from parte.conformance.coverage import codes_of, coverage
from parte.conformance.fixtures import BY_HAND, Suite
from parte.conformance.parte.language import PARTELANG
from parte.conformance.suites import load_suite

Table = Callable[[Sequence[str], Iterable[Sequence[str]]], str]


def coverage_page(notice: str, table: Table) -> str:
    """The page, with tables as the other pages have them."""
    suite = load_suite(PARTELANG)
    found = coverage(suite, PARTELANG)
    numbers = {rule: str(number) for number, rule in enumerate(found.rules, 1)}
    areas = Counter(id_.split("/")[0] for id_ in suite.cases)
    profiles = Counter(case.profile for case in suite.cases.values())
    origins = Counter(
        "written by hand" if c.origin == BY_HAND else c.origin.split(" ")[0] for c in suite.cases.values()
    )
    rules = [
        (numbers[rule], f"`{rule}`", str(len(cases)), _example(cases) if cases else found.unreachable.get(rule, "none"))
        for rule, cases in found.rules.items()
    ]
    codes = [(f"`{code}`", str(len(cases)), _example(cases)) for code, cases in found.codes.items()]
    return (
        f"# What the suite covers\n\n{notice} The rules are those that fire in the sound machine; the lint "
        f"of the suite measures them again.\n\nSuite {suite.version}: {len(suite.cases)} cases. By profile: "
        f"{_counted({name: profiles[name] for name in PARTELANG.profiles})}. By area: {_counted(areas)}. By origin: "
        f"{_counted(origins)}.\n\n## Inference rules\n\n"
        + table(("", "rule", "cases", "for example"), rules)
        + "\n## Diagnostic codes\n\n"
        + table(("code", "cases", "for example"), codes)
        + "\n## Case by case\n\nRules by their numbers above.\n\n"
        + table(("case", "profile", "rules and codes"), _cases(suite, numbers))
    )


def _example(cases: Sequence[str]) -> str:
    return f"`{min(cases, key=lambda case: (case.split('/')[0] in ('breadth', 'laws'), len(case), case))}`"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def _cases(suite: Suite, numbers: Mapping[str, str]) -> Iterable[Sequence[str]]:
    for case in suite.cases.values():
        shown = [" ".join(numbers[rule] for rule in case.rules), *(f"`{code}`" for code in codes_of(case))]
        yield f"`{case.id}`", case.profile, ", ".join(part for part in shown if part)
