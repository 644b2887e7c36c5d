"""The names of a program in PARTElang. It is split into declarations as the parser splits it after an error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from parte.editing.names import Choice, Entity, Extent, Name, Names, Sort, extent_of, kind_at, owner_of, word_at
from parte.semantics.events.duration import UNITS
from parte.semantics.partelang.syntax import functions
from parte.semantics.partelang.syntax.core import Scalar
from parte.semantics.partelang.syntax.declarations import LIST
from parte.semantics.partelang.syntax.expectations import CONNECTIVES, EXPECTED, KEYWORDS, SELECTIONS
from parte.semantics.partelang.syntax.limits import MAX_PATTERNS
from parte.semantics.partelang.syntax.parser import is_attribute, level_of
from parte.semantics.source.tokens import Token

TIMESTAMP = "timestamp"
_ENTRIES = {"type": "=", "template": "{", "predicate": "(", "rule": "where", "pattern": "("}
"""The words that begin declarations, and the token behind the name that follows."""
_OPERAND_ENDS = frozenset({"NAME", "RPAR", "INTEGER", "FLOAT", "STRING"})
_OF_TEMPLATES = (Choice(Sort.TEMPLATE),)
_OF_TYPES = (Choice(Sort.TYPE),)
_OF_PATTERNS = (Choice(Sort.PATTERN),)
_OF_CALLS = (Choice(Sort.FUNCTION), Choice(Sort.PREDICATE))
_OF_ALTERNATIVES = ("either", "or")
"""The words before the variable of an alternative."""
_OF_AGGREGATES = Choice(Sort.FUNCTION, "aggregates")


def names(tokens: Sequence[Token]) -> Names:
    """Return the names among the tokens of a text."""
    predicates = {part[1].value for part in declarations(tokens) if part[0].value == "predicate"}
    bodies = [_Body(part) for part in declarations(tokens) if part[0].value == "pattern"]
    patterns = {body.name: body for body in reversed(bodies)}
    collected: list[Name] = []
    joined: set[frozenset[Entity]] = set()
    for part in declarations(tokens):
        match part[0].value:
            case "template":
                collected.extend(_template(part))
            case "rule" | "pattern":
                rule = _Rule(_Body(part), predicates, patterns, level_of(tokens))
                collected.extend(rule.names())
                joined |= rule.joined
            case word:
                sort = Sort.TYPE if word == "type" else Sort.PREDICATE
                collected.append(_declared(part, Entity(sort, "", part[1].value)))
                collected.extend(_type(token) for token in part[2:] if token.type == "NAME")
    built_in = {
        Choice(Sort.TYPE): [scalar.value for scalar in Scalar],
        Choice(Sort.FUNCTION): [*functions.names(level_of(tokens)), LIST],
        Choice(Sort.ATTRIBUTE): [TIMESTAMP],
        _OF_AGGREGATES: functions.AGGREGATES if level_of(tokens) > 1 else (),
    }
    return Names(tuple(collected), built_in, joined=tuple(joined))


def imports(tokens: Sequence[Token]) -> Sequence[tuple[str, Extent]]:
    """Return the paths of the files that a text imports, and their places."""
    begins = next((index for index in range(len(tokens) - 1) if _begins(tokens, index, 2)), len(tokens))
    return [
        (token.value[1:-1], extent_of(token))
        for before, token in pairwise(tokens[:begins] if level_of(tokens) > 1 else ())
        if token.type == "STRING" and before.value == "import"
    ]


def declarations(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield the tokens of each declaration, from the word that begins it; tokens before the first are left out."""
    level = level_of(tokens)
    begins = [index for index in range(len(tokens) - 1) if _begins(tokens, index, level)]
    for start, end in pairwise([*begins, len(tokens)]):
        yield tokens[start:end]


def _begins(tokens: Sequence[Token], index: int, level: int) -> bool:
    entry = _ENTRIES.get(word := word_at(tokens, index))
    if entry is None or (word == "pattern" and level == 1) or not word_at(tokens, index + 1):
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
            last += kind_at(part, last + 1) == "QUESTION"
            kind = Entity(Sort.TYPE, "", word_at(part, named))
            entity = Entity(Sort.ATTRIBUTE, template, token.value)
            yield Name(extent_of(token), entity, extent_of(token, part[last]), kind)
        elif before in ("COLON", "LSQB"):
            yield _type(token)


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A pattern of a rule: the index of its variable among the tokens, its variable and template, whether it is
    negated or a set, and whether a word stands before its variable."""

    index: int
    variable: str
    template: str
    negated: bool
    collected: bool
    led: bool


@dataclass(frozen=True, slots=True)
class _Use:
    """A use of a named pattern: the index of its word `use`, of the parenthesis behind its arguments and of its name,
    which are the same if it has none."""

    index: int
    end: int
    named: int
    pattern: str


class _Body:
    """The tokens of a rule or of a named pattern: where its parts begin, and what it declares."""

    def __init__(self, part: Sequence[Token]) -> None:
        self.part = part
        self.is_pattern = part[0].value == "pattern"
        self.name = "" if part[1].value == "where" else part[1].value
        self.owner = owner_of(Sort.PATTERN if self.is_pattern else Sort.RULE, self.name)
        wheres = (index for index, token in enumerate(part) if token.value == "where" and index > 0)
        self.begin = next(wheres, len(part) if self.is_pattern else 0)
        header = range(2, self.begin if self.is_pattern else 2)
        self.exporting = next((index for index in header if word_at(part, index) == "exports"), self.begin)
        self.parameters = {
            part[index].value: index
            for index in reversed(header)
            if part[index].type == "NAME" and kind_at(part, index + 1) == "COLON"
        }
        """The parameters of a pattern, and their indexes."""
        self.exported = {
            part[index].value
            for index in range(self.exporting + 1, self.begin)
            if part[index].type == "NAME" and kind_at(part, index - 1) != "DOT"
        }
        """The names with which the exports of a pattern begin."""
        self.uses = {word_at(part, use.named): use for use in reversed(list(self._uses()))}
        self.templates: dict[str, list[str]] = {}
        """The variables, with their templates: of all alternatives, or the first that is written."""
        for index in range(self.begin, len(part)):
            if part[index].type == "NAME" and kind_at(part, index + 1) == "COLON":
                alternatives = self.templates.setdefault(part[index].value, [])
                if not alternatives or word_at(part, index - 1) == "or":
                    alternatives.append(word_at(part, index + 2))

    def _uses(self) -> Iterator[_Use]:
        part, inside = self.part, False
        for index in range(self.begin, len(part)):
            inside = kind_at(part, index) == "LBRACE" or (inside and kind_at(part, index) != "RBRACE")
            if inside or word_at(part, index) != "use" or not word_at(part, index + 1):
                continue
            end = index + 2
            if kind_at(part, end) == "LPAR":
                while end < len(part) and word_at(part, end) != "as" and kind_at(part, end) not in ("LBRACE", "COLON"):
                    end += 1
            named = end + 1 if word_at(part, end) == "as" else -1
            yield _Use(index, end, named, part[index + 1].value)


class _Rule:
    """A reader of a rule, from left to right. A block ends with its brace, or where something begins that no block
    contains. It also reads the bodies of named patterns, after their headers."""

    def __init__(self, body: _Body, predicates: set[str], patterns: Mapping[str, _Body], level: int) -> None:
        self._body, self._named_patterns, part = body, patterns, body.part
        self._part, self._level, self._keys = part, level, False
        self._uses = body.uses if level > 1 else {}
        self._meant: dict[int, _Body | list[str] | None] = {}
        """The meanings of names, by their indexes: a used pattern, or an event of one of some templates."""
        self._connectives = CONNECTIVES.keys() - KEYWORDS.keys() if level > 1 else frozenset[str]()
        self._selections = SELECTIONS.keys() if level > 1 else frozenset[str]()
        self._predicates = predicates
        self._name = body.name
        self._patterns = [
            _Pattern(
                index,
                token.value,
                word_at(part, index + 2),
                (before := word_at(part, index - 1)) == "no",
                collected := (before == "all" and level > 1),
                before == "no" or collected or before in self._selections or (level > 1 and before in _OF_ALTERNATIVES),
            )
            for index, token in enumerate(part)
            if token.type == "NAME" and kind_at(part, index + 1) == "COLON" and index >= body.begin
        ]
        self._by_index = {
            pattern.index: (pattern, after) for pattern, after in pairwise([*self._patterns, None]) if pattern
        }
        self.joined = set[frozenset[Entity]]()
        """The attributes that a variable with alternatives has in all of its templates."""
        self._clause = "where"
        self._keyword = -1
        self._block, self._depth = False, 0
        self._here: _Pattern | None = None
        self._emitted = ""

    def names(self) -> Iterator[Name]:
        """Yield the names of the rule."""
        part = self._part
        if self._name:
            sort = Sort.PATTERN if self._body.is_pattern else Sort.RULE
            yield _declared(part, Entity(sort, "", self._name))
        if self._body.is_pattern:
            yield from self._header()
        begin = self._body.begin if self._body.is_pattern else 2 if self._name else 1
        uses = {use.index + 1: use for use in self._body.uses.values()} if self._level > 1 else {}
        using: _Use | None = None
        for index in range(begin, len(part)):
            token = part[index]
            using = uses.get(index, using)
            if using is not None and token.type == "NAME":
                yield from self._of_use(using, index)
            if using is not None and index <= max(using.end, using.named):
                continue
            using = None
            if word_at(part, index - 1) == "use" and self._clause == "where" and not self._block and self._level > 1:
                yield Name(extent_of(token), Entity(Sort.PATTERN, "", token.value), choices=_OF_PATTERNS)
                continue
            if token.type in ("LBRACE", "RBRACE"):
                self._block, self._depth = token.type == "LBRACE", 0
            elif token.type in ("LPAR", "RPAR"):
                self._depth += 1 if token.type == "LPAR" else -1
                self._keys = self._keys and token.type == "LPAR"
            elif token.type == "NAME" and not (kind_at(part, index - 1) == "INTEGER" and token.value in UNITS):
                if self._is_keyword(index):
                    self._keyword = index
                    self._enter(token.value)
                else:
                    yield from self._name_at(index)

    def _header(self) -> Iterator[Name]:
        """Yield the names of the parameters and exports of a pattern."""
        part, body = self._part, self._body
        for index in range(2, body.begin):
            token, before = part[index], kind_at(part, index - 1)
            if token.type != "NAME" or index == body.exporting:
                continue
            if index > body.exporting:
                yield from self._path(index, frozenset((*body.templates, *body.uses)))
            elif before in ("COLON", "LSQB"):
                yield _type(token)
            elif kind_at(part, index + 1) == "COLON":
                last = part[min(index + 2, len(part) - 1)]
                kind = Entity(Sort.TYPE, "", word_at(part, index + 2))
                yield Name(extent_of(token), self._variable(token.value), extent_of(token, last), kind)

    def _of_use(self, use: _Use, index: int) -> Iterator[Name]:
        """Yield the name in the use of a pattern at an index."""
        token = self._part[index]
        if index == use.index + 1:
            yield Name(extent_of(token), Entity(Sort.PATTERN, "", token.value), choices=_OF_PATTERNS)
        elif index == use.named:
            kind = Entity(Sort.PATTERN, "", use.pattern)
            yield Name(extent_of(token), self._variable(token.value), extent_of(self._part[use.index], token), kind)
        elif index < use.end and token.value not in ("true", "false") and kind_at(self._part, index - 1) != "INTEGER":
            before = [name for name, earlier_use in self._uses.items() if earlier_use.index < use.index]
            events = [pattern.variable for pattern in self._patterns if pattern.index < use.index]
            yield from self._path(index, frozenset((*before, *events, *self._body.parameters)))

    def _path(self, index: int, first: frozenset[str]) -> Iterator[Name]:
        """Yield the name at an index in a path such as `p.a.k`, which begins with one of some variables."""
        token = self._part[index]
        if kind_at(self._part, index - 1) == "DOT":
            yield from self._behind_dot(index, timed=False)
        else:
            self._meant[index] = self._meaning(self._body, token.value)
            choice = Choice(Sort.VARIABLE, self._body.owner, first)
            yield Name(extent_of(token), self._variable(token.value), choices=(choice,))

    def _meaning(self, body: _Body, word: str) -> _Body | list[str] | None:
        """Return the used pattern, or the templates, for which a variable of a rule or a pattern stands."""
        use = body.uses.get(word) if self._level > 1 else None
        return self._named_patterns.get(use.pattern) if use is not None else body.templates.get(word)

    def _behind_dot(self, index: int, *, timed: bool) -> Iterator[Name]:
        """Yield the name behind a dot: an attribute of an event, or a variable of a used pattern."""
        token, before = self._part[index], self._meant.get(index - 2)
        if isinstance(before, _Body):
            self._meant[index] = self._meaning(before, token.value)
            choice = Choice(Sort.VARIABLE, before.owner, frozenset(before.exported))
            yield Name(extent_of(token), Entity(Sort.VARIABLE, before.owner, token.value), choices=(choice,))
        elif before is not None:
            template = self._alternative(index, before)
            yield self._attribute(extent_of(token), template, token.value, timed=timed)

    def _alternative(self, index: int, templates: Sequence[str]) -> str:
        """Return the template of the event before a dot: inside an alternative it is that of the alternative."""
        variable = "" if kind_at(self._part, index - 3) == "DOT" else word_at(self._part, index - 2)
        if self._block and self._here is not None and self._here.variable == variable:
            return self._here.template
        word = self._part[index].value
        if len(templates) > 1 and word != TIMESTAMP:
            self.joined.add(frozenset(Entity(Sort.ATTRIBUTE, template, word) for template in templates))
        return templates[0]

    def _is_keyword(self, index: int) -> bool:
        word, before = self._part[index].value, kind_at(self._part, index - 1)
        if self._level > 1 and self._clause == "then" and not self._block:
            if self._keys:
                return False
            if word == "once" and word_at(self._part, index + 1) in ("per", "in"):
                return True
            if word == "per" and word_at(self._part, index - 1) == "once":
                return True
        if self._level > 1 and word in ("having", "all", "distinct"):
            return self._is_of_sets(index, word, before)
        assigned = self._clause == "then" and self._assigned(index)
        if word in self._connectives and (self._clause == "having" or (self._block and not assigned)):
            joined = self._keyword == index - 1 and word_at(self._part, index - 1) in self._connectives
            between = before in _OPERAND_ENDS and not joined
            return before != "DOT" if word == "not" else between
        if word in self._selections and not self._block and self._clause == "where":
            return kind_at(self._part, index + 1) == "NAME"
        if self._level > 1 and word in ("use", "end") and not self._block and before != "DOT":
            return True
        if word in _OF_ALTERNATIVES and self._level > 1 and not self._block and self._clause == "where":
            return word == "either" or before in ("NAME", "RBRACE")
        if word == "ever" and self._level > 1 and self._clause == "when":
            return before == "MINUS" or kind_at(self._part, index + 1) in ("RSQB", "RPAR")
        if word in EXPECTED and self._keyword == index - 1 and word_at(self._part, index - 1) == "is":
            return True
        if word not in KEYWORDS or before == "DOT":
            return False
        if word in ("true", "false"):
            return not (self._clause == "then" and self._assigned(index))
        return not (self._block and is_attribute(before, kind_at(self._part, index + 1)))

    def _is_of_sets(self, index: int, word: str, before: str) -> bool:
        """Return whether a word of level 2 that is about sets is a keyword here."""
        after = kind_at(self._part, index + 1)
        if word == "distinct":
            return self._clause in ("having", "then") and before == "LPAR" and after == "NAME"
        return not self._block and before != "DOT" and after != "COLON" and self._clause in ("where", "when")

    def _enter(self, word: str) -> None:
        if word in ("when", "having", "then", "emit"):
            self._clause = "then" if word == "emit" else word
            self._block, self._here = False, None
        if word == "per":
            self._keys = True

    def _name_at(self, index: int) -> Iterator[Name]:
        part, token = self._part, self._part[index]
        word, extent = token.value, extent_of(token)
        before, after = kind_at(part, index - 1), kind_at(part, index + 1)
        if before != "DOT":
            self._meant[index] = self._meaning(self._body, word)
        if before == "DOT":
            yield from self._behind_dot(index, timed=self._clause == "then" or self._level > 1)
        elif after == "COLON":
            self._clause, self._block = "where", False
            self._here, following = self._by_index[index]
            first = part[index - 1] if self._here.led else token
            kind = Entity(Sort.TEMPLATE, "", self._here.template)
            yield Name(extent, self._variable(word), extent_of(first, part[self._end_of(index, following)]), kind)
        elif before == "COLON" or (before == "NAME" and part[index - 1].value == "emit"):
            self._emitted = word if before == "NAME" else ""
            yield Name(extent, Entity(Sort.TEMPLATE, "", word), choices=_OF_TEMPLATES)
        elif self._clause == "when":
            negated = word_at(part, index - 1) == "no"
            yield Name(extent, self._variable(word), choices=(self._variables(negated=negated),))
        elif self._keys or (self._clause == "then" and self._assigned(index)):
            yield self._attribute(extent, self._emitted, word)
        elif self._block or self._clause in ("having", "then"):
            of_clock = before == "LPAR" and self._level > 1 and word_at(part, index - 2) in functions.of_clocks()
            yield (
                self._operand(extent, word, after)
                if not of_clock
                else Name(extent, self._variable(word), choices=(self._variables(),))
            )

    def _operand(self, extent: Extent, word: str, after: str) -> Name:
        """Return the name with which an operand of an expression begins."""
        choices: tuple[Choice, ...] = (self._variables(), *_OF_CALLS)
        here = self._here.template if self._here else None
        if here is not None:
            choices = (Choice(Sort.ATTRIBUTE, here), *choices)
        elif self._level > 1:
            choices = (*choices, _OF_AGGREGATES)
        if after == "LPAR":
            entity = Entity(Sort.PREDICATE if word in self._predicates else Sort.FUNCTION, "", word)
        elif after == "DOT" or here is None or word in self._body.parameters:
            entity = self._variable(word)
        else:
            entity = Entity(Sort.ATTRIBUTE, here, word)
        return Name(extent, entity, choices=choices)

    def _attribute(self, extent: Extent, template: str, word: str, *, timed: bool = False) -> Name:
        owner = "" if word == TIMESTAMP else template
        choices = (Choice(Sort.ATTRIBUTE, template), *((Choice(Sort.ATTRIBUTE),) if timed else ()))
        return Name(extent, Entity(Sort.ATTRIBUTE, owner, word), choices=choices)

    def _variable(self, word: str) -> Entity:
        return Entity(Sort.VARIABLE, self._body.owner, word)

    def _variables(self, *, negated: bool = False) -> Choice:
        """Return the variables that are visible here (specification: scope-positive, scope-negated), of as many
        patterns as a rule may have."""
        here = self._here
        visible = {
            pattern.variable
            for pattern in self._patterns[:MAX_PATTERNS]
            if pattern is here
            or (pattern.negated is negated and (here is None or (pattern.index < here.index and not pattern.collected)))
        }
        visible.update(name for name, use in self._uses.items() if here is None or use.index < here.index)
        visible.update(self._body.parameters)
        return Choice(Sort.VARIABLE, self._body.owner, frozenset(visible))

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
