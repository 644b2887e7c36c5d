"""The machine's evaluation of patterns with wildcards (specification: function-like)."""

from __future__ import annotations

from collections.abc import Sequence

from parte.semantics.source.wildcards import ONE, Segment


def is_like(text: str, parts: Sequence[Segment]) -> bool:
    """Return whether the segments of a pattern occur in a text in this order: each as early as possible."""
    first, *others = parts
    if not others:
        return len(text) == len(first) and _stands(first, text, 0)
    *inner, last = others
    end = len(text) - len(last)
    position = len(first)
    if end < position or not _stands(first, text, 0) or not _stands(last, text, end):
        return False
    for segment in inner:
        while position + len(segment) <= end and not _stands(segment, text, position):
            position += 1
        position += len(segment)
        if position > end:
            return False
    return True


def _stands(segment: Segment, text: str, position: int) -> bool:
    return all(item is ONE or item == text[position + place] for place, item in enumerate(segment))
