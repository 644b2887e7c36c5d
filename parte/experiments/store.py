"""The rows of a run, stored unit by unit, so that an interrupted run can be continued."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from parte.experiments.experiment import Row, Unit
from parte.experiments.parameters import ParametersError
from parte.semantics.events.files import check_kind, make_directory, opened, read_limited, write_all, write_whole

PARAMETERS = "parameters.toml"
ROWS = "rows.jsonl"

MAX_LINE = 2**22


def key_of(unit: Unit) -> str:
    """Return the key that identifies a unit."""
    return json.dumps(unit, sort_keys=True)


class Store:
    """A directory with the parameters of a run and a line for each unit that was measured."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._rows = directory / ROWS

    def prepare(self, parameters: str, *, fresh: bool) -> dict[str, list[Row]]:
        """Prepare the directory for a run, and return the rows that it has of a run with the same parameters.

        Raise ParametersError if it has a run with other parameters and not `fresh`, or if it cannot be written.
        """
        place = self.directory / PARAMETERS
        with writable(self.directory):
            make_directory(self.directory)
            if fresh or not place.exists():
                self._rows.unlink(missing_ok=True)
                write_whole(place, parameters)
                return {}
            if read_limited(place) != parameters.encode("utf-8"):
                raise ParametersError(
                    f"{place} is of a run with other parameters; give another --out, or --fresh to begin anew"
                )
            done = self.measured()
            self._drop_cut_line()
        return done

    def _drop_cut_line(self) -> None:
        """Remove a last line that was cut off by an interruption, so that the next line does not follow it.

        The other lines stay as they are, so that nothing is lost if this is interrupted too.
        """
        if not self._rows.exists():
            return
        with self._rows.open("rb+") as rows:
            end = rows.seek(0, os.SEEK_END)
            start = rows.seek(max(0, end - 4 * MAX_LINE))  # no line that was read is longer, whatever its characters
            rows.truncate(start + rows.read().rfind(b"\n") + 1)

    def measured(self) -> dict[str, list[Row]]:
        """Return the rows of each unit that was measured."""
        return {key_of(unit): rows for unit, rows in self._lines()}

    def _lines(self) -> Iterator[tuple[Unit, list[Row]]]:
        if not self._rows.exists():
            return
        check_kind(self._rows)
        with self._rows.open(encoding="utf-8", errors="replace") as lines:
            number = 0
            while line := lines.readline(MAX_LINE):
                number += 1
                if not line.endswith("\n") and len(line) < MAX_LINE:
                    return  # the run was stopped while it wrote
                try:
                    entry = json.loads(line)
                    unit, rows = entry["unit"], entry["rows"]
                except (ValueError, KeyError, TypeError) as problem:
                    raise self._unusable(number) from problem
                if not _is_row(unit) or not isinstance(rows, list) or not all(map(_is_row, rows)):
                    raise self._unusable(number)
                yield unit, rows

    def _unusable(self, number: int) -> ParametersError:
        return ParametersError(
            f"{self._rows}:{number}: expected the rows of a unit, "
            '{"unit": {…}, "rows": [{…}, …]} with numbers and strings as values; --fresh begins anew'
        )

    def add(self, unit: Unit, rows: Sequence[Row]) -> None:
        """Store the rows of one more unit. Its line is written at once: an interruption leaves all of it or nothing."""
        line = json.dumps({"unit": unit, "rows": rows}) + "\n"
        with writable(self.directory), opened(self._rows, "ab") as lines:
            whole = lines.seek(0, os.SEEK_END)
            try:
                write_all(lines, line.encode("utf-8"))
                os.fsync(lines.fileno())
            except OSError:  # the disk is full: a part of the line must not stay before the next one
                lines.truncate(whole)
                raise


def _is_row(value: object) -> bool:
    return isinstance(value, dict) and all(
        item is None or isinstance(item, str | int | float) for item in value.values()
    )


@contextmanager
def writable(directory: Path) -> Iterator[None]:
    """Turn an OSError in the `with` block into a ParametersError with the reason and a remedy."""
    try:
        yield
    except OSError as problem:
        raise ParametersError(
            f"{problem.filename or directory}: results cannot be kept here: {problem.strerror or problem}; "
            "give another directory with --out"
        ) from problem
