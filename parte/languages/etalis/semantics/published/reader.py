"""A reader of Prolog clauses, for the syntax that the clauses of E need (`clauses.toml`)."""

from __future__ import annotations

import re

from parte.languages.etalis.semantics.published.terms import EMPTY, Structure, Term, Variable, listed

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+)|(?P<variable>[A-Z_]\w*)|(?P<name>[a-z]\w*)|(?P<sign>:-|->|\\\+|=\.\.|=:=|=<|>=|@<|[-+*/=<>;,()\[\]|]))"
)
_INFIX: dict[str, tuple[int, int, int]] = {
    ":-": (1200, 1199, 1199),
    ";": (1100, 1099, 1100),
    "->": (1050, 1049, 1050),
    ",": (1000, 999, 1000),
    **dict.fromkeys(("=", "<", ">", "=<", ">=", "=:=", "@<", "is", "=.."), (700, 699, 699)),
    "+": (500, 500, 499),
    "-": (500, 500, 499),
    "*": (400, 400, 399),
    "/": (400, 400, 399),
}


def read(text: str) -> Term:
    """Return the term of a text; each `_` is another variable. Raise ValueError if the text is no term."""
    reader = _Reader(text)
    term = reader.term(1200)
    if reader.tokens:
        raise ValueError(f"expected the end of the clause, found {reader.tokens[0]!r} in {text!r}")
    return term


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.variables = text, dict[str, Variable]()
        self.tokens: list[str] = []
        place = 0
        while text[place:].strip():
            match = _TOKEN.match(text, place)
            if match is None:
                raise ValueError(f"no Prolog from {text[place:]!r} on")
            self.tokens.append(match[0].strip())
            place = match.end()

    def take(self, expected: str = "") -> str:
        """Return the next token, and remove it."""
        if not self.tokens or expected not in ("", self.tokens[0]):
            raise ValueError(f"expected {expected or 'a term'} in {self.text!r}")
        return self.tokens.pop(0)

    def term(self, most: int) -> Term:
        """Return a term whose operators have at most this precedence."""
        left, loosest = self.primary(), 0
        while self.tokens and self.tokens[0] in _INFIX:
            own, before, after = _INFIX[self.tokens[0]]
            if own > most or loosest > before:
                break
            left, loosest = Structure(self.take(), (left, self.term(after))), own
        return left

    def primary(self) -> Term:
        """Return a term that is no infix operation."""
        token = self.take()
        if token == "(":
            inner = self.term(1200)
            self.take(")")
            return inner
        if token == "[":
            return self.elements()
        if token == "\\+":
            return Structure("\\+", (self.term(900),))
        if token.isdigit():
            return int(token)
        if token == "_":
            return Variable()
        if token[0].isupper() or token[0] == "_":
            return self.variables.setdefault(token, Variable(token))
        if not token[0].isalpha():
            raise ValueError(f"expected a term, found {token!r} in {self.text!r}")
        if not self.tokens or self.tokens[0] != "(":
            return Structure(token)
        self.take("(")
        return Structure(token, self.sequence(")"))

    def sequence(self, end: str) -> tuple[Term, ...]:
        """Return terms separated by commas, and remove the token that ends them."""
        terms = [self.term(999)]
        while self.tokens and self.tokens[0] == ",":
            self.take()
            terms.append(self.term(999))
        if end:
            self.take(end)
        return tuple(terms)

    def elements(self) -> Term:
        """Return a list, after its opening bracket."""
        if self.tokens and self.tokens[0] == "]":
            self.take()
            return EMPTY
        terms, rest = self.sequence(""), EMPTY
        if self.tokens and self.tokens[0] == "|":
            self.take()
            return self.tail(terms)
        self.take("]")
        return listed(terms, rest)

    def tail(self, terms: tuple[Term, ...]) -> Term:
        """Return a list whose rest is a term."""
        rest = self.term(999)
        self.take("]")
        return listed(terms, rest)
