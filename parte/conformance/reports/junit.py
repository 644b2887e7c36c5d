"""A report as JUnit XML for build servers: a test suite for each engine and profile, a test for each case."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from xml.etree import ElementTree

from parte.conformance.reports.wording import details, heading
from parte.conformance.results import CaseVerdict, Report, Result

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot contain, not even escaped; an engine may have sent any."""


def junit(report: Report, title: str = "", lines: Callable[[Result], Iterable[str]] = details) -> str:
    """Return the XML: failures as `failure`, errors and timeouts as `error`, unsupported cases and known failures as
    `skipped`. `lines` returns the details of a result; without a title the report is of a suite of the kit."""
    root = ElementTree.Element("testsuites", name=_clean(title or f"PARTE conformance, {heading(report)}"))
    for engine in report.engines:
        for profile in report.profiles():
            chosen = [result for result in report.of(engine.label) if result.profile == profile]
            if chosen:
                _suite(root, f"{engine.label}.{profile}", chosen, lines)
    for attribute in ("tests", "failures", "errors", "skipped"):
        root.set(attribute, str(sum(int(child.get(attribute, "0")) for child in root)))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _suite(
    root: ElementTree.Element, name: str, results: list[Result], lines: Callable[[Result], Iterable[str]]
) -> None:
    suite = ElementTree.SubElement(root, "testsuite", name=_clean(name))
    counts = {"tests": len(results), "failures": 0, "errors": 0, "skipped": 0}
    for result in results:
        case = ElementTree.SubElement(
            suite, "testcase", name=_clean(result.case), classname=_clean(name), time=f"{result.seconds:.4f}"
        )
        kind = _kind(result)
        if kind is not None:
            counts[{"failure": "failures", "error": "errors", "skipped": "skipped"}[kind]] += 1
            reason = result.message or result.verdict.value
            outcome = ElementTree.SubElement(case, kind, message=_clean(f"known: {reason}" if result.known else reason))
            outcome.text = _clean("\n".join((result.description, *lines(result))))
        if result.stderr:
            ElementTree.SubElement(case, "system-err").text = _clean(result.stderr)
    for key, count in counts.items():
        suite.set(key, str(count))
    suite.set("time", f"{sum(result.seconds for result in results):.4f}")


def _kind(result: Result) -> str | None:
    if result.verdict is CaseVerdict.PASS:
        return None
    if result.known or result.verdict is CaseVerdict.UNSUPPORTED:
        return "skipped"
    return "failure" if result.verdict is CaseVerdict.FAIL else "error"


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
