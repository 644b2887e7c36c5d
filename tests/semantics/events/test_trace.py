"""Reading and writing traces (specification: trace-items, trace-files)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.semantics.events.event import Event, Progress, TraceItem, Value
from parte.semantics.events.problems import SHOWN, TraceError
from parte.semantics.events.trace import MAX_LINE, Trace, load_trace, read_records, read_trace, trace_lines

GOOD = '{"template":"T","timestamp":1}'


def problems(*lines: str) -> list[tuple[int, str]]:
    with pytest.raises(TraceError) as caught:
        read_trace(lines)
    assert all(problem.filename == "trace.jsonl" and problem.hint for problem in caught.value.problems)
    return [(problem.line, problem.message) for problem in caught.value.problems]


def test_an_event_with_everything() -> None:
    line = (
        '{"id":"t1","template":"MoneyTransferred","timestamp":1514793600000,"source":"bank-a",'
        '"attributes":{"id":1,"amount":1.5,"who":"É","ok":true,"list":[1,2]}}'
    )
    (event,) = read_trace([line])
    attributes: dict[str, Value] = {"id": 1, "amount": 1.5, "who": "É", "ok": True, "list": (1, 2)}
    assert event == Event("t1", "MoneyTransferred", 1514793600000, attributes, "bank-a")
    assert event.line == 1


@pytest.mark.parametrize(
    ("lines", "message", "hint"),
    [
        ("[" + GOOD + "," + GOOD + "]", "one JSON array", "jq -c '.[]'"),
        ("\n[\n  " + GOOD + ",\n" + GOOD + "\n]", "one JSON array", "jq -c '.[]'"),
        ('{\n "template": "T",\n "timestamp": 1\n}', "over several lines", "jq -c ."),
        ("id,template,timestamp\n1,T,2", "seems to be CSV", "with the columns as attributes"),
        ('"id";"template"\n1;T\n', "seems to be CSV", "with the columns as attributes"),
        ("id\ttemplate of it\n1\tT\n", "seems to be CSV", "with the columns as attributes"),
    ],
)
@pytest.mark.parametrize("read", [read_trace, read_records])
def test_a_file_that_is_something_else_is_told_once(
    read: Callable[[str], object], lines: str, message: str, hint: str
) -> None:
    with pytest.raises(TraceError) as caught:
        read(lines)
    (problem,) = caught.value.problems
    assert message in problem.message
    assert hint in problem.hint


@pytest.mark.parametrize("line", ["[1]", "nonsense", "1,2", "[]", '{"template": }'])
def test_a_line_that_is_just_wrong_is_told_with_the_others(line: str) -> None:
    with pytest.raises(TraceError) as caught:
        read_trace([line, "also wrong"])
    assert [problem.line for problem in caught.value.problems] == [1, 2]


def test_only_the_first_line_tells_what_a_file_is() -> None:
    with pytest.raises(TraceError, match="not JSON"):
        read_trace([GOOD, "id,template"])


def test_defaults_white_lines_and_line_numbers() -> None:
    trace = read_trace(["\ufeff" + GOOD + "\r\n", " \t\n", "\n", GOOD, '{"template":"T","progress":2}'])
    first, second, progress = trace
    assert (first, first.line) == (Event("e1", "T", 1, {}, "default"), 1)
    assert (second, second.line) == (Event("e4", "T", 1, {}, "default"), 4)
    assert (progress, progress.line) == (Progress("default", "T", 2), 5)
    assert trace.events == (first, second)
    assert trace[1:] == Trace((second, progress))


def test_a_single_string_is_split_into_lines() -> None:
    assert len(read_trace(f"{GOOD}\n{GOOD}\n")) == 2
    assert len(read_trace("")) == 0


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00Z", 0),
        ("2018-01-01 08:00:00Z", 1514793600000),
        ("2018-01-01T09:00:00+01:00", 1514793600000),
        ("2018-01-01T03:30:00-0430", 1514793600000),
        ("2018-01-01T08:00:00.250Z", 1514793600250),
        ("2018-01-01T08:00:00.25Z", 1514793600250),
        ("2018-01-01T08:00:00.250000Z", 1514793600250),
        ("1969-12-31T23:59:59.999Z", -1),
        ("0001-01-01T00:00:00+14:00", -62135647200000),
        ("9999-12-31T23:59:59.999-14:00", 253402351199999),
    ],
)
def test_iso_timestamps(text: str, milliseconds: int) -> None:
    event, progress = read_trace(
        [json.dumps({"template": "T", "timestamp": text}), json.dumps({"template": "U", "progress": text})]
    )
    assert (event.timestamp, progress.timestamp) == (milliseconds, milliseconds)


@pytest.mark.parametrize(
    ("timestamp", "fragment"),
    [
        ('"2018-01-01T08:00:00"', "has no offset"),
        ('"2018-01-01T08:00:00.2501Z"', "finer than a millisecond"),
        ('"2018-01-01T08:00:00.0000001Z"', "finer than a millisecond"),
        ('"2018-02-30T08:00:00Z"', "expected a timestamp"),
        ('"2018-01-01T24:00:01Z"', "expected a timestamp"),
        ('"2018-01-01"', "expected a timestamp"),
        ('"2018-01-01T08:00:00+25:00"', "its offset must lie between -23:59 and +23:59"),
        ('"2018-01-01T08:00:00+0160"', "its offset must lie between -23:59 and +23:59"),
        ('"٢٠١٨-01-01T08:00:00Z"', "expected a timestamp"),
        ('"yesterday"', 'found the string "yesterday"'),
        ('"1514793600000"', "expected a timestamp"),
        ("1.0", "found the number 1.0"),
        ("true", "found the Boolean true"),
        ("null", "found null"),
        ("[1]", "found a list of 1"),
        ("9223372036854775808", "outside the signed 64-bit range"),
        ("-9223372036854775809", "outside the signed 64-bit range"),
    ],
)
def test_bad_timestamps(timestamp: str, fragment: str) -> None:
    for key in ("timestamp", "progress"):
        ((line, message),) = problems(GOOD, f'{{"template":"T","{key}":{timestamp}}}')
        assert line == 2
        assert message.startswith(f'"{key}": ')
        assert fragment in message


@pytest.mark.parametrize("limit", [2**63 - 1, -(2**63)])
def test_the_ends_of_the_64_bit_range(limit: int) -> None:
    (event,) = read_trace([json.dumps({"template": "T", "timestamp": limit, "attributes": {"a": limit, "l": [limit]}})])
    assert isinstance(event, Event)
    assert (event.timestamp, event.attributes) == (limit, {"a": limit, "l": (limit,)})


MALFORMED = [
    ("{", "not JSON: Expecting property name"),
    ("template", "not JSON: Expecting value at column 1"),
    (GOOD + GOOD, "not JSON: Extra data"),
    ("{'template':'T'}", "not JSON"),
    ('{"template":"T","timestamp":1,}', "not JSON"),
    ('{1:"T"}', "not JSON: Expecting property name"),
    ('{"template":"a\tb","timestamp":1}', "not JSON: Invalid control character"),
    ("[]", "expected a JSON object, found a list of 0"),
    ("3", "expected a JSON object, found the integer 3"),
    ("null", "expected a JSON object, found null"),
    ('{"template":"T","timestamp":1,"timestamp":2}', 'the key "timestamp" stands twice'),
    ('{"template":"T","timestamp":1,"attributes":{"a":1,"a":1}}', 'the key "a" stands twice'),
    ('{"template":"T","timestamp":1,"colour":3}', 'an event has no key "colour"'),
    ('{"template":"T","timestamp":1,"progress":3}', 'a progress line has no key "timestamp"'),
    ('{"template":"T","progress":3,"attributes":{}}', 'a progress line has no key "attributes"'),
    ('{"timestamp":1}', 'the key "template" is missing'),
    ('{"template":"T"}', 'the key "timestamp" is missing'),
    ('{"progress":1}', 'the key "template" is missing'),
    ('{"template":"","timestamp":1}', '"template": expected a string that is not empty'),
    ('{"template":7,"timestamp":1}', '"template": expected a string that is not empty, found the integer 7'),
    ('{"id":"","template":"T","timestamp":1}', '"id": expected a string that is not empty'),
    ('{"id":5,"template":"T","timestamp":1}', '"id": expected a string that is not empty, found the integer 5'),
    ('{"id":null,"template":"T","timestamp":1}', '"id": expected a string that is not empty, found null'),
    ('{"source":"","template":"T","timestamp":1}', '"source": expected a string that is not empty'),
    ('{"source":"rule:R#1","template":"T","timestamp":1}', 'the source "rule:R#1" begins with "rule:"'),
    ('{"source":"rule:R#1","template":"T","progress":1}', 'the source "rule:R#1" begins with "rule:"'),
    ('{"template":"T","timestamp":1,"attributes":[]}', '"attributes": expected an object, found a list of 0'),
    ('{"template":"T","timestamp":1,"attributes":null}', '"attributes": expected an object, found null'),
    ('{"template":"T","timestamp":1,"attributes":{"a":null}}', 'attribute "a": found null'),
    ('{"template":"T","timestamp":1,"attributes":{"a":{}}}', 'attribute "a": found an object'),
    ('{"template":"T","timestamp":1,"attributes":{"a":[[1]]}}', 'in the list of attribute "a": found a list of 1'),
    ('{"template":"T","timestamp":1,"attributes":{"a":[1,null]}}', 'in the list of attribute "a": found null'),
    ('{"template":"T","timestamp":1,"attributes":{"a":[{}]}}', 'in the list of attribute "a": found an object'),
    ('{"template":"T","timestamp":1,"attributes":{"a":NaN}}', "NaN is not a JSON number"),
    ('{"template":"T","timestamp":1,"attributes":{"a":-Infinity}}', "-Infinity is not a JSON number"),
    ('{"template":"T","timestamp":Infinity}', "Infinity is not a JSON number"),
    ('{"template":"T","timestamp":1,"attributes":{"a":1e999}}', "beyond the finite binary64 numbers"),
    ('{"template":"T","timestamp":1,"attributes":{"a":[-1e999]}}', "beyond the finite binary64 numbers"),
    ('{"template":"T","timestamp":1,"attributes":{"a":9223372036854775808}}', "outside the signed 64-bit range"),
    ('{"template":"T","timestamp":1,"attributes":{"a":[-9223372036854775809]}}', "outside the signed 64-bit range"),
    ('{"template":"T","timestamp":' + "9" * 5000 + "}", "outside the signed 64-bit range"),
    ('{"template":"\\ud800","timestamp":1}', "half a surrogate pair"),
    ('{"template":"T","timestamp":1,"attributes":{"\\udfff":1}}', "half a surrogate pair"),
    ('{"template":"\udcff","timestamp":1}', "not UTF-8: there is a byte 0xff"),
    ("[" * 200_000, "nests too deeply"),
    ('{"a":' * 100_000, "nests too deeply"),
    (" " * MAX_LINE + "x", f"longer than {MAX_LINE} characters"),
]


# Numbered, because some of the lines are a megabyte long.
@pytest.mark.parametrize(("line", "fragment"), MALFORMED, ids=[str(number) for number in range(len(MALFORMED))])
def test_malformed_lines(line: str, fragment: str) -> None:
    ((number, message),) = problems(GOOD, "", line, GOOD)
    assert number == 3
    assert fragment in message


@pytest.mark.parametrize("depth", [300, 900, 950, 980, 990, 995, 1000, 1100, 3000, 50_000])
@pytest.mark.parametrize("text", ["a", "\\u0041", "é"])
def test_no_depth_of_nesting_escapes(depth: int, text: str) -> None:
    nested = "[" * depth + f'"{text}"' + "]" * depth
    ((line, _),) = problems(GOOD, f'{{"template":"T","timestamp":1,"attributes":{{"a":{nested}}}}}')
    assert line == 2


def test_the_key_that_stands_twice_is_found_in_linear_time() -> None:
    # Comparing each key with all before it would take minutes here.
    keys = ",".join(f'"{number}":1' for number in range(80_000))
    ((_, message),) = problems(f'{{{keys},"79999":1}}')
    assert message == 'the key "79999" stands twice in one object'


def test_an_escaped_surrogate_pair_is_text() -> None:
    (event,) = read_trace(['{"template":"\\ud83d\\ude00","timestamp":1}'])
    assert event.template == "😀"


def test_every_problem_is_reported_in_order() -> None:
    reported = problems('{"id":"","template":3,"x":1}', GOOD, "oops", '{"template":"T","timestamp":"now"}')
    assert [line for line, _ in reported] == [1, 1, 1, 1, 3, 4]


def test_an_id_used_twice_names_both_lines() -> None:
    event = '{"id":"a","template":"T","timestamp":1}'
    assert problems(event, GOOD, event) == [(3, 'the event id "a" is used on line 1 already')]
    # also when one of the two is a default
    assert problems(GOOD, '{"id":"e1","template":"T","timestamp":1}') == [
        (2, 'the event id "e1" is used on line 1 already')
    ]


def test_what_is_shown_is_bounded() -> None:
    lines = [json.dumps({"template": "T", "timestamp": 1, f"k{number}": 1}) for number in range(SHOWN + 5)]
    with pytest.raises(TraceError) as caught:
        read_trace(lines, filename="big.jsonl")
    assert len(caught.value.problems) == SHOWN + 5
    text = str(caught.value)
    assert text.count("has no key") == SHOWN
    assert text.startswith('big.jsonl:1: an event has no key "k0"\n  hint: ')
    assert text.endswith("and 5 more")


def messages_of(*lines: object) -> list[str]:
    """What is said of lines, without hints."""
    with pytest.raises(TraceError) as caught:
        read_trace([json.dumps(line) for line in lines])
    return [line for line in str(caught.value).splitlines() if "hint: " not in line]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"room": "x", "n": 1}, 'an event has no keys "room" and "n"'),
        (
            {"timestamp": "2026-05-04T06:00:00"},
            '"timestamp": expected a timestamp, found the string "2026-05-04T06:00:00"',
        ),
        ({"timestamp": 2.5}, '"timestamp": expected a timestamp, found the number 2.5'),
        ({"attributes": {"a": None}}, 'attribute "a": found null'),
    ],
)
def test_the_same_mistake_on_other_lines_is_counted(change: dict[str, object], message: str) -> None:
    event = {"template": "T", "timestamp": 1}
    others = [change | {"timestamp": "2027-01-01T00:00:00"} if type(change.get("timestamp")) is str else change]
    first, second = messages_of(event | change, event, event | others[0])
    assert first.startswith(f"trace.jsonl:1: {message}")
    assert second == "  and 1 more of these, on line 3"


def test_other_mistakes_are_told_apart() -> None:
    event = {"template": "T", "timestamp": 1}
    assert messages_of(event | {"a": 1}, event | {"b": 1}, {**event, "attributes": 1}, {**event, "attributes": 2}) == [
        'trace.jsonl:1: an event has no key "a"',
        'trace.jsonl:2: an event has no key "b"',
        'trace.jsonl:3: "attributes": expected an object, found the integer 1',
        "  and 1 more of these, on line 4",
    ]


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ({"template": "T", "timestamp": 1, "room": "x"}, "what else it has stands in an object under attributes"),
        ({"template": "T", "timestmp": 1}, 'did you mean "timestamp"?'),
        ({"template": "T", "timestamp": 1, "atributes": {}}, 'did you mean "attributes"?'),
        ({"template": "T", "progres": 1}, "what else it has stands"),
    ],
)
def test_what_a_key_too_many_may_mean(line: object, hint: str) -> None:
    with pytest.raises(TraceError) as caught:
        read_trace(json.dumps(line))
    assert hint in str(caught.value)


def test_a_long_value_is_cut_in_the_message() -> None:
    ((_, message),) = problems(json.dumps({"template": "T", "timestamp": "x" * 10_000}))
    assert len(message) < 200


def test_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    # U+2028 and U+0085 end a line for str.splitlines, but they may stand inside a JSON string.
    path.write_bytes(("\ufeff" + GOOD + '\r\n\n{"template":"T\u2028\u0085","timestamp":1}').encode())
    trace = load_trace(path)
    assert [(item.template, item.line) for item in trace] == [("T", 1), ("T\u2028\u0085", 3)]
    assert trace.filename == "some.jsonl"


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    path.write_bytes(GOOD.encode() + b'\n{"template":"\xe9","timestamp":1}\n' + b"x" * (3 * MAX_LINE) + b"\nx\n")
    with pytest.raises(TraceError) as caught:
        load_trace(path)
    assert [(problem.line, problem.message.split(":")[0]) for problem in caught.value.problems] == [
        (2, "not UTF-8"),
        (3, f"the line is longer than {MAX_LINE} characters"),
        (4, "not JSON"),
    ]


# --- Properties ------------------------------------------------------------------------------------------------------

integers = st.integers(-(2**63), 2**63 - 1)
names = st.text(min_size=1).filter(lambda text: not text.startswith("rule:"))
scalars = st.one_of(integers, st.floats(allow_nan=False, allow_infinity=False), st.text(), st.booleans())
values = st.one_of(scalars, st.lists(scalars, max_size=4).map(tuple))
items: st.SearchStrategy[list[TraceItem]] = st.lists(
    st.one_of(
        st.builds(Event, names, names, integers, st.dictionaries(st.text(), values, max_size=4), names),
        st.builds(Progress, names, names, integers),
    ),
    unique_by=lambda item: item.id if isinstance(item, Event) else id(item),
)


@given(items)
def test_what_is_written_is_read_back(written: list[TraceItem]) -> None:
    read = read_trace(trace_lines(written))
    assert list(read) == written
    assert list(trace_lines(read)) == list(trace_lines(written))  # 1, 1.0 and true are equal, but not written alike
    assert [item.line for item in read] == list(range(1, len(written) + 1))


@given(st.lists(st.one_of(st.text(), st.from_regex(r'\{("(id|template|timestamp|progress)":("a"|1|null),?)*\}'))))
def test_any_text_is_read_or_refused(lines: list[str]) -> None:
    try:
        numbers = [item.line for item in read_trace(lines)]
    except TraceError as error:
        numbers = [problem.line for problem in error.problems]
    assert numbers == sorted(numbers)
    assert set(numbers) <= set(range(1, len(lines) + 1))
