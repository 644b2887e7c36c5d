"""Correlations of Sigma as rules of PARTElang. docs/importing-sigma.md has the meaning that they are given.

A correlation is about its *members*: the rules that it refers to. A member is a condition on events of a template, with
an attribute for each key of the groups.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from sigma.correlations import (
    CorrelationConditionAND,
    CorrelationConditionNOT,
    CorrelationConditionOR,
    SigmaCorrelationCondition,
    SigmaCorrelationType,
    SigmaExtendedCorrelationCondition,
    SigmaRuleReference,
)

from parte.importers.sigma.documents import Refusal
from parte.importers.sigma.texts import Atom, Condition, conditions_of, every, some
from parte.importers.sigma.values import number_text

DAY: Final = 86_400_000
MOST_INTERVALS: Final = 288
"""The most intervals of a day that are told apart by the time of the day: five minutes each."""
MOST_CHOICES: Final = 64
"""The most combinations of members that a count of them may stand for."""

_UNITS: Final = ((DAY, "day"), (3_600_000, "hour"), (60_000, "minute"), (1_000, "second"), (1, "ms"))
_OPERATORS: Final = {"LT": "<", "LTE": "<=", "GT": ">", "GTE": ">=", "EQ": "=", "NEQ": "!="}
_COMPARED: Final[dict[str, Callable[[float, float], bool]]] = {
    "LT": lambda count, bound: count < bound,
    "LTE": lambda count, bound: count <= bound,
    "GT": lambda count, bound: count > bound,
    "GTE": lambda count, bound: count >= bound,
    "EQ": lambda count, bound: count == bound,
    "NEQ": lambda count, bound: count != bound,
}
_CONDITION: Final = ("correlation", "condition")


@dataclass(frozen=True, slots=True)
class Member:
    """A rule that a correlation refers to: the events of a template that meet a condition, none if it is None."""

    name: str
    template: str
    condition: Condition | None
    keys: tuple[str, ...]
    measured: str | None = None
    """The attribute with the values that are counted, summed up or averaged."""


@dataclass(frozen=True, slots=True)
class Window:
    """The time of a correlation: a span in milliseconds, before an event or as intervals that follow each other."""

    span: int
    tumbling: bool = False

    def of_set(self, variable: str) -> str:
        """Return the constraint of a set of events."""
        if self.tumbling:
            return f"{variable} in event [-{duration(self.span - 1)}, {duration(self.span - 1)}]"
        return f"{variable} in event [-{duration(self.span)}, 0 ms]"

    def before(self, variable: str, later: str) -> str:
        """Return the constraint of an event that is before another one."""
        return f"{variable} in {later} [-{duration(self.span - self.tumbling)}, -1 ms]"

    def conditions(self, variable: str) -> list[str]:
        """Return the conditions that an event is in the interval of the event `event`. Raise Refusal."""
        if not self.tumbling:
            return []
        if DAY % self.span or DAY // self.span > MOST_INTERVALS:
            reason = (
                f"intervals of {duration(self.span)} aligned to the epoch cannot be said, only parts of a day, "
                "of five minutes or more; the program has a sliding window"
            )
            raise Refusal(reason, "correlation", "timespan", nearest=True)
        if self.span == DAY:
            return [f"date({variable}) = date(event)"]
        bounds = [duration(bound) for bound in range(self.span, DAY, self.span)]
        return [f"(time_of_day({variable}) >= {bound}) = (time_of_day(event) >= {bound})" for bound in bounds]


def duration(milliseconds: int) -> str:
    """Return a duration as PARTElang writes it."""
    size, unit = next((size, unit) for size, unit in _UNITS if milliseconds % size == 0)
    amount = milliseconds // size
    return f"{amount} {unit}{'s' if amount != 1 and unit != 'ms' else ''}"


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation with its members in order. A range has two conditions."""

    type: SigmaCorrelationType
    members: tuple[Member, ...]
    window: Window
    conditions: tuple[SigmaCorrelationCondition, ...]
    extended: SigmaExtendedCorrelationCondition | None = None


def rules_of(name: str, correlation: Correlation, emission: Callable[[Member], Sequence[str]]) -> list[str]:
    """Return the texts of the rules that a correlation becomes; `emission` has their last lines. Raise Refusal.

    There is one rule for each way in which the key of a group stands in the event at which the correlation matches.
    """
    if correlation.type is SigmaCorrelationType.TEMPORAL_ORDERED:
        return [rule_of(name, *_ordered(correlation), emission(correlation.members[-1]))]
    if correlation.type is SigmaCorrelationType.TEMPORAL:
        make = _temporal
    elif correlation.type in _AGGREGATES:
        make = _aggregated
    else:
        kind = correlation.type.name.lower()
        raise Refusal(f"`{kind}` has no equal: there is no such aggregate", "correlation", "type")
    ways = _merged(correlation.members)
    names = [name] if len(ways) == 1 else [f"{name}_{number}" for number in range(1, len(ways) + 1)]
    return [rule_of(rule, *make(correlation, way), emission(way)) for rule, way in zip(names, ways, strict=True)]


def _merged(members: Sequence[Member]) -> list[Member]:
    """Return the members with those of one template and with the same attributes as one."""
    groups: dict[tuple[str, tuple[str, ...], str | None], list[Member]] = {}
    for member in members:
        groups.setdefault((member.template, member.keys, member.measured), []).append(member)
    return [
        Member(group[0].name, template, _either(group), keys, measured)
        for (template, keys, measured), group in groups.items()
    ]


def _either(members: Sequence[Member]) -> Condition | None:
    conditions = [member.condition for member in members if member.condition is not None]
    return some(conditions) if len(conditions) == len(members) else None


def rule_of(
    name: str,
    patterns: Sequence[str],
    when: Sequence[str] = (),
    having: Sequence[str] = (),
    then: Sequence[str] = (),
) -> str:
    """Return the text of a rule in its layout."""
    lines = [f"rule {name} where", *(f"    {pattern}," for pattern in patterns)]
    lines += ["when", *(f"    {constraint}," for constraint in when)] if when else []
    lines += ["having", *(f"    {condition}," for condition in having)] if having else []
    return "\n".join([*lines, *then])


def pattern(head: str, template: str, conditions: Sequence[str]) -> str:
    """Return the text of a pattern in its layout."""
    if not conditions:
        return f"{head} : {template}"
    return "\n".join([f"{head} : {template} {{", *(f"        {condition}," for condition in conditions), "    }"])


def _event(way: Member) -> str:
    conditions = [] if way.condition is None else conditions_of(way.condition)
    return pattern("event", way.template, [*conditions, *(f"{key} is present" for key in way.keys)])


def _related(member: Member, way: Member) -> list[str]:
    """Return the conditions that an event is of a member, and in the group of the event `event`."""
    conditions = [] if member.condition is None else conditions_of(member.condition)
    return [*conditions, *_same_group(member, way)]


def _same_group(member: Member, way: Member) -> list[str]:
    return [f"{key} = event.{of_event}" for key, of_event in zip(member.keys, way.keys, strict=True)]


Parts = tuple[list[str], list[str], list[str]]
"""The patterns of a rule, its constraints, and its conditions of `having`."""

_AGGREGATES: Final[Mapping[SigmaCorrelationType, str]] = {
    SigmaCorrelationType.EVENT_COUNT: "count({set})",
    SigmaCorrelationType.VALUE_COUNT: "count(distinct {set}.{attribute})",
    SigmaCorrelationType.VALUE_SUM: "sum({set}.{attribute})",
    SigmaCorrelationType.VALUE_AVG: "avg({set}.{attribute})",
}


def _aggregated(correlation: Correlation, way: Member) -> Parts:
    by_template: dict[str, list[Member]] = {}
    for member in _merged(correlation.members):
        by_template.setdefault(member.template, []).append(member)
    measured = {member.measured for member in correlation.members}
    counts = correlation.type is SigmaCorrelationType.EVENT_COUNT
    if not counts and (len(measured) > 1 or len(by_template) > 1):
        raise Refusal("values of different fields are counted or summed up together", *_CONDITION, "field")
    patterns, when, aggregates = [_event(way)], [], []
    for number, (template, members) in enumerate(by_template.items(), start=1):
        variable = "counted" if len(by_template) == 1 else f"counted_{number}"
        if len(members) == 1:
            conditions = _related(members[0], way)
        else:
            choices = [every([_of(member), *map(Atom, _same_group(member, way))]) for member in members]
            conditions = conditions_of(some(choices))
        conditions += correlation.window.conditions(variable)
        patterns.append(pattern(f"all {variable}", template, conditions))
        when.append(correlation.window.of_set(variable))
        text = _AGGREGATES[correlation.type].format(set=variable, attribute=way.measured)
        aggregates.append(text)
    aggregate = " + ".join(aggregates)
    having = [
        f"{aggregate} {_OPERATORS[condition.op.name]} {number_text(condition.count)}"
        for condition in correlation.conditions
    ]
    if correlation.type is SigmaCorrelationType.VALUE_SUM:
        having.insert(0, f"count(counted.{way.measured}) >= 1")  # a sum of no values is 0, and Sigma has none
    return patterns, when, having


def _of(member: Member) -> Condition:
    assert member.condition is not None, "several members of a template have conditions"
    return member.condition


def _temporal(correlation: Correlation, way: Member) -> Parts:
    variables = {member.name: f"of_{number}" for number, member in enumerate(correlation.members, start=1)}
    if len(variables) < len(correlation.members):
        raise Refusal("a rule is named twice", "correlation", "rules")
    patterns, when = [_event(way)], []
    for member in correlation.members:
        variable = variables[member.name]
        conditions = [*_related(member, way), *correlation.window.conditions(variable)]
        patterns.append(pattern(f"all {variable}", member.template, conditions))
        when.append(correlation.window.of_set(variable))
    if correlation.extended is not None:
        return patterns, when, [_extended(correlation.extended.parsed, variables)]
    return patterns, when, _counted(correlation.conditions, list(variables.values()))


def _counted(conditions: Sequence[SigmaCorrelationCondition], variables: list[str]) -> list[str]:
    """Return the condition that as many sets have an element as the conditions of a correlation demand."""
    numbers = [
        number
        for number in range(len(variables) + 1)
        if all(_COMPARED[condition.op.name](number, condition.count) for condition in conditions)
    ]
    if numbers == [len(variables)]:
        return [f"exists({variable})" for variable in variables]
    upward = bool(numbers) and numbers[-1] == len(variables) and len(numbers) == len(variables) + 1 - numbers[0]
    choices: list[str] = []
    for number in numbers[:1] if upward else numbers:
        for chosen in combinations(variables, number):
            if len(choices) == MOST_CHOICES:
                raise Refusal(f"the count stands for more than {MOST_CHOICES} choices of rules", *_CONDITION)
            rest = [] if upward else [variable for variable in variables if variable not in chosen]
            parts = [f"exists({variable})" for variable in chosen] + [f"count({variable}) = 0" for variable in rest]
            choices.append(" and ".join(parts))
    if not choices:
        raise Refusal("no number of rules meets the condition, so that the rule never matches", *_CONDITION)
    if "" in choices:
        return []
    return [" or ".join(choices)]


def _extended(tree: object, variables: Mapping[str, str]) -> str:
    match tree:
        case SigmaRuleReference(reference=name):
            return f"exists({variables[name]})"
        case CorrelationConditionAND(args=parts) | CorrelationConditionOR(args=parts):
            word = " and " if isinstance(tree, CorrelationConditionAND) else " or "
            return word.join(
                _extended(part, variables)
                if isinstance(part, SigmaRuleReference)
                else f"({_extended(part, variables)})"
                for part in parts
            )
        case CorrelationConditionNOT():
            raise Refusal("Sigma does not say how long an event that must be absent is waited for", *_CONDITION)
    raise Refusal(f"a condition of the kind {type(tree).__name__} has no equal", *_CONDITION)


def _ordered(correlation: Correlation) -> Parts:
    if correlation.extended is not None:
        raise Refusal("Sigma does not say in which order the rules of such a condition are", *_CONDITION)
    members = correlation.members
    for condition in correlation.conditions:
        numbers = [n for n in range(len(members) + 1) if _COMPARED[condition.op.name](n, condition.count)]
        if numbers != [len(members)]:
            raise Refusal("Sigma does not say in which order some of the rules are: demand all of them", *_CONDITION)
    last = members[-1]
    patterns, when, later = [_event(last)], [], "event"
    for number in range(len(members) - 1, 0, -1):
        member, variable = members[number - 1], f"step_{number}"
        conditions = [*_related(member, last), *correlation.window.conditions(variable)]
        patterns.append(pattern(f"last {variable}", member.template, conditions))
        when.append(correlation.window.before(variable, later))
        if later != "event":
            when.append(correlation.window.before(variable, "event"))
        later = variable
    return patterns, when, []
