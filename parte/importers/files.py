"""The files of an imported rule: its program, the mapping of its logs, its tests. All of them are written, or none."""

from __future__ import annotations

import contextlib
import errno
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from parte.conformance.casefiles.events import write_items
from parte.conformance.casefiles.layout import Entry, Field, filled, write_layout, write_value
from parte.importers.imported import Imported, ImportedTest
from parte.logs.mapping_text import mapping_text
from parte.semantics.events.files import below, read_limited, write_new, write_whole
from parte.semantics.events.timestamps import timestamp_text

PROGRAM: Final = ".parte"
MAPPING: Final = ".toml"
CASES: Final = ".cases"

_DATES: Final = 10**11
"""Timestamps from here on are written as dates; those below are moments of a test that names none."""


def contents_of(imported: Imported) -> dict[str, str]:
    """Return the texts of the files of a rule by their names."""
    contents = {f"{imported.name}{PROGRAM}": imported.program}
    if imported.mapping is not None:
        contents[f"{imported.name}{MAPPING}"] = mapping_text(imported.mapping)
    if imported.tests:
        contents[f"{imported.name}{CASES}"] = cases_text(imported)
    return contents


def cases_text(imported: Imported) -> str:
    """Return the tests of a rule, as `parte test` reads them."""
    entries: list[Entry] = []
    taken: set[str] = set()
    for number, test in enumerate(imported.tests, 1):
        slug = "-".join(re.findall(r"[a-z0-9]+", test.name.lower()))[:80].strip("-") or f"test-{number}"
        name = slug if slug not in taken else f"{slug}-{number}"
        taken.add(name)
        place = os.path.basename(imported.place.file).encode("utf-8", "backslashreplace").decode("utf-8")
        remarks = [f"# Tests of {imported.name}, from {' '.join(place.split())}"] if not entries else []
        entries.append(Entry(Field("case", name, 0), remarks, list(_fields(test))))
    return write_layout(entries, ())


def _fields(test: ImportedTest) -> Iterator[Field]:
    yield Field("about", write_value(test.about or test.name), 0)
    items = [_item(event.id, event.template, event.timestamp, event.source, event.attributes) for event in test.events]
    yield filled("trace", list(write_items(items, {}))) if items else Field("trace", "", 0)
    yield Field("expect", _expected(test.matches), 0)


def _item(identity: str, template: str, moment: int, source: str, attributes: Mapping[str, Any]) -> dict[str, Any]:
    date = timestamp_text(moment) if abs(moment) >= _DATES else ""
    timestamp: int | str = date if date.endswith("Z") else moment
    return {
        "id": identity,
        "template": template,
        "timestamp": timestamp,
        "source": source,
        "attributes": {name: list(value) if isinstance(value, tuple) else value for name, value in attributes.items()},
    }


def _expected(matches: bool | int) -> str:
    if matches is True:
        return "matches"
    if not matches:
        return "no match"
    return "1 match" if matches == 1 else f"{matches} matches"


def write_files(directory: str, contents: Mapping[str, str], *, force: bool) -> list[str]:
    """Write files into a directory, and return their paths. If one cannot be written, all are as they were before.

    Raise FileExistsError if one exists, unless `force` permits to replace it; otherwise OSError.
    """
    paths = [below(directory, name) for name in contents]
    for path in paths:
        if os.path.lexists(path) and not force:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    before = {path: read_limited(path) if path.exists() else None for path in paths}
    try:
        for path, text in zip(paths, contents.values(), strict=True):
            content = text.encode("utf-8")
            if before[path] is None:
                write_new(path, content)
            else:
                write_whole(path, content)
    except BaseException:
        for path, content_before in before.items():
            _restore(path, content_before)
        raise
    return [str(path) for path in paths]


def _restore(path: Path, content: bytes | None) -> None:
    with contextlib.suppress(OSError):
        if content is None:
            path.unlink(missing_ok=True)
        elif path.read_bytes() != content:
            write_whole(path, content)
