"""The relations of the queries: events by template, and domain predicates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from parte.semantics.events.domain import DomainTable
from parte.semantics.partelang.syntax import core

CONSTANTS: Final = "$constants"
"""The alias of a row of the constants of similar rules in queries, and its variable in expressions."""


def column(relation: str, name: str) -> exp.Expr:
    """Return a column of a relation."""
    return exp.Column(this=exp.to_identifier(name, quoted=True), table=exp.to_identifier(relation, quoted=True))


def table(name: str) -> exp.Table:
    """Return a relation by its name."""
    return exp.Table(this=exp.to_identifier(name, quoted=True))


# --- Events ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Events:
    """The events of one template. `trace` contains those that arrive, `stream` also those that rules emit."""

    template: core.Template
    trace: str
    stream: str
    columns: Mapping[str, str]
    """The column of each attribute."""

    @property
    def mixed(self) -> bool:
        """Return whether rules emit such events too."""
        return self.trace != self.stream


NEAR: Final = 2**62
"""The greatest distance of timestamps from 1970, in milliseconds, at which one as large added to them fits 64 bit."""


class Templates(Mapping[str, Events]):
    """The relations of all templates, by name. Each has columns of its own besides the attributes.

    Relations and columns are numbered (specification: relational-names). All timestamps of the events of `near`
    templates are at most `NEAR` from 1970, which is known of no template unless an engine has looked.
    """

    identity = "$id"
    timestamp = "$timestamp"
    emitted = "$emitted"
    """The column that is true if a rule emitted the event; only in streams that contain such events too."""

    def __init__(self, program: core.Program, near: frozenset[str] = frozenset()) -> None:
        self.near = near
        emitted = {emission.template for rule in program.rules for emission in rule.emissions}
        self._events: dict[str, Events] = {}
        for number, template in enumerate(program.templates, 1):
            stream = f"events{number}"
            trace = f"trace{number}" if template.name in emitted else stream
            columns = {attribute.name: f"a{place}" for place, attribute in enumerate(template.attributes, 1)}
            self._events[template.name] = Events(template, trace, stream, columns)

    def __getitem__(self, name: str) -> Events:
        return self._events[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._events)

    def __len__(self) -> int:
        return len(self._events)


# --- Domain predicates -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Literal:
    """A predicate that has the same answer for all arguments."""

    answer: bool


@dataclass(frozen=True, slots=True)
class Answers:
    """A Python callable, registered with the engine under a name."""

    name: str


@dataclass(frozen=True, slots=True)
class Table:
    """A finite relation, loaded as a table: the predicate is `member_means` for its rows."""

    name: str
    member_means: bool
    columns: tuple[str, ...]


Relation = Literal | Answers | Table


def relation_of(predicate: core.Predicate, implementation: Callable[..., bool], number: int) -> Relation:
    """Return the form in which the predicate with a number appears in queries."""
    if not predicate.parameters:
        return Literal(bool(implementation()))
    if not isinstance(implementation, DomainTable):
        return Answers(f"predicate{number}")
    if not implementation.rows:
        return Literal(not implementation.member_means)
    columns = tuple(f"c{number}" for number in range(1, len(predicate.parameters) + 1))
    return Table(f"domain{number}", implementation.member_means, columns)
