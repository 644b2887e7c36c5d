"""The claims of the documentation: sentences with numbers, the command that makes these, and the values expected."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from parte.semantics.events.codec import Codec

FILE: Final = Path(__file__).with_name("claims.toml")


@dataclass(frozen=True, slots=True)
class Value:
    """A value that a command prints, and what it has to be.

    `find` is a regular expression whose one group is the number; the first match counts. `near` is a number and a
    factor: the value may be so many times less or more. It is for ratios of times within one run.
    """

    name: str
    find: str
    equals: int | float | None = None
    at_most: int | float | None = None
    at_least: int | float | None = None
    near: tuple[int | float, int | float] | None = None

    def __post_init__(self) -> None:
        """Check that something is expected, and that the expression has one group. Raise ValueError if not."""
        if re.compile(self.find).groups != 1:
            raise ValueError(f"{self.name}: the expression {self.find!r} must have one group")
        if not self.expected:
            raise ValueError(f"{self.name}: one of equals, at_most, at_least and near is needed")

    @property
    def expected(self) -> str:
        """What the value has to be, as text."""
        bounds = (("", self.equals), ("≤ ", self.at_most), ("≥ ", self.at_least))
        parts = [f"{sign}{number:,}" for sign, number in bounds if number is not None]
        return " and ".join(
            [*parts, f"{self.near[0]:,}, by a factor of {self.near[1]} at most"] if self.near else parts
        )

    def accepts(self, number: float) -> bool:
        """Return whether a number is as expected."""
        return (
            self.equals in (None, number)
            and (self.at_most is None or number <= self.at_most)
            and (self.at_least is None or number >= self.at_least)
            and (self.near is None or self.near[0] / self.near[1] <= number <= self.near[0] * self.near[1])
        )

    def read_from(self, output: str) -> float | None:
        """Return the number that the expression finds in an output."""
        match = re.search(self.find, output, re.MULTILINE)
        digits = "" if match is None else match[1].replace(",", "")
        return None if match is None else int(digits) if digits.isdecimal() else float(digits)


@dataclass(frozen=True, slots=True)
class Claim:
    """Sentences of a page with numbers, the command that makes these again, and the values expected of it.

    `page` is its path in the repository; `section` is a heading of it whose tables belong to the claim. `command`
    begins with `python` or `parte`; `minutes` are those that it took on two cores. `quick` claims are those of
    `--quick`. `scope` says what the command leaves out of what the page reports, such as most cases of a long run.
    """

    id: str
    page: str
    says: tuple[str, ...]
    command: str
    minutes: float
    expect: tuple[Value, ...]
    section: str = ""
    quick: bool = False
    exit: int = 0
    scope: str = ""


@dataclass(frozen=True, slots=True)
class NotMeasured:
    """Sentences of a page, or tables of a section, with numbers that `make artefact` cannot make, and the reason."""

    page: str
    says: tuple[str, ...]
    reason: str
    section: str = ""


@dataclass(frozen=True, slots=True)
class Claims:
    """The contents of `docs/claims.toml`."""

    claim: tuple[Claim, ...]
    not_measured: tuple[NotMeasured, ...] = ()


def read(path: Path = FILE) -> Claims:
    """Return the claims. Raise FormatError if the file is not as its dataclasses are."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return Codec[Claims](Claims, renamed={Claims: {"not_measured": "not-measured"}}).decode(table)
