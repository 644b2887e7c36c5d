"""Queries with MATCH_RECOGNIZE as rules of level 2 (`parte import match-recognize`): docs/importing-match-recognize.md.

`reading` has statements, `patterns` row patterns, `columns` types, `expressions` conditions and measures, `rows` the
rows that these speak of, `translation` the rule, `writing` its text, and `exclusion` a question to the solver.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from sqlglot import Token

from parte.importers.imported import Imported, Options, Place, Refused
from parte.importers.match_recognize.columns import Slot
from parte.importers.match_recognize.reading import (
    MOST_CHARACTERS,
    Column,
    Notes,
    Source,
    Unsaid,
    is_query,
    is_table,
    query_of,
    statements,
    table_of,
)
from parte.importers.match_recognize.translation import ALWAYS, Translation
from parte.importers.match_recognize.writing import Names, capitalized
from parte.importers.programs import comment
from parte.logs.mapping import EPOCH, ISO, MappedTemplate, Time
from parte.logs.mapping import Mapping as LogMapping
from parte.logs.mapping import Slot as MappedSlot
from parte.semantics.events.files import read_text
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.partelang.text import TEXT
from parte.semantics.source.diagnostics import ProgramError

_BARE_PATH = re.compile(r"[\w@-]+")


def rules(files: Sequence[str], options: Options) -> Iterator[Imported | Refused]:
    """Yield the queries of SQL files as rules, or why they are none; tables are those of the same file."""
    names = Names()
    for file in files:
        try:
            text = read_text(file)
        except OSError as error:
            yield Refused(Path(file).stem, Place(file, 1, 1), f"the file cannot be read: {error}")
            continue
        yield from queries(file, text, options, names)


def queries(file: str, text: str, options: Options, names: Names | None = None) -> Iterator[Imported | Refused]:
    """Yield the queries of a text of SQL as rules, or why they are none."""
    names, source, stem = names or Names(), Source(file, text), Path(file).stem
    if len(text) > MOST_CHARACTERS:
        yield Refused(stem, Place(file, 1, 1), f"the file has {len(text):,} characters; at most {MOST_CHARACTERS:,}")
        return
    try:
        written = list(statements(source))
    except Unsaid as error:
        yield Refused(stem, error.place, error.reason)
        return
    tables: dict[str, dict[str, Column]] = {}
    declarations = [is_table(words) and not is_query(words) for words in written]
    refused: dict[int, Refused] = {}
    for number, words in enumerate(written):
        if declarations[number]:
            try:
                table, columns = table_of(source, words)
                if table in tables:
                    raise Unsaid(source.place(words[0].start), f"the table {table} is declared twice")
                tables[table] = columns
            except Unsaid as error:
                refused[number] = Refused(_name_of(words, stem), error.place, error.reason)
    for number, words in enumerate(written):
        if not declarations[number]:
            yield _imported(source, words, tables, options, names, stem)
        elif number in refused:
            yield refused[number]
    if all(declarations) and not refused:
        yield Refused(stem, Place(file, 1, 1), "there is no query with MATCH_RECOGNIZE in this file")


def _name_of(words: Sequence[Token], stem: str) -> str:
    """Return the name that a statement gives to its result or its table, else that of the file."""
    for number, word in enumerate(words[:-1]):
        if word.text.upper() in {"VIEW", "TABLE", "INTO"}:
            return words[number + 1].text
    return stem


def _imported(
    source: Source,
    words: Sequence[Token],
    tables: dict[str, dict[str, Column]],
    options: Options,
    names: Names,
    stem: str,
) -> Imported | Refused:
    place = source.place(words[0].start)
    if not is_query(words):
        return Refused(_name_of(words, stem), place, f"{words[0].text.upper()} …: a statement without MATCH_RECOGNIZE")
    try:
        return _translated(source, words, tables, Notes(options.nearest), names, stem)
    except Unsaid as error:
        refused = Refused(_name_of(words, stem), error.place, error.reason)
        if not error.nearest:
            return refused
    try:
        _body(Translation(source, query_of(source, words), tables, Notes(nearest=True)), stem)
    except Unsaid as error:
        return replace(refused, place=error.place, reason=error.reason)
    return replace(refused, nearest=True)


def _translated(
    source: Source,
    words: Sequence[Token],
    tables: dict[str, dict[str, Column]],
    notes: Notes,
    names: Names,
    stem: str,
) -> Imported:
    query = query_of(source, words)
    place = source.place(query.start)
    translation = Translation(source, query, tables, notes)
    body = _body(translation, query.name or stem)
    head = [f"The query in {Path(source.file).name}, line {place.line}, as a rule."]
    if translation.within == ALWAYS:
        head.append("It has no WITHIN: windows are longer than the time of SQL, and the machine forgets no row.")
    head += [
        f"Differs from the query, line {d.place.line}, column {d.place.column}: {d.text}." for d in notes.differences
    ]
    text = "\n".join(["level 2", "", *map(comment, head), "", body])
    try:
        program = TEXT.printed(text)
        parse(program)
    except ProgramError as error:
        raise Unsaid(place, f"the rule is no program: {error.diagnostics[0].message}") from None
    name = names.new(query.name or stem)
    return Imported(name, place, program, _mapping(translation), (), tuple(notes.differences))


def _body(translation: Translation, name: str) -> str:
    wish = capitalized(name)
    return translation.rule(wish if wish != translation.template else f"{wish}Match")


def _mapping(translation: Translation) -> LogMapping | None:
    """Return the mapping of a log with the columns of the table, or None if a column has no path."""
    columns = [*translation.columns.used.values(), translation.columns.time]
    if any('"' in slot.column or not slot.column for slot in columns):
        return None
    slots = {slot.attribute: _slot(slot) for slot in translation.columns.used.values()}
    time = Time(_path(translation.columns.time.column), (ISO, EPOCH))
    return LogMapping(time, (MappedTemplate(translation.template, {}, slots),))


def _slot(slot: Slot) -> MappedSlot:
    assert slot.type is not None  # the time is no attribute
    path = None if slot.attribute == slot.column else _path(slot.column)
    return MappedSlot(slot.type, path, optional=slot.optional)


def _path(column: str) -> str:
    return column if _BARE_PATH.fullmatch(column) else f'"{column}"'
