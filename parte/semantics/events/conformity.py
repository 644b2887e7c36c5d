"""Check a trace against a program: known templates, the right attributes, values of the right types.

Specification: event-attributes, event-numbers, trace-templates, trace-ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from parte.semantics.events.event import NO_LINE, Event, Progress, TraceItem, Value
from parte.semantics.events.match import PRODUCTION_SOURCE
from parte.semantics.events.problems import Problem, Problems, TraceError
from parte.semantics.events.strictjson import quoted
from parte.semantics.events.trace import DEFAULT_FILENAME, Trace
from parte.semantics.events.types import Declarations
from parte.semantics.events.values import Converter, Unfit, converter, slot_text, to_integer, to_string


def conform(program: Declarations, items: Iterable[TraceItem], *, filename: str | None = None) -> tuple[TraceItem, ...]:
    """Return the items, with attributes of the declared types and in the order of their template.

    Integers in Float attributes become the nearest binary64 numbers, lists become tuples, null of optional attributes
    is left out. Raise TraceError with all problems; an item that was not read from a file is named by its id.
    `filename` is for messages only.
    """
    if filename is None:
        filename = items.filename if isinstance(items, Trace) else DEFAULT_FILENAME
    checker = Conformity(program, filename)
    checked = tuple(checker.check(item) for item in items)
    if checker.problems:
        raise TraceError(checker.problems)
    return checked


class Conformity:
    """Checks items one by one, and collects problems, and ids unless they are known to be distinct."""

    def __init__(self, program: Declarations, filename: str, *, distinct: bool = False) -> None:
        self.filename = filename
        self.distinct = distinct
        self.problems = Problems()
        self.templates = {template.name: template for template in program.templates}
        self.converters: dict[str, list[tuple[str, Converter, bool]]] = {
            template.name: [
                (attribute.name, converter(attribute.type), attribute.optional) for attribute in template.attributes
            ]
            for template in program.templates
        }
        self.rules = {rule.reported for rule in program.rules}
        self.seen: dict[str, int] = {}

    def check(self, item: TraceItem) -> TraceItem:
        """Return the item in its normal form; after a problem, return it unchanged."""
        if isinstance(item, Progress):
            self._source_and_timestamp(item, "progress line")
            self._known(item, "progress line")
            return item
        self._id(item)
        self._source_and_timestamp(item, "event")
        if not self._known(item, "event"):
            return item
        return Event(item.id, item.template, item.timestamp, self._attributes(item), item.source, item.line)

    def _id(self, event: Event) -> None:
        id_ = event.id
        if not id_ or not self._text(id_):
            self._problem(event, "the id is empty or not Unicode text", "give every event an id of its own")
        if not self.distinct:
            if id_ in self.seen:
                line = self.seen[id_]
                where = "already" if line == NO_LINE else f"on line {line} already"
                self._problem(event, f"the id is used {where}", "an id is the identity of one event")
            self.seen.setdefault(id_, event.line)
        cut = min((place for place in (id_.find("("), id_.find("#")) if place >= 0), default=-1)
        if cut >= 0 and id_[:cut] in self.rules:
            self._problem(
                event,
                f"the id has the form of the ids of events that rule {id_[:cut]} emits",
                f'give the event another id, one that does not begin with "{id_[: cut + 1]}"',
            )

    def _source_and_timestamp(self, item: TraceItem, what: str) -> None:
        # The reader has checked this of a trace from a file; items that were built in Python are unchecked.
        if not item.source or item.source.startswith(PRODUCTION_SOURCE) or not self._text(item.source):
            self._problem(
                item,
                f"{what} with the source {quoted(item.source)}",
                f'a source is a string that is not empty and does not begin with "{PRODUCTION_SOURCE}"',
            )
        try:
            to_integer(item.timestamp)
        except Unfit as error:
            self._problem(item, f"timestamp: {error}", "timestamps are integer milliseconds")

    def _known(self, item: TraceItem, what: str) -> bool:
        if item.template in self.templates:
            return True
        near = get_close_matches(item.template, self.templates, 1)
        meant = f"; did you mean {near[0]}?" if near else ""
        self._problem(
            item,
            f"{what} of the template {quoted(item.template)}, which the program does not declare{meant}",
            "declare it, or leave such events out, as `parte run --rejected FILE` does",
        )
        return False

    def _attributes(self, event: Event) -> Mapping[str, Value]:
        attributes = event.attributes
        converters = self.converters[event.template]
        converted: dict[str, Value] = {}
        for name, convert, optional in converters:
            if optional and attributes.get(name) is None:
                continue
            try:
                converted[name] = convert(attributes[name])
            except KeyError:
                self._problem(event, f"the attribute {quoted(name)} is missing", self._declaration(event.template))
            except Unfit as error:
                self._problem(event, f"attribute {quoted(name)}: {error}", self._declaration(event.template))
        if len(attributes) > len(converters) or attributes.keys() != converted.keys():
            declared = {name for name, _, _ in converters}
            for name in attributes:
                if name not in declared:
                    self._problem(
                        event,
                        f"{event.template} has no attribute {quoted(str(name))}",
                        self._declaration(event.template),
                    )
        return converted

    def _declaration(self, template: str) -> str:
        slots = ", ".join(map(slot_text, self.templates[template].attributes))
        return f"the program declares {template} {{{slots}}}"

    def _text(self, text: str) -> bool:
        try:
            to_string(text)
        except Unfit:
            return False
        return True

    def _problem(self, item: TraceItem, message: str, hint: str) -> None:
        name = f"event {quoted(item.id)}: " if isinstance(item, Event) else ""
        self.problems.append(Problem(self.filename, item.line, name + message, hint))
