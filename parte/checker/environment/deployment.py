"""Deployment files: the sources with their templates, rates and delays, and the machine (D def. 2).

    event_bytes = 256                     # optional: the size of a stored event
    steps_per_second = 1_000_000          # optional: how fast the machine is

    [[source]]
    name = "bank-a"
    late = "5 seconds"                    # optional: promises lag behind by at most this; 0 if left out

    [[source.emits]]
    template = "MoneyTransferred"
    every = "20 seconds"                  # the least time between two of its events, or
    # at_most = 3, per = "1 minutes"      # at most so many in any interval of this length

    [[cardinality]]                       # optional: how often one value of an attribute occurs
    template = "MoneyTransferred"
    attribute = "originator"              # or attributes = ["originator", "destination"]: for each combination
    at_most = 2                           # at most two transfers of one originator, over all sources, ...
    per = "1 days"                        # ... in any day
    distinct = 1_000                      # optional: at most so many originators exist

    [failures]                            # optional: crashes of the machine, after which it recovers
    at_most = 2                           # at most so many ...
    per = "1 hours"                       # ... in any hour
    restart = "30 seconds"                # until a machine that has crashed begins to recover
    checkpoint = 10_000                   # a node writes a checkpoint after so many of its steps
    log_steps = 1                         # optional: the steps that logging a token or a step takes; 1 if left out
    checkpoint_steps = 1                  # optional: the same for an entry of a checkpoint, written or read

Durations are strings as on the command line (`5 minutes`): a number alone has no unit and is rejected. Unknown keys
are errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as shortened
from types import MappingProxyType
from typing import TypeVar

from parte.semantics.events.duration import parse_duration
from parte.semantics.events.event import NO_LINE
from parte.semantics.events.files import read_text
from parte.semantics.events.problems import InputError, Problem, Problems
from parte.semantics.events.rates import Rate, Supply
from parte.semantics.events.stricttoml import MalformedToml, decode

DEFAULT_FILENAME = "deployment.toml"
DEFAULT_EVENT_BYTES = 256
_LONGEST_KEY = 100
"""The most characters of a key in a message; every known key is shorter."""

Pair = tuple[str, str]
"""A source and a template."""


class DeploymentError(InputError):
    """A deployment that is malformed or does not fit the program; `problems` holds every finding."""


@dataclass(frozen=True, slots=True)
class Emits:
    """One template that a source emits, and its rate."""

    template: str
    rate: Rate


@dataclass(frozen=True, slots=True)
class Source:
    """An external source. `late` is for how many milliseconds it may fail to promise progress.

    At any time, its promise for each of its templates is at least the greatest timestamp that any source has sent,
    minus `late`; in particular, its own events are out of order by no more than that.
    """

    name: str
    emits: tuple[Emits, ...]
    late: int = 0


@dataclass(frozen=True, slots=True)
class Cardinality:
    """At most `rate` events of `template` with any one value of each of `attributes`, over all sources.

    The attributes have at most `distinct` values, or combinations of values (None: any number).
    """

    template: str
    attributes: tuple[str, ...]
    rate: Rate
    distinct: int | None = None


@dataclass(frozen=True, slots=True)
class Failures:
    """At most `at_most` crashes in any `per` milliseconds, and the cost of recovery (specification: recovery-delay).

    `restart` is in milliseconds, `checkpoint` the period of checkpoints in steps of a node. Logging a token or a step
    takes `log_steps`, an entry of a checkpoint `checkpoint_steps`.
    """

    at_most: int
    per: int
    restart: int
    checkpoint: int
    log_steps: int = 1
    checkpoint_steps: int = 1


@dataclass(frozen=True, slots=True)
class Deployment:
    """The environment of a deployed program. `steps_per_second` is None if the machine's speed is not known."""

    sources: tuple[Source, ...]
    cardinalities: tuple[Cardinality, ...] = ()
    event_bytes: int = DEFAULT_EVENT_BYTES
    steps_per_second: int | None = None
    failures: Failures | None = None

    def senders(self) -> dict[str, tuple[str, ...]]:
        """Return the sources of each template, for which a network is compiled."""
        sources_of: dict[str, tuple[str, ...]] = {}
        for source in self.sources:
            for emits in source.emits:
                sources_of[emits.template] = (*sources_of.get(emits.template, ()), source.name)
        return sources_of

    def supplies(self) -> Mapping[Pair, Supply]:
        """Return the rate and the lateness of each pair of source and template."""
        return MappingProxyType(
            {
                (source.name, emits.template): Supply(emits.rate, source.late)
                for source in self.sources
                for emits in source.emits
            }
        )

    @property
    def skew(self) -> int:
        """The most milliseconds by which the promises of two sources may differ while both keep to their lateness."""
        return max((source.late for source in self.sources), default=0)


def read_deployment(text: str, *, filename: str = DEFAULT_FILENAME) -> Deployment:
    """Return the deployment that TOML text describes. Raise DeploymentError with all that is wrong with it."""
    try:
        record = decode(text)
    except MalformedToml as error:
        raise DeploymentError([Problem(filename, NO_LINE, str(error))]) from None
    reader = _Reader(filename)
    deployment = reader.deployment(_Table(reader, "", record))
    if reader.problems:
        raise DeploymentError(reader.problems)
    return deployment


def load_deployment(path: str | Path) -> Deployment:
    """Return the deployment in a file. Raise OSError if it cannot be read, DeploymentError if it is wrong."""
    return read_deployment(read_text(path), filename=str(path))


# --- Strict reading --------------------------------------------------------------------------------------------------

_Value = TypeVar("_Value")


class _Reader:
    """A reader that collects problems, so that all of them are reported at once."""

    def __init__(self, filename: str) -> None:
        self.filename = filename
        self.problems = Problems()

    def report(self, path: str, message: str, hint: str = "") -> None:
        self.problems.append(Problem(self.filename, NO_LINE, f"{path}: {message}" if path else message, hint))

    def deployment(self, table: _Table) -> Deployment:
        table.only("source", "cardinality", "event_bytes", "steps_per_second", "failures")
        sources = tuple(map(self.source, table.tables("source", required=True)))
        cardinalities = tuple(map(self.cardinality, table.tables("cardinality")))
        self.once("source", "name", [source.name for source in sources])
        named = [f"{item.template}.{'+'.join(sorted(item.attributes))}" for item in cardinalities]
        self.once("cardinality", "template and attribute", named)
        event_bytes = table.take("event_bytes", _positive, DEFAULT_EVENT_BYTES)
        speed = table.optional("steps_per_second", _positive)
        failures = self.failures(table)
        if failures is not None and speed is None:
            self.report("failures", "a recovery takes a time that depends on the machine", "give steps_per_second, too")
        return Deployment(sources, cardinalities, event_bytes, speed, failures)

    def failures(self, table: _Table) -> Failures | None:
        record = table.record.get("failures")
        if record is None:
            return None
        if not isinstance(record, dict):
            self.report("failures", f"expected a table, as in [failures], found {shortened(record)}")
            return None
        rate = _Table(self, "failures", record)
        rate.only("at_most", "per", "restart", "checkpoint", "log_steps", "checkpoint_steps")
        return Failures(
            rate.take("at_most", _positive, 1),
            rate.take("per", _interval, 1),
            rate.take("restart", _not_negative, 0),
            rate.take("checkpoint", _positive, 1),
            rate.take("log_steps", _count, 1, required=False),
            rate.take("checkpoint_steps", _count, 1, required=False),
        )

    def source(self, table: _Table) -> Source:
        table.only("name", "emits", "late", "every", "at_most", "per")
        default = self.rate(table) if table.mentions("every", "at_most", "per") else None
        emits = tuple(self.emits(entry, default) for entry in table.tables("emits", required=True))
        self.once(f"{table.path}.emits", "template", [entry.template for entry in emits])
        return Source(table.take("name", _text, ""), emits, table.take("late", _not_negative, 0, required=False))

    def emits(self, table: _Table, default: Rate | None) -> Emits:
        table.only("template", "every", "at_most", "per")
        if default is not None and not table.mentions("every", "at_most", "per"):
            return Emits(table.take("template", _text, ""), default)
        return Emits(table.take("template", _text, ""), self.rate(table))

    def cardinality(self, table: _Table) -> Cardinality:
        several = table.mentions("attributes")
        table.only("template", "attributes" if several else "attribute", "every", "at_most", "per", "distinct")
        template = table.take("template", _text, "")
        attributes: tuple[str, ...]
        attributes = table.take("attributes", _texts, ("",)) if several else (table.take("attribute", _text, ""),)
        return Cardinality(template, attributes, self.rate(table), table.optional("distinct", _positive))

    def rate(self, table: _Table) -> Rate:
        if table.mentions("every") and not table.mentions("at_most", "per"):
            return Rate(1, table.take("every", _interval, 1))
        if table.mentions("at_most", "per") and not table.mentions("every"):
            return Rate(table.take("at_most", _positive, 1), table.take("per", _interval, 1))
        self.report(table.path, "expected a rate", 'write `every = "20 ms"`, or `at_most = 3` and `per = "1 minutes"`')
        return Rate(1, 1)

    def once(self, path: str, what: str, names: list[str]) -> None:
        for name in sorted({name for name in names if names.count(name) > 1}):
            self.report(path, f"the {what} {shortened(name)} occurs more than once")


class _Table:
    """A TOML table and its place in the file."""

    def __init__(self, reader: _Reader, path: str, record: dict[str, object]) -> None:
        self.reader = reader
        self.path = path
        self.record = record

    def at(self, key: str) -> str:
        key = key[:_LONGEST_KEY]
        return f"{self.path}.{key}" if self.path else key

    def only(self, *known: str) -> None:
        for key in self.record:
            if key not in known:
                self.reader.report(self.at(key), "this key is unknown", f"known here: {', '.join(known)}")

    def mentions(self, *keys: str) -> bool:
        return any(key in self.record for key in keys)

    def take(self, key: str, read: Callable[[object], _Value], default: _Value, *, required: bool = True) -> _Value:
        if key not in self.record:
            # The whole file has defaults; in every other table the required keys must be present.
            if self.path and required:
                self.reader.report(self.path, f"the key {key!r} is missing")
            return default
        try:
            return read(self.record[key])
        except ValueError as error:
            self.reader.report(self.at(key), str(error))
            return default

    def optional(self, key: str, read: Callable[[object], _Value]) -> _Value | None:
        return self.take(key, lambda value: read(value), None, required=False) if key in self.record else None

    def tables(self, key: str, *, required: bool = False) -> list[_Table]:
        entries = self.record.get(key, [])
        path = self.at(key)
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            self.reader.report(path, f"expected tables, as in [[{key}]], found {shortened(entries)}")
            return []
        if required and not entries:
            self.reader.report(self.path, f"there is no [[{path.partition('[')[0]}{'.emits' if '[' in path else ''}]]")
        return [_Table(self.reader, f"{path}[{number}]", entry) for number, entry in enumerate(entries, 1)]


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"expected a name in quotes, found {shortened(value)}")
    return value


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or len(set(map(repr, value))) < len(value):
        raise ValueError(f"expected a list of different names, found {shortened(value)}")
    return tuple(map(_text, value))


def _positive(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"expected a whole number from 1, found {shortened(value)}")
    return value


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"expected a whole number from 0, found {shortened(value)}")
    return value


def _duration(value: object) -> int:
    if isinstance(value, str):
        return parse_duration(value)
    unit = "" if isinstance(value, bool) or not isinstance(value, int | float) else ", a number without a unit"
    raise ValueError(f"expected a duration such as '5 minutes' or '250 ms', in quotes, found {shortened(value)}{unit}")


def _interval(value: object) -> int:
    duration = _duration(value)
    if duration < 1:
        raise ValueError(f"expected at least one millisecond, found {shortened(value)}")
    return duration


def _not_negative(value: object) -> int:
    duration = _duration(value)
    if duration < 0:
        raise ValueError(f"expected no negative duration, found {shortened(value)}")
    return duration
