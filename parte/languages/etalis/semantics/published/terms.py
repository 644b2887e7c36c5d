"""Terms of Prolog: numbers, strings, variables and structures, of which an atom is one without arguments.

Whole numbers are Python's. A number that is not whole is the term `N/D`, for ISO Prolog has no rationals: it is
evaluated where numbers are compared, and nowhere else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction


class Variable:
    """A variable, and what it is bound to."""

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
    """What Prolog throws: an error term of ISO, without its context."""

    def __init__(self, term: str) -> None:
        super().__init__(term)
        self.term = term


def followed(term: Term) -> Term:
    """A term, or what a variable is bound to in the end."""
    while isinstance(term, Variable):
        if term.value is None:
            return term
        term = term.value
    return term


def quotient(value: int | Fraction) -> Term:
    """A number as Prolog writes it."""
    if isinstance(value, Fraction) and value.denominator != 1:
        return Structure("/", (value.numerator, value.denominator))
    return value.numerator


def listed(terms: tuple[Term, ...], rest: Term = EMPTY) -> Term:
    """A list."""
    for term in reversed(terms):
        rest = Structure("'[|]'", (term, rest))
    return rest


def unlisted(term: Term) -> list[Term]:
    """The elements of a list. PrologError if it is none."""
    found = []
    term = followed(term)
    while isinstance(term, Structure) and term.name == "'[|]'":
        found.append(term.arguments[0])
        term = followed(term.arguments[1])
    if isinstance(term, Variable):
        raise PrologError("instantiation_error")
    if not isinstance(term, Structure) or term.name != "[]" or term.arguments:
        raise PrologError(f"type_error(list,{text(term)})")
    return found


# --- Text -------------------------------------------------------------------------------------------------------------

_PLAIN = re.compile(r"[a-z][A-Za-z0-9_]*|[-+*/\\<>=@:|?.]+|\[\]")
_COMPARED = frozenset({"=", "<", ">", "=<", ">=", "=:=", "@<", "is", "=.."})


def quoted(name: str) -> str:
    """An atom as Prolog reads it."""
    if _PLAIN.fullmatch(name) or name in (";", ","):
        return name
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


def text(term: Term) -> str:
    """A term as Prolog reads it. Variables are named as they were; of one name they are one."""
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
        case Structure(name="\\+", arguments=(one,)):
            return f"\\+ ({text(one)})"
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
    found: list[str] = []
    rest: Term = term
    while isinstance(rest, Structure) and rest.name == "'[|]'":
        found.append(text(rest.arguments[0]))
        rest = followed(rest.arguments[1])
    tail = "" if isinstance(rest, Structure) and rest.name == "[]" else f"|{text(rest)}"
    return f"[{','.join(found)}{tail}]"
