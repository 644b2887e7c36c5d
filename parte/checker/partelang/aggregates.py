"""Aggregates as unknown values: the claims that hold of the aggregates of every finite set of events (level 2).

With each least, greatest, first and last value comes an event of the set that has it, its representative. So what holds
of every element holds of these values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from parte.checker.partelang.claims import Claim, Every, HasValue, Holds, Not
from parte.checker.partelang.scenes import Filler, Scene
from parte.semantics.events.types import Attribute, Scalar
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.aggregates import TIMESTAMP

_NUMBERS = (Scalar.INTEGER, Scalar.FLOAT)
_ENDS = ("min", "max", "first", "last")
"""The aggregates whose value is that of an element."""


@dataclass(frozen=True, slots=True)
class Assumptions:
    """The assumptions about any sets: representatives, by variable with their template, and claims."""

    variables: dict[str, str] = field(default_factory=dict)
    claims: list[Claim] = field(default_factory=list)


def assumptions(
    scene: Scene,
    events: Mapping[str, str],
    aggregates: Sequence[core.Aggregate],
    templates: Mapping[str, core.Template],
) -> Assumptions:
    """Return what holds of the aggregates; `events` are events of the trace, by variable with their template."""
    result = Assumptions()
    for of in scene.sets:
        used = [aggregate for aggregate in aggregates if aggregate.variable == of.variable]
        if used:
            _Set(of, scene, used, templates[of.pattern.template], events, result).assume()
    return result


class _Set:
    """The assumptions about one set."""

    def __init__(
        self,
        of: Filler,
        scene: Scene,
        used: Sequence[core.Aggregate],
        template: core.Template,
        events: Mapping[str, str],
        result: Assumptions,
    ) -> None:
        self.of, self.scene, self.used, self.template, self.result = of, scene, used, template, result
        self.count = self.aggregate("count", None, Scalar.INTEGER)
        self.some = _holds(self.count, ">", _whole(0))
        # Events that are elements under a condition.
        self.members = [(event, of.filled_by(event)) for event in events if events[event] == template.name]

    def aggregate(
        self, function: str, attribute: str | None, type_: Scalar, *, distinct: bool = False
    ) -> core.Aggregate:
        return core.Aggregate(function, self.of.variable, attribute, distinct, type_)

    def assume(self) -> None:
        """Add all assumptions."""
        claims = self.result.claims
        exists = self.aggregate("exists", None, Scalar.BOOLEAN)
        claims += [_holds(self.count, ">=", _whole(0)), *_same(Holds(exists), self.some)]
        claims += (_implies(inside, self.some) for _, inside in self.members)
        attributes = {attribute.name: attribute for attribute in self.template.attributes}
        names = list(dict.fromkeys(aggregate.attribute for aggregate in self.used if aggregate.attribute is not None))
        own = [_Attribute(self, attributes[name]) for name in names if name != TIMESTAMP]
        if TIMESTAMP in names:
            self.timestamps()
        for attribute in own:
            claims += attribute.counted()
            claims += attribute.valued()
        if not any(event in self.result.variables for event, _ in self.members):
            self.representative("has", "one")
        # The representatives of all attributes are known by now.
        for attribute in own:
            claims += attribute.between()
            claims += attribute.apart()

    def timestamps(self) -> None:
        least, greatest = (self.aggregate(end, TIMESTAMP, Scalar.INTEGER) for end in ("min", "max"))
        for end in (least, greatest):
            holder = self.representative(end.function, TIMESTAMP)
            self.result.claims.extend(_same(HasValue(end), self.some))
            self.result.claims.append(_implies(self.some, _holds(end, "=", core.TimestampOf(holder))))
        self.result.claims.append(_implies(self.some, _holds(least, "<=", greatest)))

    def representative(self, function: str, attribute: str) -> str:
        """Return a new variable for an element; no event of the trace fills a negated pattern of the scene."""
        name = f"{self.of.variable} {function} {attribute}"
        self.result.variables[name] = self.template.name
        self.members.append((name, self.some))
        absent = [filler for filler in self.scene.absent if filler.pattern.template == self.template.name]
        demands = (self.of.filled_by(name), *(Not(filler.filled_by(name)) for filler in absent))
        self.result.claims.append(_implies(self.some, Every(demands)))
        return name


class _Attribute:
    """The assumptions about the values of one attribute of a set."""

    def __init__(self, of: _Set, attribute: Attribute) -> None:
        assert isinstance(attribute.type, Scalar)
        self.of, self.name, self.type = of, attribute.name, attribute.type
        self.optional = attribute.optional
        used = {
            aggregate.function
            for aggregate in of.used
            if aggregate.attribute == attribute.name and not aggregate.distinct
        }
        self.distinct = any(aggregate.distinct for aggregate in of.used if aggregate.attribute == attribute.name)
        self.used = used
        self.ordered = self.type is not Scalar.BOOLEAN and (self.distinct or bool(used - {"count"}))
        self.count = of.aggregate("count", self.name, Scalar.INTEGER)
        self.some = _holds(self.count, ">", _whole(0))
        self.different = of.aggregate("count", self.name, Scalar.INTEGER, distinct=True)
        self.least, self.greatest = self.end("min"), self.end("max")

    def end(self, function: str) -> core.Aggregate:
        return self.of.aggregate(function, self.name, self.type)

    def value(self, event: str) -> core.AttributeOf:
        return core.AttributeOf(event, self.name, self.type)

    def counted(self) -> Iterator[Claim]:
        """Yield the assumptions about how many events have the attribute, and how many values it has."""
        yield _holds(self.count, ">=", _whole(0))
        yield _holds(self.count, "<=" if self.optional else "=", self.of.count)
        if self.distinct:
            yield _holds(self.different, "<=", self.count)
            yield _holds(self.different, ">=", _whole(0))
            yield from _same(_holds(self.different, ">=", _whole(1)), self.some)

    def valued(self) -> Iterator[Claim]:
        """Yield the assumptions about which aggregates have a value, and of which element it is."""
        ends = [end for end in _ENDS if end in self.used or (self.ordered and end in ("min", "max"))]
        for function in ends:
            end = self.end(function)
            yield from _same(HasValue(end), self.some)
            if not self.optional:
                holder = self.of.representative(function, self.name)
                yield _implies(self.some, _holds(end, "=", self.value(holder)))
            if self.ordered:
                yield _implies(self.some, self.inside(end))
        if self.ordered:
            equal = _holds(self.least, "=", self.greatest)
            yield _implies(Every((self.some, _holds(self.count, "=", _whole(1)))), equal)
            if self.distinct:
                yield from _same(Every((self.some, equal)), _holds(self.different, "=", _whole(1)))
        if "avg" in self.used:
            yield from self.average()
        if "sum" in self.used:
            yield from self.sum()

    def inside(self, value: core.Expression) -> Claim:
        return Every((_holds(self.least, "<=", value), _holds(value, "<=", self.greatest)))

    def average(self) -> Iterator[Claim]:
        """The mean is between the ends; rounding keeps the order, so that of Integers is between the rounded ends."""
        mean = self.of.aggregate("avg", self.name, Scalar.FLOAT)
        whole = self.type is Scalar.INTEGER
        low, high = (core.ToFloat(end) if whole else end for end in (self.least, self.greatest))
        yield from _same(HasValue(mean), self.some)
        yield _implies(self.some, Every((_holds(low, "<=", mean), _holds(mean, "<=", high))))

    def sum(self) -> Iterator[Claim]:
        """Without negative values the sum is at least the greatest, without positive ones at most the least."""
        total, zero = self.end("sum"), _zero(self.type)
        single = _holds(self.count, "=", _whole(1))
        yield _implies(Not(self.some), _holds(total, "=", zero))
        yield _implies(single, _holds(total, "=", self.least))
        has = HasValue(total)
        above = Every((self.some, has, _holds(self.least, ">=", zero)))
        below = Every((self.some, has, _holds(self.greatest, "<=", zero)))
        yield _implies(above, _holds(total, ">=", self.greatest))
        yield _implies(below, _holds(total, "<=", self.least))
        if self.type is Scalar.INTEGER:
            above = Every((self.some, has, _holds(self.least, ">=", _whole(1))))
            yield _implies(above, _holds(total, ">=", self.count))

    def between(self) -> Iterator[Claim]:
        """Yield that each known element has a value between the ends."""
        if self.ordered and not self.optional:
            for event, inside in self.of.members:
                yield _implies(inside, self.inside(self.value(event)))

    def apart(self) -> Iterator[Claim]:
        """Yield that elements with different values are two."""
        if self.optional:
            return
        for (first, first_inside), (second, second_inside) in combinations(self.of.members, 2):
            differ = Every((first_inside, second_inside, _holds(self.value(first), "!=", self.value(second))))
            two = [_holds(self.count, ">=", _whole(2))]
            two += [_holds(self.different, ">=", _whole(2))] if self.distinct else []
            yield _implies(differ, Every(tuple(two)))


def _whole(value: int) -> core.Constant:
    return core.Constant(value, Scalar.INTEGER)


def _zero(type_: Scalar) -> core.Constant:
    assert type_ in _NUMBERS
    return _whole(0) if type_ is Scalar.INTEGER else core.Constant(0.0, Scalar.FLOAT)


def _holds(left: core.Expression, operator: str, right: core.Expression) -> Claim:
    return Holds(core.Comparison(operator, left, right))


def _implies(premise: Claim, conclusion: Claim) -> Claim:
    return Not(Every((premise, Not(conclusion))))


def _same(left: Claim, right: Claim) -> tuple[Claim, Claim]:
    return _implies(left, right), _implies(right, left)
