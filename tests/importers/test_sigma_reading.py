"""Rules of Sigma are read with their places; what no program says is refused by name, and nothing is a fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from parte.importers.imported import Imported, Options, Refused, importer
from parte.logs.mapping import MappedTemplate, Mapping, Slot, Time
from parte.semantics.events.types import Scalar

HEAD = """\
title: Example
name: example
logsource:
    product: windows
    service: security
detection:
"""
SELECTION = "    sel:\n        EventID: 4625\n    condition: sel\n"
FAILED = HEAD.replace("Example", "Failed").replace("example", "failed") + SELECTION


def read(text: str, folder: Path, options: Options | None = None) -> list[Imported | Refused]:
    file = folder / "rules.yml"
    file.write_text(text, encoding="utf-8")
    return list(importer("sigma")([str(file)], options or Options()))


def refusal(text: str, folder: Path, options: Options | None = None) -> Refused:
    (refused,) = read(text, folder, options)
    assert isinstance(refused, Refused), refused
    return refused


def test_a_rule_becomes_a_program_and_a_mapping(tmp_path: Path) -> None:
    detection = """\
    selection:
        EventID:
            - 4625
            - 529
        user.name|startswith: 'Adm'
    filter:
        - Image|endswith: '\\a.exe'
          Size|gte: 5
        - Address|cidr: 10.0.0.0/8
    condition: selection and not filter
"""
    (imported,) = read(HEAD + detection, tmp_path)
    assert isinstance(imported, Imported)
    assert (imported.name, imported.place.line, imported.place.column) == ("example", 1, 1)
    assert (
        imported.program
        == """\
level 2

// Example
template WindowsSecurity {
    EventID     : String?,
    user_name   : String?,
    Image       : String?,
    Size_number : Float?,
    Address     : String?,
}

rule Example where
    event : WindowsSecurity {
        EventID in ("4625", "529"),
        starts_with(lower(user_name), "adm"),
        not (Image is present and ends_with(lower(Image), "\\\\a.exe") and Size_number is present and Size_number >= 5 \
or (in_network(Address, "10.0.0.0/8")) is present and in_network(Address, "10.0.0.0/8")),
    },
"""
    )
    slots = {name: Slot(Scalar.STRING, name, optional=True) for name in ("EventID", "Image", "Address")}
    slots["user_name"] = Slot(Scalar.STRING, "user.name", optional=True)
    slots["Size_number"] = Slot(Scalar.FLOAT, "Size", optional=True)
    expected = Mapping(Time("timestamp", ("iso", "epoch")), (MappedTemplate("WindowsSecurity", {}, slots),))
    assert imported.mapping == expected


def item(text: str) -> str:
    return f"{HEAD}    sel:\n        {text}\n    condition: sel\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        (f"{HEAD}    sel:\n        - abc\n    condition: sel\n", 8, 11, "keywords are searched in a whole record"),
        (item("'|all': [a, b]"), 8, 9, "keywords are searched in a whole record"),
        (item("k|expand: ['a', '%users%']"), 8, 25, "the placeholder %users%"),
        (item("k|re: 'a(?!b)'"), 8, 9, "invalid"),
        (item("k|re: '\\bcmd'"), 8, 9, "`\\b` has no equal"),
        (item("k|re: 'a^b'"), 8, 9, "`^` stands behind something"),
        (item("k|re: '(a$)?'"), 8, 9, "an anchor is repeated"),
        (item("k|re: '[[:alpha:]]'"), 8, 9, "class with a name"),
        (item("k|re: 'x{,5}'"), 8, 9, "write the first number"),
        (item("k|re: '(.{1000}){3}'"), 8, 9, "invalid repetition size"),
        (item("k|re: '.{500}.{500}.{500}.{501}'"), 8, 9, "more than 2000"),
        (item("k|re: null"), 8, 9, "a regular expression is a text"),
        (item("k|re|startswith: a"), 8, 9, "after `re`"),
        (item("k|lt: 9007199254740992"), 8, 9, "exact below 2^53"),
        (item("k|hour: 5"), 8, 9, "the modifier `hour`"),
        (item("k|near: 5"), 8, 9, "Unknown modifier"),
        (item("k|lt: text"), 8, 9, "incompatible"),
        (item("k: {a: b}"), 8, 9, "Unsupported type"),
        (item('"k\\"": 5'), 8, 9, "no path of a mapping"),
        (item('k: "\\ud800"'), 8, 9, "half of a surrogate pair"),
        (item("k: 5").replace("condition: sel", "condition: sel and other"), 9, 5, "no detection is called 'other'"),
        (item("k: 5").replace("condition: sel", "condition: 1 of x*"), 9, 5, "no detection is called 'x*'"),
        (item("k: 5").replace("condition: sel", "condition: sel | count() > 5"), 9, 5, "pipe syntax"),
        (item("k: 5").replace("condition: sel", "condition: sel sel"), 9, 5, "Expected"),
        (item("k: 5").replace("condition: sel", f"condition: {'(' * 40}sel{')' * 40}"), 9, 5, "brackets inside"),
        (item("k: 5").replace("logsource", "source"), 1, 1, "must have a log source"),
        ("- 1\n", 1, 1, "a rule is a map"),
        ("RuleID: x\nAnalysisType: correlation_rule\n", 2, 1, "looks like a rule of Panther"),
        (item("k: 5") + "action: global\n", 10, 1, "before Sigma 2"),
        ("title: x\nfilter: {rules: any}\n", 2, 1, "filters are not applied"),
        (item("k: 5\n        k: 6"), 9, 9, "the key 'k' stands twice"),
        (item("k: [5"), 9, 14, "no YAML"),
        ("a: \x01", 1, 4, "not allowed in YAML"),
        (item("k: &a [*a]"), 8, 16, "inside its own anchor"),
        (item("k: " + "[" * 70), 8, 73, "inside each other"),
        (item("k: " + "9" * 5_000), 8, 12, "cannot be read"),
        (item("k: .inf"), 8, 9, "Invalid number"),
        (item("k: !!python/name:os.system x"), 8, 12, "the tag"),
    ],
)
def test_what_no_program_says_is_refused_at_its_place(
    text: str, line: int, column: int, reason: str, tmp_path: Path
) -> None:
    refused = refusal(text, tmp_path)
    assert reason in refused.reason
    assert (refused.place.line, refused.place.column) == (line, column)
    assert refused.place.file == str(tmp_path / "rules.yml")
    assert not refused.nearest


def correlated(text: str) -> str:
    return f"title: Outer\ncorrelation:\n    timespan: 1h\n    rules: [failed]\n{text}---\n{FAILED}"


@pytest.mark.parametrize(
    ("text", "line", "column", "reason", "nearest"),
    [
        ("    type: value_median\n    condition: {field: n, gte: 5}\n", 5, 5, "`value_median` has no equal", False),
        ("    type: value_percentile\n    condition: {field: n, percentile: 9, gte: 5}\n", 5, 5, "has no equal", False),
        (
            "    type: value_max\n    condition: {field: n, gte: 5}\n",
            5,
            5,
            "type; the types are event_count",
            False,
        ),
        ("    type: event_count\n", 2, 1, "without condition", False),
        ("    type: event_count\n    condition: {near: 5}\n", 2, 1, "exactly one condition item", False),
        ("    type: value_count\n    condition: {field: [a, b], gte: 5}\n", 6, 17, "combinations of several", False),
        ("    type: temporal\n    condition: failed and not failed\n", 6, 5, "must be absent", False),
        ("    type: temporal\n    condition: {gt: 1}\n", 6, 5, "no number of rules meets", False),
        ("    type: temporal_ordered\n    condition: failed\n", 6, 5, "in which order", False),
        ("    type: temporal_ordered\n    condition: {gte: 0}\n", 6, 5, "in which order", False),
        ("    type: temporal\n    aliases: {who: {other: a}}\n    group-by: [who]\n", 6, 15, "has no field", False),
    ],
)
def test_correlations_that_no_program_says_are_refused_at_their_place(
    text: str, line: int, column: int, reason: str, nearest: bool, tmp_path: Path
) -> None:
    refused = read(correlated(text), tmp_path)[0]
    assert isinstance(refused, Refused)
    assert reason in refused.reason
    assert (refused.place.line, refused.place.column, refused.nearest) == (line, column, nearest)


def test_a_time_in_words_is_refused_on_its_line(tmp_path: Path) -> None:
    refused = read(correlated(COUNT).replace("timespan: 1h", "timespan: 1 hour"), tmp_path)[0]
    assert isinstance(refused, Refused)
    assert "; a time is written as 30s, 10m, 2h or 1d" in refused.reason
    assert (refused.place.line, refused.place.column) == (3, 5)


COUNT = "    type: event_count\n    condition: {gte: 5}\n"


@pytest.mark.parametrize(
    ("timespan", "tumbling", "reason"),
    [("1M", False, "a month has no fixed length"), ("7m", True, "intervals of 7 minutes"), ("2d", True, "2 days")],
)
def test_what_a_program_is_near_to_is_written_with_its_difference(
    timespan: str, tumbling: bool, reason: str, tmp_path: Path
) -> None:
    text = correlated(COUNT).replace("timespan: 1h", f"timespan: {timespan}")
    refused = refusal(text, tmp_path, Options(tumbling=tumbling))
    assert (refused.nearest, refused.place.line, refused.place.column) == (True, 3, 5)
    assert reason in refused.reason
    (imported,) = read(text, tmp_path, Options(nearest=True, tumbling=tumbling))
    assert isinstance(imported, Imported)
    (difference,) = imported.differences
    assert (difference.place, difference.text) == (refused.place, refused.reason)
    assert f"// differs: {difference.text}\n" in imported.program


@pytest.mark.parametrize(
    ("rules", "reason"),
    [("[nobody]", "no rule in the files"), ("[failed, nobody]", "no rule in the files"), ("[outer]", "themselves")],
)
def test_references_are_resolved(rules: str, reason: str, tmp_path: Path) -> None:
    text = correlated(COUNT + "name: outer\n").replace("[failed]", rules)
    refused = [result for result in read(text, tmp_path) if isinstance(result, Refused)]
    assert [result.place.line for result in refused] == [4]
    assert reason in refused[0].reason


def test_a_name_that_two_rules_have_is_refused_and_both_are_rules_of_their_own(tmp_path: Path) -> None:
    first, *rest = read(f"{correlated(COUNT)}---\n{FAILED}", tmp_path)
    assert isinstance(first, Refused)
    assert "more than one rule" in first.reason
    assert [result.name for result in rest] == ["failed", "failed_2"]


def test_a_circle_of_correlations_is_refused(tmp_path: Path) -> None:
    circle = [
        f"title: {name}\nname: {name}\ncorrelation:\n    timespan: 1h\n    rules: [{partner}]\n{COUNT}"
        for name, partner in (("a", "b"), ("b", "a"))
    ]
    both = read("---\n".join(circle), tmp_path)
    assert all(isinstance(result, Refused) and "themselves" in result.reason for result in both)
    assert len(both) == 2


def test_rules_of_a_correlation_are_rules_of_their_own_if_it_generates_them(tmp_path: Path) -> None:
    assert [result.name for result in read(correlated(COUNT), tmp_path)] == ["outer"]
    generated = read(correlated(f"{COUNT}    generate: true\n"), tmp_path)
    assert [result.name for result in generated] == ["outer", "failed"]
    assert all(isinstance(result, Imported) for result in generated)


def test_rules_may_be_in_other_files_and_called_by_their_ids(tmp_path: Path) -> None:
    identity = "53ba33fd-3a50-4468-a5ef-c583635cfa92"
    outer = correlated(COUNT).partition("---")[0].replace("[failed]", identity)
    (tmp_path / "a.yml").write_text(outer, encoding="utf-8")
    (tmp_path / "b.yml").write_text(FAILED.replace("name: failed", f"id: {identity}"), encoding="utf-8")
    (imported,) = importer("sigma")([str(tmp_path / name) for name in ("a.yml", "b.yml")], Options())
    assert isinstance(imported, Imported)
    assert imported.place.file == str(tmp_path / "a.yml")


def test_a_file_that_cannot_be_read_is_refused_and_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_bytes(b"title: \xff")
    (tmp_path / "b.yml").write_text(FAILED, encoding="utf-8")
    names = [str(tmp_path / name) for name in ("missing.yml", "a.yml", "b.yml")]
    read_rules = list(importer("sigma")(names, Options()))
    assert [isinstance(result, Refused) for result in read_rules] == [True, True, False]


def test_a_title_does_not_reach_the_program_as_code(tmp_path: Path) -> None:
    title = '"x\\nrule Evil where e : T\\u2028\\e[31m"'
    (imported,) = read(FAILED.replace("title: Failed", f"title: {title}"), tmp_path)
    assert isinstance(imported, Imported)
    assert imported.program.count("\nrule ") == 1
    assert "\x1b" not in imported.program


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["sel", "k|re", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["sel", "condition", "k", "k|re", "k|cidr", "|all", "type", "rules"]), inner)
    ),
    max_leaves=8,
)
PLACES = (
    *(("title",), ("id",), ("name",), ("logsource",), ("logsource", "product"), ("detection",), ("detection", "sel")),
    *(("detection", "condition"), ("detection", "sel", "k|re"), ("detection", "sel", "k|contains|all")),
    *(("correlation", name) for name in ("type", "rules", "group-by", "timespan", "condition", "aliases", "generate")),
)


@settings(max_examples=60)
@given(st.sampled_from(PLACES), values, st.booleans())
def test_no_value_is_a_fault(
    tmp_path_factory: pytest.TempPathFactory, path: tuple[str, ...], value: Any, both: bool
) -> None:
    """Whatever stands in place of a part of a rule, it is imported, or refused with a place."""
    rule: dict[str, Any] = yaml.safe_load(FAILED)
    outer: dict[str, Any] = yaml.safe_load(correlated(COUNT).partition("---")[0])
    changed = outer if path[0] == "correlation" or both else rule
    *folders, last = path
    for folder in folders:
        changed = changed.setdefault(folder, {})
    changed[last] = value
    text = yaml.safe_dump_all([outer, rule], allow_unicode=True)
    for result in read(text, tmp_path_factory.mktemp("rules"), Options(nearest=True)):
        assert result.place.line >= 1
        assert isinstance(result, Imported) or result.reason
