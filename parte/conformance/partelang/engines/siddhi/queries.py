"""A rule as queries of SiddhiQL, one for each possible order of its events.

`every` begins a match at each first event; a condition or a window belongs to the last of the events that it mentions.
An absence between two events is `not C[…] and b=B`, after the last one `not C[…] for` the time of its window.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parte.conformance.engines.foreign import Inexpressible, plain
from parte.conformance.partelang.engines.orders import Absence, Order, absences, farthest, itself, orders
from parte.conformance.partelang.engines.siddhi.expressions import (
    NUMBER,
    TIMESTAMP,
    TYPES,
    Expressions,
    attribute_name,
    literal,
)
from parte.semantics.events.bounds import GREATEST_INTEGER
from parte.semantics.events.domain import Predicates
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core

Json = Any


def stream_name(template: str) -> str:
    """Return the stream of a template, whose name is no word of SiddhiQL."""
    return f"S_{template}"


def output_name(rule: str) -> str:
    """Return the stream of the matches of a rule."""
    return f"M_{rule}"


def columns_of(template: core.Template) -> Sequence[str]:
    """Return the attributes of a template that a stream has: all except lists."""
    return [attribute.name for attribute in template.attributes if isinstance(attribute.type, Scalar)]


def app(program: core.Program, rules: Sequence[core.Rule], domain: Predicates) -> str:
    """Return the app of a stratum. Inexpressible names the part of its rules that SiddhiQL cannot express."""
    lines = ["@app:playback", "define stream Time (n int);"]
    for template in program.templates:
        types = {attribute.name: attribute.type for attribute in template.attributes}
        own = [f"{NUMBER} int", f"{TIMESTAMP} long"]
        own += [f"{attribute_name(name)} {_type(types[name])}" for name in columns_of(template)]
        lines.append(f"define stream {stream_name(template.name)} ({', '.join(own)});")
    for rule in rules:
        plain_rule = core.with_plain_variables(rule)
        lines += [_Sequence(plain_rule, order, domain).query() for order in orders(plain_rule)]
    return "\n".join(lines)


def _type(of: core.Type) -> str:
    assert isinstance(of, Scalar)
    return TYPES[of]


@dataclass(frozen=True, slots=True)
class _Sequence:
    rule: core.Rule
    order: Order
    domain: Predicates

    def query(self) -> str:
        """Return `from every … select … insert into …`."""
        states = [self._state(number) for number in range(len(self.order.places))]
        last, time = len(states) - 1, self.order.span
        for number in range(last + 1):
            absent = [
                absence
                for pattern in self.rule.patterns
                if pattern.negated
                for absence in absences(self.rule, self.order, pattern)
                if absence.after == number
            ]
            if len(absent) > 1:
                raise Inexpressible("several absences at one place: `not` stands beside one other stream")
            for absence in absent:
                if number == last:
                    # An absence is decided before an event at its end arrives, and the end is part of the window.
                    wait = farthest(self.rule, self.order, last) + 1
                    states.append(f"not {self._filled(absence)} for {_duration(wait)}")
                    time += wait
                else:
                    states[number + 1] = f"not {self._filled(absence)} and {states[number + 1]}"
        within = f" within {_duration(time)}" if len(states) > 1 and time <= GREATEST_INTEGER else ""
        sequence = f"every {' -> '.join(states)}{within}"
        return f"from {sequence}\nselect {', '.join(self._selected())} insert into {output_name(self.rule.name)};"

    def _expressions(self, own: Sequence[str] = ()) -> Expressions:
        """Return expressions in a filter of a state with the `own` variables, or in `select`."""
        return Expressions(self.domain, lambda variable, name: self._column(variable, name, own))

    def _column(self, variable: str, name: str, own: Sequence[str] = ()) -> str:
        return name if variable in own else f"v_{self.order.places[self.order.place(variable)][0]}.{name}"

    def _template(self, variable: str) -> str:
        return next(pattern.template for pattern in self.rule.patterns if pattern.variable == variable)

    def _state(self, number: int) -> str:
        place = self.order.places[number]
        past = {variable for earlier in self.order.places[: number + 1] for variable in earlier}
        expressions = self._expressions(place)
        filters = [
            expressions.holds(condition)
            for pattern in self.rule.positive
            for condition in pattern.conditions
            if (variables := core.variables_of(condition) or {pattern.variable}) <= past and variables & set(place)
        ]
        filters += [
            self._within(window, place)
            for window in self.rule.constraints
            if not window.negated
            and (variables := {window.subject, window.reference}) <= past
            and variables & set(place)
            and self.order.place(window.subject) != self.order.place(window.reference)
        ]
        if number == len(self.order.places) - 1:
            filters += self._unless(place)
        return f"v_{place[0]}={stream_name(self._template(place[0]))}{_filter(filters)}"

    def _unless(self, place: Sequence[str]) -> list[str]:
        """Return filters that no event of the match itself fills a negated pattern; for the last place, with its
        variables."""
        filters = []
        for pattern in (pattern for pattern in self.rule.patterns if pattern.negated):
            for at in itself(self.rule, self.order, pattern):
                name = self.order.places[at][0]

                def column(variable: str, attribute: str, absent: str = pattern.variable, name: str = name) -> str:
                    return self._column(name if variable == absent else variable, attribute, place)

                expressions = Expressions(self.domain, column)
                parts = [expressions.holds(condition) for condition in pattern.conditions]
                own = [window for window in self.rule.constraints if window.subject == pattern.variable]
                parts += [_between(column(w.subject, TIMESTAMP), column(w.reference, TIMESTAMP), w) for w in own]
                filters.append(f"not ({' and '.join(parts) or 'true'})")
        return filters

    def _filled(self, absence: Absence) -> str:
        own = (absence.pattern.variable,)
        filters = [self._expressions(own).holds(condition) for condition in absence.pattern.conditions]
        filters += [self._within(window, own) for window in absence.windows]
        return f"{stream_name(absence.pattern.template)}{_filter(filters)}"

    def _within(self, window: core.Constraint, own: Sequence[str]) -> str:
        subject, reference = (self._column(v, TIMESTAMP, own) for v in (window.subject, window.reference))
        return _between(subject, reference, window)

    def _selected(self) -> Sequence[str]:
        expressions = self._expressions()
        values = [self._column(pattern.variable, NUMBER) for pattern in self.rule.positive]
        for emission in self.rule.emissions:
            values.append(expressions.value(emission.at))
            values += [expressions.emitted(assignment.value) for assignment in emission.assignments]
        return [f"{value} as c{number}" for number, value in enumerate(values, 1)]


def _duration(milliseconds: int) -> str:
    if milliseconds > GREATEST_INTEGER:
        raise Inexpressible("an absence in a window of 2^63 - 1 ms: SiddhiQL has no longer duration")
    return f"{milliseconds} milliseconds"


def _filter(conditions: Sequence[str]) -> str:
    return f"[{' and '.join(conditions)}]" if conditions else ""


def _between(subject: str, reference: str, window: core.Constraint) -> str:
    lower, upper = (f"({reference} + {literal(end)})" for end in (window.begins, window.upper))
    return f"({subject} >= {lower} and {subject} <= {upper})"


def decoded(rule: core.Rule, row: Sequence[Json]) -> Mapping[str, Json]:
    """Return the match of a row: the numbers of its events, and its emissions."""
    values = list(row)
    events, rest = values[: len(rule.positive)], values[len(rule.positive) :]
    emits = []
    for emission in rule.emissions:
        names = [assignment.attribute for assignment in emission.assignments]
        timestamp, *cells = rest[: 1 + len(names)]
        del rest[: 1 + len(names)]
        cells_by_name = dict(zip(names, map(plain, cells), strict=True))
        optional = {assignment.attribute for assignment in emission.assignments if assignment.optional}
        none = timestamp is None or any(value is None and name not in optional for name, value in cells_by_name.items())
        attributes = {name: value for name, value in cells_by_name.items() if value is not None}
        emits.append(None if none else {"timestamp": timestamp, "attributes": attributes})
    return {"rule": rule.name, "events": events, "emits": emits}
