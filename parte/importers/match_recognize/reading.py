"""Statements of SQL files: the queries with MATCH_RECOGNIZE, and the tables that CREATE TABLE declares.

sqlglot has the words and the syntax of SQL. What it does not have is read here, from its words: WITHIN (Flink),
SUBSET, `SKIP TO v`, and the pattern, which sqlglot keeps as a text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from sqlglot import Token, TokenType, exp, tokens
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

from parte.importers.imported import Difference, Place

MOST_CHARACTERS: Final = 1_000_000
"""The longest file that is read."""
MOST_WORDS: Final = 5_000
"""The longest statement, in words of SQL."""
DEEPEST: Final = 60
"""The most brackets that are open at once, and the height of an expression."""
HEIGHT: Final = 60
_OPENING: Final = {TokenType.L_PAREN, TokenType.L_BRACE, TokenType.L_BRACKET}
_CLOSING: Final = {TokenType.R_PAREN, TokenType.R_BRACE, TokenType.R_BRACKET}


class MatchRecognizeSql(Dialect):
    """SQL with names in backquotes too, as Flink writes them."""

    class Tokenizer(tokens.Tokenizer):
        IDENTIFIERS: ClassVar[list[str | tuple[str, str]]] = ['"', "`"]
        KEYWORDS: ClassVar[dict[str, TokenType]] = {
            **tokens.Tokenizer.KEYWORDS,
            "MATCH_RECOGNIZE": TokenType.MATCH_RECOGNIZE,
        }


class Unsaid(Exception):
    """A part of a statement that no program says; with `nearest`, a program that is near leaves it out."""

    def __init__(self, place: Place, reason: str, *, nearest: bool = False) -> None:
        super().__init__(reason)
        self.place, self.reason, self.nearest = place, reason, nearest


class Source:
    """The text of a file, and the places in it."""

    def __init__(self, file: str, text: str) -> None:
        self.file, self.text = file, text

    def place(self, offset: int) -> Place:
        """Return the place of a character, by its offset."""
        line = self.text.count("\n", 0, offset) + 1
        return Place(self.file, line, offset - self.text.rfind("\n", 0, offset))

    def of(self, node: exp.Expression | None, otherwise: int) -> Place:
        """Return the place of the first name in an expression; that of the offset `otherwise` if it has none."""
        starts = [] if node is None else [name.meta.get("start") for name in node.find_all(exp.Identifier, exp.Star)]
        return self.place(min((start for start in starts if isinstance(start, int)), default=otherwise))


class Notes:
    """The differences of a program from its query, in the order in which they were met."""

    def __init__(self, nearest: bool) -> None:
        self.nearest = nearest
        self.differences: list[Difference] = []

    def differ(self, place: Place, text: str) -> None:
        """Add a difference. Raise Unsaid unless programs that are near are wanted."""
        if not self.nearest:
            raise Unsaid(place, text, nearest=True)
        if (difference := Difference(place, text)) not in self.differences:
            self.differences.append(difference)


@dataclass(frozen=True, slots=True)
class Column:
    """A declared column; `type` is None if it is computed."""

    name: str
    type: exp.DataType | None
    required: bool
    start: int


Tables = Mapping[str, Mapping[str, Column]]
"""The columns of declared tables, by the names of both in small letters."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query: its parts as sqlglot reads them, the words of its pattern, and where the clauses begin (offsets).

    `skip` is the clause AFTER MATCH SKIP in capitals, without these words; `within` the words after WITHIN.
    """

    name: str | None
    start: int
    at: int
    table: exp.Table
    clause: exp.MatchRecognize
    pattern: Sequence[Token]
    within: Sequence[Token]
    skip: Sequence[Token]
    rows: int
    defined: int


def statements(source: Source) -> Iterator[Sequence[Token]]:
    """Yield the words of each statement. Raise Unsaid if the text has no words of SQL."""
    try:
        words = MatchRecognizeSql().tokenize(source.text)
    except SqlglotError as error:
        raise Unsaid(
            Place(source.file, 1, 1), f"expected SQL, found a text without its words: {_first(error)}"
        ) from None
    statement: list[Token] = []
    for word in words:
        if word.token_type is not TokenType.SEMICOLON:
            statement.append(word)
        elif statement:
            yield statement
            statement = []
    if statement:
        yield statement


def is_table(words: Sequence[Token]) -> bool:
    """Return whether a statement declares a table by its columns."""
    head = [word.text.upper() for word in words[:5]]
    return head[0] == "CREATE" and "TABLE" in head and TokenType.L_PAREN in {word.token_type for word in words}


def is_query(words: Sequence[Token]) -> bool:
    """Return whether a statement has the word MATCH_RECOGNIZE."""
    return any(word.token_type is TokenType.MATCH_RECOGNIZE for word in words)


def table_of(source: Source, words: Sequence[Token]) -> tuple[str, dict[str, Column]]:
    """Return the name and the columns of a declared table. Raise Unsaid."""
    _limited(source, words)
    begin = next(number for number, word in enumerate(words) if word.token_type is TokenType.L_PAREN)
    tree = _parsed(source, [*words[: begin + 1], *_without_watermarks(words, begin + 1)])
    schema = tree.this if isinstance(tree, exp.Create) else None
    if not isinstance(schema, exp.Schema) or not isinstance(schema.this, exp.Table):
        raise Unsaid(source.place(words[0].start), "expected a CREATE TABLE with columns")
    keys = {
        name.name.lower()
        for part in schema.expressions
        if isinstance(part, exp.PrimaryKey)
        for name in part.expressions
    }
    columns: dict[str, Column] = {}
    for part in schema.expressions:
        if isinstance(part, exp.ColumnDef):
            kinds = [constraint.kind for constraint in part.constraints]
            required = any(
                isinstance(kind, exp.PrimaryKeyColumnConstraint)
                or (isinstance(kind, exp.NotNullColumnConstraint) and not kind.args.get("allow_null"))
                for kind in kinds
            )
            start = part.this.meta.get("start", words[0].start)
            if part.name.lower() in columns:
                raise Unsaid(source.place(start), f"the column {part.name} is declared twice")
            columns[part.name.lower()] = Column(part.name, part.kind, required or part.name.lower() in keys, start)
    return schema.this.name.lower(), columns


def _without_watermarks(words: Sequence[Token], begin: int) -> list[Token]:
    remaining: list[Token] = []
    depth, dropping = 1, words[begin].text.upper() == "WATERMARK" if begin < len(words) else False
    for number, word in enumerate(words[begin:], begin):
        depth += (word.token_type in _OPENING) - (word.token_type in _CLOSING)
        if depth == 0:
            if dropping and remaining:
                remaining.pop()  # the comma before the last item
            return [*remaining, *words[number:]]
        if depth == 1 and word.token_type is TokenType.COMMA:
            if not dropping:
                remaining.append(word)
            following = words[number + 1] if number + 1 < len(words) else word
            dropping = following.text.upper() == "WATERMARK" and following.token_type is TokenType.VAR
        elif not dropping:
            remaining.append(word)
    return remaining


def query_of(source: Source, words: Sequence[Token]) -> Query:
    """Return the query of a statement. Raise Unsaid."""
    _limited(source, words)
    at = next(number for number, word in enumerate(words) if word.token_type is TokenType.MATCH_RECOGNIZE)
    end = _closing(source, words, at + 1)
    inner = list(words[at + 2 : end])
    pattern = _bracketed(source, inner, "PATTERN")
    skip, inner, rows = _clauses(source, inner, words[at].start)
    within, inner = _within(source, inner)
    defined = next((word.start for word in inner if word.text.upper() == "DEFINE"), words[at].start)
    tree = _parsed(source, [*words[: at + 2], *inner, *words[end:]])
    name, select = None, tree
    if isinstance(tree, exp.Create | exp.Insert):
        target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
        name, select = target.name if isinstance(target, exp.Table) else None, tree.expression
    if not isinstance(select, exp.Select):
        raise Unsaid(source.place(words[0].start), "expected SELECT … FROM table MATCH_RECOGNIZE (…)")
    table, clause = _plain(source, select, words[at].start)
    name = name or clause.alias or None
    return Query(name, words[0].start, words[at].start, table, clause, pattern, within, skip, rows, defined)


def _plain(source: Source, select: exp.Select, start: int) -> tuple[exp.Table, exp.MatchRecognize]:
    """Return the table and the clause of a SELECT that does nothing else but choose columns. Raise Unsaid."""
    for part, value in select.args.items():
        if value and part not in {"expressions", "from_", "match", "kind"}:
            node = value[0] if isinstance(value, list) else value
            place = source.of(node if isinstance(node, exp.Expression) else None, start)
            what = part.upper().rstrip("_").removesuffix("S") if part != "with_" else "WITH"
            raise Unsaid(place, f"{what} beside MATCH_RECOGNIZE: a rule reports its matches as they are")
    for column in select.expressions:
        if not isinstance(column, exp.Star | exp.Column):
            raise Unsaid(source.of(column, start), "SELECT computes: expected columns, or *; compute in MEASURES")
    clause = select.args.get("match")
    table = select.args["from_"].this if select.args.get("from_") else None
    if not isinstance(clause, exp.MatchRecognize) and isinstance(table, exp.Table):
        clause = table.args.get("match")
    if not isinstance(clause, exp.MatchRecognize):
        raise Unsaid(
            source.place(start), "MATCH_RECOGNIZE is in another query: expected SELECT … FROM table MATCH_RECOGNIZE"
        )
    if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
        raise Unsaid(source.of(table, start), "MATCH_RECOGNIZE reads a query: expected the name of a table before it")
    for part, value in table.args.items():
        if value and part not in {"this", "db", "catalog", "alias", "match"}:
            raise Unsaid(source.of(table, start), f"{part.upper()} beside the table: expected its name alone")
    return table, clause


def _bracketed(source: Source, inner: list[Token], word: str) -> Sequence[Token]:
    """Return the words in the brackets after a word."""
    for number, token in enumerate(inner[:-1]):
        if token.text.upper() == word and inner[number + 1].token_type is TokenType.L_PAREN and _outside(inner, number):
            end = _closing(source, inner, number + 1)
            if end == number + 2:
                raise Unsaid(source.place(token.start), "the pattern is empty")
            return inner[number + 2 : end]
    place = source.place(inner[0].start if inner else 0)
    raise Unsaid(place, "MATCH_RECOGNIZE has no PATTERN (…)")


def _clauses(source: Source, inner: list[Token], start: int) -> tuple[Sequence[Token], list[Token], int]:
    """Return the words after AFTER MATCH SKIP, all words without these, and where ONE or ALL ROWS begins."""
    texts = [token.text.upper() for token in inner]
    rows = start
    skip: list[Token] = []
    remaining: list[Token] = []
    number = 0
    while number < len(inner):
        if texts[number : number + 3] == ["AFTER", "MATCH", "SKIP"] and _outside(inner, number):
            skip = inner[number : number + 3]
            number += 3
            while number < len(inner) and texts[number] not in {"PATTERN", "SUBSET", "DEFINE", "WITHIN"}:
                skip.append(inner[number])
                number += 1
            continue
        if (
            texts[number] == "SUBSET"
            and _outside(inner, number)
            and remaining
            and remaining[-1].token_type is TokenType.R_PAREN
        ):
            raise Unsaid(source.place(inner[number].start), "SUBSET: a rule has no variable for several others")
        if texts[number : number + 3] in (["ONE", "ROW", "PER"], ["ALL", "ROWS", "PER"]):
            rows = inner[number].start
        remaining.append(inner[number])
        number += 1
    return skip, remaining, rows


def _within(source: Source, inner: list[Token]) -> tuple[Sequence[Token], list[Token]]:
    for number, token in enumerate(inner):
        if token.text.upper() == "WITHIN" and _outside(inner, number) and number:
            end = number
            while end < len(inner) and inner[end].text.upper() not in {"DEFINE", "SUBSET"}:
                end += 1
            if end - number < 3:
                raise Unsaid(source.place(token.start), "expected WITHIN INTERVAL '…' UNIT")
            return inner[number:end], [*inner[:number], *inner[end:]]
    return (), inner


def _outside(words: Sequence[Token], number: int) -> bool:
    return not sum((w.token_type in _OPENING) - (w.token_type in _CLOSING) for w in words[:number])


def _closing(source: Source, words: Sequence[Token], begin: int) -> int:
    depth = 0
    for number in range(begin, len(words)):
        depth += (words[number].token_type in _OPENING) - (words[number].token_type in _CLOSING)
        if depth <= 0:
            break
    else:
        number = begin - 1
    if number <= begin:
        place = source.place(words[min(begin, len(words) - 1)].start)
        raise Unsaid(place, "expected a part in brackets, which are closed")
    return number


def _limited(source: Source, words: Sequence[Token]) -> None:
    depth = deepest = 0
    for word in words:
        depth += (word.token_type in _OPENING) - (word.token_type in _CLOSING)
        deepest = max(deepest, depth)
    if len(words) > MOST_WORDS or deepest > DEEPEST:
        text = f"a statement with {len(words):,} words and {deepest} open brackets"
        raise Unsaid(source.place(words[0].start), f"{text}; at most {MOST_WORDS:,} and {DEEPEST} are read")


def _parsed(source: Source, words: Sequence[Token]) -> exp.Expression:
    try:
        parsed = MatchRecognizeSql().parser().parse(list(words), source.text)
    except SqlglotError as error:
        raise Unsaid(_where(source, words, error), f"no SQL that is read: {_first(error)}") from None
    except RecursionError:
        raise Unsaid(source.place(words[0].start), "an expression of too great a height") from None
    if len(parsed) != 1 or not isinstance(parsed[0], exp.Expression):
        raise Unsaid(source.place(words[0].start), "expected a statement")
    return parsed[0]


def _where(source: Source, words: Sequence[Token], error: SqlglotError) -> Place:
    details = getattr(error, "errors", None) or [{}]
    line, column = details[0].get("line"), details[0].get("col")
    if isinstance(line, int) and isinstance(column, int):
        for word in words:
            if (word.line, word.col) == (line, column):
                return source.place(word.start)
    return source.place(words[0].start)


def _first(error: SqlglotError) -> str:
    details = getattr(error, "errors", None) or [{}]
    return str(details[0].get("description") or str(error).splitlines()[0]).rstrip(".")


def sql_of(node: exp.Expression) -> str:
    """Return the text of an expression for a message."""
    try:
        text = " ".join(node.sql().split())
    except RecursionError:
        return "an expression of too great a height"
    return text if len(text) <= 60 else text[:57] + "..."
