"""The defects of E, each with its counterexample (`defects.toml`), and the results of a run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from parte.languages.etalis.algebra.evaluation import evaluate
from parte.languages.etalis.algebra.fixpoint import TooManyEvents as TooManyDefined
from parte.languages.etalis.algebra.readings import Readings
from parte.languages.etalis.conformance.defect_runs import WAYS
from parte.languages.etalis.semantics.machine import Machine, TooManyEvents
from parte.languages.etalis.semantics.policies import POLICIES
from parte.languages.etalis.semantics.published.machine import Published
from parte.languages.etalis.semantics.published.repairs import SOUND
from parte.languages.etalis.semantics.published.terms import PrologError
from parte.languages.etalis.semantics.syntax.parser import parse
from parte.languages.etalis.semantics.syntax.streams import Instant, IntervalEvent, stream
from parte.languages.etalis.semantics.syntax.tree import Program
from parte.languages.etalis.semantics.syntax.values import text_of
from parte.semantics.events.records import read_records
from parte.semantics.rulebook.models import Model
from parte.semantics.source.diagnostics import ProgramError

FILE = Path(__file__).with_name("defects.toml")
NOTHING = "–"
MOST_STEPS = 10_000
"""The step limit of E's clauses for a counterexample: a run that takes more steps has no end."""


@dataclass(frozen=True, slots=True)
class Defect:
    """An error or a gap in a place of E, and rules on a stream that show it: `right` is the result of `sound` and of
    the definition under a `policy`, or the error that they raise.

    The result of E, `printed`, comes from its clauses without a `repair` or under a `printed_policy`, or from the
    definition under another `choice` of a `reading`, or with `other_rules`, or from its own kind of run, a `way`; else
    it is only `stated`.
    """

    number: int
    where: str
    text: str
    rules: str
    stream: str
    right: str
    policy: str = "unrestricted"
    repair: str = ""
    printed_policy: str = ""
    reading: str = ""
    choice: str = ""
    other_rules: str = ""
    way: str = ""
    printed: str = ""
    stated: str = ""

    def __post_init__(self) -> None:
        others = map(bool, (self.printed_policy, self.reading, self.other_rules, self.stated))
        if (self.repair in SOUND.repairs, self.way in WAYS, *others).count(True) != 1:
            raise ValueError(f"defect {self.number}: a repair, policy, reading, other rules, a way or what is stated")

    @property
    def read(self) -> tuple[Program, list[Instant]]:
        """The rules and the stream."""
        program = parse(self.rules)
        return program, stream(program, _lines(self.stream))

    def sound(self) -> str:
        """Return the result of the machine."""
        return _outcome(self.rules, self.stream, "sound", self.policy)

    def defined(self) -> str:
        """Return the result of the definition."""
        return _outcome(self.rules, self.stream, "definition", self.policy)

    def repaired(self) -> str:
        """Return the result of E's clauses with all repairs, for a policy that they support."""
        return _outcome(self.rules, self.stream, "published", self.policy)

    def printed_result(self) -> str:
        """Return the result of E, if it can be run."""
        if self.repair:
            return _outcome(self.rules, self.stream, "published", self.policy, SOUND.without(self.repair))
        if self.printed_policy:
            return _outcome(self.rules, self.stream, "published", self.printed_policy)
        if self.reading:
            return _outcome(self.rules, self.stream, "definition", readings=Readings(**{self.reading: self.choice}))
        if self.way:
            return WAYS[self.way](*self.read, _text)
        return _outcome(self.other_rules, self.stream, "definition") if self.other_rules else self.stated


def _outcome(
    rules: str,
    events: str,
    model: str,
    policy: str = "unrestricted",
    clauses: Model = SOUND,
    readings: Readings | None = None,
) -> str:
    """Return the derived events as text, or the error."""
    try:
        program = parse(rules)
        instants = stream(program, _lines(events))
        if model == "sound":
            return _text(Machine(program, POLICIES[policy]).run(instants))
        if model == "published":
            return _text(Published(program, clauses, policy, MOST_STEPS).run(instants))
        return _text(evaluate(program, instants, readings or Readings(), policy))
    except ProgramError as error:
        return error.diagnostics[0].code
    except (TooManyEvents, TooManyDefined):
        return "too-many-events"
    except PrologError as error:
        return error.term


def _text(events: Iterable[IntervalEvent]) -> str:
    return " ".join(map(event_text, events)) or NOTHING


def event_text(event: IntervalEvent) -> str:
    """Return an event as text, such as `e(1)[1,2]`."""
    arguments = f"({','.join(map(text_of, event.arguments))})" if event.arguments else ""
    return f"{event.name}{arguments}[{text_of(event.start)},{text_of(event.end)}]"


_EVENT = re.compile(r"(?P<name>\w+)(\((?P<arguments>[^)]*)\))?@(?P<time>\d+)")


def _lines(text: str) -> list[str]:
    """Return the lines of the trace for a short form such as `a@1 c(7)@2`."""
    lines = []
    for word in text.split():
        read = _EVENT.fullmatch(word)
        assert read is not None, word
        arguments = [int(argument) for argument in (read["arguments"] or "").split(",") if argument]
        lines.append(json.dumps({"template": read["name"], "timestamp": int(read["time"]), "arguments": arguments}))
    return lines


@cache
def defects() -> tuple[Defect, ...]:
    """Return all defects, by number."""
    return tuple(read_records(FILE, "defect", Defect))
