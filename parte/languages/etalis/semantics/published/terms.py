"""Terms of Prolog: numbers, strings, variables and structures; an atom is a structure without arguments.

Whole numbers are Python integers. A number that is not whole is the term `N/D`, because ISO Prolog has no rationals:
only comparisons of numbers evaluate it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction


class Variable:
    """A variable, and the term that it is bound to."""

    __slots__ = ("name", "value")

    def __init__(self, name: str = "_") -> None:
        self.name = name
        self.value: Term | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """A name with arguments."""

    name: str
    arguments: tuple[Term, ...] = ()


Term = int | str | Variable | Structure

TRUE = Structure("true")
EMPTY = Structure("[]")


class PrologError(RuntimeError):
    """An error that Prolog throws: an error term of ISO, without its context."""

    def __init__(self, term: str) -> None:
        super().__init__(term)
        self.term = term


def followed(term: Term) -> Term:
    """Return a term; for a variable, the end of its chain of bindings."""
    while isinstance(term, Variable):
        if term.value is None:
            return term
        term = term.value
    return term


def quotient(value: int | Fraction) -> Term:
    """Return a number as a Prolog term."""
    if isinstance(value, Fraction) and value.denominator != 1:
        return Structure("/", (value.numerator, value.denominator))
    return value.numerator


def listed(terms: tuple[Term, ...], rest: Term = EMPTY) -> Term:
    """Return a Prolog list of terms."""
    for term in reversed(terms):
        rest = Structure("'[|]'", (term, rest))
    return rest


def unlisted(term: Term) -> list[Term]:
    """Return the elements of a list. Raise PrologError if the term is no list."""
    elements = []
    term = followed(term)
    while isinstance(term, Structure) and term.name == "'[|]'":
        elements.append(term.arguments[0])
        term = followed(term.arguments[1])
    if isinstance(term, Variable):
        raise PrologError("instantiation_error")
    if not isinstance(term, Structure) or term.name != "[]" or term.arguments:
        raise PrologError(f"type_error(list,{text(term)})")
    return elements


# --- Text -------------------------------------------------------------------------------------------------------------

_PLAIN = re.compile(r"[a-z][A-Za-z0-9_]*|[-+*/\\<>=@:|?.]+|\[\]")
_COMPARED = frozenset({"=", "<", ">", "=<", ">=", "=:=", "@<", "is", "=.."})


def quoted(name: str) -> str:
    """Return an atom in the syntax of Prolog."""
    if _PLAIN.fullmatch(name) or name in (";", ","):
        return name
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


def text(term: Term) -> str:
    """Return a term in the syntax of Prolog. Variables keep their names; two variables with one name become the
    same."""
    term = followed(term)
    match term:
        case Variable():
            return term.name
        case int():
            return str(term)
        case str():
            return '"' + term.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
        case Structure(name="'[|]'"):
            return _list_text(term)
        case Structure(name=":-", arguments=(head, body)):
            return f"{text(head)} :- {text(body)}"
        case Structure(name=",", arguments=(left, right)):
            return f"{text(left)}, {text(right)}"
        case Structure(name=(";" | "->") as name, arguments=(left, right)):
            return f"({text(left)} {name} {text(right)})"
        case Structure(name="\\+", arguments=(negated,)):
            return f"\\+ ({text(negated)})"
        case Structure(name=name, arguments=(left, right)) if name in _COMPARED:
            return f"{text(left)} {name} {text(right)}"
        case Structure(name="/", arguments=(int(over), int(under))):
            return f"{over}/{under}"
        case Structure(name=("+" | "-" | "*" | "/") as name, arguments=(left, right)):
            return f"({text(left)} {name} {text(right)})"
        case Structure(name=name, arguments=()):
            return quoted(name)
        case Structure(name=name, arguments=arguments):
            return f"{quoted(name)}({','.join(map(text, arguments))})"


def _list_text(term: Structure) -> str:
    elements: list[str] = []
    rest: Term = term
    while isinstance(rest, Structure) and rest.name == "'[|]'":
        elements.append(text(rest.arguments[0]))
        rest = followed(rest.arguments[1])
    tail = "" if isinstance(rest, Structure) and rest.name == "[]" else f"|{text(rest)}"
    return f"[{','.join(elements)}{tail}]"
