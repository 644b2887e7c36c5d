"""Waiting for changes of the files that tests read.

The files are few, so their times are looked up twice a second: this needs no library, and also works in containers and
on network folders, where systems report no changes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from parte.languages.registry import languages
from parte.rule_tests.discovery import ENDING, CasesFile

INTERVAL: Final = 0.5
"""Seconds between two looks."""
MOST_WATCHED: Final = 10_000
"""Files that are watched; those beyond, in folders of programs that import files, are not."""

Stamps = dict[str, tuple[int, int]]
"""The time of change of each file, in nanoseconds, and its size."""


def watched(paths: Sequence[str], files: Iterable[CasesFile], include: Sequence[str]) -> Stamps:
    """Return the stamps of all files that a run of tests reads, and of those that it may read when they exist.

    These are the files of tests below the paths, and the files that they name; and beside the programs, or below, all
    programs, which they may import.
    """
    named: dict[str, None] = dict.fromkeys(paths)
    folders: dict[str, None] = dict.fromkeys(include)
    for file in files:
        folder = os.path.dirname(file.path)
        named |= dict.fromkeys((file.path, *file.programs))
        folders |= dict.fromkeys(os.path.dirname(program) or "." for program in file.programs)
        for test, _ in file.tests:
            named |= dict.fromkeys(os.path.join(folder, name) for name in (test.log, test.domain_file) if name)
    endings = tuple(language.ending for language in languages())
    paths_watched = [*named, *_below(paths, (ENDING,)), *_below(folders, endings)]
    return {path: _stamp(path) for path in dict.fromkeys(map(os.path.normpath, paths_watched[:MOST_WATCHED]))}


def _below(folders: Iterable[str], endings: tuple[str, ...]) -> Iterator[str]:
    for top in folders:
        for folder, below, names in os.walk(top):
            below[:] = sorted(name for name in below if not name.startswith("."))
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(endings))


def _stamp(path: str) -> tuple[int, int]:
    """Return the stamp of a file; (0, 0) if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size) if not os.path.isdir(path) else (0, 0)


def changed(before: Stamps, after: Stamps) -> list[str]:
    """Return the files that changed, appeared or went away, by name."""
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


def wait_for_change(
    before: Stamps, paths: Sequence[str], files: Sequence[CasesFile], include: Sequence[str]
) -> list[str]:
    """Return the files that changed since the stamps were taken, as soon as one did."""
    while not (names := changed(before, watched(paths, files, include))):
        time.sleep(INTERVAL)
    return names
