"""Edits of code, and mutants: one edit of the machine for each lemma, which must fail, so that none is vacuous."""

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
    """The code does not have the line that an edit changes, or has it more than once."""


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
        """Return the changed text of the definition. Raise NoSuchLine if it does not have `before` exactly once."""
        if definition.count(self.before) != 1:
            raise NoSuchLine(f"{self.place} does not hold {self.before!r} exactly once")
        return definition.replace(self.before, self.after)

    def applied(self, text: str) -> str:
        """Return the changed text of the module. Raise NoSuchLine without such a definition, or such a line in it."""
        first, last = _lines_of(text, self.place.split(":")[1])
        lines = text.splitlines(keepends=True)
        return "".join((*lines[:first], self.changed("".join(lines[first:last])), *lines[last:]))


def _lines_of(text: str, path: str) -> tuple[int, int]:
    body: Sequence[ast.stmt] = ast.parse(text).body
    definition: ast.stmt | None = None
    for name in path.split("."):
        definition = next((statement for statement in body if name in _names(statement)), None)
        if definition is None:
            raise NoSuchLine(f"nothing is called {path}")
        body = getattr(definition, "body", ())
    assert definition is not None
    return definition.lineno - 1, definition.end_lineno or definition.lineno


def _names(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            yield name


# --- Mutants of lemmas ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mutant:
    """A named edit of a function."""

    name: str
    function: str
    before: str
    after: str

    def original(self) -> FunctionType:
        """Return the function that it changes."""
        module, path = self.function.split(":")
        value: object = import_module(module)
        for name in path.split("."):
            value = getattr(value, name)
        if isinstance(value, property):
            value = value.fget
        assert isinstance(value, FunctionType)
        return value

    def source(self) -> str:
        """Return the changed function, with its decorators. Raise NoSuchLine if the edit does not fit it."""
        text = textwrap.dedent(inspect.getsource(self.original()))
        return Edit(self.function, self.before, self.after).changed(text)


@contextmanager
def applied(mutant: Mutant) -> Iterator[None]:
    """Change the function inside this context, for all code that has a reference to it.

    The compiled text is trusted: the source of the function and the edit are both from files of the installed project.
    """
    function, source, file = mutant.original(), mutant.source(), f"<{mutant.name}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file  # for lemmas that read the code
    tree = ast.parse(source)
    (definition,) = tree.body
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list.clear()  # to define a rule again would register it twice
    names: dict[str, FunctionType] = {}
    exec(compile(tree, file, "exec"), function.__globals__, names)
    with swapped(function, names[definition.name]):
        yield


@contextmanager
def swapped(function: FunctionType, replacement: FunctionType) -> Iterator[None]:
    """Let a function do the same as another inside this context, for all code that refers to it, in every thread."""
    before = function.__code__
    function.__code__ = replacement.__code__
    try:
        yield
    finally:
        function.__code__ = before
