"""Rules of Sigma and records of logs, drawn for the tests: all constructs that are imported, wilder than people write
them. Rules are dicts as in `sigma_definition`; `documents` prints them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import yaml

from tests.importers.sigma_definition import COMPARE

PIECES = (
    *("a", "b", "A", "ab", "aB", "cmd", "\\", "\\\\", "\\*", "\\?", "*", "?", "-x", "/x", " -p ", "--q", "\u2013x"),
    *("é", "É", "ß", "ſ", "K", "\u212a", "k", ".", "exe", '"', "'", "\n", "\t", "0", "1", "42", "é*", "π", "Π", "ς"),
    *("(", "{"),
)
TEXTS = ("Image", "CommandLine", "proc.name", "cs-uri", "event", "or")
ADDRESSES = ("10.0.0.1", "10.1.2.3", "192.168.0.9", "fe80::1", "::1", "010.0.0.1", "host", "::ffff:10.0.0.1", "::1%1")
NETWORKS = ("10.0.0.0/8", "10.1.0.0/16", "192.168.0.0/24", "fe80::/10", "::1/128", "0.0.0.0/0", "::/0", "10.0.0.1/32")
REFERENCES = ("fieldref", "fieldref|startswith", "fieldref|endswith", "fieldref|contains", "fieldref|neq")
ENCODINGS = ("base64", "base64|contains", "base64offset|contains", "wide|base64offset|contains", "wide")
CLASSES = ("[ab]", "[^a]", "[A-Za-z]", "[^\\s]", "[a\\]^-]", "[\\w.]", "[0-9a-f]", "[Z-a]", "[^a-zB]", "[]a]", "[^\\W]")
DETECTIONS = ("sel", "selection_1", "selection_2", "filter_a", "filter_b", "_private", "notepad")
OPERATORS = ("gte", "gt", "lte", "lt", "eq", "neq")
STEPS = (0, 0, 1, 500, 999, 1000, 1001, 2000, 30_000, 3_600_000)
SPANS = ("1s", "2s", "5s", "1m", "1h", "1d", "2w")
INTERVALS = ("1h", "1h", "12h", "1d", "30m")
GROUPS = ("User", "Host", "user.id")
NUMBERS = (-1, 0, 1, 2, 3, 5, 42, 2.5, -0.5)
SOURCES = (
    {"product": "windows"},
    {"product": "windows", "service": "security"},
    {"category": "process_creation", "product": "windows"},
    {"service": "sshd"},
)


@dataclass(frozen=True)
class Drawn:
    """Rules by their names, the outermost first, and records in the order of time."""

    rules: Mapping[str, Any]
    records: Sequence[Mapping[str, Any]]


def drawn(random: Random, spans: Sequence[str] = SPANS) -> Drawn:
    """Draw rules and records; the time spans of correlations are some of `spans`."""
    rules = draw_rules(random, spans)
    return Drawn(rules, draw_records(random, rules))


# --- detections ---


def draw_text(random: Random, pieces: Sequence[str] = PIECES) -> str:
    return "".join(random.choice(pieces) for _ in range(random.choice((0, 1, 1, 1, 2, 2, 3, 5))))


def several(random: Random, draw: Any) -> Any:
    if random.random() < 0.5:
        return draw()
    return [draw() for _ in range(random.choice((1, 2, 2, 3, 45 if random.random() < 0.05 else 4)))]


def draw_item(random: Random) -> tuple[str, Any]:
    """Draw `field|modifiers` and a value."""
    field = random.choice(TEXTS)
    kind = random.randrange(14)
    if kind <= 3:
        modifiers = random.choice(("", "|contains", "|startswith", "|endswith"))
        modifiers += random.choice(("", "", "|windash", "|cased"))
        value = several(random, lambda: draw_text(random))
        if isinstance(value, list) and len(value) > 1 and random.random() < 0.4:
            modifiers += "|all"
        return field + modifiers + random.choice(("", "", "", "|neq")), value
    if kind == 4:
        return field, several(
            random, lambda: random.choice((None, "", True, False, 1, 42, 2.5, "*", draw_text(random)))
        )
    if kind == 5:
        modifiers = random.choice(("|re", "|re|i", "|re|m", "|re|s", "|re|i|m", "|re|m|s"))
        return field + modifiers, several(random, lambda: draw_expression(random))
    if kind == 6:
        return f"Address|cidr{random.choice(('', '|neq'))}", several(random, lambda: random.choice(NETWORKS))
    if kind == 7:
        return f"{random.choice(TEXTS)}|exists", random.random() < 0.5
    if kind == 8:
        return f"{random.choice(('n', 'size'))}|{random.choice(('lt', 'lte', 'gt', 'gte'))}", random.choice(NUMBERS)
    if kind == 9:
        return random.choice(("n", "size", "n|neq")), several(random, lambda: random.choice(NUMBERS))
    if kind == 10:
        modifiers = random.choice(REFERENCES)
        return f"{field}|{modifiers}", random.choice(TEXTS)
    if kind == 11:
        plain = random.choice(("a", "ab", "cmd", "Foo", "é"))
        modifiers = random.choice(ENCODINGS)
        return f"{field}|{modifiers}", "ab" if "wide" in modifiers else plain
    if kind == 12:
        return field, []
    return field + random.choice(("", "|contains")), several(random, lambda: draw_text(random, ("a", "b", "A", "*")))


def draw_expression(random: Random) -> str:
    """Draw a regular expression that Sigma permits and that level 2 can say."""

    def atom(depth: int) -> str:
        kind = random.randrange(12)
        if kind < 5:
            return random.choice(("a", "b", "A", "0", "x", " ", "-", "/", "\\\\", "\\.", "\\*", "\\n", "é"))
        if kind < 7:
            return random.choice((".", "\\d", "\\w", "\\s", "\\W", "\\S", "\\D"))
        if kind < 9:
            return random.choice(CLASSES)
        if kind == 9 or depth > 2:
            return random.choice(("cmd", "ab", "{", "\\x41"))
        return f"({random.choice(('', '?:'))}{choice(depth + 1)})"

    def repeated(depth: int) -> str:
        part = atom(depth)
        counts = ("", "", "", "", "*", "+", "?", "{2}", "{1,3}", "{2,}", "*?", "+?")
        # Python would try very many ways for repetitions inside each other, which the definition reads.
        return part + random.choice(("", "", "?") if part.startswith("(") and set("*+{?") & set(part[3:]) else counts)

    def choice(depth: int) -> str:
        chains = [
            "".join(repeated(depth) for _ in range(random.choice((0, 1, 1, 2, 3))))
            for _ in range(random.choice((1, 1, 2)))
        ]
        return "|".join(chains)

    before = random.choice(("", "", "^", "(^|a)", "(?:^|\\s)"))
    after = random.choice(("", "", "$", "($|b)", "(?:\\s|$)"))
    expression = choice(0)
    if before or after:
        expression = before + (f"({expression})" if "|" in expression else expression) + after
    return random.choice(("", "", "", "(?i)", "(?s)")) + expression


def draw_definition(random: Random) -> Any:
    if random.random() < 0.2:
        return [draw_map(random) for _ in range(random.choice((1, 2, 3)))]
    return draw_map(random)


def draw_map(random: Random) -> dict[str, Any]:
    return dict(draw_item(random) for _ in range(random.choice((1, 1, 2, 3))))


def draw_detection(random: Random) -> dict[str, Any]:
    names = random.sample(DETECTIONS, random.choice((1, 1, 2, 3, 4)))
    detection: dict[str, Any] = {name: draw_definition(random) for name in names}
    patterns = [pattern for pattern in ("them", "*", "s*", *names) if any(fits(pattern, name) for name in names)]

    def tree(depth: int) -> Any:
        kind = random.randrange(8 if depth < 3 else 3)
        if kind <= 1 or (kind == 2 and not patterns):
            return ("name", random.choice(names))
        if kind == 2:
            return ("of", random.choice(("1", "any", "all")), random.choice(patterns))
        if kind <= 4:
            return ("not", tree(depth + 1))
        return (random.choice(("and", "or")), *(tree(depth + 1) for _ in range(random.choice((2, 2, 3)))))

    trees = [tree(0) for _ in range(random.choice((1, 1, 1, 1, 2)))]
    return {**detection, "condition": trees if len(trees) > 1 else trees[0]}


def fits(pattern: str, name: str) -> bool:
    if name.startswith("_"):
        return False
    return pattern == "them" or name == pattern or (pattern.endswith("*") and name.startswith(pattern[:-1]))


# --- rules ---


def draw_rules(random: Random, spans: Sequence[str]) -> dict[str, Any]:
    if random.random() < 0.4:
        return {"outer": {"logsource": random.choice(SOURCES), "detection": draw_detection(random)}}
    rules: dict[str, Any] = {}
    draw_correlation(random, "outer", rules, 0, spans)
    sources = [rule["logsource"] for rule in rules.values() if "logsource" in rule]
    if any(source != sources[0] for source in sources):
        for rule in rules.values():
            if "logsource" in rule:
                rule["checked_source"] = rule["logsource"]
    return rules


def draw_simple(random: Random) -> dict[str, Any]:
    """Draw a detection that many records meet."""
    value: Any = random.choice(("a", "b", ["a", "b"], "*", "?"))
    detection = {"sel": {"kind": value}}
    return detection | {"condition": ("name", "sel")} if random.random() < 0.7 else draw_detection(random)


def draw_correlation(random: Random, name: str, rules: dict[str, Any], depth: int, spans: Sequence[str]) -> None:
    kind = random.choice(("event_count", "value_count", "temporal", "temporal_ordered", "value_sum", "value_avg"))
    rules[name] = {}
    numbers = kind in ("value_sum", "value_avg")
    count = random.choice((1, 1, 2)) if kind not in ("temporal", "temporal_ordered") else random.choice((1, 2, 2, 3))
    groups = random.sample(GROUPS, random.choice((0, 1, 1, 2)))
    aliases: dict[str, dict[str, str]] = {}
    members = []
    for number in range(count):
        member = f"{name}_{number}"
        # Results have no numbers, values are counted of one template, and results that may tie are not counted.
        inner_possible = depth < 2 and spans is not INTERVALS and not numbers and (kind != "value_count" or count == 1)
        if inner_possible and random.random() < 0.15:
            draw_correlation(random, member, rules, depth + 1, spans)
            inner = rules[member]["correlation"]
            counted = kind in ("event_count", "value_count")
            if counted and (inner["type"] == "temporal_ordered" or inner.get("aliases")):
                inner["type"] = "event_count"
                inner["condition"] = {"gte": 1}
                inner.pop("aliases", None)
                inner["group-by"] = [group for group in inner.get("group-by", []) if group in GROUPS]
            inner["group-by"] = list(dict.fromkeys([*inner.get("group-by", []), *groups, "Host"]))
        else:
            rules[member] = {
                "logsource": random.choice(SOURCES[: random.choice((1, 1, 4))]),
                "detection": draw_simple(random),
            }
        members.append(member)
    plain = all("detection" in rules[member] for member in members)
    if groups and plain and random.random() < 0.3:
        aliases["who"] = {member: random.choice(GROUPS) for member in members}
        groups = ["who", *groups[1:]]
    timespan = random.choice(spans)
    correlation: dict[str, Any] = {"type": kind, "rules": members, "timespan": timespan}
    if count == 1 and random.random() < 0.3:
        correlation["rules"] = members[0]
    if groups or random.random() < 0.5:
        correlation["group-by"] = groups[0] if len(groups) == 1 and random.random() < 0.3 else groups
    if isinstance(correlation.get("group-by"), str) and depth:
        correlation["group-by"] = [correlation["group-by"]]
    if aliases:
        correlation["aliases"] = aliases
    correlation |= draw_condition(random, kind, members)
    if kind == "value_count":
        correlation["condition"]["field"] = random.choice(("User", "kind", "n")) if plain else "Host"
    elif numbers:
        correlation["condition"]["field"] = random.choice(("n", "size"))
    rules[name]["correlation"] = correlation


def draw_condition(random: Random, kind: str, members: Sequence[str]) -> dict[str, Any]:
    if kind == "temporal_ordered":
        return random.choice(({}, {"condition": {"gte": len(members)}}, {"condition": {"eq": len(members)}}))
    if kind == "temporal":
        if random.random() < 0.4:
            return {}
        if random.random() < 0.4:

            def tree(depth: int) -> Any:
                if depth > 1 or random.random() < 0.4:
                    return ("name", random.choice(members))
                return (random.choice(("and", "or")), *(tree(depth + 1) for _ in range(random.choice((2, 3)))))

            return {"condition": ("and", tree(0), *(("or", ("name", member), tree(1)) for member in members))}
        possible = [
            {name: bound}
            for name in OPERATORS
            for bound in range(len(members) + 1)
            if any(COMPARE[name](number, bound) for number in range(len(members) + 1))
        ]
        return {"condition": random.choice(possible)}
    condition: dict[str, Any] = {random.choice(OPERATORS): random.choice((0, 1, 2, 2, 3, 4, 2.5))}
    if random.random() < 0.2:
        condition = {"gte": random.choice((1, 2)), random.choice(("lt", "lte")): random.choice((2, 3, 4))}
    return {"condition": condition}


# --- records ---


def draw_records(random: Random, rules: Mapping[str, Any]) -> list[dict[str, Any]]:
    correlated = len(rules) > 1
    items = [entry for rule in rules.values() if "detection" in rule for entry in items_of(rule["detection"])]
    sources = [rule["logsource"] for rule in rules.values() if "logsource" in rule]
    time = random.choice((0, 3_599_000, 86_399_000, 1_700_000_000_000, -2_000))
    records: list[dict[str, Any]] = []
    for _ in range(random.randrange(12) if correlated else random.randrange(1, 9)):
        time += random.choice(STEPS)
        record: dict[str, Any] = {"timestamp": time}
        for field in (*TEXTS, "kind"):
            if random.random() < 0.7:
                record[field] = draw_value(random, field, items)
        record["kind"] = random.choice(("a", "b", "A", None, "ab"))
        record["Address"] = random.choice((None, *ADDRESSES))
        for field in ("n", "size"):
            record[field] = random.choice((None, *NUMBERS))
        for field in GROUPS:
            record[field] = random.choice(("ada", "ada", "bob", None))
        for key, value in random.choice(sources).items():
            record[f"logsource.{key}"] = value
        records.append({key: value for key, value in record.items() if value is not None})
    return records


def items_of(detection: Mapping[str, Any]) -> list[tuple[str, Any]]:
    items: list[tuple[str, Any]] = []
    for name, definition in detection.items():
        if name != "condition":
            for mapping in definition if isinstance(definition, list) else [definition]:
                items += mapping.items()
    return items


def draw_value(random: Random, field: str, items: Sequence[tuple[str, Any]]) -> Any:
    """Draw a value, often one near to what a rule demands of the field."""
    wanted = [
        value
        for key, values in items
        if key.split("|")[0] == field
        for value in (values if isinstance(values, list) else [values])
    ]
    if not wanted or random.random() < 0.2:
        return random.choice((draw_text(random), 42, True, 2.5, "", "a", "ab"))
    value = random.choice(wanted)
    if not isinstance(value, str):
        return value
    text = "".join(
        random.choice(("", "x", "ab", "\n")) if sign in "*?" and random.random() < 0.7 else sign for sign in value
    )
    if random.random() < 0.6:
        text = text.replace("\\\\", "\\").replace("\\*", "*").replace("\\?", "?")
    text = random.choice((text, text, text.upper(), text.lower(), text.swapcase()))
    return random.choice(("", "", "", "x", " ", "\n", "a")) + text + random.choice(("", "", "", "x", "\n", "b"))


# --- printing ---


def documents(rules: Mapping[str, Any]) -> str:
    """Return the rules as YAML, with conditions as Sigma writes them."""
    printed = []
    for name, rule in rules.items():
        document: dict[str, Any] = {"title": name.capitalize(), "name": name}
        if "correlation" in rule:
            correlation = dict(rule["correlation"])
            if isinstance(correlation.get("condition"), tuple):
                correlation["condition"] = condition_text(correlation["condition"])
            document["correlation"] = correlation
        else:
            detection = dict(rule["detection"])
            trees = detection["condition"]
            detection["condition"] = (
                [condition_text(tree) for tree in trees] if isinstance(trees, list) else condition_text(trees)
            )
            document |= {"logsource": dict(rule["logsource"]), "detection": detection}
        printed.append(yaml.safe_dump(document, allow_unicode=True, sort_keys=False))
    return "---\n".join(printed)


def condition_text(tree: Any, above: int = 0) -> str:
    """Return a condition with brackets only where the precedence demands them."""
    match tree:
        case ("name", name):
            return str(name)
        case ("of", quantity, pattern):
            return f"{quantity} of {pattern}"
        case ("not", inner):
            return f"not {condition_text(inner, 3)}"
        case (word, *parts):
            level = {"or": 1, "and": 2}[word]
            joined = f" {word} ".join(condition_text(part, level + 1) for part in parts)
            return f"({joined})" if above > level else joined
    raise ValueError(tree)
