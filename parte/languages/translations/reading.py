"""The common part of translations from text to text: the selection of the rule, and reading back.

A translation returns no text that the front end of its language does not read as the intended program.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

from parte.languages.translations.codes import CODES
from parte.languages.translations.table import Given, NoSuchRule
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.constructs import Construct, lacking
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.source.diagnostics import ProgramError
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.similar import advice
from parte.semantics.source.spans import Span
from parte.semantics.source.text import LayoutBug

_LIMITS = ("too-", "-out-of-range")
"""Parts of the codes of limits."""


@dataclass(frozen=True, slots=True)
class Written:
    """A program of the other language: comments before it, the intended tree, and its text; and the place of the
    original."""

    comments: str
    meant: object
    text: str
    place: Span


def read_back(
    target: str, read: Callable[[str], object]
) -> Callable[[Callable[[Given], Written]], Callable[[Given], str]]:
    """Return a decorator that reads the text of a translation back, with `read`.

    A text that cannot be read becomes a ProgramError; one that is read as another program raises LayoutBug.
    """

    def checked(translate: Callable[[Given], Written]) -> Callable[[Given], str]:
        @functools.wraps(translate)
        def translated(request: Given) -> str:
            written = translate(request)
            text = written.comments + written.text
            try:
                meant = read(text)
            except ProgramError as error:
                raise _refusal(request, written.place, target, error) from None
            if meant != written.meant:
                raise LayoutBug(f"the text of this translation is another program of {target}")
            return text

        return translated

    return checked


def _refusal(request: Given, place: Span, target: str, error: ProgramError) -> ProgramError:
    """Return the error for a program whose translation the other language rejects."""
    reporter = Reporter(request.text, CODES)
    first = error.diagnostics[0]
    limit = any(sign in first.code for sign in _LIMITS)
    message = f"{target} refuses line {first.span.start.line} of the translation: {first.message}"
    reporter.report("too-large-translation" if limit else "no-counterpart", place, message, first.hint)
    return ProgramError(reporter.diagnostics())


def rule_of(request: Given, what: str) -> tuple[core.Program, str]:
    """Return the program and the name of the selected rule."""
    program = parse(request.text)
    names = list(dict.fromkeys(rule.reported for rule in program.rules))
    if request.rule is None and len(names) != 1:
        raise NoSuchRule(f"{what} is one rule, and the program has {len(names)}: {', '.join(names) or 'none'}")
    name = request.rule or names[0]
    if name not in names:
        raise NoSuchRule(f"no rule is called {name!r}; {advice(name, names)}")
    return program, name


def types_of(templates: str | None) -> dict[str, dict[str, core.Type]] | None:
    """Return the attributes of the templates that a program declares. Raise ProgramError if some are optional."""
    if templates is None:
        return None
    declared, reporter = parse(templates).templates, Reporter(templates, CODES)
    for template in declared:
        if any(slot.optional for slot in template.attributes):
            message = lacking(Construct.OPTIONAL, "PARTElang")
            reporter.report("no-counterpart", template.span, message, "remove the `?`, or the attribute")
    reporter.raise_if_failed()
    return {template.name: {slot.name: slot.type for slot in template.attributes} for template in declared}
