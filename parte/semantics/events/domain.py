"""Domain predicates: the relations that a run supplies, as tables or as Python callables
(specification: domain-supplied, domain-meaning).

A domain file is JSON. For every predicate it lists the arguments for which the predicate is true, or those for which it
is false: `{"uncommon_route": {"false_for": [["E", "F"]]}}`. Instead of the rows it may name a file with them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import wraps
from os import PathLike
from pathlib import Path

from parte.semantics.events.event import NO_LINE
from parte.semantics.events.files import read_text
from parte.semantics.events.problems import DomainError, Problem, Problems
from parte.semantics.events.strictjson import MalformedJson, decode, quoted
from parte.semantics.events.tables import Row, Rows, read_rows, rows_of
from parte.semantics.events.types import Declarations, DeclaredPredicate, Scalar
from parte.semantics.events.values import ScalarValue, Unfit, describe, scalar_converter

DEFAULT_FILENAME = "domain.json"
_SHAPE = 'a predicate is given as {"true_for": [[…], …]} or {"false_for": [[…], …]}, or with a file name for the rows'


@dataclass(frozen=True, slots=True)
class UntypedTable:
    """A table as it was read; its values are converted when the domain is bound to a program."""

    rows: Rows
    member_means: bool


@dataclass(frozen=True, slots=True)
class DomainTable:
    """A finite relation: the predicate is `member_means` for the rows, and the opposite for all other arguments.

    Rows are compared like Python values, so -0.0 and 0.0 are the same number.
    """

    rows: frozenset[tuple[ScalarValue, ...]]
    member_means: bool
    filename: str = field(default=DEFAULT_FILENAME, compare=False, repr=False)

    def __call__(self, *arguments: ScalarValue) -> bool:
        return (arguments in self.rows) is self.member_means


Relation = UntypedTable | DomainTable | Callable[..., bool]
Domain = Mapping[str, Relation]
"""The domain of a run: a relation for the name of each predicate."""

DomainArgument = Mapping[str, Relation | Mapping[str, object]]
"""A domain as callers write it: relations, or `{"true_for": rows}` and `{"false_for": rows}` as in a domain file."""

Predicates = Mapping[str, Callable[..., bool]]
"""The predicates that a program declares, by name, each a callable on values of its declared types."""


class MissingPredicate(ValueError):
    """The run does not supply a declared predicate; `name` is its name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the program declares the predicate {name}, but the run supplies none")
        self.name = name


def read_domain(
    document: str | Mapping[str, object],
    *,
    directory: str | PathLike[str] | None = None,
    filename: str = DEFAULT_FILENAME,
) -> Domain:
    """Return the relations in a domain file (its text, or its parsed JSON), not yet bound to a program.

    Files with rows must lie in `directory`. Raise DomainError with all problems.
    """
    content: object = document
    if isinstance(document, str):
        try:
            content = decode(document.removeprefix("\ufeff"))
        except MalformedJson as error:
            raise DomainError([Problem(filename, error.line, error.message, "a domain file is JSON")]) from None
    if not isinstance(content, Mapping):
        message = f"expected an object with the predicates, found {describe(content)}"
        raise DomainError([Problem(filename, NO_LINE, message, _SHAPE)])
    relations: dict[str, Relation] = {}
    problems = Problems()
    for name, relation in content.items():
        try:
            relations[name] = _table(name, relation, None if directory is None else Path(directory), filename)
        except DomainError as error:
            problems.take(error)
    if problems:
        raise DomainError(problems)
    return relations


def load_domain(path: str | PathLike[str]) -> Domain:
    """Return the relations of a domain file; files with rows are relative to its folder.

    Raise DomainError, or OSError if the file itself cannot be read.
    """
    path = Path(path)
    return read_domain(read_text(path), directory=path.parent, filename=path.name)


def _table(name: str, relation: object, directory: Path | None, filename: str) -> UntypedTable:
    what = f"predicate {name}"

    def failure(message: str) -> DomainError:
        return DomainError([Problem(filename, NO_LINE, f"{what}: {message}", _SHAPE)])

    if not isinstance(relation, Mapping):
        raise failure(f"expected an object, found {describe(relation)}")
    if len(relation) != 1 or not relation.keys() <= {"true_for", "false_for"}:
        keys = ", ".join(quoted(str(key)) for key in relation) or "neither"
        raise failure(f'expected exactly one of "true_for" and "false_for", found {keys}')
    ((meaning, content),) = relation.items()
    if not isinstance(content, str):
        rows = rows_of(content, what, filename)
    elif directory is None:
        raise failure(f"the rows are in the file {quoted(content)}, but no directory to look in was given")
    else:
        rows = read_rows(directory, content, what, filename)
    return UntypedTable(rows, meaning == "true_for")


# --- Binding to a program --------------------------------------------------------------------------------------------


def relations_of(domain: DomainArgument) -> Domain:
    """Return the relations of a domain; read those that are written as in a domain file, or raise DomainError."""
    read = read_domain({name: item for name, item in domain.items() if isinstance(item, Mapping)}, filename="domain")
    return {name: read[name] if isinstance(item, Mapping) else item for name, item in domain.items()}


def require_predicates(program: Declarations, predicates: Predicates) -> None:
    """Raise MissingPredicate if a declared predicate is not supplied."""
    for predicate in program.predicates:
        if predicate.name not in predicates:
            raise MissingPredicate(predicate.name)


def bind_domain(program: Declarations, domain: Domain) -> dict[str, Callable[..., bool]]:
    """Return the program's predicates, callables on values of their declared types; tables become `DomainTable`s.

    A Python callable is wrapped: an answer that is not a bool raises DomainError. Raise DomainError if a declared
    predicate is not supplied, an undeclared one is supplied, or a table does not fit the declaration.
    """
    bound: dict[str, Callable[..., bool]] = {}
    problems = Problems()
    declared = [predicate.name for predicate in program.predicates]
    filename = _filename(domain)
    for name, relation in domain.items():
        if name not in declared:
            near = get_close_matches(name, declared, 1)
            hint = f"did you mean {near[0]}?" if near else "declare it, or leave it out of the domain"
            message = f"predicate {name} is supplied, but the program does not declare it"
            problems.append(Problem(_filename({name: relation}), NO_LINE, message, hint))
    for predicate in program.predicates:
        if predicate.name not in domain:
            message = f"predicate {_signature(predicate)} is declared by the program, but no relation is supplied"
            hint = f'add {{"{predicate.name}": {{"true_for": [[…], …]}}}} to the domain, or "false_for"'
            problems.append(Problem(filename, NO_LINE, message, hint))
            continue
        try:
            bound[predicate.name] = _bind(predicate, domain[predicate.name])
        except DomainError as error:
            problems.take(error)
    if problems:
        raise DomainError(problems)
    return bound


def _filename(domain: Domain) -> str:
    for relation in domain.values():
        if isinstance(relation, DomainTable):
            return relation.filename
        if isinstance(relation, UntypedTable):
            return relation.rows.filename
    return "domain"


def _signature(predicate: DeclaredPredicate) -> str:
    return f"{predicate.name}({', '.join(parameter.value for parameter in predicate.parameters)})"


def _bind(predicate: DeclaredPredicate, relation: object) -> Callable[..., bool]:
    if isinstance(relation, UntypedTable):
        return _typed(predicate, relation.rows, relation.member_means)
    if isinstance(relation, DomainTable):
        # Sorted, so that messages do not depend on the order of a set.
        rows = Rows(tuple(Row(row) for row in sorted(relation.rows, key=repr)), relation.filename)
        return _typed(predicate, rows, relation.member_means)
    if not callable(relation):
        message = f"predicate {predicate.name}: expected a table or a callable, found {describe(relation)}"
        raise DomainError([Problem("domain", NO_LINE, message, "pass a function that returns a bool")])
    return _checked(predicate.name, relation)


def _typed(predicate: DeclaredPredicate, table: Rows, member_means: bool) -> DomainTable:
    rows: set[tuple[ScalarValue, ...]] = set()
    problems = Problems()
    arity = len(predicate.parameters)
    hint = f"the program declares predicate {_signature(predicate)}"
    if table.columns is not None and table.columns != arity:
        message = f"predicate {predicate.name}: expected {_count(arity, 'column')}, found {table.columns}"
        raise DomainError([Problem(table.filename, NO_LINE, message, hint)])
    for number, row in enumerate(table.rows, 1):
        which = f"predicate {predicate.name}" + (f", row {number}" if row.line == NO_LINE else "")
        if len(row.values) != arity:
            message = f"{which}: expected {_count(arity, 'value')}, found {len(row.values)}"
            problems.append(Problem(table.filename, row.line, message, hint))
            continue
        values = []
        for position, (value, parameter) in enumerate(zip(row.values, predicate.parameters, strict=True), 1):
            try:
                read = _from_text(value, parameter) if table.textual else value
                values.append(scalar_converter(parameter)(read))
            except Unfit as error:
                problems.append(Problem(table.filename, row.line, f"{which}, value {position}: {error}", hint))
        rows.add(tuple(values))
    if problems:
        raise DomainError(problems)
    return DomainTable(frozenset(rows), member_means, table.filename)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


_INTEGER = re.compile(r"[+-]?[0-9]{1,4000}")
_NUMBER = re.compile(r"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?")


def _from_text(value: object, type_: Scalar) -> object:
    """Return the value of a CSV field; text that is not a value of the type is returned as it is."""
    assert isinstance(value, str)
    if type_ is Scalar.INTEGER and _INTEGER.fullmatch(value):
        return int(value)
    if type_ is Scalar.FLOAT and _NUMBER.fullmatch(value):
        return float(value)
    if type_ is Scalar.BOOLEAN and value.lower() in {"true", "false"}:
        return value.lower() == "true"
    return value


def _checked(name: str, function: Callable[..., object]) -> Callable[..., bool]:
    @wraps(function)
    def predicate(*arguments: ScalarValue) -> bool:
        answer = function(*arguments)
        if type(answer) is not bool:
            listed = ", ".join(repr(argument) for argument in arguments)
            message = f"predicate {name}({listed}): expected a bool, found {describe(answer)}"
            raise DomainError([Problem("domain", NO_LINE, message, "return True or False")])
        return answer

    return predicate
