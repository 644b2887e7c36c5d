"""The parts of a correlation rule, read from YAML: its members, their criteria, the times, the tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from parte.importers.imported import Difference, Place
from parte.importers.names import identifier
from parte.importers.yaml_documents import (
    Entries,
    Node,
    Unreadable,
    entries_of,
    integer_of,
    items_of,
    text_of,
    truth_of,
)

CORRELATION_RULE: Final = "correlation_rule"
USUAL_LOOKBACK: Final = 15
"""Minutes of the lookback window of a rule that names none."""
MAX_MINUTES: Final = 10_000_000
MAX_COUNT: Final = 1_000_000

_ABOUT_ALERTS: Final = frozenset(
    {
        *("AnalysisType", "RuleID", "Enabled", "CreatedBy", "Severity", "Status", "Description", "DisplayName"),
        *("OnlyUseBaseRiskScore", "OutputIds", "Reference", "Runbook", "SummaryAttributes", "Tags", "Reports"),
        *("CreateAlert", "Tests", "Detection"),
    }
)
"""The keys of a rule: all but Detection and Tests are about alerts, and not about matches."""
_OF_DETECTION: Final = frozenset(
    {"LookbackWindowMinutes", "Schedule", "EventEvaluationOrder", "MinMatchCount", "MatchCriteria", "Transitions"}
    | {"Group", "Sequence"}
)
_OF_MEMBER: Final = frozenset({"ID", "RuleID", "MinMatchCount", "MaxMatchCount", "Absence"})
_OF_TRANSITION: Final = frozenset({"ID", "From", "To", "WithinTimeFrameMinutes", "Match"})
_OF_SCHEDULE: Final = frozenset({"RateMinutes", "TimeoutMinutes", "CronExpression"})


@dataclass(frozen=True, slots=True)
class Key:
    """A field of the signals of a member, and the number of the value that it shares with the keys of that number."""

    field: str
    value: int


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a group, or a step of a sequence: at least `count` signals of a rule, or none if it is absent."""

    place: Place
    id: str
    rule: str
    count: int
    absent: bool
    keys: tuple[Key, ...] = ()


@dataclass(frozen=True, slots=True)
class Test:
    """A test of a rule: its name, the outputs of other rules, and whether the rule matches."""

    place: Place
    name: str
    matches: bool
    outputs: Node | None


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation rule. Times are in minutes; `within` are those of the transitions of a sequence, one less than it
    has members, and None of a group, whose members have no order."""

    place: Place
    name: str
    title: str
    members: tuple[Member, ...]
    within: tuple[int, ...] | None
    lookback: int
    rate: int | None
    tests: tuple[Test, ...]

    @property
    def identifier(self) -> str:
        """The name of the rule in a program, and of its files."""
        return identifier(self.name)


@dataclass(slots=True)
class _Criterion:
    """Fields of members that share a value: pairs of a member's number and its field."""

    place: Place
    fields: list[tuple[int, str]] = field(default_factory=list)

    @property
    def members(self) -> set[int]:
        return {member for member, _ in self.fields}


def title_of(document: Node) -> str:
    """Return what to call a document in a report, whatever it contains."""
    if isinstance(document, Entries):
        for key in ("RuleID", "DisplayName"):
            value = document.get(key)
            if value is not None and not isinstance(value, Entries):
                try:
                    return text_of(value, key)[:200]
                except Unreadable:
                    continue
    return document.place.file


def correlation_of(document: Node) -> tuple[Correlation, list[Difference]]:
    """Return the rule of a document, and what no program says exactly. Raise Unreadable if it is no correlation rule,
    or asks for something that nothing near says."""
    rule = entries_of(document, "a correlation rule")
    kind = text_of(_needed(rule, "AnalysisType"), "AnalysisType")
    if kind != CORRELATION_RULE:
        place = _needed(rule, "AnalysisType").place
        raise Unreadable(place, f"only rules whose AnalysisType is {CORRELATION_RULE} are read, found {kind[:80]!r}")
    differences = list(_unread(rule, _ABOUT_ALERTS))
    named = _needed(rule, "RuleID")
    name = text_of(named, "RuleID")
    title = rule.get("DisplayName")
    detections = items_of(_needed(rule, "Detection"), "Detection")
    if len(detections) != 1:
        place = detections[1].place if detections else _needed(rule, "Detection").place
        raise Unreadable(place, f"expected a Detection with one group or sequence, found {len(detections)}")
    detection = entries_of(detections[0], "a group or a sequence")
    differences += _unread(detection, _OF_DETECTION)
    lookback_node = detection.get("LookbackWindowMinutes")
    lookback = (
        USUAL_LOOKBACK if lookback_node is None else integer_of(lookback_node, "LookbackWindowMinutes", 1, MAX_MINUTES)
    )
    members, within, criteria = _members(detection, lookback, differences)
    return (
        Correlation(
            named.place,
            name,
            name if title is None else text_of(title, "DisplayName"),
            _with_keys(members, criteria, differences),
            within,
            lookback,
            _rate(detection, differences),
            tuple(_tests(rule)),
        ),
        sorted(differences, key=lambda difference: (difference.place.line, difference.place.column)),
    )


def _needed(entries: Entries, key: str) -> Node:
    value = entries.get(key)
    if value is None:
        raise Unreadable(entries.place, f"{key} is missing{_instead(entries, key)}")
    return value


def _instead(entries: Entries, key: str) -> str:
    """Return what a document without a key probably has in its place, behind a semicolon; empty if nothing is near."""
    keys = [name.text for name, _ in entries.entries]
    if "detection" in keys or "correlation" in keys:
        return "; this looks like a rule of Sigma: `parte import sigma` reads it"
    near = next((name for name in keys if name.lower() == key.lower()), "")
    return f"; the key {near!r} is not known, did you mean {key!r}?" if near else ""


def _unread(entries: Entries, known: frozenset[str]) -> Iterator[Difference]:
    for key, _ in entries.entries:
        if key.text not in known:
            yield Difference(key.place, f"the key {key.text[:80]!r} is not known, and the program does not follow it")


def _members(
    detection: Entries, lookback: int, differences: list[Difference]
) -> tuple[list[Member], tuple[int, ...] | None, list[_Criterion]]:
    group, sequence = detection.get("Group"), detection.get("Sequence")
    if (group is None) == (sequence is None):
        raise Unreadable(detection.place, "expected either Group or Sequence")
    order = detection.get("EventEvaluationOrder")
    if order is not None and text_of(order, "EventEvaluationOrder") not in ("Chronological", "ReverseChronological"):
        raise Unreadable(order.place, "EventEvaluationOrder: expected Chronological or ReverseChronological")
    stated = group if group is not None else sequence
    assert stated is not None
    members = [_member(node, number, differences) for number, node in enumerate(items_of(stated, "Group or Sequence"))]
    if not members:
        raise Unreadable(stated.place, "expected members, found none")
    seen: dict[str, Member] = {}
    for member in members:
        if member.id in seen:
            raise Unreadable(member.place, f"the ID {member.id[:80]!r} stands twice")
        seen[member.id] = member
    _check_absence(members, sequence is not None, differences)
    _check_twice(members, differences)
    if group is not None:
        if (misplaced := detection.get("Transitions")) is not None:
            raise Unreadable(misplaced.place, "a Group has no Transitions: its members have no order")
        _check_least(detection, members, differences)
        return members, None, _criteria(detection, members)
    for word in ("MatchCriteria", "MinMatchCount"):
        if (misplaced := detection.get(word)) is not None:
            raise Unreadable(misplaced.place, f"a Sequence has no {word}")
    within, criteria = _transitions(detection, members, lookback, differences)
    return members, within, criteria


def _member(node: Node, number: int, differences: list[Difference]) -> Member:
    entries = entries_of(node, "a member of a group or sequence")
    differences += _unread(entries, _OF_MEMBER)
    rule = text_of(_needed(entries, "RuleID"), "RuleID")
    named, counted, absent = entries.get("ID"), entries.get("MinMatchCount"), entries.get("Absence")
    count = 1 if counted is None else integer_of(counted, "MinMatchCount", 1, MAX_COUNT)
    missing = False if absent is None else truth_of(absent, "Absence")
    if missing and count > 1:
        assert counted is not None
        differences.append(
            Difference(
                counted.place,
                "it is not documented which count makes an absent signal present; in the program one signal does",
            )
        )
    if (most := entries.get("MaxMatchCount")) is not None:
        integer_of(most, "MaxMatchCount", 1, MAX_COUNT)
        differences.append(
            Difference(
                most.place,
                "it is not documented over which time MaxMatchCount counts; the program has no such limit",
            )
        )
    name = f"member {number + 1}" if named is None else text_of(named, "ID")
    return Member(entries.place, name, rule, 1 if missing else count, missing)


def _check_absence(members: Sequence[Member], ordered: bool, differences: list[Difference]) -> None:
    if all(member.absent for member in members):
        raise Unreadable(members[0].place, "no member has to be present, and a rule needs a signal to match")
    if ordered:
        for number, member in enumerate(members[1:-1], 1):
            if member.absent:
                differences.append(
                    Difference(
                        member.place,
                        f"it is not documented when a step in the middle is absent; in the program no signal of "
                        f"{member.rule} is between its neighbours, within the time frame of both",
                    )
                )
                if members[number - 1].absent or members[number + 1].absent:
                    raise Unreadable(member.place, "two absent steps follow each other, and nothing orders them")
        if len(members) > 2 and (members[0].absent and members[1].absent):
            raise Unreadable(members[1].place, "two absent steps follow each other, and nothing orders them")


def _check_twice(members: Sequence[Member], differences: list[Difference]) -> None:
    seen = set[str]()
    for member in members:
        if member.rule in seen:
            differences.append(
                Difference(
                    member.place,
                    f"{member.rule} stands twice, and it is not documented whether one signal counts for both; in the "
                    "program it does",
                )
            )
        seen.add(member.rule)


def _check_least(detection: Entries, members: Sequence[Member], differences: list[Difference]) -> None:
    least = detection.get("MinMatchCount")
    if least is not None and integer_of(least, "MinMatchCount", 1, MAX_COUNT) != len(members):
        differences.append(
            Difference(
                least.place,
                "MinMatchCount of a Group is not documented to say how absent members and repeated signals count; the "
                "program needs all members",
            )
        )


def _criteria(detection: Entries, members: Sequence[Member]) -> list[_Criterion]:
    stated = detection.get("MatchCriteria")
    criteria: list[_Criterion] = []
    for name, node in () if stated is None else entries_of(stated, "MatchCriteria").entries:
        criterion = _Criterion(name.place)
        for item in items_of(node, "the fields of a criterion"):
            entries = entries_of(item, "a member and its field")
            for unknown in _unread(entries, frozenset({"GroupID", "Match"})):
                raise Unreadable(unknown.place, unknown.text)
            number = _number(members, _needed(entries, "GroupID"), "GroupID")
            if number in criterion.members:
                raise Unreadable(entries.place, f"{members[number].id[:80]!r} has two fields in one criterion")
            criterion.fields.append((number, text_of(_needed(entries, "Match"), "Match")))
        if criterion.fields:
            criteria.append(criterion)
    return criteria


def _number(members: Sequence[Member], node: Node, meaning: str) -> int:
    named = text_of(node, meaning)
    for number, member in enumerate(members):
        if member.id == named:
            return number
    raise Unreadable(node.place, f"{meaning}: no member has the ID {named[:80]!r}")


def _transitions(
    detection: Entries, members: Sequence[Member], lookback: int, differences: list[Difference]
) -> tuple[tuple[int, ...], list[_Criterion]]:
    within = [lookback] * (len(members) - 1)
    criteria: list[_Criterion] = []
    seen = set[int]()
    stated = detection.get("Transitions")
    for node in () if stated is None else items_of(stated, "Transitions"):
        entries = entries_of(node, "a transition")
        differences += _unread(entries, _OF_TRANSITION)
        start = _number(members, _needed(entries, "From"), "From")
        end = _number(members, _needed(entries, "To"), "To")
        if end != start + 1:
            raise Unreadable(entries.place, "a transition leads from a step to the next one of the sequence")
        if start in seen:
            raise Unreadable(entries.place, "there is another transition between the same steps")
        seen.add(start)
        if (frame := entries.get("WithinTimeFrameMinutes")) is not None:
            within[start] = min(lookback, integer_of(frame, "WithinTimeFrameMinutes", 0, MAX_MINUTES))
        criteria += _matched(entries, start, end)
    return tuple(within), criteria


def _matched(transition: Entries, start: int, end: int) -> Iterator[_Criterion]:
    stated = transition.get("Match")
    items = () if stated is None else items_of(stated, "Match")
    if len(items) > 1:
        raise Unreadable(items[1].place, "a transition matches on one field")
    for item in items:
        entries = entries_of(item, "the field of a match")
        for unknown in _unread(entries, frozenset({"On", "From", "To"})):
            raise Unreadable(unknown.place, unknown.text)
        both = entries.get("On")
        if both is not None and (entries.get("From") is not None or entries.get("To") is not None):
            raise Unreadable(entries.place, "a match has either On, or From and To")
        source = both if both is not None else _needed(entries, "From")
        target = both if both is not None else _needed(entries, "To")
        yield _Criterion(entries.place, [(start, text_of(source, "From")), (end, text_of(target, "To"))])


def _with_keys(
    members: Sequence[Member], criteria: Sequence[_Criterion], differences: list[Difference]
) -> tuple[Member, ...]:
    """Return the members with their keys. Criteria that share a member share its value, as Panther's guide says."""
    values = list(range(len(criteria)))
    for (earlier, first), (later, second) in combinations(enumerate(criteria), 2):
        shared = first.members & second.members
        if len(shared) > 1:
            differences.append(
                Difference(
                    second.place,
                    "Panther matches on one value, and two criteria name the same members; in the program each "
                    "criterion has a value of its own",
                )
            )
        elif shared:
            values = [values[earlier] if value == values[later] else value for value in values]
    if len({*values}) > 1 and not any(len(a.members & b.members) > 1 for a, b in combinations(criteria, 2)):
        differences.append(
            Difference(
                criteria[-1].place,
                "Panther matches on one value, and nothing joins this criterion to the others; in the program it has a "
                "value of its own",
            )
        )
    keys: list[list[Key]] = [[] for _ in members]
    for criterion, value in zip(criteria, values, strict=True):
        for number, name in criterion.fields:
            if Key(name, value) not in keys[number]:
                keys[number].append(Key(name, value))
    for value in dict.fromkeys(values):
        if not any(key.value == value for m, own in zip(members, keys, strict=True) if not m.absent for key in own):
            raise Unreadable(criteria[values.index(value)].place, "the criterion is about absent signals only")
    return tuple(
        Member(m.place, m.id, m.rule, m.count, m.absent, tuple(own)) for m, own in zip(members, keys, strict=True)
    )


def _rate(detection: Entries, differences: list[Difference]) -> int | None:
    stated = detection.get("Schedule")
    if stated is None:
        return None
    schedule = entries_of(stated, "Schedule")
    differences += _unread(schedule, _OF_SCHEDULE)
    rate = schedule.get("RateMinutes")
    return None if rate is None else integer_of(rate, "RateMinutes", 1, MAX_MINUTES)


def _tests(rule: Entries) -> Iterator[Test]:
    stated = rule.get("Tests")
    for number, node in enumerate(() if stated is None else items_of(stated, "Tests"), 1):
        entries = entries_of(node, "a test")
        for unknown in _unread(entries, frozenset({"Name", "ExpectedResult", "RuleOutputs"})):
            raise Unreadable(unknown.place, unknown.text)
        named = entries.get("Name")
        expected = truth_of(_needed(entries, "ExpectedResult"), "ExpectedResult")
        yield Test(
            entries.place,
            f"test {number}" if named is None else text_of(named, "Name"),
            expected,
            entries.get("RuleOutputs"),
        )
