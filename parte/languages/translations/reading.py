"""What translations have in common as functions from text to text: the rule that is meant, and reading back.

No text leaves here that the front end of its language does not read as the program that is meant.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

from parte.languages.translations.codes import CODES
from parte.languages.translations.table import Given, NoSuchRule
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.source.diagnostics import ProgramError
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.similar import advice
from parte.semantics.source.spans import Span
from parte.semantics.source.text import LayoutBug

_LIMITS = ("too-", "-out-of-range")
"""What codes have in them that tell of limits."""


@dataclass(frozen=True, slots=True)
class Written:
    """A program of the other language: comments that go before it, the tree that is meant, and its text; and the place
    of what was translated."""

    comments: str
    meant: object
    text: str
    place: Span


def read_back(
    target: str, read: Callable[[str], object]
) -> Callable[[Callable[[Given], Written]], Callable[[Given], str]]:
    """Have a language read, by `read`, what is written in it.

    What it does not read is refused; LayoutBug if it reads something else.
    """

    def checked(translate: Callable[[Given], Written]) -> Callable[[Given], str]:
        @functools.wraps(translate)
        def translated(given: Given) -> str:
            written = translate(given)
            text = written.comments + written.text
            try:
                meant = read(text)
            except ProgramError as error:
                raise _refusal(given, written.place, target, error) from None
            if meant != written.meant:
                raise LayoutBug(f"the text of this translation is another program of {target}")
            return text

        return translated

    return checked


def _refusal(given: Given, place: Span, target: str, error: ProgramError) -> ProgramError:
    """What is to be said of a program whose translation the other language refuses."""
    reporter = Reporter(given.text, CODES)
    first = error.diagnostics[0]
    limit = any(sign in first.code for sign in _LIMITS)
    message = f"{target} refuses line {first.span.start.line} of the translation: {first.message}"
    reporter.report("too-large-translation" if limit else "no-counterpart", place, message, first.hint)
    return ProgramError(reporter.diagnostics())


def rule_of(given: Given, what: str) -> tuple[core.Program, str]:
    """The program and the name of the rule that is meant."""
    program = parse(given.text)
    names = [rule.name for rule in program.rules]
    if given.rule is None and len(names) != 1:
        raise NoSuchRule(f"{what} is one rule, and the program has {len(names)}: {', '.join(names) or 'none'}")
    name = given.rule or names[0]
    if name not in names:
        raise NoSuchRule(f"no rule is called {name!r}; {advice(name, names)}")
    return program, name


def types_of(templates: str | None) -> dict[str, dict[str, core.Type]] | None:
    """The attributes of the templates that a program declares."""
    if templates is None:
        return None
    return {each.name: {slot.name: slot.type for slot in each.attributes} for each in parse(templates).templates}
