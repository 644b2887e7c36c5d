"""Queries with MATCH_RECOGNIZE, as rules and by an evaluator of their own: the same matches, or a reason.

On rows whose times differ, the matches of the rule are those of the query. On rows of equal times, whose order SQL does
not determine, each match of the rule is a match in every order. With `nearest` the rule has all matches of the query,
if its differences are about which matches SQL chooses.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from parte.algebra.partelang.evaluators import EVALUATORS
from parte.importers.imported import Imported, Options, Refused
from parte.importers.match_recognize import queries
from parte.semantics.events.event import Event
from parte.semantics.events.match import Match
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from tests.campaigns.running import Broken
from tests.importers.row_patterns import (
    Aggregate,
    Column,
    Constant,
    Either,
    Expression,
    Fitted,
    Node,
    Operation,
    Query,
    Repeated,
    Row,
    Sequential,
    SqlError,
    Variable,
    matches,
)

TYPES = {"g": "VARCHAR", "k": "VARCHAR", "x": "INT", "y": "DOUBLE", "ok": "BOOLEAN"}
TABLES = 6
"""The tables on which a query is tried; every third has rows of equal times."""
ORDERS = 3
NEAR = 3
"""The rule that is near is compared for one query of so many."""
_CHOOSING = re.compile(r"AFTER MATCH SKIP|a rule has every match")


@dataclass(frozen=True)
class Case:
    """A query, the columns that its table declares as required (None: no CREATE TABLE), and rows in some order."""

    query: Query
    required: frozenset[str] | None
    tables: tuple[tuple[Row, ...], ...]


class Recognizing:
    """The campaign."""

    name = "match-recognize"

    def draw(self, source: random.Random) -> Case:
        """Draw a query and tables."""
        query = _Drawing(source).query()
        required = None
        if source.random() < 0.8:
            required = frozenset(name for name in TYPES if source.random() < 0.5)
        elif source.random() < 0.7:
            query = replace(query, partition=source.choice(((), ("k",))))
        kinds = _kinds_in(query)
        return Case(query, required, tuple(_table(source, required, kinds, n % 3 == 2) for n in range(TABLES)))

    def attack(self, case: Case, counts: Counter[str]) -> None:
        """Compare the rule with the query."""
        text = sql(case)
        result = next(queries("drawn.sql", text, Options()))
        if isinstance(result, Refused):
            _check_refusal(result, text)
            counts["refused"] += 1
            counts[f"refused: {re.sub(r'[^a-z ]', '', result.reason.split(':')[0])[:40]}"] += 1
            if not result.nearest:
                return
            counts["refused, with a rule that is near"] += 1
            if len(text) % NEAR:
                return
            near = next(queries("drawn.sql", text, Options(nearest=True)))
            if not isinstance(near, Imported) or not near.differences:
                raise Broken("no rule is near")
            if all(_CHOOSING.search(difference.text) for difference in near.differences):
                self._compare(case, near, counts, near=True)
            return
        if result.differences:
            raise Broken("differences of an exact rule", str(result.differences))
        counts["imported"] += 1
        if self._compare(case, result, counts, near=False):
            counts["imported, with a match"] += 1

    def _compare(self, case: Case, imported: Imported, counts: Counter[str], *, near: bool) -> bool:
        program = parse(imported.program)
        some = False
        for table in case.tables:
            times = [(tuple(row[key] for key in case.query.partition), row["ts"]) for row in table]
            tied = len(set(times)) < len(times)
            reported = _run(program, table)
            some = some or bool(reported)
            counts["matches"] += len(reported)
            orders = ORDERS if tied else 1
            for number in range(orders):
                ordered = sorted(table, key=lambda row: (row["ts"], hash((number, row["id"]))))
                try:
                    expected = matches(case.query, ordered)
                except SqlError as error:
                    if near:
                        return some  # SQL may fail on the matches that it chooses
                    raise Broken("SQL fails", str(error)) from None
                _agree(reported, expected, tied=tied, near=near)
        return some

    def smaller(self, case: Case) -> Iterator[Case]:
        """Yield cases with fewer tables, rows, definitions and parts of conditions."""
        if len(case.tables) > 1:
            yield from (replace(case, tables=(table,)) for table in case.tables)
        for number, table in enumerate(case.tables):
            for at in range(len(table)):
                fewer = (*table[:at], *table[at + 1 :])
                yield replace(case, tables=(*case.tables[:number], fewer, *case.tables[number + 1 :]))
        query = case.query
        for at in range(len(query.measures)):
            yield replace(case, query=replace(query, measures=(*query.measures[:at], *query.measures[at + 1 :])))
        if query.within is not None:
            yield replace(case, query=replace(query, within=None))
        if query.partition:
            yield replace(case, query=replace(query, partition=()))
        for at, (name, condition) in enumerate(query.definitions):
            rest = (*query.definitions[:at], *query.definitions[at + 1 :])
            yield replace(case, query=replace(query, definitions=rest))
            if isinstance(condition, Operation) and condition.operator in {"AND", "OR", "NOT"}:
                for operand in condition.operands:
                    simpler = (*query.definitions[:at], (name, operand), *query.definitions[at + 1 :])
                    yield replace(case, query=replace(query, definitions=simpler))
        if isinstance(query.pattern, Sequential):
            for at in range(len(query.pattern.parts)):
                parts = (*query.pattern.parts[:at], *query.pattern.parts[at + 1 :])
                yield replace(case, query=replace(query, pattern=Sequential(parts)))

    def show(self, case: Case) -> str:
        """Return the query, the rule and the rows."""
        text = sql(case)
        results = [next(queries("drawn.sql", text, Options(nearest=near))) for near in (False, True)]
        programs = [result.program if isinstance(result, Imported) else str(result) for result in results]
        tables = ["\n".join(map(str, table)) for table in case.tables]
        return "\n---\n".join([text, *programs, *tables, str([matches(case.query, t) for t in case.tables])])


def _check_refusal(refused: Refused, text: str) -> None:
    lines = text.split("\n")
    place = refused.place
    inside = 1 <= place.line <= len(lines) and 1 <= place.column <= len(lines[place.line - 1]) + 1
    if not refused.reason.strip() or not inside:
        raise Broken("a refusal without reason or place", str(refused))


def _agree(reported: list[Match], expected: list[Fitted], *, tied: bool, near: bool) -> None:
    left = {fitted.rows[0][0]: fitted for fitted in expected}
    starts = [match.bindings[0][1] for match in reported]
    if not near and len(set(starts)) < len(starts):
        raise Broken("two matches of one first row", str(reported))
    if not near and not tied and set(starts) != set(left):
        raise Broken("other first rows", f"rule {sorted(starts)}, SQL {sorted(left)}")
    if near:
        for start, fitted in left.items() if not tied else ():
            if not any(match.bindings[0][1] == start and _is(match, fitted) for match in reported):
                raise Broken("a match of SQL is missing", str(fitted))
        return
    for match in reported:
        fitted_to = left.get(match.bindings[0][1])
        if fitted_to is None:
            raise Broken("a match that an order does not have", str(match))
        if not _is(match, fitted_to):
            raise Broken("another match", f"rule {match}, SQL {fitted_to}")


def _is(match: Match, fitted: Fitted) -> bool:
    """Return whether a match of a rule is that of SQL, as far as it binds rows; and has its measures."""
    variables: dict[str, str] = dict(fitted.rows)
    for variable, identity in match.bindings:
        names = re.sub(r"_\d+$", "", variable).upper().split("_OR_")
        if variables.get(identity) not in names:
            return False
    ends = {fitted.rows[0][0], *(row for row, name in fitted.rows if name.startswith("S"))}
    if not ends <= {identity for _, identity in match.bindings}:
        return False
    values = {name: value for name, value in fitted.measures.items() if value is not None}
    return all(event.attributes == values for event in match.emits)


def _run(program: core.Program, table: tuple[Row, ...]) -> list[Match]:
    template = next(template for template in program.templates if template.name == "T")
    names = [attribute.name for attribute in template.attributes]
    events = [
        Event(row["id"], "T", row["ts"], {name: row[name] for name in names if row[name] is not None}) for row in table
    ]
    events.sort(key=lambda event: event.timestamp)
    return list(EVALUATORS["indexed"](program, events, {}).matches)


# --- Drawing ---------------------------------------------------------------------------------------------------------


def _kinds_in(query: Query) -> list[str]:
    """Return the constants that the column `k` is compared with, in the order of the pattern: rows with these in turn
    often match."""
    constants = re.findall(r"'([abc])'", " ".join(expression_sql(condition) for _, condition in query.definitions))
    return constants or ["a"]


def _table(source: random.Random, required: frozenset[str] | None, kinds: list[str], tied: bool) -> tuple[Row, ...]:
    rows: list[Row] = []
    count, time, null = source.randint(2, 9), source.randint(-3, 3), source.choice((0.0, 0.0, 0.15, 0.3))
    place, few = 0, source.random() < 0.5
    for number in range(count):
        place += source.random() < 0.7
        time += source.choice((0, 0, 1)) if tied else source.choice((1, 1, 1, 2, 5))
        values: dict[str, object] = {
            "g": source.choice("u" if few else "uuv"),
            "k": kinds[place % len(kinds)] if source.random() < 0.8 else source.choice("abc"),
            "x": source.randint(-2, 3),
            "y": source.choice((0.5, 1.0, 1.5, 2.5, -1.0)),
            "ok": source.random() < 0.5,
        }
        for name in values:
            if (required is None or name not in required) and source.random() < null:
                values[name] = None
        rows.append({"id": f"r{number}", "ts": time, **values})
    return tuple(rows)


class _Drawing:
    def __init__(self, source: random.Random) -> None:
        self._source = source
        self._single = 0
        self._many = 0

    def query(self) -> Query:
        source = self._source
        pattern = self._pattern()
        names = _names(pattern)
        defined = [name for name in names if source.random() < (0.9 if name.startswith("S") else 0.7)]
        kinds = list("abc")
        source.shuffle(kinds)
        apart = source.random() < 0.6
        definitions = []
        for number, name in enumerate(defined):
            condition = self._condition(name, names, 2)
            if apart:
                sign = "<>" if not name.startswith("S") and source.random() < 0.3 else "="
                own = Operation(sign, (Column(name, "k"), Constant(kinds[number % 3])))
                condition = own if source.random() < 0.5 else Operation("AND", (own, condition))
            definitions.append((name, condition))
        skip = source.choice(("next", "next", "next", "next", "next", "past", "past", "past", "first", "last"))
        if skip in {"first", "last"}:
            skip = f"{skip} {source.choice(names)}"
        within = source.choice((None, None, 2, 4, 6, 10, 20))
        partition = source.choice(((), ("g",), ("g",), ("g", "ok")))
        measures = tuple((f"m{n}", self._measure(names)) for n in range(source.choice((0, 0, 1, 2, 3))))
        return Query(pattern, tuple(definitions), partition, skip, within, measures)

    def _pattern(self) -> Node:
        """Draw a pattern. Variables without a quantifier are called S1, S2 …, unless they are in a group."""
        parts: list[Node] = []
        for number in range(self._source.choice((1, 2, 2, 3, 3, 3, 4, 5))):
            plain = bool(parts) and isinstance(parts[-1], Repeated) and self._source.random() < 0.8
            parts.append(self._part(first=number == 0, plain=plain))
        return Sequential(tuple(parts))

    def _part(self, *, first: bool, plain: bool) -> Node:
        source = self._source
        drawn = source.random() * (0.55 if plain else 1.0)
        if drawn < 0.55:
            if self._single and source.random() < 0.1:
                return Variable(f"S{source.randint(1, self._single)}")
            self._single += 1
            return Variable(f"S{self._single}")
        if drawn < 0.60:
            return Either((self._quantifiable(), self._quantifiable()))
        if drawn < 0.63:
            return Sequential((self._quantifiable(), self._quantifiable()))
        least, most = source.choice(
            ((0, None), (0, None), (0, None), (1, None), (1, None), (0, 1), (2, None), (2, 2), (1, 2), (0, 2), (3, 9))
        )
        if first and not least and source.random() < 0.8:
            least = 1
        most = most if most is None else max(most, least)
        part: Node = self._quantifiable()
        if source.random() < 0.06:
            part = Either((part, self._quantifiable()))
        elif source.random() < 0.03:
            part = Sequential((part, self._quantifiable()))
        return Repeated(part, least, most, source.random() < 0.5)

    def _quantifiable(self) -> Variable:
        if self._many and self._source.random() < 0.1:
            return Variable(f"X{self._source.randint(1, self._many)}")
        self._many += 1
        return Variable(f"X{self._many}")

    def _measure(self, names: list[str]) -> Expression:
        source = self._source
        name = source.choice(names)
        return source.choice(
            (
                Column(name, source.choice(("x", "y", "k", "ts"))),
                Column(name, "x", source.choice(("FIRST", "LAST", "PREV", "NEXT")), source.choice((None, 0, 1))),
                Column(None, source.choice(("k", "x"))),
                Operation("+", (Column(name, "x"), Constant(1))),
                Operation("-", (Column(name, "x"), Column(source.choice(names), "x"))),
                Aggregate("COUNT", source.choice((None, name)), source.choice((None, "x"))),
                Aggregate(source.choice(("MIN", "MAX")), source.choice((None, name)), source.choice(("x", "y"))),
                Aggregate("SUM", name, "x"),
            )
        )

    def _condition(self, name: str, names: list[str], depth: int) -> Expression:
        source = self._source
        if depth and source.random() < 0.4:
            operator_ = source.choice(("AND", "AND", "OR", "NOT"))
            count = 1 if operator_ == "NOT" else source.choice((2, 2, 3))
            return Operation(operator_, tuple(self._condition(name, names, depth - 1) for _ in range(count)))
        own = name if source.random() < 0.8 else None
        kind, number, half = Column(own, "k"), Column(own, "x"), Column(own, "y")
        compare = source.choice(("=", "<>", "<", "<=", ">", ">="))
        earlier = names[: names.index(name) + 1]
        far = source.choice(earlier if source.random() < 0.9 else names)
        drawn = 5 if name.startswith("X") and source.random() < 0.3 else source.randrange(16)
        if drawn < 4:
            return Operation(source.choice(("=", "=", "<>")), (kind, Constant(source.choice("abc"))))
        if drawn == 4:
            return Operation("IN", (kind, Constant("a"), Constant(source.choice("bc"))))
        if drawn == 5:
            return Operation(compare, (number, Constant(source.randint(-1, 2))))
        if drawn == 6:
            return Operation(compare, (half, Constant(source.choice((0.5, 1.5, 1.0)))))
        if drawn == 7:
            return source.choice((Column(own, "ok"), Operation("IS NULL", (number,))))
        if drawn == 8:
            return Operation("BETWEEN", (number, Constant(-1), Constant(source.randint(0, 2))))
        if drawn == 9:
            return Operation("PREFIX", (kind, Constant(source.choice("abc"))))
        if drawn in {10, 11}:
            moved = Operation("+", (Column(far, "x"), Constant(source.randint(0, 1))))
            return Operation(compare, (number, source.choice((moved, Column(far, "x")))))
        if drawn == 12:
            word = source.choice(("PREV", "PREV", "FIRST", "LAST", "NEXT"))
            return Operation(
                compare, (number, Column(source.choice((name, far, None)), "x", word, source.choice((None, 1))))
            )
        if drawn == 13:
            later = Operation("+", (Column(far, "ts"), Constant(source.randint(1, 6), milliseconds=True)))
            return Operation(compare, (Column(own, "ts"), later))
        if drawn == 14:
            length = Operation("-", (Column(own, "ts"), Column(far, "ts")))
            return Operation(compare, (length, Constant(source.randint(1, 6), milliseconds=True)))
        return source.choice((Constant(True), Operation("=", (Column(own, "ok"), Constant(False)))))


def _names(node: Node) -> list[str]:
    """Return the variables of a pattern, each once, in the order in which it has them."""
    match node:
        case Variable(name):
            return [name]
        case Sequential(parts) | Either(parts):
            return list(dict.fromkeys(name for part in parts for name in _names(part)))
        case Repeated(part):
            return _names(part)


# --- As SQL ----------------------------------------------------------------------------------------------------------


def sql(case: Case) -> str:
    """Return the text of a query, with its table if that is declared."""
    query, lines = case.query, []
    if case.required is not None:
        columns = [f"{name} {of}{' NOT NULL' * (name in case.required)}" for name, of in TYPES.items()]
        lines.append(f"CREATE TABLE t (ts TIMESTAMP(3), {', '.join(columns)});")
    lines.append("SELECT * FROM t MATCH_RECOGNIZE (")
    if query.partition:
        lines.append(f"  PARTITION BY {', '.join(query.partition)}")
    lines.append("  ORDER BY ts")
    if query.measures:
        lines.append(f"  MEASURES {', '.join(f'{expression_sql(e)} AS {name}' for name, e in query.measures)}")
    skip = {"next": "TO NEXT ROW", "past": "PAST LAST ROW"}.get(query.skip) or f"TO {query.skip.upper()}"
    if query.skip != "past" or len(query.definitions) % 2:
        lines.append(f"  AFTER MATCH SKIP {skip}")
    within = f" WITHIN INTERVAL '0.{query.within:03}' SECOND" if query.within is not None else ""
    lines.append(f"  PATTERN ({_pattern_sql(query.pattern)}){within}")
    if query.definitions:
        defined = [f"{name} AS {expression_sql(condition)}" for name, condition in query.definitions]
        lines.append("  DEFINE " + ",\n    ".join(defined))
    return "\n".join([*lines, ")"])


def _pattern_sql(node: Node) -> str:
    match node:
        case Variable(name):
            return name
        case Sequential(parts):
            return " ".join(
                f"({_pattern_sql(p)})" if isinstance(p, Sequential | Either) else _pattern_sql(p) for p in parts
            )
        case Either(branches):
            return " | ".join(map(_pattern_sql, branches))
        case Repeated(part, least, most, greedy):
            text = _pattern_sql(part)
            short = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((least, most))
            written = short or (f"{{{least}}}" if least == most else f"{{{least},{'' if most is None else most}}}")
            return (text if isinstance(part, Variable) else f"({text})") + written + ("" if greedy else "?")


def expression_sql(expression: Expression) -> str:
    """Return an expression as SQL, in brackets unless it is a column, a constant or a call."""
    match expression:
        case Constant(value, milliseconds):
            if milliseconds:
                return f"INTERVAL '0.{value:03}' SECOND"
            return f"'{value}'" if isinstance(value, str) else str(value).upper()
        case Column(variable, name, navigation, count):
            column = name if variable is None else f"{variable}.{name}"
            steps = "" if count is None else f", {count}"
            return column if navigation is None else f"{navigation}({column}{steps})"
        case Aggregate(function, variable, name):
            named = name or "*"
            return f"{function}({named if variable is None else f'{variable}.{named}'})"
        case Operation(sign, operands):
            texts = [expression_sql(operand) for operand in operands]
            if sign == "NOT":
                return f"(NOT {texts[0]})"
            if sign == "IS NULL":
                return f"({texts[0]} IS NULL)"
            if sign == "BETWEEN":
                return f"({texts[0]} BETWEEN {texts[1]} AND {texts[2]})"
            if sign == "IN":
                return f"({texts[0]} IN ({', '.join(texts[1:])}))"
            if sign == "PREFIX":
                return f"({texts[0]} LIKE '{operands[1].value}%')" if isinstance(operands[1], Constant) else ""
            return f"({f' {sign} '.join(texts)})"
