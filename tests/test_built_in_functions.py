"""A row in the table of built-in functions, seen by every reader of programs: it takes the row, or refuses it by name.

One row is `spread`, the greatest minus the least of two numbers, one `last`, by which `at` combines timestamps.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pytest

import parte
from parte.algebra.partelang import expressions as algebra
from parte.algebra.partelang import relational, values
from parte.algebra.partelang.relational import expressions as sql
from parte.checker.partelang import encoding
from parte.checker.partelang.check import check
from parte.conformance.engines.registry import engine_called, foreign
from parte.conformance.partelang.engines.clips import expressions as clips
from parte.conformance.partelang.engines.polars import expressions as polars
from parte.conformance.partelang.engines.sqlite import expressions as sqlite
from parte.conformance.partelang.engines.table import ENGINES
from parte.conformance.protocol import Accepted, Found, Load, Unsupported
from parte.semantics.events.event import Event
from parte.semantics.events.types import Scalar
from parte.semantics.partelang import expressions as machine
from parte.semantics.partelang import kernel
from parte.semantics.partelang.syntax.functions import BUILT_IN, Function, of_clocks
from parte.semantics.partelang.syntax.implementations import Implementations, MissingFunction
from parte.semantics.rulebook.running import UnsupportedRun
from parte.semantics.source.packages import Unavailable

PACKAGE = Path(parte.__file__).parent
ROWS = (
    Function("spread", 2, 2, "promoted", clause="function-arguments"),
    Function("last", 1, None, "promoted", clause="function-arguments", of_timestamps=True),
)
PROGRAM = """template A {{ k : Integer }}
template B {{ k : Integer }}
rule R where a : A {{ spread(k, 3) = {value} }} then emit B at a.timestamp with {{ k = spread(a.k, 10) }}"""
AT = """template A {} template B {}
rule R where a : A, b : A when b in a [1 ms, 9 ms] then emit B at last(a.timestamp, b.timestamp)"""
TRACE = [Event(f"e{k}", "A", k, {"k": k}, "s") for k in (1, 7, 10)]
SPREAD: dict[Implementations[Any], object] = {
    machine.FUNCTIONS: lambda left, right: abs(left - right),
    values.FUNCTIONS: dict.fromkeys((Scalar.INTEGER, Scalar.FLOAT), lambda *both: max(both) - min(both)),
    sql.FUNCTIONS: lambda operations, terms, of: operations.arithmetic(
        "-", operations.extreme(">=", terms), operations.extreme("<=", terms), of
    ),
    encoding.FUNCTIONS: lambda encoded, operands, of: encoded._operation(
        "-", encoded._greatest(operands, of), encoded._least(operands, of), of
    ),
    sqlite.FUNCTIONS: lambda operands: f"abs({operands[0]} - {operands[1]})",
    polars.FUNCTIONS: lambda operands: (operands[0] - operands[1]).abs(),
    clips.FUNCTIONS: lambda operands: f"(abs (- {operands[0]} {operands[1]}))",
}
LAST: dict[Implementations[Any], object] = {
    machine.COMBINATIONS: kernel.latest,
    algebra.TIMESTAMP_FUNCTIONS: lambda *timestamps: max(timestamps),
    sql.TIMESTAMP_FUNCTIONS: lambda operations, terms: operations.extreme(">=", terms),
}
"""Entries for the rows, by table."""


def _trees(word: str) -> Iterator[tuple[str, ast.Module]]:
    """The modules with a word."""
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(("parte", *path.relative_to(PACKAGE).with_suffix("").parts))
        if word in (text := path.read_text(encoding="utf-8")):
            yield name, ast.parse(text)


def _called(node: ast.AST | None, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _tables() -> Iterator[str]:
    for module, tree in _trees(Implementations.__name__):
        for node in tree.body:
            if isinstance(node, ast.AnnAssign) and _called(node.value, Implementations.__name__):
                yield f"{module}:{ast.unparse(node.target)}"


TABLES = tuple(_tables())


@contextmanager
def _durable() -> Iterator[None]:
    """durable_rules, or a module in its place: its tables are read here, its rules are not run."""
    if find_spec("durable") is not None:
        yield
        return
    stand_in = ModuleType("durable.lang")
    for name in ("avalue", "c", "m", "value"):
        setattr(stand_in, name, object)
    before = set(sys.modules)
    sys.modules |= {"durable": ModuleType("durable"), "durable.lang": stand_in}
    try:
        yield
    finally:
        for name in set(sys.modules) - before:
            if "durable" in name.split("."):
                del sys.modules[name]


def _table(place: str) -> Implementations[Any]:
    module, name = place.split(":")
    with _durable():
        table: Implementations[Any] = getattr(import_module(module), name)
    return table


@pytest.fixture(autouse=True)
def rows(monkeypatch: pytest.MonkeyPatch) -> None:
    for row in ROWS:
        monkeypatch.setitem(BUILT_IN, row.name, row)


@pytest.fixture
def entries(monkeypatch: pytest.MonkeyPatch) -> None:
    """The entries of the readers that support the rows."""
    for name, supporting in (("spread", SPREAD), ("last", LAST)):
        for table, entry in supporting.items():
            monkeypatch.setitem(cast(dict[str, object], table.entries), name, entry)


# --- The tables -----------------------------------------------------------------------------------------------------


def test_the_tables_are_found() -> None:
    areas = {tuple(place.split(":")[0].split(".")[1:3]) for place in TABLES}
    assert areas >= {("semantics", "partelang"), ("algebra", "partelang"), ("checker", "partelang")}
    assert len(TABLES) > 15


@pytest.mark.parametrize("place", TABLES)
def test_a_table_refuses_by_name_a_function_without_an_entry(place: str) -> None:
    table = _table(place)
    for row in ROWS:
        assert row.name not in table
        with pytest.raises((Unavailable, UnsupportedRun, ValueError), match=row.name):
            table[row.name]


@pytest.mark.parametrize("place", TABLES)
def test_a_table_has_entries_for_built_in_functions_only(place: str) -> None:
    table = _table(place)
    rows_of = {name for name, row in BUILT_IN.items() if row.of_timestamps or not table.of_timestamps}
    assert set(table.entries) <= rows_of - {row.name for row in ROWS}


@pytest.mark.parametrize(
    "table", [machine.FUNCTIONS, values.FUNCTIONS, machine.COMBINATIONS, algebra.TIMESTAMP_FUNCTIONS]
)
def test_the_evaluators_have_every_function(table: Implementations[Any]) -> None:
    every = {name for name, row in BUILT_IN.items() if row.of_timestamps or not table.of_timestamps}
    every -= set(of_clocks())  # nodes of their own in the tree (core.ClockReading)
    assert set(table.entries) == every - {row.name for row in ROWS}


def test_nobody_else_knows_a_function_by_name() -> None:
    """Strings that are names of functions stand in the table of rows and in tables of entries."""
    places = set()
    for module, tree in _trees("abs"):
        allowed = {
            id(part)
            for node in ast.walk(tree)
            if _called(node, Implementations.__name__) or _called(node, Function.__name__)
            for part in ast.walk(node)
        }
        for node in ast.walk(tree):
            # `avg` is an aggregate too.
            if isinstance(node, ast.Constant) and node.value == "abs" and id(node) not in allowed:
                places.add(module)
    assert places == set()


# --- The readers, with the rows alone -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("sound", "the machine cannot evaluate the function spread"),
        ("published", "the machine cannot evaluate the function spread"),
        ("algebra", "the algebra cannot evaluate the function spread"),
        ("indexed", "the algebra cannot evaluate the function spread"),
        ("duckdb", "function spread has no translation to SQL"),
    ],
)
def test_a_model_without_an_entry_names_the_function(model: str, message: str) -> None:
    program = parte.parse(PROGRAM.format(value=4))
    with pytest.raises((Unavailable, ValueError), match=message):
        list(parte.run(program, TRACE, model=model))
    reply = _reply(ENGINES[model].make(), PROGRAM.format(value=4))
    assert isinstance(reply, Unsupported)
    assert message in reply.reason


def _reply(engine: Any, text: str) -> Any:
    reply = engine.load(Load(text, {}))
    if not isinstance(reply, Accepted):
        return reply
    attributes = "k : Integer" in text
    return engine.run(
        [
            {
                "id": event.id,
                "template": "A",
                "timestamp": event.timestamp,
                "attributes": dict(event.attributes) if attributes else {},
            }
            for event in TRACE
        ]
    )


def _installed() -> Iterator[str]:
    for name in foreign(ENGINES):
        try:
            engine_called(ENGINES, name)
        except Unavailable:  # its tables are tested above
            continue
        yield name


@pytest.mark.parametrize("engine", list(_installed()))
@pytest.mark.parametrize(("text", "function"), [(PROGRAM.format(value=4), "spread"), (AT, "last")])
def test_a_foreign_engine_names_the_function(engine: str, text: str, function: str) -> None:
    reply = _reply(engine_called(ENGINES, engine), text)
    assert isinstance(reply, Unsupported)
    assert f"function {function}" in reply.reason


@pytest.mark.parametrize("model", ["sound", "algebra", "indexed", "duckdb"])
def test_a_function_of_timestamps_is_named(model: str) -> None:
    with pytest.raises((Unavailable, ValueError), match="function last"):
        list(parte.run(parte.parse(AT), [Event("e", "A", 1, {}, "s"), Event("f", "A", 2, {}, "s")], model=model))


def test_sql_is_refused_for_spark_as_for_duckdb() -> None:
    with pytest.raises(relational.Unsupported, match="function spread has no translation to SQL"):
        relational.explain(parte.parse(PROGRAM.format(value=4)))


def test_the_checker_needs_the_evaluator() -> None:
    """It confirms what the solver finds, and names the function that it cannot confirm."""
    with pytest.raises(MissingFunction, match="the function spread"):
        check(PROGRAM.format(value=4), timeout=2.0)


@pytest.mark.usefixtures("entries")
def test_the_checker_does_not_decide_what_the_solver_cannot_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(cast(dict[str, object], encoding.FUNCTIONS.entries), "spread")
    report = check(PROGRAM.format(value=-1), timeout=2.0)
    assert (report.verdict("can-match", "R").value, report.exit_code) == ("not proved", 4)
    hints = [finding.hint for finding in report.findings]
    assert any("depends on the function `spread`, which the solver cannot read" in hint for hint in hints)


def test_readers_that_need_no_entry_take_the_row() -> None:
    """Editors, printers and trees in JSON, in a process that has the rows before it imports them."""
    script = f"""
import json
from parte.semantics.partelang.syntax.functions import BUILT_IN, Function
BUILT_IN["spread"] = Function("spread", 2, 2, "promoted", clause="function-arguments")
BUILT_IN["last"] = Function("last", 1, None, "promoted", clause="function-arguments", of_timestamps=True)
import parte
from parte.editing.meanings import meaning
from parte.editing.partelang.colouring import COLOURING
from parte.editing.partelang.names import names
from parte.editing.partelang.support import SUPPORT
from parte.semantics.partelang.syntax.json_form import program_from_json, program_to_json
from parte.semantics.partelang.syntax.printer import print_program
from parte.semantics.source.diagnostics import ProgramError
texts = [{PROGRAM.format(value=4)!r}, {AT!r}]
programs = [parte.parse(text) for text in texts]
wrong = ""
try:
    parte.parse(texts[1].replace("last(", "spread("))
except ProgramError as error:
    wrong = error.diagnostics[0].hint
print(json.dumps({{
    "json": [program_from_json(json.loads(json.dumps(program_to_json(program)))) == program for program in programs],
    "printed": [parte.parse(print_program(program.source)) == program for program in programs],
    "coloured": "spread" in repr(COLOURING.words),
    "meaning": meaning(SUPPORT, "spread"),
    "completed": "spread" in repr(names([]).given_names),
    "hint": wrong,
}}))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["json"] == report["printed"] == [True, True]
    assert report["coloured"] is report["completed"] is True
    assert report["meaning"].endswith("(specification: function-arguments)")
    assert report["hint"] == "combine timestamps by `min`, `max`, `avg` or `last`"


# --- The readers, with entries --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("entries")
def test_with_entries_the_models_and_engines_agree() -> None:
    expected = [{"bindings": {"a": "e7"}, "k": 3}]
    text = PROGRAM.format(value=4)
    for model in ("sound", "algebra", "indexed", "duckdb"):
        matches = list(parte.run(parte.parse(text), TRACE, model=model))
        assert [
            {"bindings": dict(match.bindings), "k": match.emits[0].attributes["k"]} for match in matches
        ] == expected
    for engine in set(_installed()) & {"clips", "clips-eager", "polars", "sqlite"}:
        reply = _reply(engine_called(ENGINES, engine), text)
        assert isinstance(reply, Found), (engine, reply)
        answered = [{"bindings": m["bindings"], "k": m["emits"][0]["attributes"]["k"]} for m in reply.matches]
        assert answered == expected


@pytest.mark.usefixtures("entries")
def test_with_entries_at_combines_timestamps() -> None:
    trace = [Event("e", "A", 1, {}, "s"), Event("f", "A", 2, {}, "s")]
    for model in ("sound", "algebra", "indexed", "duckdb"):
        (match,) = parte.run(parte.parse(AT), trace, model=model)
        assert [event.timestamp for event in match.emits] == [2]


@pytest.mark.usefixtures("entries")
def test_with_an_entry_the_solver_reads_the_function() -> None:
    for value, verdict in ((4, "proved"), (-1, "refuted")):
        assert check(PROGRAM.format(value=value), timeout=5.0).verdict("can-match", "R").value == verdict
