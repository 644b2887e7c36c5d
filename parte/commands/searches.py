"""`--time`: after how long a search is stopped. Whatever stops it, the command shows what was found until then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Final

import typer

from parte import terminal
from parte.commands.budgets import Budget, Clock, OutOfTime
from parte.interruptions import INTERRUPTED
from parte.options import finite

SECONDS: Final = 60.0

TimeOption = Annotated[
    float,
    typer.Option(
        "--time", min=0.1, callback=finite, metavar="SECONDS", help="Stop after so long, with what was found."
    ),
]


@dataclass(slots=True)
class Search:
    """A search. `ended` is what stopped it: `time`, `interrupted`, or a limit of its command; `all` if nothing did."""

    seconds: float
    ended: str = "all"

    def check(self, **limits: str) -> None:
        """Leave the command if the search was stopped, and say by what: `limits` are its own, in words."""
        if self.ended != "all":
            words = {"interrupted": "it was interrupted", "time": f"the limit of {self.seconds:g} s was reached"}
            terminal.note(f"{(words | limits)[self.ended]}: what was not found may still exist")
            raise typer.Exit(INTERRUPTED if self.ended == "interrupted" else terminal.OPEN)


@contextmanager
def searching(seconds: float) -> Iterator[Search]:
    """Run a search, which its time or Ctrl-C stops wherever it is: one step of it may take for ever."""
    search = Search(seconds)
    try:
        with Clock(Budget(seconds)).limit():
            yield search
    except OutOfTime:
        search.ended = "time"
    except KeyboardInterrupt:
        search.ended = "interrupted"
