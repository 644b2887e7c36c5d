"""The axis of a timeline: the positions of times, the times along the top, and the labels to the left of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Generic, TypeVar

from parte.drawing.svg import escaped, number, shortened

Time = TypeVar("Time", bound=int | Fraction)

WIDTH, LABELS, PAD = 1080, 352, 40
"""Widths: of the drawing, of the labels to the left of it, and of the space around it."""
NARROW, NARROW_PAD = 300, 16
"""Widths of a fluid drawing: the least one, and the space around it. Its labels stand above instead of to the left."""
CHARACTER = 6.7
"""The width of a character."""
TICKS = 6
_LABEL_CHARACTERS = 51


@dataclass(frozen=True, slots=True)
class Axis(Generic[Time]):
    """An axis: its first and last time, the text of a time, and times that divide it into a number of parts.

    A fluid axis is as wide as the page allows: `x` is a place at its least width, `at` and `span` are in per cent.
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
        """Return the position of a time; times beyond the axis are at its ends."""
        start, pad = (0, NARROW_PAD) if self.fluid else (LABELS, PAD)
        return start + pad + self._part(time) * (self.width - start - 2 * pad)

    def at(self, time: int | Fraction) -> str:
        """Return the position of a time as an attribute."""
        return self._share(self.x(time))

    def span(self, start: int | Fraction, end: int | Fraction, least: float) -> str:
        """Return the length from a time to another as an attribute."""
        return self._share(max(least, self.x(end) - self.x(start)))

    def _share(self, length: float) -> str:
        return f"{number(100 * length / self.width, 2)}%" if self.fluid else number(length)

    def _part(self, time: int | Fraction) -> float:
        first, last = Fraction(self.first), Fraction(self.last)
        return float((min(max(Fraction(time), first), last) - first) / (last - first))

    def drawn(self, bottom: float) -> Iterator[str]:
        """Yield times along the top, with a line down from each."""
        for time, middle, text in self._ticks():
            x = self.at(time)
            yield f'<line class="tick" x1="{x}" x2="{x}" y1="22" y2="{number(bottom)}"/>'
            yield f'<text class="axis" x="{self._share(middle)}" y="14" text-anchor="middle">{escaped(text)}</text>'

    def _ticks(self) -> Sequence[tuple[Time, float, str]]:
        """Return times with their labels and the middles of these: as many as fit without touching."""
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
    """Return the label to the left of a lane or row; a tooltip has its full text."""
    visible = escaped(shortened(text, _LABEL_CHARACTERS))
    name = f' class="{css}"' if css else ""
    return f'<text{name} x="8" y="{number(y)}"><title>{escaped(text)}</title>{visible}</text>'
