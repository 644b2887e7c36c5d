"""Random correlation rules of Panther and random signals, wilder than those that people write."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

from tests.importers.panther_definition import MINUTE, Rule, Signal

RULES = ("Okta.Login", "AWS.Console.Sign-In", "AWS Console Sign In", "1st.rule")
"""Two of these names differ in signs only, and one is no name of PARTElang."""
FIELDS = ("user", "p_alert_context.actor.email", "timestamp", "x y")
VALUES = ("a", "b", "")


def draw_rule(random: Random) -> Rule:
    """Return a rule that no program need say otherwise: documented in all its parts."""
    number = random.choice((1, 2, 2, 2, 3, 3, 4))
    members: list[Rule] = []
    for place, name in enumerate(random.sample(RULES, number)):
        member: Rule = {"ID": f"{random.choice(('first', 'Some One', 'all', '7'))} {place}", "RuleID": name}
        if random.random() < 0.4:
            member["MinMatchCount"] = random.randint(1, 4)
        members.append(member)
    ordered = random.random() < 0.5
    absent = [place for place in ((0, number - 1) if ordered else range(number)) if random.random() < 0.3]
    for place in absent[: number - 1]:
        members[place] = {key: value for key, value in members[place].items() if key != "MinMatchCount"}
        members[place]["Absence"] = True
    if ordered and number > 2 and random.random() < 0.05:
        members[1]["Absence"] = True  # not documented, so it is refused
    detection: Rule = {"Sequence" if ordered else "Group": members}
    if random.random() < 0.9:
        detection["LookbackWindowMinutes"] = random.choice((1, 2, 5, 9))
    if random.random() < 0.5:
        detection["EventEvaluationOrder"] = random.choice(("Chronological", "ReverseChronological"))
    if ordered and number > 1 and random.random() < 0.8:
        detection["Transitions"] = _transitions(random, members)
    elif not ordered and random.random() < 0.8:
        detection["MatchCriteria"] = _criteria(random, members)
    detection["Schedule"] = {"RateMinutes": random.choice((1, 5)), "TimeoutMinutes": 1}
    return {
        "AnalysisType": "correlation_rule",
        "RuleID": random.choice(("Some.Rule", "rule", "Ünicode: rule")),
        "Enabled": True,
        "Severity": "Low",
        "Detection": [detection],
    }


def _transitions(random: Random, members: list[Rule]) -> list[Rule]:
    transitions: list[Rule] = []
    shared = random.choice(FIELDS)
    matched = random.random() < 0.8
    for start, end in pairwise(members):
        if random.random() < 0.1:
            continue
        transition: Rule = {"From": start["ID"], "To": end["ID"]}
        if random.random() < 0.7:
            transition["WithinTimeFrameMinutes"] = random.choice((0, 1, 2, 3, 7, 20))
        if matched and random.random() < 0.9:
            target = random.choice(FIELDS)
            equality: Rule = {"On": shared} if random.random() < 0.6 else {"From": shared, "To": target}
            transition["Match"] = [equality]
        transitions.append(transition)
    random.shuffle(transitions)
    return transitions


def _criteria(random: Random, members: list[Rule]) -> Any:
    if random.random() < 0.1:
        return {}
    fields = (random.choice(FIELDS),) if random.random() < 0.5 else FIELDS
    some = [member for member in members if random.random() < 0.9]
    criteria: dict[str, Any] = {}
    if some:
        criteria["field_name"] = [{"GroupID": m["ID"], "Match": random.choice(fields)} for m in some]
    if len(some) > 2 and random.random() < 0.3:  # a chain: two criteria that share a member
        criteria = {
            "one": [{"GroupID": m["ID"], "Match": random.choice(fields)} for m in some[:2]],
            "other": [{"GroupID": m["ID"], "Match": random.choice(fields)} for m in some[1:]],
        }
    return criteria


def draw_signals(random: Random, rule: Rule) -> list[Signal]:
    """Return signals of the rules of a rule, in the order of their times: close together, often at one time, or at the
    ends of windows."""
    detection = rule["Detection"][0]
    members = detection.get("Sequence") or detection["Group"]
    lookback = detection.get("LookbackWindowMinutes", 15) * MINUTE
    steps = [0, 0, 1, MINUTE, MINUTE, 2 * MINUTE, 3 * MINUTE, lookback, lookback - 1, lookback + 1]
    values = VALUES if random.random() < 0.3 else ("a",)
    needed = [m["RuleID"] for m in members for _ in range(m.get("MinMatchCount", 1)) if not m.get("Absence")]
    names = needed[:8] + [random.choice(members)["RuleID"] for _ in range(random.randint(0, 3))]
    if random.random() < 0.4:
        random.shuffle(names)
    signals: list[Signal] = []
    time = random.choice((0, 7, 1_700_000_000_000))
    for name in names:
        if random.random() < 0.05:
            continue
        fields = {field: random.choice(values) for field in FIELDS if random.random() < 0.95}
        signals.append(Signal(name, time, fields))
        time += random.choice(steps) if random.random() < 0.6 else 0
    return signals
