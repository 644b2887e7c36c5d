"""The meaning of rules of Sigma in plain Python over dicts, for the tests: from Sigma's specification, and from what
docs/importing-sigma.md decides where that is silent. It shares no code with the importer and does not use pySigma.

Rules are dicts as YAML gives them, except that a condition may be a tree: `("not", c)`, `("and", c, d)`, `("or", c,
d)`, `("name", n)`, `("of", "1" or "all", pattern)`. A record has its fields, and `timestamp` in milliseconds.
"""

from __future__ import annotations

import fnmatch
import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from ipaddress import ip_address, ip_network
from typing import Any

Record = Mapping[str, Any]
ANY, ONE = object(), object()
DASHES = "-/\u2013\u2014\u2015"
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "lt": lambda a, b: a < b,
    "lte": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "gte": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "neq": lambda a, b: a != b,
}


def text(value: Any) -> str | None:
    """Return a value as text, as a log has it; None if there is none."""
    if value is None or isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else str(value)


def number(value: Any) -> float | None:
    return None if value is None else float(value)


# --- one event ---


def meets(rule: Mapping[str, Any], record: Record) -> bool:
    """Return whether a rule without a correlation matches a record."""
    detection = rule["detection"]
    conditions = detection["condition"]
    named = {name: value for name, value in detection.items() if name != "condition"}
    trees = conditions if isinstance(conditions, list) else [conditions]
    source = all(record.get(f"logsource.{key}") == value for key, value in rule.get("checked_source", {}).items())
    return source and any(holds(tree, named, record) for tree in trees)


def holds(tree: Any, named: Mapping[str, Any], record: Record) -> bool:
    match tree:
        case ("not", inner):
            return not holds(inner, named, record)
        case ("and", *parts):
            return all(holds(part, named, record) for part in parts)
        case ("or", *parts):
            return any(holds(part, named, record) for part in parts)
        case ("name", name):
            return detects(named[name], record)
        case ("of", quantity, pattern):
            names = [name for name in named if not name.startswith("_")]
            chosen = names if pattern == "them" else [name for name in names if fnmatch.fnmatchcase(name, pattern)]
            return (all if quantity == "all" else any)(detects(named[name], record) for name in chosen)
    raise ValueError(tree)


def detects(definition: Any, record: Record) -> bool:
    if isinstance(definition, list):
        return any(detects(alternative, record) for alternative in definition)
    return all(item(key, value, record) for key, value in definition.items())


def item(key: str, value: Any, record: Record) -> bool:
    """Return whether a record meets `field|modifiers: value`."""
    field, *modifiers = key.split("|")
    values = value if isinstance(value, list) else [value]
    if not values:
        return record.get(field) is None
    answers = [has(field, modifiers, wanted, record) for wanted in values]
    answer = all(answers) if "all" in modifiers else any(answers)
    return not answer if "neq" in modifiers else answer


def has(field: str, modifiers: Sequence[str], value: Any, record: Record) -> bool:
    actual = text(record.get(field))
    if "exists" in modifiers:
        return bool((actual is not None) == value)
    if value is None:
        return actual is None
    if actual is None:
        return False
    for modifier, compared in COMPARE.items():
        if modifier in modifiers and modifier != "neq":
            number_there = number(record.get(field))
            return number_there is not None and compared(number_there, value)
    if "re" in modifiers:
        flags = re.ASCII
        for names, flag in ((("i", "ignorecase"), re.I), (("m", "multiline"), re.M), (("s", "dotall"), re.S)):
            flags |= flag if set(names) & set(modifiers) else re.ASCII
        return re.search(value, actual, flags) is not None
    if "cidr" in modifiers:
        try:
            address = ip_address(actual)
        except ValueError:
            return False
        network = ip_network(value)
        return "%" not in actual and address.version == network.version and address in network
    if "fieldref" in modifiers:
        referenced = text(record.get(value))
        tokens: list[Any] | None = None if referenced is None else list(referenced)
    elif isinstance(value, str):
        tokens = tokens_of(value)
    else:
        tokens = list(text(value) or "")
    if tokens is None:
        return False
    return any(like(form, actual, "cased" in modifiers) for form in forms(tokens, modifiers))


def tokens_of(value: str) -> list[Any]:
    """Return the characters and wildcards of a string: `\\` makes `*`, `?` and `\\` ordinary."""
    tokens: list[Any] = []
    at = 0
    while at < len(value):
        sign = value[at]
        if sign == "\\" and at + 1 < len(value) and value[at + 1] in "*?\\":
            tokens.append(value[at + 1])
            at += 1
        else:
            tokens.append({"*": ANY, "?": ONE}.get(sign, sign))
        at += 1
    return tokens


def forms(tokens: list[Any], modifiers: Sequence[str]) -> list[list[Any]]:
    """Return what the modifiers make of a string, one after the other."""
    variants = [tokens]
    for modifier in modifiers:
        match modifier:
            case "contains":
                variants = [[ANY, *variant, ANY] for variant in variants]
            case "startswith":
                variants = [[*variant, ANY] for variant in variants]
            case "endswith":
                variants = [[ANY, *variant] for variant in variants]
            case "windash":
                variants = [dashed(variant) for variant in variants]
            case "wide":
                variants = [
                    [sign for token in every for sign in ((token, "\0") if isinstance(token, str) else (token,))]
                    for every in variants
                ]
            case "base64":
                variants = [list(b64encode("".join(variant).encode()).decode()) for variant in variants]
            case "base64offset":
                variants = [
                    list(shifted("".join(variant).encode(), offset)) for variant in variants for offset in range(3)
                ]
    return variants


def dashed(tokens: list[Any]) -> list[Any]:
    """Return the string with each dash before a word as any dash."""

    def word(token: Any) -> bool:
        return isinstance(token, str) and len(token) == 1 and (token.isalnum() or token == "_")

    return [
        DASHES
        if token in ("-", "/") and not (at and word(tokens[at - 1])) and at + 1 < len(tokens) and word(tokens[at + 1])
        else token
        for at, token in enumerate(tokens)
    ]


def shifted(data: bytes, offset: int) -> str:
    """Return the part of a Base64 text that does not depend on what is before and behind the data."""
    encoded = b64encode(b"\0" * offset + data).decode().rstrip("=")
    first = -(-offset * 8 // 6)
    last = (offset + len(data)) * 8 // 6
    return encoded[first:last]


def like(tokens: Sequence[Any], string: str, cased: bool) -> bool:
    """Return whether tokens describe a text: by the positions that are reached after each token."""
    reached = {0}
    for token in tokens:
        if token is ANY:
            reached = set(range(min(reached), len(string) + 1)) if reached else reached
        else:
            reached = {
                at + 1 for at in reached if at < len(string) and (token is ONE or same(token, string[at], cased))
            }
    return len(string) in reached


def same(token: str, sign: str, cased: bool) -> bool:
    return any(
        letter == sign
        or (not cased and letter.isascii() == sign.isascii() and sign in (letter.lower(), letter.upper()))
        for letter in token
    )


# --- correlations ---


@dataclass(frozen=True)
class Occurrence:
    """A record that a rule matches, or the result of a correlation: `record` is the number of its event."""

    rule: str
    record: int
    time: int
    key: tuple[tuple[str, str], ...] | None
    """The group of a result; None for a record."""


def results(
    name: str, rules: Mapping[str, Any], records: Sequence[Record], *, tumbling: bool = False
) -> set[Occurrence]:
    """Return where a rule matches: a rule without a correlation at records, a correlation at the last of some."""
    rule = rules[name]
    if "correlation" not in rule:
        return {
            Occurrence(name, number, record["timestamp"], None)
            for number, record in enumerate(records)
            if meets(rule, record)
        }
    correlation = rule["correlation"]
    names = correlation["rules"] if isinstance(correlation["rules"], list) else [correlation["rules"]]
    groups = correlation.get("group-by") or []
    groups = list(dict.fromkeys([groups] if isinstance(groups, str) else groups))
    span = int(correlation["timespan"][:-1]) * SECONDS[correlation["timespan"][-1]] * 1000
    aliases = correlation.get("aliases") or {}
    members = [(member, results(member, rules, records, tumbling=tumbling)) for member in names]

    def value(occurrence: Occurrence, field: str) -> Any:
        field = aliases.get(field, {}).get(occurrence.rule, field)
        return records[occurrence.record].get(field) if occurrence.key is None else dict(occurrence.key).get(field)

    def group(occurrence: Occurrence) -> tuple[str, ...] | None:
        values = [text(value(occurrence, field)) for field in groups]
        return None if None in values else tuple(map(str, values))

    def near(occurrence: Occurrence, event: Occurrence) -> bool:
        if tumbling:
            return occurrence.time // span == event.time // span
        return event.time - span <= occurrence.time <= event.time

    matched = set()
    of_last = [members[-1]] if correlation["type"] == "temporal_ordered" else members
    for event in {occurrence for _, occurrences in of_last for occurrence in occurrences}:
        key = group(event)
        if key is None:
            continue
        inside = [
            (member, [occurrence for occurrence in occurrences if group(occurrence) == key and near(occurrence, event)])
            for member, occurrences in members
        ]
        if fits(correlation, event, inside, value):
            pairs = tuple(zip(groups, key, strict=True))
            matched.add(Occurrence(name, event.record, event.time, pairs))
    return matched


def fits(
    correlation: Mapping[str, Any],
    event: Occurrence,
    inside: Sequence[tuple[str, Sequence[Occurrence]]],
    value: Callable[[Occurrence, str], Any],
) -> bool:
    condition: Any = correlation.get("condition")
    kind = correlation["type"]
    if kind == "temporal_ordered":
        return chain([occurrences for _, occurrences in inside[:-1]], event.time)
    if kind == "temporal":
        there = {member for member, occurrences in inside if occurrences}
        if isinstance(condition, tuple):
            return either(condition, there)
        return compares(condition or {"gte": len(inside)}, len(there))
    # A record that several rules match is one event.
    events = {
        (occurrence.record, occurrence.key, occurrence.rule if occurrence.key is not None else ""): occurrence
        for _, some in inside
        for occurrence in some
    }
    if kind == "event_count":
        return compares(condition, len(events))
    values = [
        field_value
        for occurrence in events.values()
        if (field_value := value(occurrence, condition["field"])) is not None
    ]
    if kind == "value_count":
        return compares(condition, len(set(map(text, values))))
    if not values:
        return False
    total = sum(Fraction(float(number)) for number in values)
    return compares(condition, float(total if kind == "value_sum" else total / len(values)))


def compares(condition: Mapping[str, Any], quantity: float) -> bool:
    return all(COMPARE[name](quantity, bound) for name, bound in condition.items() if name != "field")


def either(condition: Any, there: set[str]) -> bool:
    match condition:
        case ("name", name):
            return name in there
        case ("and", *parts):
            return all(either(part, there) for part in parts)
        case ("or", *parts):
            return any(either(part, there) for part in parts)
    raise ValueError(condition)


def chain(steps: Sequence[Sequence[Occurrence]], end: int) -> bool:
    """Return whether there is an occurrence for each step, each before the next, the last before the end."""
    if not steps:
        return True
    return any(chain(steps[:-1], occurrence.time) for occurrence in steps[-1] if occurrence.time < end)
