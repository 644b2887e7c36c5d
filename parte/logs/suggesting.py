"""A mapping for a raw log, guessed from its first records: a person corrects it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from math import isfinite
from typing import Any, Final

import duckdb

from parte.logs.conversion import table_of
from parte.logs.mapping import EPOCH, ISO, Time
from parte.logs.mapping_text import bare_key, quoted
from parte.logs.queries import timestamp
from parte.logs.records import format_of, lines_of
from parte.logs.rows import rows_of
from parte.semantics.events.files import UnusableFile

SAMPLE: Final = 2_000
"""The most records that are looked at."""
MOST_TEMPLATES: Final = 40
_TIME_WORDS: Final = ("timestamp", "time", "ts", "date", "datetime", "when", "at")
_KIND_WORDS: Final = ("event", "type", "event_type", "kind", "action", "category", "name", "operation", "level")
_ID_WORDS: Final = ("id", "event_id", "request_id", "uuid", "uid", "guid")
_LONGEST: Final = 1_000
_WORD: Final = re.compile(r"[A-Za-z0-9]+")
_BARE: Final = re.compile(r"[\w@-]+")
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,18}")
_LOCAL: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.]\d+)?)?")

Flat = dict[str, str]
"""The texts of a record by path, without nulls."""


@dataclass(frozen=True, slots=True)
class _Guess:
    timestamp: str
    kind: str | None
    identity: str | None


def suggested(path: str, given: str | None = None) -> str:
    """Return a mapping as TOML for a raw file. Raise OSError if it cannot be read, or has no record or no timestamp."""
    records = list(_sample(path, given))
    if not records:
        raise UnusableFile(path, "none of its first lines is a record", hint="a record is a JSON object, or a row")
    guess = _Guess(_timestamp(path, records), _kind(records), _identity(records))
    return "\n".join(_text(records, guess)) + "\n"


def _sample(path: str, given: str | None) -> Iterator[Flat]:
    if format_of(path, given) == "jsonl":
        for text in next((lines.texts for lines in lines_of(path)), [])[:SAMPLE]:
            try:
                record = json.loads(text)
                quoted(record)  # an error for halves of characters
                flat = dict(_flat(record)) if isinstance(record, dict) else None
            except (ValueError, RecursionError):
                continue
            if flat is not None:
                yield flat
        return
    if format_of(path, given) == "csv":
        header, batches = rows_of(path)
        for row in next(batches, [])[:SAMPLE]:
            # Of columns with one name, the first counts.
            named = reversed([*zip(header.names, row.fields, strict=False)])
            yield dict(_flat({name: value for name, value in named if name}))
        return
    with duckdb.connect() as database, table_of(path) as relation:
        rows = database.execute(f"SELECT to_json(t) FROM {relation} t LIMIT {SAMPLE}").fetchall()
    for (text,) in rows:
        yield dict(_flat(json.loads(text)))


def _flat(record: dict[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for key, value in record.items():
        path = before + (key if _BARE.fullmatch(key) else f'"{key}"')
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{path}.")
        elif value is not None and '"' not in key and len(path) <= _LONGEST:
            yield path, value if isinstance(value, str) else json.dumps(value)


def _paths(records: Sequence[Flat]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for record in records:
        for path, text in record.items():
            found.setdefault(path, []).append(text)
    return found


def _rank(path: str, words: Sequence[str]) -> int:
    last = path.rpartition(".")[2].strip('"@').lower()
    return next((place for place, word in enumerate(words) if last == word), len(words))


def _timestamp(path: str, records: Sequence[Flat]) -> str:
    """Return the path that most often has a time, of those the one whose name says so best."""
    best: list[tuple[int, int, str]] = []
    with duckdb.connect() as database:
        reading = timestamp(Time("t", (ISO, EPOCH), "UTC"), "t")
        for name, texts in _paths(records).items():
            (count,) = database.execute(f"SELECT count({reading}) FROM unnest(?) AS u(t)", [texts]).fetchall()[0]
            plain = all(_INTEGER.fullmatch(text) for text in texts)
            if 2 * count > len(records) and (not plain or _rank(name, _TIME_WORDS) < len(_TIME_WORDS)):
                best.append((_rank(name, _TIME_WORDS), -count, name))
    if not best:
        hint = "a time is ISO 8601 or a number since 1970; write the mapping by hand for another format"
        raise UnusableFile(path, "no path of its records has times", hint=hint)
    return min(best)[2]


def _kind(records: Sequence[Flat]) -> str | None:
    """Return the path that tells kinds of events apart: with few values, by its name."""
    chosen = []
    for path, texts in _paths(records).items():
        rank, count = _rank(path, _KIND_WORDS), len(set(texts))
        if rank < len(_KIND_WORDS) and 2 * len(texts) > len(records) and count <= min(MOST_TEMPLATES, len(texts)):
            chosen.append((rank, path))
    return min(chosen)[1] if chosen else None


def _identity(records: Sequence[Flat]) -> str | None:
    chosen = []
    different = len({tuple(record.items()) for record in records})  # some may be there twice
    for path, texts in _paths(records).items():
        rank = _rank(path, _ID_WORDS)
        if rank < len(_ID_WORDS) and len(texts) == len(records) and 5 * len(set(texts)) >= 4 * different:
            chosen.append((rank, path))
    return min(chosen)[1] if chosen else None


def _text(records: Sequence[Flat], guess: _Guess) -> Iterator[str]:
    if guess.identity is not None:
        yield f"id = {quoted(guess.identity)}"
    times = [record[guess.timestamp] for record in records if guess.timestamp in record]
    numbers = any(_INTEGER.fullmatch(text) for text in times)
    texts = any(not _INTEGER.fullmatch(text) for text in times)
    yield "\n[timestamp]" if guess.identity is not None else "[timestamp]"
    yield f"path = {quoted(guess.timestamp)}"
    yield f"forms = {json.dumps([ISO] * texts + [EPOCH] * numbers)}"
    if any(_LOCAL.fullmatch(text) for text in times):
        yield '# zone = "UTC"  # some times have no offset: say of which zone they are'
    groups: dict[str | None, list[Flat]] = {None: list(records)}
    if guess.kind is not None:
        groups = {}
        for record in records:
            if guess.kind in record:
                groups.setdefault(record[guess.kind], []).append(record)
    names: set[str] = set()
    for value, members in groups.items():
        yield "\n[[template]]"
        yield f"name = {quoted(_unused('Record' if value is None else _template(value), names))}"
        if value is not None:
            yield f"when = {{ {bare_key(guess.kind or '')} = {quoted(value)} }}"
        yield from _attributes(members, guess)


def _attributes(records: Sequence[Flat], guess: _Guess) -> Iterator[str]:
    yield "[template.attributes]"
    taken: set[str] = set()
    paths = _paths(records)
    for path, texts in paths.items():
        if path in (guess.timestamp, guess.kind, guess.identity):
            continue
        name = "_".join(_WORD.findall(path)) or "value"
        name = _unused(f"_{name}" if name[0].isdigit() else name, taken)
        mixed = any(other.startswith(f"{path}.") for other in paths)  # an object in some records
        parts = [f"type = {json.dumps('String' if mixed else _type(texts))}"]
        if name != path:
            parts.insert(0, f"path = {quoted(path)}")
        if len(texts) < len(records):
            parts.append("optional = true")
        yield f"{name} = {{ {', '.join(parts)} }}"


def _type(texts: Iterable[str]) -> str:
    found = set(texts)
    if all(_INTEGER.fullmatch(text) for text in found):
        return "Integer"
    if found <= {"true", "false"}:
        return "Boolean"
    return "Float" if all(_is_number(text) for text in found) else "String"


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?", text) is not None and isfinite(float(text))


def _template(value: str) -> str:
    words = "".join(word[:1].upper() + word[1:] for word in _WORD.findall(value)) or "Other"
    return f"T{words}" if words[0].isdigit() else words


def _unused(name: str, taken: set[str]) -> str:
    """Return a name that is not yet taken, and take it."""
    short = name[:120]
    chosen = next(each for number in count(1) if (each := f"{short}{number if number > 1 else ''}") not in taken)
    taken.add(chosen)
    return chosen
