"""Tokens of a text."""

from __future__ import annotations


class Token(str):
    """A piece of a text with its kind and place. Lines and columns count from 1; positions of characters from 0.

    A token equals every string with the same text, also a token of another kind.
    """

    __slots__ = ("column", "end_column", "end_line", "end_pos", "line", "start_pos", "type")

    type: str
    start_pos: int
    line: int
    column: int
    end_line: int
    end_column: int
    end_pos: int

    def __new__(
        cls,
        type: str,
        value: str,
        start_pos: int = 0,
        line: int = 1,
        column: int = 1,
        end_line: int = 1,
        end_column: int = 1,
        end_pos: int = 0,
    ) -> Token:
        token = super().__new__(cls, value)
        token.type, token.start_pos, token.line, token.column = type, start_pos, line, column
        token.end_line, token.end_column, token.end_pos = end_line, end_column, end_pos
        return token

    @property
    def value(self) -> str:
        """The text."""
        return str(self)

    def of_kind(self, kind: str) -> Token:
        """Return the token at the same place with another kind."""
        return Token(kind, self, self.start_pos, self.line, self.column, self.end_line, self.end_column, self.end_pos)
