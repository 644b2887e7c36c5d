"""Panther's correlation rules, evaluated by trying out all choices of signals, for tests alone.

It is written from Panther's documentation (docs/importing.md, "How Panther's rules are read") and knows neither the
importer nor PARTElang. A rule is what `yaml.safe_load` makes of its text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise, product
from typing import Any

MINUTE = 60_000
Rule = dict[str, Any]


@dataclass(frozen=True)
class Signal:
    """A signal of a rule at a time in milliseconds, with the values of its fields; a field may be missing."""

    rule: str
    time: int
    fields: dict[str, str] = field(default_factory=dict)


def matches(rule: Rule, signals: Sequence[Signal]) -> bool:
    """Return whether a rule matches: whether some of the signals do what it asks for."""
    detection = rule["Detection"][0]
    ordered = "Sequence" in detection
    members = detection["Sequence" if ordered else "Group"]
    fields = _fields(detection, members)
    values: set[str | None] = {value for signal in signals for value in signal.fields.values()}
    for value in values if any(fields.values()) else {None}:
        candidates = [
            [
                signal.time
                for signal in signals
                if signal.rule == member["RuleID"]
                and all(signal.fields.get(name) == value for name in fields[member["ID"]])
            ]
            for member in members
        ]
        if any(_fits(detection, members, chosen, candidates, ordered) for chosen in _choices(members, candidates)):
            return True
    return False


def _fields(detection: Rule, members: Sequence[Rule]) -> dict[str, set[str]]:
    """The fields of the signals of each member that hold the value on which the rule matches."""
    fields: dict[str, set[str]] = {member["ID"]: set() for member in members}
    for criterion in (detection.get("MatchCriteria") or {}).values():
        for part in criterion:
            fields[part["GroupID"]].add(part["Match"])
    for transition in detection.get("Transitions") or ():
        for part in transition.get("Match") or ():
            fields[transition["From"]].add(part.get("On") or part["From"])
            fields[transition["To"]].add(part.get("On") or part["To"])
    return fields


def _choices(members: Sequence[Rule], candidates: Sequence[Sequence[int]]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield all ways to choose as many signals for each member as it needs; none for one that is absent."""
    yield from product(
        *(
            [()] if member.get("Absence") else [*combinations(sorted(times), member.get("MinMatchCount", 1))]
            for member, times in zip(members, candidates, strict=True)
        )
    )


def _fits(
    detection: Rule,
    members: Sequence[Rule],
    chosen: Sequence[tuple[int, ...]],
    candidates: Sequence[Sequence[int]],
    ordered: bool,
) -> bool:
    lookback = detection.get("LookbackWindowMinutes", 15) * MINUTE
    times = [time for stamps in chosen for time in stamps]
    if max(times) - min(times) > lookback:
        return False
    frames = _frames(detection, members, lookback) if ordered else []
    if ordered:
        for place, (before, after) in enumerate(pairwise(chosen)):
            if before and after and not before[-1] <= after[0] <= before[-1] + frames[place]:
                return False
    for place, member in enumerate(members):
        if not member.get("Absence"):
            continue
        for time in candidates[place]:
            # A run that has all the chosen signals in its window and this one too knows of it.
            if max(*times, time) - min(*times, time) > lookback:
                continue
            if not ordered:
                return False
            if place == 0 and 0 <= chosen[1][0] - time <= frames[0]:
                return False
            if place == len(members) - 1 and 0 <= time - chosen[-2][-1] <= frames[-1]:
                return False
    return True


def _frames(detection: Rule, members: Sequence[Rule], lookback: int) -> list[int]:
    frames = [lookback] * (len(members) - 1)
    places = {member["ID"]: place for place, member in enumerate(members)}
    for transition in detection.get("Transitions") or ():
        frames[places[transition["From"]]] = transition.get("WithinTimeFrameMinutes", lookback / MINUTE) * MINUTE
    return frames
