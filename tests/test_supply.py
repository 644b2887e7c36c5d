"""Nothing that a file or a user brings is executed; every package is pinned with hashes and has an allowed licence."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.licences_page import ALLOWED, EXCEPTED, LOCK, licence, locked

ROOT = Path(__file__).parents[1]
OURS = "benchmarks docs parte playground release"

RUNS = {
    "parte/proofs/edited_modules.py": {
        "_code: compile",
        "EditedModules.module: exec",
        "EditedModules._import: __import__",
    },
    "parte/proofs/mutation.py": {"applied: compile", "applied: exec"},
    "parte/semantics/partelang/writing.py": {"_compiled: compile", "_compiled: exec"},
    "parte/spark_adapter/stream/shared.py": {"Shared.jobs: pickle.loads", "Sending.__init__: cloudpickle.dumps"},
}
"""Where text or bytes become code; each of these functions says in its docstring of what, under the word "trusted"."""

BUILTINS = {"eval", "exec", "compile", "__import__", "breakpoint", "input"}
MODULES = {
    "pickle",
    "cloudpickle",
    "dill",
    "marshal",
    "shelve",
    "joblib",
    "yaml",
    "runpy",
    "code",
    "codeop",
    "pty",
    "imp",
}
SAFE = {"yaml.parse", "yaml.ScalarNode", "yaml.resolver.Resolver", "yaml.constructor.SafeConstructor"}
"""What of these modules makes values of plain types only."""
ATTRIBUTES = {"system", "popen", "read_pickle", "to_pickle", "allow_pickle", "getoutput", "getstatusoutput"}


def sources() -> list[Path]:
    return [path for folder in OURS.split() for path in (ROOT / folder).rglob("*.py")]


class _Runs(ast.NodeVisitor):
    """The calls that may run what they are given, by the function in which they stand; and shells."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str, str]] = []
        self.shells: list[int] = []
        self._within: list[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef] = []

    def _scope(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self._within.append(node)
        self.generic_visit(node)
        self._within.pop()

    visit_FunctionDef = _scope
    visit_AsyncFunctionDef = _scope
    visit_ClassDef = _scope

    def visit_Call(self, node: ast.Call) -> None:
        called = ast.unparse(node.func)
        first, _, last = called.partition(".")
        keywords = {keyword.arg for keyword in node.keywords}
        risky = first in MODULES and called not in SAFE
        if called in BUILTINS or risky or last in ATTRIBUTES or keywords & ATTRIBUTES:
            where = ".".join(scope.name for scope in self._within)
            said = ast.get_docstring(self._within[-1]) if self._within else None
            self.calls.append((f"{where}: {called}", called, said or ""))
        text = bool(node.args) and isinstance(node.args[0], ast.JoinedStr | ast.Constant)
        if (
            "shell" in keywords
            or (first == "subprocess" and text)
            or (last.startswith(("exec", "spawn")) and first == "os")
        ):
            self.shells.append(node.lineno)
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        self.imported = [alias.name for alias in node.names]


def runs(path: Path) -> _Runs:
    seen = _Runs()
    seen.visit(ast.parse(path.read_text(encoding="utf-8")))
    return seen


def test_nothing_becomes_code_but_where_it_is_listed() -> None:
    by_path = {path.relative_to(ROOT).as_posix(): {what for what, _, _ in runs(path).calls} for path in sources()}
    assert len(by_path) > 300
    assert {path: what for path, what in by_path.items() if what} == RUNS


@pytest.mark.parametrize("path", RUNS)
def test_what_becomes_code_is_trusted_and_the_docstring_says_why(path: str) -> None:
    assert not [what for what, _, said in runs(ROOT / path).calls if "trusted" not in said]


def test_no_command_goes_through_a_shell() -> None:
    """Commands are lists of words; a text would be read by a shell, or is one word only."""
    assert not [f"{path.name}:{line}" for path in sources() for line in runs(path).shells]


def test_what_looks_for_code_finds_it() -> None:
    planted = """
def f(text):
    eval(text); exec(text); pickle.loads(text); os.system(text); numpy.load(text, allow_pickle=True)
    yaml.load(text); yaml.parse(text); pandas.read_pickle(text)
    subprocess.run(text, shell=True); subprocess.run(f"a {text}"); os.execv(text, [])
"""
    seen = _Runs()
    seen.visit(ast.parse(planted))
    assert len(seen.calls) == 7
    assert len(seen.shells) == 3


# --- Packages ---------------------------------------------------------------------------------------------------------


def _entries() -> Iterator[str]:
    yield from LOCK.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()


def test_every_pin_has_hashes_and_no_index_is_named() -> None:
    for entry in _entries():
        marker = r"(?: ; [^\\]+?)?"
        assert re.fullmatch(rf"[a-z0-9._-]+==[^ ;]+{marker}(?:\s+--hash=sha256:[0-9a-f]{{64}})+\s*", entry), entry[:100]


def test_every_package_has_a_licence_that_is_allowed() -> None:
    for package in locked(LOCK.read_text(encoding="utf-8")):
        terms = licence(package)
        parts = set(re.split(r" (?:AND|OR) ", terms))
        assert parts <= ALLOWED or EXCEPTED.get(package) == terms, f"{package}: {terms!r}"
