"""The importer of Panther's rules, compared with the definition of the tests on drawn rules.

`python -m tests.importers.panther_comparison NUMBER [SEED]` draws rules and prints what came of them.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from random import Random
from tempfile import TemporaryDirectory

import yaml

import parte
from parte.importers.imported import Imported, Options, Refused
from parte.importers.panther import rules
from parte.logs.mapping import Mapping, parts_of
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core
from tests.importers.panther_definition import Rule, Signal, matches
from tests.importers.panther_drawing import draw_rule, draw_signals

TRACES = 2
"""The traces on which a drawn rule is run."""


def imported(text: str, options: Options | None = None) -> list[Imported | Refused]:
    """Return what the importer makes of a file."""
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, "rule.yml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return list(rules([path], options or Options()))


def events_of(mapping: Mapping | None, signals: Sequence[Signal]) -> list[Event]:
    """Return signals as the events that a mapping makes of them; fields that it does not name are left out."""
    assert mapping is not None
    templates = {template.when["p_rule_id"]: template for template in mapping.templates}
    events = []
    for number, signal in enumerate(signals):
        template = templates[signal.rule]
        paths = {name: ".".join(parts_of(slot.path or name)) for name, slot in template.slots.items()}
        attributes = {name: signal.fields[path] for name, path in paths.items() if path in signal.fields}
        events.append(Event(f"s{number}", template.name, signal.time, attributes))
    return events


def difference(rule: Rule, signals: Sequence[Signal], result: Imported, program: core.Program) -> str:
    """Return how the program of a rule and the definition differ on signals; nothing if they agree."""
    number = len(parte.run(program, events_of(result.mapping, signals)))
    expected = matches(rule, signals)
    if (number > 0) == expected:
        return ""
    listed = "\n".join(map(str, signals))
    return f"expected {expected}, found {number} matches\n{yaml.safe_dump(rule)}\n{result.program}\n{listed}"


def compare(number: int, seed: int) -> Counter[str]:
    """Draw rules, compare each on traces, and return what came of them. AssertionError if one differs."""
    random = Random(seed)
    counted: Counter[str] = Counter()
    for _ in range(number):
        rule = draw_rule(random)
        (result,) = imported(yaml.safe_dump(rule, allow_unicode=True))
        if isinstance(result, Refused):
            counted["refused"] += 1
            continue
        counted["rules"] += 1
        program = parte.parse(result.program)
        for _ in range(TRACES):
            signals = draw_signals(random, rule)
            counted["matching" if matches(rule, signals) else "not matching"] += 1
            if not difference(rule, signals, result, program):
                continue
            place = 0
            while place < len(signals):  # as few signals as show it
                fewer = signals[:place] + signals[place + 1 :]
                signals, place = (fewer, place) if difference(rule, fewer, result, program) else (signals, place + 1)
            raise AssertionError(difference(rule, signals, result, program))
    return counted


if __name__ == "__main__":
    print(dict(compare(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)))
