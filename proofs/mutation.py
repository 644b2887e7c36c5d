"""Mutants: one-line changes of the machine under which a lemma must stop holding, so that no proof is vacuous."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from types import FunctionType


class NoSuchLine(LookupError):
    """The line that a mutant changes is not in the code, or not once."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change of `before` to `after` in a function, named `module:function` or `module:Class.method`."""

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
        assert isinstance(found, FunctionType)
        return found

    def source(self) -> str:
        """The changed function. NoSuchLine if `before` does not occur exactly once."""
        text = textwrap.dedent(inspect.getsource(self.original()))
        if text.count(self.before) != 1:
            raise NoSuchLine(f"{self.name}: {self.function} does not hold {self.before!r} exactly once")
        return text.replace(self.before, self.after)


@contextmanager
def applied(mutant: Mutant) -> Iterator[None]:
    """While this lasts the function is the changed one, for everybody that holds it."""
    function = mutant.original()
    tree = ast.parse(mutant.source())
    (definition,) = tree.body
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list.clear()  # to define a rule again would be to register it twice
    names: dict[str, FunctionType] = {}
    exec(compile(tree, f"<{mutant.name}>", "exec"), function.__globals__, names)
    before = function.__code__
    function.__code__ = names[definition.name].__code__
    try:
        yield
    finally:
        function.__code__ = before
