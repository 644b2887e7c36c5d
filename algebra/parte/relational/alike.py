"""Rules that differ in constants only, found by one query that is joined with a table of these constants.

An engine takes some milliseconds for any query, however little it reads, and reads events anew for each. Of a thousand
rules from one template of rules, only names, constants and lengths of windows differ: their queries are one tree with
other literals. Rules whose queries differ otherwise have a query each, as before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from parte.algebra.parte.relational.programs import Stage
from parte.algebra.parte.relational.relations import column, table

CONSTANTS: Final = "$constants"
"""The table with a row for each rule: `RULE`, its place among those that are alike, and what differs."""
RULE: Final = "$rule"
_MATCHES: Final = "$matches"
_LONG: Final = range(-(2**63), 2**63)

Constant = str | int


@dataclass(frozen=True, slots=True)
class Alike:
    """Stages whose queries differ in `constants`, a table by columns; `query` gives `RULE`, then a stage's columns."""

    stages: tuple[Stage, ...]
    query: exp.Query
    constants: Mapping[str, Sequence[Constant]]


def alike(stages: Iterable[Stage], most: int) -> Iterator[Alike | Stage]:
    """The stages in groups of at least two and at most `most`; those that are like no other by themselves."""
    groups: dict[exp.Query, list[tuple[Stage, tuple[Constant, ...]]]] = {}
    for stage in stages:
        masked, constants = _masked(stage.query)
        groups.setdefault(masked, []).append((stage, constants))
    for masked, members in groups.items():
        for start in range(0, len(members), max(most, 1)):
            part = members[start : start + max(most, 1)]
            yield part[0][0] if len(part) == 1 else _joined(masked, part)


def _masked(query: exp.Query) -> tuple[exp.Query, tuple[Constant, ...]]:
    """The query with columns in place of its literals, which are given in the order of their numbers."""
    masked, constants = query.copy(), list[Constant]()
    for literal in list(masked.find_all(exp.Literal)):
        if isinstance(literal.parent, exp.DataTypeParam):
            continue
        value: Constant = literal.this if literal.is_string else int(literal.this)
        if isinstance(value, int) and value not in _LONG:
            continue
        # Of strings and numbers, different columns: queries where one has the other's place are not alike.
        literal.replace(column(CONSTANTS, f"{'s' if literal.is_string else 'n'}{len(constants)}"))
        constants.append(value)
    return masked, tuple(constants)


def _joined(masked: exp.Query, members: Sequence[tuple[Stage, tuple[Constant, ...]]]) -> Alike:
    """One query for all; what is the same in all is a literal again, so that the engine knows it."""
    query = masked.copy()
    stages, rows = zip(*members, strict=True)
    constants: dict[str, Sequence[Constant]] = {RULE: range(len(stages))}
    columns = [mention for mention in query.find_all(exp.Column) if mention.table == CONSTANTS]
    # The numbers in their names, for to walk through the tree may meet columns in another order than literals.
    for mention in columns:
        values = [row[int(mention.name[1:])] for row in rows]
        if len(set(values)) > 1:
            constants[mention.name] = values
        elif isinstance(values[0], str):
            mention.replace(exp.Literal.string(values[0]))
        else:
            mention.replace(exp.Literal.number(values[0]))
    name = exp.to_identifier(_MATCHES, quoted=True)
    found = exp.Lateral(this=query.subquery(copy=False), alias=exp.TableAlias(this=name))
    selected = [column(CONSTANTS, RULE), exp.Column(this=exp.Star(), table=name.copy())]
    select = exp.Select(expressions=selected).from_(table(CONSTANTS)).join(found, join_type="cross", copy=False)
    return Alike(stages, select, constants)
