"""The rows of a run, kept unit by unit, so that a run that was interrupted goes on where it stopped."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from parte.experiments.experiment import Row, Unit
from parte.experiments.parameters import ParametersError

PARAMETERS = "parameters.toml"
ROWS = "rows.jsonl"

MAX_LINE = 2**22


def key_of(unit: Unit) -> str:
    """What tells units apart."""
    return json.dumps(unit, sort_keys=True)


class Store:
    """A directory with the parameters of a run and a line for each unit that was measured."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._rows = directory / ROWS

    def prepare(self, parameters: str, *, fresh: bool) -> dict[str, list[Row]]:
        """Make the directory ready for a run; what it holds already of a run with the same parameters.

        ParametersError if it holds a run with others and `fresh` does not say to begin anew.
        """
        self.directory.mkdir(parents=True, exist_ok=True)
        place = self.directory / PARAMETERS
        if fresh or not place.exists():
            self._rows.unlink(missing_ok=True)
            place.write_text(parameters, encoding="utf-8")
            return {}
        if place.read_text(encoding="utf-8", errors="replace") != parameters:
            raise ParametersError(
                f"{place} is of a run with other parameters; give another --out, or --fresh to begin anew"
            )
        done = self.measured()
        self._drop_cut_line()
        return done

    def _drop_cut_line(self) -> None:
        """A line that was cut off by an interruption must not stand before the next one; the others stay as they are,
        so that nothing is lost if this is interrupted too."""
        if not self._rows.exists():
            return
        with self._rows.open("rb+") as rows:
            rows.truncate(rows.read().rfind(b"\n") + 1)

    def measured(self) -> dict[str, list[Row]]:
        """The rows of each unit that was measured."""
        return {key_of(unit): rows for unit, rows in self._lines()}

    def _lines(self) -> Iterator[tuple[Unit, list[Row]]]:
        if not self._rows.exists():
            return
        with self._rows.open(encoding="utf-8", errors="replace") as lines:
            while line := lines.readline(MAX_LINE):
                if not line.endswith("\n"):
                    return  # the run was stopped while it wrote
                try:
                    entry = json.loads(line)
                    yield entry["unit"], entry["rows"]
                except (ValueError, KeyError, TypeError) as problem:
                    raise ParametersError(
                        f"{self._rows}: expected the rows of a unit on each line; --fresh begins anew"
                    ) from problem

    def add(self, unit: Unit, rows: Sequence[Row]) -> None:
        """Keep the rows of one more unit."""
        with self._rows.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"unit": unit, "rows": rows}) + "\n")
