"""Which languages are translated into which, text to text. Nothing of a language is imported before it is asked for.

No text leaves here that the front end of its language does not read as the program that is meant.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from itertools import count
from typing import TYPE_CHECKING

from parte.conformance.language import LayoutBug
from parte.conformance.translations.naming import renamed
from parte.semantics.source.diagnostics import ProgramError
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.similar import advice
from parte.semantics.source.spans import Span

if TYPE_CHECKING:
    from parte.semantics.partelang.syntax import core

_FRONT_ENDS = {
    "PARTElang": "parte.semantics.partelang.syntax.elaborate",
    "CEL": "parte.languages.cel.semantics.syntax.parser",
    "ETALIS": "parte.languages.etalis.semantics.syntax.parser",
    "LEAD": "parte.languages.lead.semantics.syntax.parser",
}
"""The modules whose `parse` reads a language."""
_LIMITS = ("too-", "-out-of-range")
"""What codes have in them that tell of limits."""


@dataclass(frozen=True, slots=True)
class Given:
    """A program as text, the rule of it that is meant, and a program whose templates declare the types of events."""

    text: str
    rule: str | None = None
    templates: str | None = None


class NoSuchRule(ValueError):
    """The program has several rules and none is named, or has none of that name."""


@dataclass(frozen=True, slots=True)
class _Written:
    """A program of the other language: comments that go before it, the tree that is meant, and its text; and the place
    of what was translated."""

    comments: str
    meant: object
    text: str
    place: Span


def _read_back(target: str) -> Callable[[Callable[[Given], _Written]], Callable[[Given], str]]:
    """Have a language read what is written in it.

    What it does not read is refused; LayoutBug if it reads something else.
    """

    def checked(translate: Callable[[Given], _Written]) -> Callable[[Given], str]:
        @functools.wraps(translate)
        def translated(given: Given) -> str:
            written = translate(given)
            text = written.comments + written.text
            try:
                read = import_module(_FRONT_ENDS[target]).parse(text)
            except ProgramError as error:
                raise _refusal(given, written.place, target, error) from None
            if read != written.meant:
                raise LayoutBug(f"the text of this translation is another program of {target}")
            return text

        return translated

    return checked


def _refusal(given: Given, place: Span, target: str, error: ProgramError) -> ProgramError:
    """What is to be said of a program whose translation the other language refuses."""
    from parte.conformance.translations.codes import CODES

    reporter = Reporter(given.text, CODES)
    first = error.diagnostics[0]
    limit = any(sign in first.code for sign in _LIMITS)
    message = f"{target} refuses line {first.span.start.line} of the translation: {first.message}"
    reporter.report("too-large-translation" if limit else "no-counterpart", place, message, first.hint)
    return ProgramError(reporter.diagnostics())


@_read_back("CEL")
def to_cel(given: Given) -> _Written:
    """A rule of PARTElang as a query. ProgramError if the program is none, or has no such query; NoSuchRule."""
    from parte.conformance.translations.to_cel import to_cel as translated
    from parte.languages.cel.semantics.syntax.printer import print_query

    program, name = _rule_of(given, "a query")
    rule = program.rule(name)
    found = translated(program, rule)
    where = "in which no two events have one timestamp" if found.ordered else "in the order of their timestamps"
    comments = f"-- Rule {name}, on traces {where}.\n{renamed(found.variables, '--')}"
    return _Written(comments, found.query, print_query(found.query), rule.span)


@_read_back("LEAD")
def to_lead(given: Given) -> _Written:
    """A rule of PARTElang as one of LEAD. ProgramError if the program is none, or has no such rule; NoSuchRule."""
    from parte.conformance.translations.to_lead import to_lead as translated
    from parte.languages.lead.semantics.syntax.printer import print_rule

    program, name = _rule_of(given, "a rule of LEAD")
    rule = program.rule(name)
    found = translated(program, rule)
    comments = f"// Rule {name}, on traces in the order of their timestamps.\n{renamed(found.variables, '//')}"
    return _Written(comments, found.rule, print_rule(found.rule), rule.span)


@_read_back("PARTElang")
def lead_to_parte(given: Given) -> _Written:
    """A rule of LEAD as a program of PARTElang. ProgramError if the rule is none, or has no such program."""
    from parte.conformance.translations.lead_to_parte import to_parte as translated
    from parte.languages.lead.semantics.syntax.parser import parse
    from parte.semantics.partelang.syntax.printer import print_program

    rule = parse(given.text)
    found = translated(rule, given.text, _types(given.templates))
    apart = ", in which no two events have one `uid`" if found.apart else ""
    comments = f"// On traces in the order of their timestamps{apart}.\n{renamed(found.variables, '//')}"
    return _Written(comments, found.program, print_program(found.program.source), rule.span)


def _rule_of(given: Given, what: str) -> tuple[core.Program, str]:
    """The program and the name of the rule that is meant."""
    from parte.semantics.partelang.syntax.elaborate import parse

    program = parse(given.text)
    names = [rule.name for rule in program.rules]
    if given.rule is None and len(names) != 1:
        raise NoSuchRule(f"{what} is one rule, and the program has {len(names)}: {', '.join(names) or 'none'}")
    name = given.rule or names[0]
    if name not in names:
        raise NoSuchRule(f"no rule is called {name!r}; {advice(name, names)}")
    return program, name


def _types(templates: str | None) -> dict[str, dict[str, core.Type]] | None:
    """The attributes of the templates that a program declares."""
    from parte.semantics.partelang.syntax.elaborate import parse

    if templates is None:
        return None
    return {each.name: {slot.name: slot.type for slot in each.attributes} for each in parse(templates).templates}


@_read_back("PARTElang")
def to_parte(given: Given) -> _Written:
    """A query of CEL as a program of PARTElang. ProgramError if the query is none, or has no such program."""
    from parte.conformance.translations.to_parte import to_parte as translated
    from parte.languages.cel.semantics.syntax.parser import parse_source
    from parte.semantics.partelang.syntax.printer import print_program

    source = parse_source(given.text)
    program = translated(source, given.text, _types(given.templates))
    comments = (
        "// On traces whose timestamps rise strictly. `e…` are the events of a result; `s…` only lie where its\n"
        "// interval begins, ends or goes on.\n"
    )
    return _Written(comments, program, print_program(program.source), source.query.formula.span)


@_read_back("ETALIS")
def to_etalis(given: Given) -> _Written:
    """The rules of a program of PARTElang, or one of them, in ETALIS. ProgramError if the program is none, or has no
    such translation; NoSuchRule."""
    from parte.conformance.translations.parte_to_etalis import to_etalis as translated
    from parte.languages.etalis.semantics.syntax.printer import print_program
    from parte.semantics.partelang.syntax.elaborate import parse

    program = parse(given.text)
    names = [rule.name for rule in program.rules]
    if not names or (given.rule is not None and given.rule not in names):
        raise NoSuchRule(f"no rule is called {given.rule!r}; {advice(given.rule or '', names)}")
    rules = [rule for rule in program.rules if given.rule in (None, rule.name)]
    found = translated(program, rules)
    told = "".join(
        f"% {template}: {name}({', '.join(('id', 'timestamp', *attributes))})\n"
        for template, (name, attributes) in found.events.items()
    )
    told += "".join(
        f"% Rule {rule}: {name}({', '.join(variables)})\n"
        for rule, (name, variables) in found.heads.items()
        if name.lower() != rule.lower()
    )
    comments = f"% A head has the ids of the events that match.\n{told}"
    return _Written(comments, found.program, print_program(found.program), rules[0].span)


@_read_back("PARTElang")
def from_etalis(given: Given) -> _Written:
    """A program of ETALIS in PARTElang. ProgramError if the program is none, or has no such translation."""
    from parte.conformance.translations.etalis_to_parte import HORIZON
    from parte.conformance.translations.etalis_to_parte import to_parte as translated
    from parte.languages.etalis.semantics.syntax.parser import parse
    from parte.semantics.partelang.syntax.printer import print_program

    types = {name: list(_arguments(slots)) for name, slots in (_types(given.templates) or {}).items()}
    program = parse(given.text)
    found = translated(program, given.text, types)
    told = "".join(f"// A trace has an event {name} at {time}.\n" for name, time in found.moments.items())
    comments = (
        f"// An event has its interval as s and t, and comes at t; no two are further apart than {HORIZON} ms.\n{told}"
    )
    return _Written(comments, found.program, print_program(found.program.source), program.span)


def _arguments(slots: Mapping[str, core.Type]) -> Iterator[core.Type]:
    """The types of x0, x1, … as far as they are declared, in whatever order."""
    for place in count():
        if f"x{place}" not in slots:
            return
        yield slots[f"x{place}"]


TRANSLATIONS: Mapping[tuple[str, str], Callable[[Given], str]] = {
    ("PARTElang", "CEL"): to_cel,
    ("CEL", "PARTElang"): to_parte,
    ("PARTElang", "ETALIS"): to_etalis,
    ("ETALIS", "PARTElang"): from_etalis,
    ("PARTElang", "LEAD"): to_lead,
    ("LEAD", "PARTElang"): lead_to_parte,
}
"""By the names of the languages, from and to."""
