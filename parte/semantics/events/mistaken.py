"""Recognize files of events that are not traces by their first line, and report that instead of every line."""

from __future__ import annotations

import re

_FIELD = re.compile(r'\s*(?:"[^"]*"|[A-Za-z_][\w .:-]*)\s*')
_SEPARATORS = ",;\t"


def mistaken(line: str) -> tuple[str, str] | None:
    """Return the probable format of a file and a hint, by a first line that is not a JSON object; None if unknown."""
    text = line.strip()
    if text == "[" or (text.startswith("[") and text.lstrip("[ \t").startswith("{")):
        return (
            "the file is one JSON array; a trace has a JSON object on each line",
            "leave out the brackets and the commas between events: `jq -c '.[]' FILE` does so",
        )
    if text == "{" or (text.startswith("{") and text.endswith((",", "{"))):
        return (
            "an object goes on over several lines; a trace has a JSON object on each line",
            "put each event on one line: `jq -c . FILE` does so",
        )
    if any(_header(text.split(separator)) for separator in _SEPARATORS):
        return (
            "the file seems to be CSV; a trace has a JSON object on each line",
            'write each row as {"template": …, "timestamp": …, "attributes": {…}}, with the columns as attributes',
        )
    return None


def _header(fields: list[str]) -> bool:
    return len(fields) > 1 and all(map(_FIELD.fullmatch, fields))
