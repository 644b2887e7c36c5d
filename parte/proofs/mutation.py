"""Edits of code, and mutants: one edit of the machine each, under which a lemma must fail, so that none is vacuous."""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from types import FunctionType


class NoSuchLine(LookupError):
    """The line that an edit changes is not in the code, or not once."""


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

    def changed(self, definition: str) -> str:
        """The text of the definition, changed. NoSuchLine if it does not hold `before` exactly once."""
        if definition.count(self.before) != 1:
            raise NoSuchLine(f"{self.place} does not hold {self.before!r} exactly once")
        return definition.replace(self.before, self.after)

    def applied(self, text: str) -> str:
        """The text of the module, changed. NoSuchLine if it has no such definition, or that no such line."""
        first, last = _lines_of(text, self.place.split(":")[1])
        lines = text.splitlines(keepends=True)
        return "".join((*lines[:first], self.changed("".join(lines[first:last])), *lines[last:]))


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


# --- Mutants of lemmas ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mutant:
    """An edit, with a name, of a function."""

    name: str
    function: str
    before: str
    after: str

    def original(self) -> FunctionType:
        """The function that it changes."""
        module, path = self.function.split(":")
        found: object = import_module(module)
        for name in path.split("."):
            found = getattr(found, name)
        if isinstance(found, property):
            found = found.fget
        assert isinstance(found, FunctionType)
        return found

    def source(self) -> str:
        """The changed function, with what decorates it. NoSuchLine if the edit does not fit it."""
        text = textwrap.dedent(inspect.getsource(self.original()))
        return Edit(self.function, self.before, self.after).changed(text)


@contextmanager
def applied(mutant: Mutant) -> Iterator[None]:
    """Change the function within the block, for all code that refers to it.

    What is compiled is trusted: the source of the function and an edit, both from the files of the installed project.
    """
    function, source, file = mutant.original(), mutant.source(), f"<{mutant.name}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file  # for what reads the code
    tree = ast.parse(source)
    (definition,) = tree.body
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list.clear()  # to define a rule again would be to register it twice
    names: dict[str, FunctionType] = {}
    exec(compile(tree, file, "exec"), function.__globals__, names)
    with swapped(function, names[definition.name]):
        yield


@contextmanager
def swapped(function: FunctionType, other: FunctionType) -> Iterator[None]:
    """Let one function do what another does within the block, for all code that refers to it, in every thread."""
    before = function.__code__
    function.__code__ = other.__code__
    try:
        yield
    finally:
        function.__code__ = before
