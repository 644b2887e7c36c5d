"""A built-in function that the machine and the algebra have, and nothing else: every other reader says its name."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

SCRIPT = """
import json
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import functions
cube = functions.Function("cube", 1, 1, "promoted")
functions.BUILT_IN += (cube,)
functions._registry["cube"] = cube
from parte.semantics.partelang import expressions
from parte.algebra.partelang import values
expressions.FUNCTIONS["cube"] = lambda value: value**3
values._FUNCTIONS["cube", Scalar.INTEGER] = lambda value: values.integer(value**3)

import parte
from parte.algebra.partelang import relational
from parte.checker.partelang.check import check
from parte.conformance.engines.foreign import Inexpressible
from parte.conformance.partelang.engines.jvm.description import check as in_java
from parte.semantics.events.event import Event

text = "template A { k : Integer }\\nrule R where a : A { cube(k) = 7 }"
program = parte.parse(text)
trace = [Event("e1", "A", 1, {"k": 2}, "default")]
found = {}
for model in ("sound", "algebra", "indexed"):
    found[model] = len(list(parte.run(parte.parse(text.replace("7", "8")), trace, model=model)))
report = check(text, timeout=2.0)
found["verdict"], found["exit"] = report.verdict("can-match", "R").value, report.exit_code
found["hints"] = [finding.hint for finding in report.findings]
for name, ask in {
    "duckdb": lambda: relational.run(program, trace),
    "sql": lambda: relational.explain(program),
    "java": lambda: in_java(program.rules[0].patterns[0].conditions[0]),
}.items():
    try:
        ask()
    except (relational.Unsupported, Inexpressible) as error:
        found[name] = str(error)
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found() -> Any:
    """What each reader says."""
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_machine_and_algebra_evaluate_it(found: Any) -> None:
    assert [found[model] for model in ("sound", "algebra", "indexed")] == [1, 1, 1]


def test_the_checker_does_not_decide_and_names_it(found: Any) -> None:
    assert (found["verdict"], found["exit"]) == ("not proved", 4)
    assert any("depends on the function `cube`, which the solver cannot read" in hint for hint in found["hints"])


@pytest.mark.parametrize(
    ("reader", "message"),
    [
        ("duckdb", "function cube has no translation to SQL"),
        ("sql", "function cube has no translation to SQL"),
        ("java", "the function cube, which the harnesses in Java do not have"),
    ],
)
def test_whoever_lacks_it_refuses_it_by_name(found: Any, reader: str, message: str) -> None:
    assert found[reader] == message
