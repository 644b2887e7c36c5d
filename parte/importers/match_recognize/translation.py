"""A query with MATCH_RECOGNIZE as a rule of level 2.

SQL looks for a match from every row of a partition and takes the first in the order of preferment: quantifiers take
many rows if they are greedy, few if they are reluctant. A rule has all bindings of its variables. So a query is a rule
if its pattern leaves no choice, or if absences express the choice:

- Rows beside each other in the pattern follow each other without another: of all rows of the partition from the first
  to the last of them there are as many as variables (`all … having count(…) = n`). This applies to one variable too: no
  other row has its time, since SQL does not determine their order.
- In a gap `X*` there is no row that is not X (`no …`).
- A gap leaves no choice if it has a fixed number of rows, or if no row is X and the variable behind the gap: the solver
  must prove this. A reluctant gap ends at the first row that fits the variable behind it, if what follows is possible
  from every such row; a greedy one before the end of the pattern at the last.
- `SKIP TO NEXT ROW` takes the match of every first row, as the rule does. Other skip clauses do the same if no row of
  a match but the first fits the first variable, which the solver must prove too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from sqlglot import exp

from parte.importers.imported import Place
from parte.importers.match_recognize.columns import Columns, Slot, inferred
from parte.importers.match_recognize.exclusion import exclusive
from parte.importers.match_recognize.expressions import (
    AND,
    OR,
    Expressions,
    Kind,
    Term,
    duration,
    interval,
    together,
    untrue,
)
from parte.importers.match_recognize.patterns import Item, bounded, layout, unrolled
from parte.importers.match_recognize.reading import Notes, Query, Source, Tables, Unsaid, sql_of
from parte.importers.match_recognize.rows import Rows
from parte.importers.match_recognize.writing import Body, Names, Pattern, capitalized, declaration
from parte.semantics.events.types import Scalar

ALWAYS: Final = 3_660_000 * 86_400_000
"""A window in milliseconds that is longer than the time of SQL, the years 1 to 9999."""


class Translation:
    """The translation of one query. Raises Unsaid for what no rule expresses."""

    def __init__(self, source: Source, query: Query, tables: Tables, notes: Notes) -> None:
        self._source, self._query, self._notes = source, query, notes
        clause = query.clause
        self._definitions = self._defined()
        time = self._ordered()
        laid_out = layout(source, query.pattern)
        self._items, self.trailing = list(laid_out.items), laid_out.trailing
        self._unknown()
        declared = tables.get(query.table.name.lower())
        measures = [measure.this for measure in clause.args.get("measures") or ()]
        partition = list(clause.args.get("partition_by") or ())
        conditions = [definition.this for definition in self._definitions.values()]
        types = inferred(source, conditions, [*measures, *partition])
        self.columns = Columns(source, declared, types, time, notes)
        self.template = capitalized(query.table.name)
        self._keys = [self._key(column) for column in partition]
        self.within = self._interval()
        self._gaps: dict[int, str] = {}
        """The ends of gaps: "none" (there is no choice), "first", "last" or "any" (all ends are matches)."""
        self._body = Body(self.template)
        self._names = Names()
        self._variables: list[str] = []
        self._sets: dict[tuple[int, int], str] = {}

    # --- Clauses ------------------------------------------------------------------------------------------------------

    def _defined(self) -> dict[str, exp.Alias]:
        definitions: dict[str, exp.Alias] = {}
        for item in self._query.clause.args.get("define") or ():
            place = self._source.of(item, self._query.defined)
            if not isinstance(item, exp.Alias) or not isinstance(item.args.get("alias"), exp.Identifier):
                raise Unsaid(place, "DEFINE: expected VARIABLE AS condition")
            if (name := item.alias.upper()) in definitions:
                raise Unsaid(place, f"{item.alias} is defined twice")
            definitions[name] = item
        return definitions

    def _unknown(self) -> None:
        used = {name for item in (*self._items, self.trailing) if item is not None for name in item.names}
        written = {word.text.upper() for word in self._query.pattern}
        for name, definition in self._definitions.items():
            if name not in used | written:
                place = self._source.place(_name(definition))
                raise Unsaid(place, f"DEFINE has {name}, which is no variable of the pattern")

    def _ordered(self) -> exp.Column:
        order = self._query.clause.args.get("order")
        ordered = order.expressions if order is not None else []
        if not ordered:
            raise Unsaid(self._source.place(self._query.at), "ORDER BY is missing: expected the time of the rows")
        first = ordered[0]
        place = self._source.of(first, self._query.start)
        if not isinstance(first, exp.Ordered) or not isinstance(first.this, exp.Column):
            raise Unsaid(place, "ORDER BY: expected a column, the time of the rows")
        if first.args.get("desc"):
            raise Unsaid(place, "ORDER BY … DESC: a rule goes forward in time")
        for further in ordered[1:]:
            text = f"{sql_of(further)} orders rows of one time; the rule matches no rows of one time"
            self._notes.differ(self._source.of(further, self._query.start), text)
        return first.this

    def _key(self, column: exp.Expression) -> Slot:
        place = self._source.of(column, self._query.start)
        if not isinstance(column, exp.Column):
            raise Unsaid(place, "PARTITION BY: expected columns")
        slot = self.columns.slot(column.name, place)
        if slot.type is None:
            raise Unsaid(place, "PARTITION BY the time of the rows: expected other columns")
        return slot

    def _interval(self) -> int:
        words = self._query.within
        if not words:
            return ALWAYS
        place = self._source.place(words[0].start)
        texts = [word.text for word in words]
        if len(texts) != 4 or texts[1].upper() != "INTERVAL":
            raise Unsaid(place, f"expected WITHIN INTERVAL '…' UNIT, found {' '.join(texts)[:60]}")
        node = exp.Interval(this=exp.Literal.string(texts[2]), unit=exp.Var(this=texts[3]))
        length = interval(node, place)
        if not 1 < length < ALWAYS:
            raise Unsaid(place, "WITHIN: expected two milliseconds to 10,000 years")
        return length

    # --- Conditions ---------------------------------------------------------------------------------------------------

    def _conditions(
        self, items: Sequence[Item], variables: Sequence[str], at: int, own: str
    ) -> tuple[list[Term], set[int]]:
        """Return the conditions on the row at a place, as conditions of the pattern of `own`, and the rows that they
        mention."""
        read: set[int] = set()
        alternatives: list[list[Term]] = []
        for name in items[at].names:
            definition = self._definitions.get(name)
            if definition is None:
                return [], set()
            here = [*items[:at], replace(items[at], names=(name,)), *items[at + 1 :]]
            scope = Rows(here, variables, read, at)
            reader = Expressions(self._source, self.columns, scope, _name(definition), own)
            alternatives.append(reader.conditions(definition.this))
        if len(alternatives) == 1:
            return alternatives[0], read
        terms = [together(conditions) for conditions in alternatives]
        if any(term is None for term in terms):
            return [], set()
        known = [term for term in terms if term is not None]
        text = " or ".join(term.within(AND) for term in known)
        return [Term(text, Kind.CONDITION, OR, all(term.sure for term in known))], read

    def _same(self, first: str) -> list[str]:
        """Return the conditions that an event is in the partition of the event of a variable."""
        conditions = []
        for key in self._keys:
            equal = f"{key.attribute} = {first}.{key.attribute}"
            both = f"{key.attribute} is missing and {first}.{key.attribute} is missing"
            conditions.append(f"{equal} or {both}" if key.optional else equal)
        return conditions

    # --- Choices ------------------------------------------------------------------------------------------------------

    def _decide_gaps(self) -> None:
        """Decide how each gap ends; rows that a reluctant gap has at least become rows of the pattern."""
        at = 0
        while at < len(self._items):
            item = self._items[at]
            if item.bound:
                at += 1
                continue
            choice = self._choice(at)
            if choice == "first" and item.least:
                rows = unrolled(item)
                self._items[at : at + 1] = rows
                bounded(self._source, self._items)
                at += len(rows) - 1
            self._gaps[at] = choice
            at += 1

    def _choice(self, at: int) -> str:
        items = self._items
        item = items[at]
        free = self._free(at)
        if item.fixed or (not free and self._disjoint(items, at, at + 1)):
            return "none"
        last = at + 2 == len(items)
        if not item.greedy and (last or self._goes_on(at + 1)):
            return "first"
        if item.greedy and free and last and item.most is None:
            return "last"
        names, behind = " | ".join(item.names), " | ".join(items[at + 1].names)
        if last or items[at + 2].bound or item.greedy:
            why = (
                f"a row may be {names} or {behind}, and SQL prefers {'many' if item.greedy else 'few'} rows of {names}"
            )
        else:
            why = f"whether the first row of {behind} can be followed by the rest depends on that row"
        self._notes.differ(self._source.place(item.start), f"{why}; a rule has every match")
        return "any"

    def _numbered(self) -> list[str]:
        return [f"v{number}" for number in range(len(self._items))]

    def _free(self, at: int) -> bool:
        """Return whether any row fits the variable at a place."""
        return not self._conditions(self._items, self._numbered(), at, "v")[0]

    def _goes_on(self, at: int) -> bool:
        """Return whether what follows the row at a place can follow an earlier row in its place too: a gap without
        conditions and without a limit, and nothing that mentions the row."""
        items = self._items
        gap = items[at + 1]
        if gap.bound or gap.most is not None or not self._free(at + 1):
            return False
        variables = self._numbered()
        return all(at not in self._conditions(items, variables, later, "v")[1] for later in range(at + 2, len(items)))

    def _disjoint(self, items: Sequence[Item], *places: int) -> bool:
        """Return whether the solver proves that no row fits the variables at all places.

        Only rows before the first of the places may be mentioned, or none.
        """
        names = Names()
        variables = [names.new("v") if item.bound else "" for item in items]
        body = Body(self.template)
        bound = [number for number in range(max(places)) if items[number].bound and number not in places]
        for number in bound:
            same = self._same(variables[bound[0]]) if number != bound[0] else []
            conditions, _ = self._conditions(items, variables, number, variables[number])
            body.patterns.append(Pattern("", variables[number], same + [term.text for term in conditions]))
        own = names.new("row")
        conditions_of_row = self._same(variables[bound[0]]) if bound else []
        for number in places:
            conditions, read = self._conditions(items, variables, number, own)
            if not read <= set(bound):
                return False
            conditions_of_row += [term.text for term in conditions]
        body.patterns.append(Pattern("", own, conditions_of_row))
        for earlier, later in pairwise([*(variables[number] for number in bound), own]):
            body.windows.append(f"{later} in {earlier} [0 ms, {duration(self.within)}]")
        return exclusive(f"level 2\n{self._template()}\n{body.text('Exclusion')}")

    def _template(self) -> str:
        slots = [(slot.attribute, slot.type.value, slot.optional) for slot in self.columns.used.values() if slot.type]
        return declaration(self.template, slots)

    def _check_skip(self) -> None:
        words = [word.text.upper() for word in self._query.skip[3:]]
        if words == ["TO", "NEXT", "ROW"]:
            return
        items = [*self._items, self.trailing] if self.trailing else list(self._items)
        place = self._source.place(self._query.skip[0].start if self._query.skip else self._query.at)
        text = "AFTER MATCH SKIP " + " ".join(words or ["PAST", "LAST", "ROW"])
        if words and words != ["PAST", "LAST", "ROW"]:
            self._check_target(words, items, place)
            places = [at for at, item in enumerate(items) if words[-1] in item.names]
            if places == [1] and items[1].bound and len(items[1].names) == 1:
                return  # the second row is the next one
        if all(self._disjoint(items, *sorted({0, at})) for at in range(1, len(items))):
            return
        implied = "" if words else " (the default)"
        self._notes.differ(
            place,
            f"{text}{implied}: a row of a match may begin another one, which SQL leaves out and a rule has; "
            "SKIP TO NEXT ROW means what a rule means",
        )

    def _check_target(self, words: Sequence[str], items: Sequence[Item], place: Place) -> None:
        named = words[1:-1] in ([], ["FIRST"], ["LAST"]) and words[0] == "TO"
        places = [at for at, item in enumerate(items) if words[-1] in item.names]
        if not named or not places:
            expected = "PAST LAST ROW, TO NEXT ROW, or TO FIRST or LAST and a variable of the pattern"
            raise Unsaid(place, f"AFTER MATCH SKIP: expected {expected}, found {' '.join(words)[:60]}")
        if places[0] == 0 and ("FIRST" in words[1:-1] or all(not items[at].least for at in places[1:])):
            raise Unsaid(place, "AFTER MATCH SKIP to the first row of the match, with which SQL fails")
        if all(not items[at].least or len(items[at].names) > 1 for at in places):
            raise Unsaid(place, f"AFTER MATCH SKIP to {words[-1]}, which may have no row, with which SQL fails")

    # --- The rule -----------------------------------------------------------------------------------------------------

    def rule(self, name: str) -> str:
        """Return the templates and the rule."""
        self._check_rows()
        self._decide_gaps()
        self._check_skip()
        self._variables = [
            self._names.new(item.names[0].lower() if len(item.names) == 1 else "_or_".join(item.names).lower())
            if item.bound
            else ""
            for item in self._items
        ]
        self._bind()
        self._follow()
        for at in sorted(self._gaps):
            self._fill(at)
        emitted, emission = self._measures(name)
        declarations = [self._template(), *emitted]
        return "\n".join([*declarations, "", self._body.text(name, emission)])

    def _check_rows(self) -> None:
        rows = self._query.clause.args.get("rows")
        text = rows.name if rows is not None else "ONE ROW PER MATCH"
        place = self._source.place(self._query.rows)
        if "UNMATCHED" in text:
            raise Unsaid(place, f"{text}: a rule reports matches only")
        if text.startswith("ALL"):
            if self.trailing or not all(item.bound for item in self._items):
                self._notes.differ(place, f"{text}: a rule does not report the rows of variables with quantifiers")
            if self._query.clause.args.get("measures"):
                self._notes.differ(place, f"{text}: the measures are those of the whole match, once")

    def _bind(self) -> None:
        bound = [at for at, item in enumerate(self._items) if item.bound]
        for at in bound:
            variable = self._variables[at]
            conditions, _ = self._conditions(self._items, self._variables, at, variable)
            same = self._same(self._variables[0]) if at else []
            self._body.patterns.append(Pattern("", variable, same + [term.text for term in conditions]))
        length = duration(self.within)
        names = [self._variables[at] for at in bound]
        self._body.windows += [f"{later} in {earlier} (0 ms, {length})" for earlier, later in pairwise(names)]
        if len(names) > 2:
            self._body.windows.append(f"{names[-1]} in {names[0]} (0 ms, {length})")

    def _follow(self) -> None:
        """Require for each sequence of rows without a gap that no other row is among them or has the time of one."""
        begin = 0
        for at in range(len(self._items) + 1):
            if at == len(self._items) or not self._items[at].bound:
                wish = "at" if at - begin == 1 else "from"
                note = (
                    f"no other row has the time of {self._variables[begin]}"
                    if at - begin == 1
                    else f"the rows from {self._variables[begin]} to {self._variables[at - 1]} are these {at - begin}"
                )
                rows = self._set(begin, at - 1, f"{wish}_{self._variables[begin]}", note)
                self._body.having.append(f"count({rows}) = {at - begin}")
                begin = at + 1

    def _set(self, first: int, last: int, wish: str, note: str) -> str:
        """Return the set of all rows of the partition from one place of the pattern to another."""
        if (first, last) not in self._sets:
            name = self._sets[first, last] = self._names.new(wish)
            self._body.patterns.append(Pattern("all", name, self._same(self._variables[0]), note))
            length = duration(self.within)
            begins, ends = self._items[first].bound, self._items[last].bound
            if first == last and begins:
                self._body.windows.append(f"{name} in {self._variables[first]} [0 ms, 0 ms]")
            else:
                low = f"{self._variables[first]} [" if begins else f"{self._variables[first - 1]} ("
                high = self._variables[last] if ends else self._variables[last + 1]
                self._body.windows.append(f"{name} in {low}0 ms, {length})")
                self._body.windows.append(f"{name} in {high} (-{length}, 0 ms{']' if ends else ')'}")
        return self._sets[first, last]

    def _fill(self, at: int) -> None:
        item, before, behind = self._items[at], self._variables[at - 1], self._variables[at + 1]
        names, length = " | ".join(item.names).lower(), duration(self.within)
        between = [f"in {before} (0 ms, {length})", f"in {behind} (-{length}, 0 ms)"]
        own = self._names.new(f"not_{item.names[0].lower()}")
        condition = together(self._conditions(self._items, self._variables, at, own)[0])
        if condition is not None:
            note = f"between {before} and {behind} every row is {names}"
            self._absent(own, untrue(condition), note, between)
        if item.least or item.most is not None:
            rows = self._set(at, at, f"between_{before}_{behind}", f"the rows between {before} and {behind}")
            limits = [f">= {item.least}"] * bool(item.least) + [f"<= {item.most}"] * (item.most is not None)
            limits = [f"= {item.least}"] if item.fixed else limits
            self._body.having += [f"count({rows}) {limit}" for limit in limits]
        choice = self._gaps[at]
        if choice in {"first", "last"}:
            word = "earlier" if choice == "first" else "later"
            own = self._names.new(f"{word}_{behind}")
            conditions = self._conditions(self._items, self._variables, at + 1, own)[0]
            first = self._variables[0]
            later = [f"in {behind} (0 ms, {length})"] + [f"in {first} (0 ms, {length})"] * (self.within < ALWAYS)
            windows = between if choice == "first" else later
            text = ", ".join(term.text for term in conditions)
            self._absent(own, text, f"{behind} is the {choice} such row", windows)

    def _absent(self, own: str, condition: str, note: str, windows: Sequence[str]) -> None:
        conditions = [*self._same(self._variables[0]), *([condition] if condition else [])]
        self._body.patterns.append(Pattern("no", own, conditions, note))
        self._body.windows += [f"no {own} {window}" for window in windows]

    # --- Measures -----------------------------------------------------------------------------------------------------

    def _measures(self, name: str) -> tuple[list[str], list[str]]:
        """Return the template that the rule emits, and the emission; none if the query has no measures."""
        measures = self._query.clause.args.get("measures") or ()
        slots: list[tuple[str, str, bool]] = []
        values: list[str] = []
        names = Names()
        for key in self._keys:
            assert key.type is not None  # a key is not the time
            slots.append((names.new(key.attribute), key.type.value, key.optional))
            values.append(f"{self._variables[0]}.{key.attribute}")
        for measure in measures:
            if (term := self._measure(measure)) is not None:
                alias = measure.this.alias
                of = {Kind.TIME: Scalar.INTEGER, Kind.CONDITION: Scalar.BOOLEAN}.get(term.kind)
                kind = of.value if of is not None else term.kind.value.value
                slots.append((names.new("timestamp_" if alias == "timestamp" else alias), kind, not term.sure))
                values.append(term.text)
        if not measures or not slots:
            return [], []
        emitted = f"{name}Row"
        last = next(v for v in reversed(self._variables) if v)
        assigned = ",\n".join(f"{slot} = {value}" for (slot, _, _), value in zip(slots, values, strict=True))
        emission = ["then", f"emit {emitted} at {last}.timestamp with {{ {assigned} }}"]
        return [declaration(emitted, slots)], emission

    def _measure(self, measure: exp.Expression) -> Term | None:
        """Return the value of a measure, or None if the program leaves it out."""
        if not isinstance(measure.this, exp.Alias) or not isinstance(measure.this.args.get("alias"), exp.Identifier):
            raise Unsaid(self._source.of(measure, self._query.at), "MEASURES: expected expression AS name")
        items = [*self._items, self.trailing] if self.trailing else self._items
        scope = Rows(items, [*self._variables, ""], set(), None, self._aggregate)
        reader = Expressions(self._source, self.columns, scope, _name(measure.this))
        try:
            term = reader.value(measure.this.this)
            if term.kind is Kind.DURATION or (term.kind is Kind.TIME and not term.text.endswith((".timestamp", ")"))):
                raise Unsaid(
                    reader.place(measure.this), "an event has no attribute that is an interval or a computed time"
                )
        except Unsaid as error:
            if error.nearest:
                raise
            self._notes.differ(error.place, f"the measure {measure.this.alias} is left out: {error.reason}")
            return None
        return term

    def _aggregate(self, name: str | None, function: str, slot: Slot | None, place: Place) -> Term:
        items = self._items
        places = [at for at, item in enumerate(items) if name is None or name in item.names]
        whole = self.trailing is None or (name is not None and name not in self.trailing.names)
        if not places or not whole or places[-1] - places[0] + 1 != len(places):
            raise Unsaid(place, f"{function} of rows that a rule does not bind, or of several groups of rows")
        if name is not None and any(len(items[at].names) > 1 for at in places):
            raise Unsaid(place, f"{function} of {name}, which is one of several alternatives")
        bound = all(items[at].bound for at in places)
        if function == "COUNT" and bound and (slot is None or not slot.optional):
            return Term(str(len(places)), Kind.INTEGER)
        rows = self._set(places[0], places[-1], f"rows_of_{(name or 'match').lower()}", "the rows of a measure")
        if function == "COUNT":
            return Term(f"count({rows})" if slot is None else f"count({rows}.{slot.attribute})", Kind.INTEGER)
        if slot is None:
            raise Unsaid(place, f"{function} of rows: expected a column")
        some = any(items[at].least for at in places) and not slot.optional
        text = f"{function.lower()}({rows}.{slot.attribute})"
        if function in {"MIN", "MAX"}:
            if slot.type is Scalar.BOOLEAN:
                raise Unsaid(place, f"{function} of booleans")
            return Term(text, Kind.TIME if slot.type is None else Kind(slot.type), sure=some)
        if slot.type not in {Scalar.INTEGER, Scalar.FLOAT}:
            raise Unsaid(place, f"{function}: expected numbers")
        if function == "AVG" or slot.type is Scalar.FLOAT:
            self._notes.differ(place, f"{function}: a rule rounds the exact value once; SQL rounds at each row")
        if function == "SUM" and not some:
            self._notes.differ(place, "SUM of no values: NULL in SQL, 0 in a rule")
        return Term(text, Kind.FLOAT if function == "AVG" else Kind(slot.type), sure=False)


def _name(alias: exp.Alias) -> int:
    """Return the offset of the name in `expression AS name`."""
    return int(alias.args["alias"].meta.get("start", 0))
