"""The axis of a timeline: where a time lies, and the times along the top; and what stands to the left of a row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Generic, TypeVar

from parte.drawing.svg import escaped, number, shortened

Time = TypeVar("Time", bound=int | Fraction)

WIDTH, LABELS, PAD = 1080, 352, 40
"""Of the drawing, of what stands to the left of it, and around it."""
NARROW, NARROW_PAD = 300, 16
"""Of a fluid drawing at its least, and around it; what stands to the left otherwise stands above."""
CHARACTER = 6.7
"""How wide a character is."""
TICKS = 6
_LABEL_CHARACTERS = 51


@dataclass(frozen=True, slots=True)
class Axis(Generic[Time]):
    """From when to when it goes, how a time is written, and times that divide it into so many parts.

    A fluid one is as wide as the page lets it be: `x` is a place at its least width, `at` and `span` are in per cent.
    """

    first: Time
    last: Time
    text: Callable[[Time], str]
    divided: Callable[[int], Iterable[Time]]
    fluid: bool = False

    @property
    def width(self) -> float:
        """The width of the drawing."""
        return NARROW if self.fluid else WIDTH

    def x(self, time: int | Fraction) -> float:
        """Where a time lies; times beyond the axis lie at its ends."""
        start, pad = (0, NARROW_PAD) if self.fluid else (LABELS, PAD)
        return start + pad + self._part(time) * (self.width - start - 2 * pad)

    def at(self, time: int | Fraction) -> str:
        """The same as an attribute."""
        return self._share(self.x(time))

    def span(self, start: int | Fraction, end: int | Fraction, least: float) -> str:
        """The length from a time to another as an attribute."""
        return self._share(max(least, self.x(end) - self.x(start)))

    def _share(self, length: float) -> str:
        return f"{number(100 * length / self.width, 2)}%" if self.fluid else number(length)

    def _part(self, time: int | Fraction) -> float:
        first, last = Fraction(self.first), Fraction(self.last)
        return float((min(max(Fraction(time), first), last) - first) / (last - first))

    def drawn(self, bottom: float) -> Iterator[str]:
        """Times along the top, with a line down from each."""
        for time, middle, text in self._ticks():
            x = self.at(time)
            yield f'<line class="tick" x1="{x}" x2="{x}" y1="22" y2="{number(bottom)}"/>'
            yield f'<text class="axis" x="{self._share(middle)}" y="14" text-anchor="middle">{escaped(text)}</text>'

    def _ticks(self) -> Sequence[tuple[Time, float, str]]:
        """Times with their labels and where the middle of these lies: as many as do not touch each other."""
        for count in range(TICKS, 0, -1):
            ticks = []
            for time in dict.fromkeys(self.divided(count)):
                text = self.text(time)
                half = len(text) * CHARACTER / 2
                ticks.append((time, max(half * self.fluid, min(self.x(time), self.width - half)), text, half))
            if all(
                right - right_half - left - left_half >= CHARACTER
                for (_, left, _, left_half), (_, right, _, right_half) in pairwise(ticks)
            ):
                break
        return [(time, middle, text) for time, middle, text, _ in ticks]


def label(text: str, y: float, css: str = "") -> str:
    """What stands to the left of a lane or row, in full where the pointer rests on it."""
    shown = escaped(shortened(text, _LABEL_CHARACTERS))
    name = f' class="{css}"' if css else ""
    return f'<text{name} x="8" y="{number(y)}"><title>{escaped(text)}</title>{shown}</text>'
