"""The meaning of patterns with wildcards (specification: function-like)."""

from __future__ import annotations

from collections.abc import Sequence

from parte.semantics.source.wildcards import ONE, Segment


def is_like(text: str, parts: Sequence[Segment]) -> bool:
    """Return whether a text matches a pattern, by the ends of the parts of the text that its beginnings match.

    Any text lies between two segments of the pattern.
    """
    ends = {0}
    for place, segment in enumerate(parts):
        if place > 0 and ends:
            ends = set(range(min(ends), len(text) + 1))
        for item in segment:
            ends = {end + 1 for end in ends if end < len(text) and item in (ONE, text[end])}
    return len(text) in ends
