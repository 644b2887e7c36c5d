"""The number of passing cases, as a small SVG picture, and as the JSON that badge services read."""

from __future__ import annotations

import json
from collections import Counter
from html import escape

from parte.conformance.results import CaseVerdict, Report
from parte.semantics.source.diagnostics import printable

_HEIGHT, _PADDING, _CHARACTER = 22, 8, 6.6
_GOOD, _PARTLY, _BAD, _NONE = _COLOURS = ("#2e7d32", "#8a6d00", "#b3261e", "#5f6368")
"""From good to bad; the last one stands for unknown."""


def badge(report: Report) -> str:
    """Return a picture with one line for each engine: its own name, and how many of the cases that it supports pass."""
    rows = _rows(report)
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


def shields(report: Report) -> str:
    """Return the endpoint schema of shields.io: one badge, whose colour is that of the worst engine of several."""
    rows = _rows(report)
    worst = max((colour for _, _, colour in rows), key=_COLOURS.index, default=_NONE)
    if len(rows) == 1:
        label, message = f"PARTE · {rows[0][0]}", rows[0][1]
    else:
        label, message = "PARTE", "; ".join(f"{name}: {text}" for name, text, _ in rows) or "no engines"
    content = {"schemaVersion": 1, "label": label, "message": message, "color": worst, "isError": worst == _NONE}
    return json.dumps(content, ensure_ascii=False, indent=2).replace("<", "\\u003c") + "\n"  # it may stand in a page


def _rows(report: Report) -> list[tuple[str, str, str]]:
    """Return three values for each engine: its own name, with its label where several engines have the same name or it
    has none; the number of passing cases; and the colour for it."""
    names = Counter(engine.name for engine in report.engines)
    rows = []
    for engine in report.engines:
        name = engine.name or engine.label
        unique_name = name if names[engine.name] == 1 or name == engine.label else f"{name} ({engine.label})"
        rows.append((printable(unique_name)[:40], *_verdict(report, engine.label)))
    return rows


def _text(x: float, top: int, room: float, text: str, *, fit: str) -> str:
    # With an explicit length the text stays in its box in every font.
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
