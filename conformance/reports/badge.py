"""A small SVG picture that says how many cases pass."""

from __future__ import annotations

from html import escape

from parte.conformance.results import CaseVerdict, Report
from parte.semantics.source.diagnostics import printable

_HEIGHT, _PADDING, _CHARACTER = 22, 8, 6.6
_GOOD, _PARTLY, _BAD, _NONE = "#2e7d32", "#8a6d00", "#b3261e", "#5f6368"


def badge(report: Report) -> str:
    """One line for each engine: its label, and how many of the cases that it supports pass."""
    rows = [(printable(engine.label)[:40], *_verdict(report, engine.label)) for engine in report.engines]
    left = max((_width(f"PARTE · {label}") for label, _, _ in rows), default=0.0)
    right = max((_width(text) for _, text, _ in rows), default=0.0)
    width, height = left + right, _HEIGHT * max(1, len(rows))
    title = "; ".join(f"PARTE conformance of {label}: {text}" for label, text, _ in rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
        f'viewBox="0 0 {width:.0f} {height}" role="img" aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title>",
        f'<clipPath id="r"><rect width="{width:.0f}" height="{height}" rx="4"/></clipPath>',
        '<g clip-path="url(#r)" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11" fill="#fff">',
    ]
    for number, (label, text, colour) in enumerate(rows):
        top = number * _HEIGHT
        parts += [
            f'<rect y="{top}" width="{left:.0f}" height="{_HEIGHT}" fill="#3c4043"/>',
            f'<rect x="{left:.0f}" y="{top}" width="{right:.0f}" height="{_HEIGHT}" fill="{colour}"/>',
            _text(_PADDING, top, left - 2 * _PADDING, f"PARTE · {label}", fit=f"PARTE · {label}"),
            _text(left + _PADDING, top, right - 2 * _PADDING, text, fit=text),
        ]
    return "\n".join([*parts, "</g>", "</svg>"]) + "\n"


def _text(x: float, top: int, room: float, text: str, *, fit: str) -> str:
    # With a length given, no font makes the text leave its box.
    length = min(room, len(fit) * _CHARACTER)
    place = f'x="{x:.0f}" y="{top + 15}" textLength="{length:.0f}" lengthAdjust="spacingAndGlyphs"'
    return f"<text {place}>{escape(text)}</text>"


def _width(text: str) -> float:
    return len(text) * _CHARACTER + 2 * _PADDING


def _verdict(report: Report, engine: str) -> tuple[str, str]:
    counts = report.counts(engine)
    total = sum(counts.values())
    passed, unsupported = counts[CaseVerdict.PASS], counts[CaseVerdict.UNSUPPORTED]
    if not total or not report.complete:
        return "incomplete", _NONE
    text = f"{passed}/{total} pass" + (f", {unsupported} unsupported" if unsupported else "")
    if passed == total:
        return text, _GOOD
    return text, _PARTLY if passed + unsupported == total else _BAD
