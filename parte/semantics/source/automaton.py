"""An LALR(1) parser that a table drives.

lark computes the table from a grammar, which takes longer than a short run. So the table is a file beside the grammar,
`grammar.tables.json`, which `python -m docs.generate` writes. A grammar without a table, or with that of another text,
is read by lark at its first use (`parte.semantics.source.tables`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple
from zlib import crc32

from parte.semantics.source.packages import data_file
from parte.semantics.source.tokens import Token

END: Final = "$END"
"""The kind of the token after the last."""

Action = Callable[[Sequence[Any]], object]
"""The value of a rule, from those of its children."""


class UnexpectedToken(Exception):
    """A token that cannot stand where it is."""


class Rule(NamedTuple):
    """A rule: the symbol that it derives, how many symbols it replaces, and the name of its action.

    The values of a rule without an action are inserted into the rule above it. `inserted` has the children that are
    such values. With `alone`, the value of a rule with one child is that child.
    """

    symbol: str
    size: int
    action: str
    inserted: tuple[int, ...]
    alone: bool


class Tables(NamedTuple):
    """The table of a grammar. `grammar` is the checksum of its text.

    A row of `states` has, by the names of symbols, the next state, or -1 less the number of the rule to apply.
    `starts` has the first and the last state for each start symbol.
    """

    grammar: int
    starts: Mapping[str, tuple[int, int]]
    rules: Sequence[Rule]
    states: Sequence[Mapping[str, int]]

    def to_json(self) -> str:
        """Return the text of the file: a line for each rule and state."""
        lines = [f'"grammar": {self.grammar}', f'"starts": {json.dumps(self.starts)}']
        for name, rows in (("rules", self.rules), ("states", self.states)):
            inner = ",\n".join(json.dumps(row, separators=(",", ":"), sort_keys=True) for row in rows)
            lines.append(f'"{name}": [\n{inner}\n]')
        return "{" + ",\n".join(lines) + "}\n"


def tables_of(package: str, starts: Sequence[str]) -> Tables:
    """Return the table of the grammar in a package, from its file if that is of this grammar."""
    text = data_file(package, "grammar.lark").read_text(encoding="utf-8")
    file = data_file(package, "grammar.tables.json")
    if file.is_file():
        read = json.loads(file.read_text(encoding="utf-8"))
        if read["grammar"] == checksum(text) and read["starts"].keys() == {*starts}:
            return Tables(read["grammar"], read["starts"], [Rule(*rule) for rule in read["rules"]], read["states"])
    from parte.semantics.source.tables import computed

    return computed(text, starts)


def checksum(text: str) -> int:
    """Return the checksum of the text of a grammar."""
    return crc32(text.encode())


class Automaton:
    """A grammar with the actions of its rules, as attributes of a builder."""

    def __init__(self, tables: Tables, builder: object) -> None:
        self.tables = tables
        self.actions: list[Action | None] = [
            getattr(builder, rule.action) if rule.action else None for rule in tables.rules
        ]

    def parser(self, start: str) -> Parser:
        """Return a parser of a text that a start symbol derives, before its first token."""
        first, last = self.tables.starts[start]
        return Parser(self, first, last)


class Parser:
    """A parser between two tokens."""

    def __init__(self, automaton: Automaton, first: int, last: int) -> None:
        self._rows, self._rules = automaton.tables.states, automaton.tables.rules
        self._actions = automaton.actions
        self._last = last
        self._states: list[int] = [first]
        self._values: list[Any] = []

    def choices(self) -> Mapping[str, int]:
        """Return the row of the state: each kind of tokens in it fits the tokens so far, as far as one row shows."""
        return self._rows[self._states[-1]]

    def feed_token(self, token: Token) -> None:
        """Take the next token. UnexpectedToken if it cannot stand here; then the parser takes no further token."""
        states, values, kind = self._states, self._values, token.type
        while (step := self._step(states[-1], kind)) < 0:
            self._reduce(self._rules[-1 - step], self._actions[-1 - step])
        states.append(step)
        values.append(token)

    def feed_eof(self) -> object:
        """Take the end of the text, and return the value of the start symbol. UnexpectedToken if the text goes on."""
        while self._states[-1] != self._last:
            step = self._step(self._states[-1], END)
            self._reduce(self._rules[-1 - step], self._actions[-1 - step])
        return self._values[-1]

    def accepts(self) -> set[str]:
        """Return the kinds of tokens that may come next."""
        return {kind for kind in self.choices() if kind.isupper() and self._accepts(kind)}

    def _step(self, state: int, kind: str) -> int:
        try:
            return self._rows[state][kind]
        except KeyError:
            raise UnexpectedToken(kind) from None

    def _reduce(self, rule: Rule, action: Action | None) -> None:
        states, values = self._states, self._values
        children: list[Any] = []
        if rule.size:
            children = values[-rule.size :]
            del values[-rule.size :], states[-rule.size :]
        if rule.inserted:
            children = _inserted(children, rule.inserted)
        if action is None or (rule.alone and len(children) == 1):
            value = children if action is None else children[0]
        else:
            value = action(children)
        states.append(self._rows[states[-1]][rule.symbol])
        values.append(value)

    def _accepts(self, kind: str) -> bool:
        states = list(self._states)
        while (step := self._rows[states[-1]].get(kind)) is not None:
            if step >= 0:
                return True
            rule = self._rules[-1 - step]
            if rule.size:
                del states[-rule.size :]
            states.append(self._rows[states[-1]][rule.symbol])
            if kind == END and states[-1] == self._last:
                return True
        return False


def _inserted(children: list[Any], places: Sequence[int]) -> list[Any]:
    if places[0] == 0:  # of a list that grows on the left nothing is copied
        values, places = children[0], places[1:]
        rest = range(1, len(children))
    else:
        values, rest = [], range(len(children))
    for index in rest:
        if index in places:
            values.extend(children[index])
        else:
            values.append(children[index])
    return values  # type: ignore[no-any-return]
