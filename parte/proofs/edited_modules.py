"""Copies of modules of the project with some lines changed, beside the modules themselves.

A changed module, and every module that imports it, directly or not, is loaded again; all others are shared. Loaded
modules do not change, so only code that requests the copies sees a change, in any thread.
"""

from __future__ import annotations

import ast
import builtins
import linecache
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from types import CodeType, ModuleType

from parte.proofs.mutation import Edit, NoSuchLine


class NotImported(NoSuchLine):
    """An edit is of a module that the requested modules do not import."""


@dataclass(frozen=True, slots=True)
class Modules:
    """The modules that edits may change: `root`, which makes the engines of a language, and its imports.

    Only those of `packages`. `registries` are the modules in which other modules register objects when they are
    imported: a module that is loaded again needs its own copy of them.
    """

    root: str
    packages: tuple[str, ...]
    registries: frozenset[str] = frozenset()

    @classmethod
    def of_guest(cls, guest: str, root: str) -> Modules:
        """Return the modules of a guest, the package `guest`, with a root in it, as in "conformance.engine"."""
        role = root.partition(".")[0]
        registries = frozenset({"parte.semantics.rulebook.registry", f"{guest}.semantics.rulebook"})
        return cls(f"{guest}.{root}", ("parte.semantics", f"parte.{role}", guest), registries)

    def concerned(self, changed: Iterable[str]) -> frozenset[str]:
        """Return the changed modules and all that import them."""
        imports = _imports(self)
        concerned = frozenset(changed)
        while True:
            more = concerned | {name for name, imported in imports.items() if imported & concerned}
            more |= {name for name in self.registries if any(name in imports[importer] for importer in concerned)}
            if more == concerned:
                return concerned
            concerned = more


@cache
def _imports(modules: Modules) -> Mapping[str, frozenset[str]]:
    """Return the modules that each module below the root imports, anywhere in its text."""
    imports: dict[str, frozenset[str]] = {}
    waiting = [modules.root]
    while waiting:
        name = waiting.pop()
        if name not in imports:
            imports[name] = frozenset(_imported(ast.parse(_text(name)), modules.packages))
            waiting.extend(imports[name])
    return imports


def _imported(tree: ast.Module, packages: tuple[str, ...]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith(packages))
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.module.startswith(packages):
            yield node.module
            inner = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name for name in inner if _is_module(name))


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
    """Return the compiled module with edits; it is trusted, because both come from the installed project."""
    text, path = _text(name), str(_path(name))
    for edit in edits:
        text = edit.applied(text)
    if edits:
        path = f"<{name}, changed {len(linecache.cache)}>"
        linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)  # some lemmas read the text
    return compile(text, path, "exec", dont_inherit=True)


class EditedModules:
    """The modules with some edits; raises NoSuchLine for an edit that does not fit the code."""

    def __init__(self, modules: Modules, edits: Sequence[Edit]) -> None:
        self._packages = modules.packages
        self._edits: dict[str, tuple[Edit, ...]] = {}
        for edit in edits:
            self._edits[edit.module] = (*self._edits.get(edit.module, ()), edit)
        if strangers := self._edits.keys() - _imports(modules).keys():
            raise NotImported(f"{modules.root} imports no {', '.join(sorted(strangers))}")
        self._own = modules.concerned(self._edits)
        self._loaded: dict[str, ModuleType] = {}
        self._loading = RLock()
        for name in self._edits:  # detect an edit that does not fit now, not at the first use of its module
            _code(name, self._edits[name])

    def module(self, name: str) -> ModuleType:
        """Return the module called `name`, with the edits; trusted like the result of `_code`."""
        shared = import_module(name)  # also for those loaded again: dataclasses look their module up by name
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
        """Do the `import` of a module with edits, which is trusted."""
        if level or not name.startswith(self._packages):
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
def edited(modules: Modules, edits: tuple[Edit, ...]) -> EditedModules:
    """Return the modules with some edits; the same object each time."""
    return EditedModules(modules, edits)
