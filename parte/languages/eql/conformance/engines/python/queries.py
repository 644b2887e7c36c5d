"""The sequences with which Python EQL tests itself, under `dialect=python`: `python -m PLACE QUERIES EVENTS`.

PLACE is this module; the files are `test_queries.toml` and `test_data.json` in the folder `eql/etc` of a local copy of
Python EQL. They are read, never copied: their licence is the AGPL.

A query of its older syntax is rewritten first: `=` is `==`, strings may stand in single quotes, and `*` in a string
behind `==` is a wildcard. Both the definition and the machine run it. Events are in the order of the file; where a
query has a maxspan, an event that is older than one before it is left out. Exit code 1 if a sequence
differs.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from parte.languages.eql.api import define, run
from parte.languages.eql.conformance.engines.python.adapter import DIALECT, TICKS
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.parser import parse
from parte.semantics.events import strictjson, stricttoml
from parte.semantics.events.event import Event
from parte.semantics.events.files import read_text
from parte.semantics.source.diagnostics import ProgramError, Severity

Json = Any
_WORDS = re.compile(
    r"""'(?P<text>[^'"\n]*)'|(?P<other>"(?:[^"\\\n]|\\.)*"|maxspan\s*=|fork\s*=|[=!<>]=)|(?P<equal>=)""", re.DOTALL
)
_WILDCARD = re.compile(r'==(\s*"[^"\n]*\*[^"\n]*")')


def rewritten(query: str) -> str:
    """Return a query of the older syntax in that of Elastic."""

    def word(match: re.Match[str]) -> str:
        return "==" if match["equal"] else match["other"] or f'"{match["text"]}"'

    return _WILDCARD.sub(r" like\1", _WORDS.sub(word, query))


def event_of(record: Mapping[str, Json]) -> Event:
    """Return an event of the file: its id is its serial number."""
    category = record.get("event_type") or record.get("event_type_full", "generic").removesuffix("_event")
    plain = {name: value for name, value in record.items() if not isinstance(value, dict | list)}
    return Event(str(record["serial_event_id"]), str(category), record.get("timestamp", 0) // TICKS, plain, "file")


def rising(events: Sequence[Event]) -> Iterator[Event]:
    """Yield the events without those that are older than one before them."""
    latest = min((event.timestamp for event in events), default=0)
    for event in events:
        if event.timestamp >= latest:
            latest = event.timestamp
            yield event


def verdict(text: str, events: Sequence[Event], expected: Sequence[int]) -> str:
    """Return `equal`, or why the ids of the events of all results are others than those expected."""
    try:
        query = parse(rewritten(text))
    except ProgramError as error:
        first = next(item for item in error.diagnostics if item.severity is Severity.ERROR)
        return f"refused: {first.message} [{first.code}]"
    if isinstance(query, tree.Sequence) and query.maxspan is not None:
        events = list(rising(events))
    for evaluate in (define, run):
        ids = [int(name) for result in evaluate(query, events, DIALECT) for name in result["events"]]
        if ids != list(expected):
            return f"differs: {evaluate.__name__} has {ids[:9]}, expected {list(expected)[:9]}"
    return "equal"


def main(arguments: Sequence[str]) -> int:
    """Print the verdict on each sequence that is not equal, and the number of each verdict."""
    if len(arguments) != 2:
        print("usage: python -m parte.languages.eql.conformance.engines.python.queries QUERIES EVENTS", file=sys.stderr)
        return 2
    queries: Json = stricttoml.decode(read_text(arguments[0]))
    records: Json = strictjson.decode(read_text(arguments[1]))
    trace = [event_of(record) for record in records]
    counts: Counter[str] = Counter()
    for number, query in enumerate(queries["queries"], 1):
        if query["query"].split()[0] != "sequence":
            continue
        answer = verdict(query["query"], trace, query["expected_event_ids"])
        counts[answer.split(":")[0]] += 1
        if answer != "equal":
            print(f"query {number}: {answer}")
    print(", ".join(f"{number} {answer}" for answer, number in sorted(counts.items())))
    return int("differs" in counts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
