"""Copies of the modules of the project in which some lines are changed, beside the modules themselves.

A changed module, and every module that imports it, directly or not, is loaded once more; all others are shared. Nothing
that is loaded already is touched, so a change is seen by nobody who does not ask for it, in any thread.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from types import CodeType, ModuleType

from proofs.mutation import NoSuchLine

ROOT = "conformance.engines.reference"
"""What worlds are for: the engines of the project, with all that they import."""

PACKAGES = frozenset({"semantics", "algebra", "conformance"})

WRITTEN_TO = frozenset({"semantics.rules.registry"})
"""The modules that hold what those that import them put in; a module that is loaded once more needs its own."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of `before` to `after` in a definition, named `module:name` or `module:Class.method`.

    The definition is a function, a class, or an assignment at the top level of a module.
    """

    place: str
    before: str
    after: str

    @property
    def module(self) -> str:
        """The module that it changes."""
        return self.place.split(":")[0]

    def applied(self, text: str) -> str:
        """The text of the module, changed. NoSuchLine if the definition does not hold `before` exactly once."""
        first, last = _lines_of(text, self.place.split(":")[1])
        lines = text.splitlines(keepends=True)
        definition = "".join(lines[first:last])
        if definition.count(self.before) != 1:
            raise NoSuchLine(f"{self.place} does not hold {self.before!r} exactly once")
        return "".join((*lines[:first], definition.replace(self.before, self.after), *lines[last:]))


def _lines_of(text: str, path: str) -> tuple[int, int]:
    body: Sequence[ast.stmt] = ast.parse(text).body
    found: ast.stmt | None = None
    for name in path.split("."):
        found = next((statement for statement in body if name in _names(statement)), None)
        if found is None:
            raise NoSuchLine(f"nothing is called {path}")
        body = getattr(found, "body", ())
    assert found is not None
    return found.lineno - 1, found.end_lineno or found.lineno


def _names(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            yield name


# --- Which modules a change concerns ----------------------------------------------------------------------------------


@cache
def _imports() -> Mapping[str, frozenset[str]]:
    """The modules of ours that each module below the root imports, wherever in its text."""
    found: dict[str, frozenset[str]] = {}
    waiting = [ROOT]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = frozenset(_imported(ast.parse(_text(name))))
            waiting.extend(found[name])
    return found


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if _ours(alias.name))
        elif isinstance(node, ast.ImportFrom) and node.module is not None and _ours(node.module):
            yield node.module
            inner = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name for name in inner if _is_module(name))


def _ours(name: str) -> bool:
    return name.split(".")[0] in PACKAGES


@cache
def _is_module(name: str) -> bool:
    parent = find_spec(name.rpartition(".")[0])
    return parent is not None and parent.submodule_search_locations is not None and find_spec(name) is not None


def _path(name: str) -> Path:
    spec = find_spec(name)
    assert spec is not None
    return Path(spec.origin or "")


@cache
def _text(name: str) -> str:
    return _path(name).read_text(encoding="utf-8")


@cache
def _code(name: str, edits: tuple[Edit, ...] = ()) -> CodeType:
    text = _text(name)
    for edit in edits:
        text = edit.applied(text)
    return compile(text, f"<changed {name}>" if edits else str(_path(name)), "exec", dont_inherit=True)


def _concerned(changed: Iterable[str]) -> frozenset[str]:
    """The changed modules and all that import them."""
    imports = _imports()
    concerned = frozenset(changed)
    while True:
        more = concerned | {name for name, imported in imports.items() if imported & concerned}
        more |= {name for name in WRITTEN_TO if any(name in imports[other] for other in concerned)}
        if more == concerned:
            return concerned
        concerned = more


# --- Worlds -----------------------------------------------------------------------------------------------------------


class World:
    """The modules below the root as they are with some edits; NoSuchLine for an edit that does not fit the code."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._edits: dict[str, tuple[Edit, ...]] = {}
        for edit in edits:
            self._edits[edit.module] = (*self._edits.get(edit.module, ()), edit)
        if strangers := self._edits.keys() - _imports().keys():
            raise NoSuchLine(f"no engine imports {', '.join(sorted(strangers))}")
        self._own = _concerned(self._edits)
        self._loaded: dict[str, ModuleType] = {}
        self._loading = RLock()
        for name in self._edits:  # an edit that does not fit is found now, not when its module is first needed
            _code(name, self._edits[name])

    def module(self, name: str) -> ModuleType:
        """The module of this world that is called `name`."""
        shared = import_module(name)  # also of those loaded once more: dataclasses look their module up by its name
        if name not in self._own:
            return shared
        with self._loading:
            if name not in self._loaded:
                module = self._loaded[name] = ModuleType(name)
                vars(module)["__builtins__"] = {**vars(builtins), "__import__": self._import}
                exec(_code(name, self._edits.get(name, ())), vars(module))
            return self._loaded[name]

    def _import(
        self,
        name: str,
        globals_: Mapping[str, object] | None = None,
        locals_: Mapping[str, object] | None = None,
        wanted: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """What an `import` in a module of this world gives."""
        if level or not _ours(name):
            return __import__(name, globals_, locals_, wanted or (), level)
        module = self.module(name)
        inner = [item for item in wanted or () if f"{name}.{item}" in self._own]
        if not inner:
            return module if wanted else self.module(name.split(".")[0])
        view = ModuleType(name)
        vars(view).update(vars(module))
        vars(view).update({item: self.module(f"{name}.{item}") for item in inner})
        return view


@cache
def world(edits: tuple[Edit, ...]) -> World:
    """The world of some edits, the same one each time."""
    return World(edits)
