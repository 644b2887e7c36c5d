"""Every number in the code of semantics and algebras has a case beyond it, or a reason why nothing goes beyond it."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from docs.limits_page import limits
from parte.conformance.suites import load_suite
from parte.languages.registry import languages

ROOT = Path(__file__).parents[1]
ROLES = ("semantics", "algebra")
GUESTS = sorted(path.parent.name for path in (ROOT / "parte" / "languages").glob("*/semantics"))
LEAST = 2

OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Pow: operator.pow,
}
Numbers = dict[str, float]


def number(node: ast.expr | None, known: Mapping[str, float]) -> float | None:
    """The value of an expression of numbers and of known constants, else None."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.Name(id=name):
            return known.get(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            positive = number(operand, known)
            return None if positive is None else -positive
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATORS:
            first, second = number(left, known), number(right, known)
            return None if first is None or second is None else OPERATORS[type(sign)](first, second)
    return None


def assigned(statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """The targets of an assignment with their values, those of a tuple one by one."""
    match statement:
        case ast.AnnAssign(target=annotated, value=value):
            yield annotated, value
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                    yield from zip(target.elts, value.elts, strict=True)
                else:
                    yield target, value


def constants(module: ast.Module) -> Numbers:
    """The constants of a module that are numbers."""
    known: Numbers = {}
    for statement in module.body:
        for target, expression in assigned(statement):
            value = number(expression, known)
            if isinstance(target, ast.Name) and target.id.isupper() and value is not None:
                known[target.id] = value
    return known


def defaults(function: ast.FunctionDef) -> Iterator[tuple[str, ast.expr | None]]:
    """The parameters of a function that have default arguments, with these; and the size of its cache."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    last = positional[len(positional) - len(arguments.defaults) :]
    for parameter, default in zip(last, arguments.defaults, strict=True):
        yield f"{function.name}({parameter.arg})", default
    for parameter, keyword_default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield f"{function.name}({parameter.arg})", keyword_default
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("lru_cache"):
            for size in (*decorator.args, *(keyword.value for keyword in decorator.keywords)):
                yield f"{function.name}(lru_cache)", size


def numbers(text: str) -> Numbers:
    """The numbers of a module by their names in the tables: constants, defaults of parameters and fields, bounds of
    caches and queues."""
    module = ast.parse(text)
    named = constants(module)
    written: list[tuple[str, ast.expr | None]] = []
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef):
            written += defaults(node)
        elif isinstance(node, ast.ClassDef):
            fields = [statement for statement in node.body if isinstance(statement, ast.AnnAssign)]
            written += [(f"{node.name}.{ast.unparse(field.target)}", field.value) for field in fields]
        elif isinstance(node, ast.Call):
            bounds = [keyword for keyword in node.keywords if keyword.arg == "maxlen"]
            written += [(ast.unparse(node), keyword.value) for keyword in bounds]
    values = {**named, **{name: number(expression, {}) for name, expression in written}}
    return {name: value for name, value in values.items() if value is not None and abs(value) >= LEAST}


def places(folder: Path) -> list[str]:
    """The places of all numbers below the folders of the roles in a folder."""
    return [
        f"{'.'.join(path.relative_to(ROOT).with_suffix('').parts).removesuffix('.__init__')}:{name}"
        for role in ROLES
        for path in sorted((folder / role).rglob("*.py"))
        for name in numbers(path.read_text(encoding="utf-8"))
    ]


def test_numbers_of_every_form_are_read() -> None:
    text = """
A = 64
_B: Final = 2**63 - 1
LOW, HIGH = -(2**63), 4 * A
SHARE = 0.5
FLAG = True
lower = 9
class C:
    most: int = 1_000
@lru_cache(8)
def f(x, y=60, *, z: int = A, w=1): return deque(maxlen=7)
"""
    assert numbers(text) == {
        "A": 64,
        "_B": 2**63 - 1,
        "LOW": -(2**63),
        "HIGH": 256,
        "C.most": 1_000,
        "f(y)": 60,
        "f(lru_cache)": 8,
        "deque(maxlen=7)": 7,
    }


@pytest.mark.parametrize("guest", ["", *GUESTS])
def test_the_tables_have_the_numbers_of_the_code(guest: str) -> None:
    folder = ROOT / "parte" / "languages" / guest if guest else ROOT / "parte"
    assert sorted(limit.place for limit in limits()[guest]) == sorted(places(folder))


@cache
def cases(guest: str) -> frozenset[str]:
    """The ids of the cases of a guest's suite, or of PARTElang's."""
    name = guest or "partelang"
    (language,) = (language for language in languages() if language.name.lower() == name)
    return frozenset(load_suite(language).cases)


@cache
def functions(path: str) -> frozenset[str]:
    """The names of the tests of a file."""
    module = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in module.body if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("guest", ["", *GUESTS])
def test_every_case_that_the_tables_name_exists(guest: str) -> None:
    named = {case for limit in limits()[guest] for case in limit.beyond}
    assert named
    tests = {case for case in named if "::" in case}
    assert [case for case in sorted(tests) if case.split("::")[1] not in functions(case.split("::")[0])] == []
    assert [case for case in sorted(tests) if not case.split("::")[1].startswith("test_")] == []
    assert sorted(named - tests - cases(guest)) == []


@pytest.mark.parametrize("guest", ["", *GUESTS])
def test_a_number_has_either_cases_beyond_it_or_a_reason(guest: str) -> None:
    assert [limit.place for limit in limits()[guest] if bool(limit.beyond) == bool(limit.reason)] == []
    assert all(limit.meaning for limit in limits()[guest])
