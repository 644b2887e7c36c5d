"""Read the text of a problem (SMT-LIB 2) and of a proof (CPC), strictly and within limits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from parte.proofs.certificates.terms import FALSE, TRUE, IllFormed, Sort, Term, apply, number, variable

MAX_CHARACTERS = 64 * 1024 * 1024
MAX_DIGITS = 1000
"""Maximum number of digits of a number: Python's own limit is far higher, and arithmetic must terminate."""

Tree = str | list["Tree"]
"""An S-expression: an atom, or a list. Atoms within bars keep the bars."""

_TOKEN = re.compile(r"""\s+|;[^\n]*|([()])|(\|[^|\\]*\||"[^"]*"|[^\s();|"]+)""")
_NUMBER = re.compile(r"-?[0-9]+(/[1-9][0-9]*|\.[0-9]+)?")


def trees(text: str) -> Iterator[Tree]:
    """Return the S-expressions of a text. Raise IllFormed if there is anything else."""
    if len(text) > MAX_CHARACTERS:
        raise IllFormed(f"a text of {len(text)} characters: at most {MAX_CHARACTERS} are read")
    open_lists: list[list[Tree]] = []
    position = 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            raise IllFormed(f"character {position} begins nothing that is known")
        position = token.end()
        bracket, atom = token.groups()
        if bracket == "(":
            open_lists.append([])
            continue
        if bracket == ")" and not open_lists:
            raise IllFormed(f"character {position - 1} closes what was not opened")
        tree: Tree | None = open_lists.pop() if bracket else atom
        if tree is None:
            continue
        if open_lists:
            open_lists[-1].append(tree)
        else:
            yield tree
    if open_lists:
        raise IllFormed("the text ends within a list")


@dataclass(frozen=True, slots=True)
class Problem:
    """The declarations and assertions of a problem."""

    variables: Mapping[str, Term]
    assertions: frozenset[Term]


def problem(text: str) -> Problem:
    """Return the problem in an SMT-LIB 2 text. Raise IllFormed for an unsupported command or term."""
    variables: dict[str, Term] = {}
    assertions = set()
    for command in trees(text):
        match command:
            case ["set-logic" | "set-info", *_] | ["check-sat"]:
                pass
            case ["declare-fun", str(name), [], str(sort)]:
                declaration = declared(name, sort)
                if variables.setdefault(unquoted(name), declaration) is not declaration:
                    raise IllFormed(f"{name} is declared twice")
            case ["assert", formula]:
                assertions.add(_boolean(term(formula, variables)))
            case _:
                raise IllFormed(f"the command {shortened(command)} is not known")
    return Problem(variables, frozenset(assertions))


def declared(name: str, sort: str) -> Term:
    """Return the variable that a problem or a proof declares."""
    return variable(unquoted(name), _sort(sort))


def term(tree: Tree, names: Mapping[str, Term]) -> Term:
    """Return the term of an S-expression, with `names` replaced by their terms."""
    if isinstance(tree, list) and tree[:1] == ["let"]:
        inner = dict(names)
        while isinstance(tree, list) and len(tree) == 3 and tree[0] == "let":  # thousands may nest, only here
            inner.update(list(_bindings(tree[1], inner)))
            tree = tree[2]
        names = inner
    if isinstance(tree, str):
        return _atom(tree, names)
    match tree:
        case [str(operator), *arguments] if operator != "let":
            return apply(operator, *(term(argument, names) for argument in arguments))
    raise IllFormed(f"{shortened(tree)} is no term")


def _bindings(tree: Tree, names: Mapping[str, Term]) -> Iterator[tuple[str, Term]]:
    for binding in tree:
        match binding:
            case [str(name), value]:
                yield unquoted(name), term(value, names)
            case _:
                raise IllFormed(f"{shortened(binding)} is no binding")


def _atom(atom: str, names: Mapping[str, Term]) -> Term:
    if atom == "true":
        return TRUE
    if atom == "false":
        return FALSE
    if atom == "@list.nil":
        return apply("@list")
    if _NUMBER.fullmatch(atom):
        if len(atom) > MAX_DIGITS:
            raise IllFormed(f"a number of {len(atom)} characters: at most {MAX_DIGITS} are read")
        return number(Fraction(atom), Sort.REAL if "/" in atom or "." in atom else Sort.INT)
    if (named := names.get(unquoted(atom))) is None:
        raise IllFormed(f"the name {atom} is not known")
    return named


def unquoted(name: str) -> str:
    """Return a name without bars: |a| and a are the same name."""
    return name[1:-1] if name.startswith("|") else name


def _sort(name: str) -> Sort:
    if name not in ("Bool", "Int", "Real"):
        raise IllFormed(f"the sort {name} is not known")
    return Sort(name)


def _boolean(formula: Term) -> Term:
    if formula.sort is not Sort.BOOL:
        raise IllFormed(f"{formula.head} is asserted and no formula")
    return formula


def shortened(what: object) -> str:
    """Return a short text of a value for a message."""
    text = str(what)
    return text if len(text) <= 200 else f"{text[:200]}…"
