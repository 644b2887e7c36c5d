"""The names of a program in PARTElang. It is split into declarations as the parser splits it after an error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lark import Token

from parte.editing.names import Choice, Entity, Extent, Name, Names, Sort, extent_of, kind_at, word_at
from parte.semantics.events.duration import UNITS
from parte.semantics.partelang.syntax import functions
from parte.semantics.partelang.syntax.core import Scalar
from parte.semantics.partelang.syntax.declarations import LIST
from parte.semantics.partelang.syntax.expectations import CONNECTIVES, KEYWORDS
from parte.semantics.partelang.syntax.limits import MAX_PATTERNS
from parte.semantics.partelang.syntax.parser import is_attribute, level_of

TIMESTAMP = "timestamp"
_ENTRIES = {"type": "=", "template": "{", "predicate": "(", "rule": "where"}
"""The words that begin declarations, and the token behind the name that follows."""
_OPERAND_ENDS = frozenset({"NAME", "RPAR", "INTEGER", "FLOAT", "STRING"})
_OF_TEMPLATES = (Choice(Sort.TEMPLATE),)
_OF_TYPES = (Choice(Sort.TYPE),)
_OF_CALLS = (Choice(Sort.FUNCTION), Choice(Sort.PREDICATE))


def names(tokens: Sequence[Token]) -> Names:
    """Return the names among the tokens of a text."""
    predicates = {part[1].value for part in declarations(tokens) if part[0].value == "predicate"}
    collected: list[Name] = []
    for part in declarations(tokens):
        match part[0].value:
            case "template":
                collected.extend(_template(part))
            case "rule":
                collected.extend(_Rule(part, predicates, level_of(tokens)).names())
            case word:
                sort = Sort.TYPE if word == "type" else Sort.PREDICATE
                collected.append(_declared(part, Entity(sort, "", part[1].value)))
                collected.extend(_type(token) for token in part[2:] if token.type == "NAME")
    built_in = {
        Choice(Sort.TYPE): [scalar.value for scalar in Scalar],
        Choice(Sort.FUNCTION): [*functions.names(level_of(tokens)), LIST],
        Choice(Sort.ATTRIBUTE): [TIMESTAMP],
    }
    return Names(tuple(collected), built_in)


def declarations(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield the tokens of each declaration, from the word that begins it; tokens before the first are left out."""
    begins = [index for index in range(len(tokens) - 1) if _begins(tokens, index)]
    for start, end in pairwise([*begins, len(tokens)]):
        yield tokens[start:end]


def _begins(tokens: Sequence[Token], index: int) -> bool:
    entry = _ENTRIES.get(word_at(tokens, index))
    if entry is None or not word_at(tokens, index + 1):
        return False
    begins_line = index == 0 or tokens[index - 1].line != tokens[index].line
    return begins_line or (index + 2 < len(tokens) and tokens[index + 2].value == entry)


def _declared(part: Sequence[Token], entity: Entity) -> Name:
    return Name(extent_of(part[1]), entity, extent_of(part[0], part[-1]))


def _type(token: Token) -> Name:
    return Name(extent_of(token), Entity(Sort.TYPE, "", token.value), choices=_OF_TYPES)


def _template(part: Sequence[Token]) -> Iterator[Name]:
    template = part[1].value
    yield _declared(part, Entity(Sort.TEMPLATE, "", template))
    for index in range(2, len(part)):
        before, token = kind_at(part, index - 1), part[index]
        if token.type != "NAME":
            continue
        if kind_at(part, index + 1) == "COLON":
            named = index + 3 if kind_at(part, index + 2) == "LSQB" else index + 2
            last = named + 3 if kind_at(part, named + 3) == "RSQB" else min(named, len(part) - 1)
            kind = Entity(Sort.TYPE, "", word_at(part, named))
            entity = Entity(Sort.ATTRIBUTE, template, token.value)
            yield Name(extent_of(token), entity, extent_of(token, part[last]), kind)
        elif before in ("COLON", "LSQB"):
            yield _type(token)


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A pattern of a rule: the index of its variable among the tokens, its variable and template, and whether it is
    negated."""

    index: int
    variable: str
    template: str
    negated: bool


class _Rule:
    """A reader of a rule, from left to right. A block ends with its brace, or where something begins that no block
    contains."""

    def __init__(self, part: Sequence[Token], predicates: set[str], level: int) -> None:
        self._part = part
        self._connectives = CONNECTIVES.keys() - KEYWORDS.keys() if level > 1 else frozenset[str]()
        self._predicates = predicates
        self._name = "" if part[1].value == "where" else part[1].value
        self._patterns = [
            _Pattern(index, token.value, word_at(part, index + 2), word_at(part, index - 1) == "no")
            for index, token in enumerate(part)
            if token.type == "NAME" and kind_at(part, index + 1) == "COLON"
        ]
        self._by_index = {
            pattern.index: (pattern, after) for pattern, after in pairwise([*self._patterns, None]) if pattern
        }
        self._templates: Mapping[str, str] = {
            pattern.variable: pattern.template for pattern in reversed(self._patterns)
        }
        self._clause = "where"
        self._block, self._depth = False, 0
        self._here: _Pattern | None = None
        self._emitted = ""

    def names(self) -> Iterator[Name]:
        """Yield the names of the rule."""
        part = self._part
        if self._name:
            yield _declared(part, Entity(Sort.RULE, "", self._name))
        for index in range(2 if self._name else 1, len(part)):
            token = part[index]
            if token.type in ("LBRACE", "RBRACE"):
                self._block, self._depth = token.type == "LBRACE", 0
            elif token.type in ("LPAR", "RPAR"):
                self._depth += 1 if token.type == "LPAR" else -1
            elif token.type == "NAME" and not (kind_at(part, index - 1) == "INTEGER" and token.value in UNITS):
                if self._is_keyword(index):
                    self._enter(token.value)
                else:
                    yield from self._name_at(index)

    def _is_keyword(self, index: int) -> bool:
        word, before = self._part[index].value, kind_at(self._part, index - 1)
        if word in self._connectives and self._block and self._clause == "where":
            between = before in _OPERAND_ENDS and word_at(self._part, index - 1) not in self._connectives
            return before != "DOT" if word == "not" else between
        if word not in KEYWORDS or before == "DOT":
            return False
        if word in ("true", "false"):
            return not (self._clause == "then" and self._assigned(index))
        return not (self._block and is_attribute(before, kind_at(self._part, index + 1)))

    def _enter(self, word: str) -> None:
        if word in ("when", "then", "emit"):
            self._clause = "when" if word == "when" else "then"
            self._block, self._here = False, None

    def _name_at(self, index: int) -> Iterator[Name]:
        part, token = self._part, self._part[index]
        word, extent = token.value, extent_of(token)
        before, after = kind_at(part, index - 1), kind_at(part, index + 1)
        if before == "DOT":
            template = self._templates.get(word_at(part, index - 2))
            if template is not None:
                yield self._attribute(extent, template, word, timed=self._clause == "then")
        elif after == "COLON":
            self._clause, self._block = "where", False
            self._here, following = self._by_index[index]
            first = part[index - 1] if self._here.negated else token
            kind = Entity(Sort.TEMPLATE, "", self._here.template)
            yield Name(extent, self._variable(word), extent_of(first, part[self._end_of(index, following)]), kind)
        elif before == "COLON" or (before == "NAME" and part[index - 1].value == "emit"):
            self._emitted = word if before == "NAME" else ""
            yield Name(extent, Entity(Sort.TEMPLATE, "", word), choices=_OF_TEMPLATES)
        elif self._clause == "when":
            negated = word_at(part, index - 1) == "no"
            yield Name(extent, self._variable(word), choices=(self._variables(negated=negated),))
        elif self._clause == "then" and self._assigned(index):
            yield self._attribute(extent, self._emitted, word)
        elif self._block or self._clause == "then":
            yield self._operand(extent, word, after)

    def _operand(self, extent: Extent, word: str, after: str) -> Name:
        """Return the name with which an operand of an expression begins."""
        choices: tuple[Choice, ...] = (self._variables(), *_OF_CALLS)
        here = self._here.template if self._here else None
        if here is not None:
            choices = (Choice(Sort.ATTRIBUTE, here), *choices)
        if after == "LPAR":
            entity = Entity(Sort.PREDICATE if word in self._predicates else Sort.FUNCTION, "", word)
        elif after == "DOT" or here is None:
            entity = self._variable(word)
        else:
            entity = Entity(Sort.ATTRIBUTE, here, word)
        return Name(extent, entity, choices=choices)

    def _attribute(self, extent: Extent, template: str, word: str, *, timed: bool = False) -> Name:
        owner = "" if word == TIMESTAMP else template
        choices = (Choice(Sort.ATTRIBUTE, template), *((Choice(Sort.ATTRIBUTE),) if timed else ()))
        return Name(extent, Entity(Sort.ATTRIBUTE, owner, word), choices=choices)

    def _variable(self, word: str) -> Entity:
        return Entity(Sort.VARIABLE, self._name, word)

    def _variables(self, *, negated: bool = False) -> Choice:
        """Return the variables that are visible here (specification: scope-positive, scope-negated), of as many
        patterns as a rule may have."""
        here = self._here
        visible = {
            pattern.variable
            for pattern in self._patterns[:MAX_PATTERNS]
            if pattern is here or (pattern.negated is negated and (here is None or pattern.index < here.index))
        }
        return Choice(Sort.VARIABLE, self._name, frozenset(visible))

    def _assigned(self, index: int) -> bool:
        """Return whether a name is an attribute that gets a value: the first of an assignment, even if the comma
        before it is missing."""
        if not self._block or self._depth > 0:
            return False
        before = kind_at(self._part, index - 1)
        if before in ("LBRACE", "_COMMA"):
            return True
        operator = before in ("EQUAL", "COMPARISON", "PLUS", "MINUS", "STAR", "SLASH", "DOT")
        return kind_at(self._part, index + 1) == "EQUAL" and not operator

    def _end_of(self, index: int, following: _Pattern | None) -> int:
        """Return the index of the last token of a pattern, given the pattern that follows."""
        last = min(index + 2, len(self._part) - 1)
        if kind_at(self._part, last + 1) != "LBRACE":
            return last
        inside = range(last + 1, following.index if following else len(self._part))
        return next((end for end in inside if kind_at(self._part, end) == "RBRACE"), last)
