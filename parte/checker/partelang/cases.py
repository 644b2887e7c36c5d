"""Findings about the cases of a rule with alternatives, as findings about the rule (specification: alternative-cases).

Each case is checked by itself. That a part of the rule makes no difference is true of the rule if it is true of every
case that has the part; the other findings are true of the rule as they are, or name the case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from parte.checker.report.contents import Finding, Guarantee
from parte.checker.solver.verdict import Verdict
from parte.semantics.partelang.syntax import core
from parte.semantics.source.spans import Span

_OF_PARTS = {
    "contradictory-negation": "effective-negations",
    "useless-negation": "effective-negations",
    "redundant-constraint": "every-constraint-counts",
    "loose-constraint": "every-constraint-counts",
    "implied-condition": "every-condition-counts",
    "empty-set": "effective-sets",
    "useless-having": "effective-having",
}
"""The codes of findings about a part that makes no difference, with their guarantees."""

_Key = tuple[str, str, str, Span, str]
"""The rule of a finding, its code, its file and span, since spans do not compare their files, and its message."""

Cases = Mapping[str, Sequence[core.Rule]]
"""The cases of each rule that has several, by the name of each case."""


def several(program: core.Program) -> Cases:
    """Return the cases of the rules of a program that have more than one."""
    return {rule.name: cases for cases in core.cases_of(program.rules) if len(cases) > 1 for rule in cases}


def about_rules(findings: Iterable[Finding], cases: Cases) -> Iterator[Finding]:
    """Yield the findings, each once; those about a part only if they are true of all cases that have it."""
    listed = list(findings)
    by_part: dict[_Key, set[str]] = {}
    for finding in listed:
        by_part.setdefault(_key(finding), set()).add(finding.rule or "")
    yielded = set[_Key]()
    for finding in listed:
        own = cases.get(finding.rule or "", ())
        if not own:
            yield finding
            continue
        key = _key(finding)
        if finding.code in _OF_PARTS:
            if key in yielded or not {rule.name for rule in own if _has(rule, own, finding.span)} <= by_part[key]:
                continue
            finding = replace(finding, rule=own[0].reported, message=key[-1])
        elif key in yielded and finding.message == key[-1]:
            continue
        yielded.add(key)
        yield finding


def guaranteed(guarantees: Iterable[Guarantee], findings: Sequence[Finding], cases: Cases) -> Iterator[Guarantee]:
    """Yield the guarantees; those of a case about its parts have the verdict that the findings about the rule say."""
    for guarantee in guarantees:
        own = cases.get(guarantee.rule or "", ())
        if own and guarantee.name in _OF_PARTS.values() and guarantee.verdict is Verdict.REFUTED:
            verdicts = {
                finding.verdict
                for finding in findings
                if finding.rule == own[0].reported and _OF_PARTS.get(finding.code) == guarantee.name
            }
            if not verdicts:
                detail = "what makes no difference here makes one in another case"
                guarantee = replace(guarantee, verdict=Verdict.PROVED, detail=detail)
        yield guarantee


def _key(finding: Finding) -> _Key:
    name = finding.rule or ""
    reported = name.partition("[")[0]
    return (
        reported,
        finding.code,
        finding.span.file,
        finding.span,
        finding.message.replace(f"`{name}`", f"`{reported}`"),
    )


def _has(rule: core.Rule, cases: Sequence[core.Rule], span: Span) -> bool:
    """Return whether what stands at a place is in a case: in no alternative, or in one that the case has."""
    spans = {pattern.span for case in cases for pattern in case.patterns if pattern.span.file == span.file}
    own = {pattern.span for pattern in rule.patterns if pattern.span.file == span.file}
    return not any(neighbour.start <= span.start and span.end <= neighbour.end for neighbour in spans - own)
