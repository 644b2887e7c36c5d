"""Engines in this process by name: what `model:NAME` stands for in `parte conform`. Every language lists its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

from parte.conformance.protocol import Engine
from parte.semantics.source.packages import PackageMissing

PREFIX = "model:"


@dataclass(frozen=True, slots=True)
class Listed:
    """An engine that a language lists, and how to make one; what that needs is imported then.

    A foreign one comes with an extra, and with a module of that extra. `look` raises Unavailable if it lacks what it
    needs besides Python. `needed_by` says what the extra is for, as `parte doctor` prints it; one engine of each extra
    of this package says so.
    """

    make: Callable[[], Engine]
    extra: str = ""
    module: str = ""
    look: Callable[[], object] = bool
    needed_by: str = ""


Engines = Mapping[str, Listed]
"""The engines that a language lists, by name."""


def found_engines(package: str) -> Engines:
    """The foreign engines below a package: those that the modules `manifest` of its folders list as `ENGINES`."""
    engines: dict[str, Listed] = {}
    for name in sorted(info.name for info in iter_modules(import_module(package).__path__) if info.ispkg):
        if find_spec(f"{package}.{name}.manifest") is not None:
            engines |= import_module(f"{package}.{name}.manifest").ENGINES
    return engines


def calling(place: str, **arguments: object) -> Callable[[], Any]:
    """A function that imports `module:name` when it is called, and calls that."""

    def call() -> Any:
        module, name = place.split(":")
        return getattr(import_module(module), name)(**arguments)

    return call


def foreign(engines: Engines) -> tuple[str, ...]:
    """The names of those that are not the project's own."""
    return tuple(name for name, listed in engines.items() if listed.extra)


def require(engines: Engines, name: str) -> None:
    """Unavailable if an engine is a foreign one that is not installed, or lacks what it needs besides Python."""
    listed = engines[name]
    if listed.module and find_spec(listed.module) is None:
        message = f"the engine {name} needs the module {listed.module}, which is not installed"
        raise PackageMissing(listed.module, listed.extra, message)
    listed.look()


def engine_called(engines: Engines, name: str) -> Engine:
    """A new engine of the name. KeyError if there is none, Unavailable if it is a foreign one, not installed."""
    require(engines, name)
    return engines[name].make()
