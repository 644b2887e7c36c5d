"""Domain predicates (specification: domain-supplied)."""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from parte.semantics.events.domain import Domain, DomainTable, bind_domain, load_domain, read_domain
from parte.semantics.events.files import UnusableFile
from parte.semantics.events.installation import install_command
from parte.semantics.events.problems import DomainError
from tests.semantics.events.programs import PROGRAM

LARGE: dict[str, Any] = {"large": {"true_for": [[1, 2, True]]}}
UNCOMMON: dict[str, Any] = {"uncommon": {"false_for": [["E", "F"]]}}


def bound(document: dict[str, Any], directory: Path | None = None) -> dict[str, Callable[..., bool]]:
    return bind_domain(PROGRAM, read_domain(json.dumps(document), directory=directory))


def problems(call: Callable[[], object]) -> list[tuple[str, int, str]]:
    with pytest.raises(DomainError) as caught:
        call()
    return [(problem.filename, problem.line, problem.message) for problem in caught.value.problems]


def test_tables_in_the_domain_file() -> None:
    predicates = bound(UNCOMMON | LARGE)
    assert predicates["uncommon"]("F", "E") is True
    assert predicates["uncommon"]("E", "F") is False
    assert predicates["large"](1.0, 2, True) is True
    assert predicates["large"](1.0, 2, False) is False
    assert predicates["large"] == DomainTable(frozenset({(1.0, 2, True)}), True)


def test_integers_become_floats_and_the_two_zeros_are_one() -> None:
    table = bound(UNCOMMON | {"large": {"true_for": [[9007199254740993, 1, True], [-0.0, 1, True]]}})["large"]
    assert table(9007199254740992.0, 1, True) is True
    assert table(0.0, 1, True) is True
    assert isinstance(table, DomainTable)
    assert all(type(row[0]) is float for row in table.rows)


def test_an_empty_table_is_constant() -> None:
    predicates = bound({"uncommon": {"false_for": []}, "large": {"true_for": []}})
    assert predicates["uncommon"]("a", "b") is True
    assert predicates["large"](1.0, 1, True) is False


def test_parsed_json_is_taken_too() -> None:
    assert bind_domain(PROGRAM, read_domain(UNCOMMON | LARGE))["uncommon"]("E", "F") is False


@pytest.mark.parametrize(
    ("document", "fragment"),
    [
        ("{", "not JSON"),
        ("[]", "expected an object with the predicates, found a list of 0"),
        ('{"p":{},"p":{}}', 'the key "p" stands twice'),
        ('{"p":[]}', "predicate p: expected an object, found a list of 0"),
        ('{"p":{}}', 'expected exactly one of "true_for" and "false_for", found neither'),
        ('{"p":{"true_for":[],"false_for":[]}}', 'exactly one of "true_for" and "false_for", found "true_for", "false'),
        ('{"p":{"yes":[]}}', 'found "yes"'),
        ('{"p":{"true_for":3}}', "expected a list of rows, found the integer 3"),
        ('{"p":{"true_for":[["a"],"b"]}}', 'row 2: expected a list of arguments, found the string "b"'),
        ('{"p":{"true_for":"rows.csv"}}', "no directory to look in"),
        ('{"p":{"true_for":[["\\ud800"]]}}', "half a surrogate pair"),
        ('{"p":{"true_for":[[NaN]]}}', "NaN is not a JSON number"),
    ],
)
def test_malformed_domain_files(document: str, fragment: str) -> None:
    ((filename, _, message),) = problems(lambda: read_domain(document))
    assert filename == "domain.json"
    assert fragment in message


def test_the_line_of_a_syntax_error() -> None:
    assert [line for _, line, _ in problems(lambda: read_domain('{\n"p": oops}'))] == [2]


@pytest.mark.parametrize(
    ("rows", "fragment"),
    [
        ([[1.0, 2]], "predicate large, row 1: expected 3 values, found 2"),
        ([[1.0, 2, True], ["1", 2, True]], "predicate large, row 2, value 1: expected Float, found the string"),
        ([[1.0, 2.0, True]], "value 2: expected Integer, found the number 2.0"),
        ([[1.0, 2, 1]], "value 3: expected Boolean, found the integer 1"),
        ([[1e999, 2, True]], "value 1: expected a finite Float"),
        ([[1.0, 2**63, True]], "outside the signed 64-bit range"),
        ([[1.0, None, True]], "value 2: expected Integer, found null"),
        ([[1.0, [2], True]], "value 2: expected Integer, found a list of 1"),
    ],
)
def test_rows_that_do_not_fit(rows: list[list[object]], fragment: str) -> None:
    domain = read_domain(UNCOMMON | {"large": {"true_for": rows}})
    ((_, _, message),) = problems(lambda: bind_domain(PROGRAM, domain))
    assert fragment in message


def test_every_problem_is_reported() -> None:
    domain = read_domain({"uncomon": {"true_for": []}, "large": {"true_for": [[1], ["a", 1, True]]}})
    with pytest.raises(DomainError) as caught:
        bind_domain(PROGRAM, domain)
    first, second, third, fourth = caught.value.problems
    assert first.message == "predicate uncomon is supplied, but the program does not declare it"
    assert first.hint == "did you mean uncommon?"
    assert (
        "predicate uncommon(String, String) is declared by the program, but no relation is supplied" in second.message
    )
    assert "row 1" in third.message
    assert "row 2, value 1" in fourth.message


# --- Python callables ------------------------------------------------------------------------------------------------


def test_callables_pass_through() -> None:
    domain: Domain = {
        "uncommon": lambda a, b: a != b,
        "large": DomainTable(frozenset({(1, 2, True)}), member_means=False),
    }
    predicates = bind_domain(PROGRAM, domain)
    assert predicates["uncommon"]("a", "b") is True
    assert predicates["uncommon"]("a", "a") is False
    assert predicates["large"](1.0, 2, True) is False


def test_a_callable_must_answer_with_a_bool() -> None:
    careless: Any = {"uncommon": lambda _a, _b: 1, "large": lambda *_: True}
    predicates = bind_domain(PROGRAM, careless)
    ((_, _, message),) = problems(lambda: predicates["uncommon"]("a", "b"))
    assert message == "predicate uncommon('a', 'b'): expected a bool, found the integer 1"


def test_something_else_is_refused() -> None:
    domain: Any = {"uncommon": {("E", "F")}, "large": lambda *_: True}
    ((_, _, message),) = problems(lambda: bind_domain(PROGRAM, domain))
    assert message == "predicate uncommon: expected a table or a callable, found a Python value of type set"


# --- Tables in files -------------------------------------------------------------------------------------------------


def with_table(directory: Path, name: str, predicate: str = "large") -> dict[str, Callable[..., bool]]:
    document = UNCOMMON | LARGE | {predicate: {"true_for": name}}
    (directory / "domain.json").write_text(json.dumps(document), encoding="utf-8")
    return bind_domain(PROGRAM, load_domain(directory / "domain.json"))


def test_csv(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_bytes("\ufeffamount,count,flag\r\n1,2,true\n\n-1.5e3,+3,FALSE\n".encode())
    large = with_table(tmp_path, "rows.csv")["large"]
    assert isinstance(large, DomainTable)
    assert large.rows == {(1.0, 2, True), (-1500.0, 3, False)}
    (tmp_path / "routes.csv").write_text('from,to\n"a, b",\n1,2\n', encoding="utf-8")
    uncommon = with_table(tmp_path, "routes.csv", "uncommon")["uncommon"]
    assert isinstance(uncommon, DomainTable)
    assert uncommon.rows == {("a, b", ""), ("1", "2")}


@pytest.mark.parametrize(
    ("text", "line", "fragment"),
    [
        ("", 1, "expected a header row, found none"),
        ("a,b,c\n1,2\n", 2, "expected 3 values as in the header, found 2"),
        ("a,b\n", 0, "expected 3 columns, found 2"),
        ("a,b\n1,2\n", 0, "expected 3 columns, found 2"),
        ("a,b,c\n1,2,true\n1,2.0,true\n", 3, 'value 2: expected Integer, found the string "2.0"'),
        ("a,b,c\n1_0,2,true\n", 2, 'value 1: expected Float, found the string "1_0"'),
        ("a,b,c\ninf,2,true\n", 2, 'value 1: expected Float, found the string "inf"'),
        ("a,b,c\n1e999,2,true\n", 2, "value 1: expected a finite Float"),
        ("a,b,c\n1,9223372036854775808,true\n", 2, "outside the signed 64-bit range"),
        ("a,b,c\n1,2,yes\n", 2, 'value 3: expected Boolean, found the string "yes"'),
        ('a,b,c\n1,2,"true\n', 2, "not CSV"),
    ],
)
def test_bad_csv(tmp_path: Path, text: str, line: int, fragment: str) -> None:
    (tmp_path / "rows.csv").write_text(text, encoding="utf-8")
    ((filename, reported, message),) = problems(lambda: with_table(tmp_path, "rows.csv"))
    assert (filename, reported) == ("rows.csv", line)
    assert fragment in message


def test_json_tables(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "rows.json").write_text("[[1, 2, true]]", encoding="utf-8")
    assert with_table(tmp_path, "below/rows.json")["large"](1.0, 2, True) is True
    (tmp_path / "bad.json").write_text("[\n[1, 2, tru]]", encoding="utf-8")
    ((filename, line, message),) = problems(lambda: with_table(tmp_path, "bad.json"))
    assert (filename, line) == ("bad.json", 2)
    assert "not JSON" in message


def test_parquet(tmp_path: Path) -> None:
    table = pyarrow.table({"amount": [1.0, 2.5], "count": [2, 3], "flag": [True, False]})
    pyarrow.parquet.write_table(table, tmp_path / "rows.parquet")
    large = with_table(tmp_path, "rows.parquet")["large"]
    assert isinstance(large, DomainTable)
    assert large.rows == {(1.0, 2, True), (2.5, 3, False)}


def test_bad_parquet(tmp_path: Path) -> None:
    table = pyarrow.table({"amount": [1.0], "count": [None], "flag": ["x"]})
    pyarrow.parquet.write_table(table, tmp_path / "rows.parquet")
    assert [message for _, _, message in problems(lambda: with_table(tmp_path, "rows.parquet"))] == [
        "predicate large, row 1, value 2: expected Integer, found null",
        'predicate large, row 1, value 3: expected Boolean, found the string "x"',
    ]
    (tmp_path / "rows.parquet").write_bytes(b"not parquet")
    ((filename, _, message),) = problems(lambda: with_table(tmp_path, "rows.parquet"))
    assert filename == "rows.parquet"
    assert "not a Parquet file" in message


@pytest.mark.parametrize("type_", [pyarrow.date32(), pyarrow.timestamp("us"), pyarrow.duration("s")])
def test_parquet_of_types_that_no_value_has(tmp_path: Path, type_: Any) -> None:
    """Also beyond what Python can say of them."""
    times = pyarrow.array([2**31 - 1 if type_ == pyarrow.date32() else 2**62], type_)
    pyarrow.parquet.write_table(pyarrow.table({"x": times}), tmp_path / "rows.parquet")
    assert [message for _, _, message in problems(lambda: with_table(tmp_path, "rows.parquet"))] == [
        f'predicate large: the column "x" is of type {type_}'
    ]


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *arguments: Any, **named: Any) -> Any:
        if name.split(".")[0] == "pyarrow":
            raise ImportError(name)
        return real(name, *arguments, **named)

    (tmp_path / "rows.parquet").touch()
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(DomainError, match="needs pyarrow, which is not installed") as caught:
        with_table(tmp_path, "rows.parquet")
    assert install_command("parquet") in caught.value.problems[0].hint


@pytest.mark.parametrize(
    ("name", "fragment"),
    [
        ("none.csv", "cannot be read: No such file"),
        ("../rows.csv", "lies outside the directory"),
        ("/etc/rows.csv", "lies outside the directory"),
        ("link.csv", "lies outside the directory"),
        ("rows.txt", "is of an unknown kind"),
        ("", "is of an unknown kind"),
        ("a\0b.csv", "is not usable"),
        ("directory.csv", "cannot be read"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, name: str, fragment: str) -> None:
    inside = tmp_path / "domain"
    inside.mkdir()
    (inside / "directory.csv").mkdir()
    (tmp_path / "rows.csv").write_text("a,b,c\n", encoding="utf-8")
    (inside / "link.csv").symlink_to(tmp_path / "rows.csv")
    ((filename, _, message),) = problems(lambda: with_table(inside, name))
    assert filename == "domain.json"
    assert fragment in message


def test_files_that_are_not_utf_8(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_bytes(b"a,b\n\xff,x\n")
    ((filename, line, message),) = problems(lambda: with_table(tmp_path, "rows.csv"))
    assert (filename, line, "not UTF-8" in message) == ("rows.csv", 2, True)
    (tmp_path / "domain.json").write_bytes(b'{"p\xff": {}}')
    with pytest.raises(UnusableFile, match=r"domain.json: line 1, column 4: byte 0xff is not UTF-8 text"):
        load_domain(tmp_path / "domain.json")
