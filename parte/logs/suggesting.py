"""A mapping for a raw log, guessed from its first records: a person corrects it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from math import isfinite
from typing import Final

import duckdb

from parte.logs.mapping import EPOCH, ISO, Time
from parte.logs.mapping_text import bare_key, quoted
from parte.logs.queries import timestamp
from parte.logs.sample import Flat, no_record, sample
from parte.semantics.events.files import UnusableFile

MOST_TEMPLATES: Final = 40
_OTHERS: Final = 5
"""The most other paths that are named."""
_TIME_WORDS: Final = ("timestamp", "time", "ts", "date", "datetime", "when", "at")
_KIND_WORDS: Final = ("event", "type", "event_type", "kind", "action", "category", "name", "operation", "level")
_ID_WORDS: Final = ("id", "event_id", "request_id", "uuid", "uid", "guid")
_WORD: Final = re.compile(r"[A-Za-z0-9]+")
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER: Final = re.compile(r"[+-]?[0-9]+([.][0-9]+)?")
"""A time that the form `epoch` reads."""
_LOCAL: Final = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?)?")


@dataclass(frozen=True, slots=True)
class _Guess:
    timestamp: str
    kinds: tuple[tuple[str, int], ...]
    """The paths that may tell kinds of events apart, the best one first, with the number of their values."""
    identity: str | None

    @property
    def kind(self) -> str | None:
        """The path that tells kinds of events apart."""
        return self.kinds[0][0] if self.kinds else None


def suggested(path: str, form_name: str | None = None) -> str:
    """Return a mapping as TOML for a raw file. Raise OSError if it cannot be read, or has no record or no timestamp."""
    records, more = sample(path, form_name)
    if not records:
        raise UnusableFile(path, "none of its first lines is a record", hint=no_record(path))
    guess = _Guess(_timestamp(path, records), tuple(_kinds(records)), _identity(records))
    last = [f"\n# guessed from the first {len(records):,} of more records"] * more
    return "\n".join([*_text(records, guess), *last]) + "\n"


def _paths(records: Sequence[Flat]) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for record in records:
        for path, text in record.items():
            values.setdefault(path, []).append(text)
    return values


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
            plain = all(_NUMBER.fullmatch(text) for text in texts)
            if 2 * count > len(records) and (not plain or _rank(name, _TIME_WORDS) < len(_TIME_WORDS)):
                best.append((_rank(name, _TIME_WORDS), -count, name))
    if not best:
        hint = "a time is ISO 8601 or a number since 1970; write the mapping by hand for another format"
        raise UnusableFile(path, "no path of its records has times", hint=hint)
    return min(best)[2]


def _kinds(records: Sequence[Flat]) -> list[tuple[str, int]]:
    """Return the paths that may tell kinds of events apart, with the number of their values, the best one first: it
    has several values, is in all records, has few parts, and a good name."""
    chosen = []
    for path, texts in _paths(records).items():
        rank, count = _rank(path, _KIND_WORDS), len(set(texts))
        if rank < len(_KIND_WORDS) and 2 * len(texts) > len(records) and count <= min(MOST_TEMPLATES, len(texts)):
            chosen.append((count < 2, len(texts) < len(records), path.count("."), rank, path, count))
    return [(path, count) for *_, path, count in sorted(chosen)]


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
    numbers = any(_NUMBER.fullmatch(text) for text in times)
    texts = any(not _NUMBER.fullmatch(text) for text in times)
    yield "\n[timestamp]" if guess.identity is not None else "[timestamp]"
    yield f"path = {quoted(guess.timestamp)}"
    yield f"forms = {json.dumps([ISO] * texts + [EPOCH] * numbers)}"
    if any(_LOCAL.fullmatch(text) for text in times):
        yield '# zone = "UTC"  # some times have no offset: say of which zone they are'
    first, *others = [
        f"{path if path.isprintable() else quoted(path)} ({count} values)" for path, count in guess.kinds if count > 1
    ] or [""]
    if others:
        yield f"\n# by {first}, or by {', '.join(others[:_OTHERS])}"
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
        mixed = any(longer.startswith(f"{path}.") for longer in paths)  # an object in some records
        parts = [f"type = {json.dumps('String' if mixed else _type(texts))}"]
        if name != path:
            parts.insert(0, f"path = {quoted(path)}")
        if len(texts) < len(records):
            parts.append("optional = true")
        yield f"{name} = {{ {', '.join(parts)} }}"


def _type(texts: Iterable[str]) -> str:
    distinct = set(texts)
    if all(_INTEGER.fullmatch(text) for text in distinct):
        return "Integer"
    if distinct <= {"true", "false"}:
        return "Boolean"
    return "Float" if all(_is_number(text) for text in distinct) else "String"


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?", text) is not None and isfinite(float(text))


def _template(value: str) -> str:
    words = "".join(word[:1].upper() + word[1:] for word in _WORD.findall(value)) or "Other"
    return f"T{words}" if words[0].isdigit() else words


def _unused(name: str, taken: set[str]) -> str:
    """Return a name that is not yet taken, and take it."""
    short = name[:120]
    chosen = next(
        candidate for number in count(1) if (candidate := f"{short}{number if number > 1 else ''}") not in taken
    )
    taken.add(chosen)
    return chosen
