"""Comparison of imported rules of Sigma with their definition, `sigma_definition`, on drawn rules and records."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import parte
from parte.importers.imported import Imported, Options, Refused
from parte.importers.sigma import rules as imported_rules
from parte.logs.mapping import MappedTemplate, path_of
from parte.semantics.events.event import Event
from parte.semantics.events.types import Scalar
from tests.importers.sigma_definition import number, results, text
from tests.importers.sigma_drawing import INTERVALS, SPANS, Drawn, documents, drawn

_NAMES = re.compile(r"\d+|'.*'|`.*`")
_RECORD = re.compile(r"event=r(\d+)")


def imported(rules: Mapping[str, Any], options: Options) -> Imported | Refused:
    """Return what becomes of the outermost of some rules."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rules.yml"
        path.write_text(documents(rules), encoding="utf-8")
        return next(iter(imported_rules([str(path)], options)))


def event_of(template: MappedTemplate, record: Mapping[str, Any], position: int) -> Event:
    """Return the event that a record stands for, as the mapping says it."""
    attributes: dict[str, Any] = {}
    for name, slot in template.slots.items():
        path = path_of(name, slot)
        assert path is not None
        value = record.get(path.strip('"'))
        if value is not None:
            attributes[name] = text(value) if slot.type is Scalar.STRING else number(value)
    return Event(f"r{position}", template.name, record["timestamp"], attributes)


def answer(program: Imported, records: Sequence[Mapping[str, Any]]) -> set[int]:
    """Return the numbers of the records at which an imported rule matches."""
    assert program.mapping is not None
    (template,) = program.mapping.templates
    events = [event_of(template, record, number) for number, record in enumerate(records)]
    numbers = set()
    for match in parte.run(parte.parse(program.program), events, model="algebra"):
        if re.fullmatch(r"Outer(_\d+)?", match.rule):
            record = _RECORD.search(f"event={dict(match.bindings)['event']}")
            assert record is not None
            numbers.add(int(record[1]))
    return numbers


def expected(case: Drawn, *, tumbling: bool = False) -> set[int]:
    """Return the numbers of the records at which the definition has a match."""
    return {result.record for result in results("outer", case.rules, case.records, tumbling=tumbling)}


def difference(case: Drawn, *, tumbling: bool = False) -> tuple[Imported | Refused, set[int], set[int]]:
    """Return the program, the records at which only one of both has a match, and those of the definition."""
    program = imported(case.rules, Options(tumbling=tumbling))
    if isinstance(program, Refused):
        return program, set(), set()
    right = expected(case, tumbling=tumbling)
    return program, answer(program, case.records) ^ right, right


def compare(first: int, last: int) -> tuple[Counter[str], list[str]]:
    """Compare the rules that are drawn from some seeds: return numbers, and the seeds on which both differ."""
    counted: Counter[str] = Counter()
    different = []
    for seed in range(first, last):
        tumbling = seed % 5 == 0
        case = drawn(Random(seed), INTERVALS if tumbling else SPANS)
        program, differing, right = difference(case, tumbling=tumbling)
        if isinstance(program, Refused):
            reason = _NAMES.sub("…", program.reason)
            counted[f"refused: {reason[:90]}"] += 1
            continue
        kind = case.rules["outer"].get("correlation", {}).get("type", "detection")
        counted["rules"] += 1
        counted["matching"] += bool(right)
        counted["not matching"] += not right
        counted[f"{'tumbling ' if tumbling and kind != 'detection' else ''}{kind}"] += 1
        counted["correlations of correlations"] += sum("correlation" in rule for rule in case.rules.values()) > 1
        if differing:
            different.append(f"seed {seed}: differ at {sorted(differing)}, the definition has {sorted(right)}")
    return counted, different


if __name__ == "__main__":
    counted_rules, differences = compare(int(sys.argv[1]), int(sys.argv[2]))
    for line in differences:
        print(line)
    for what, times in counted_rules.most_common():
        print(f"{times:8,}  {what}")
