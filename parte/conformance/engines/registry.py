"""Engines in this process by name: `model:NAME` in `parte conform`. Every language lists its own."""

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
    """An engine that a language lists, and a function that creates it and imports what it needs.

    A foreign engine has an extra, and a module of that extra. `look` raises Unavailable if a requirement other than
    Python packages is missing. `needed_by` states the purpose of the extra, as `parte doctor` prints it; one engine of
    each extra of this package states it.
    """

    make: Callable[[], Engine]
    extra: str = ""
    module: str = ""
    look: Callable[[], object] = bool
    needed_by: str = ""


Engines = Mapping[str, Listed]
"""The engines that a language lists, by name."""


def found_engines(package: str) -> Engines:
    """Return the foreign engines below a package: those that the modules `manifest` of its folders list as
    `ENGINES`. None if there is no such package."""
    engines: dict[str, Listed] = {}
    if find_spec(package) is None:
        return engines
    for name in sorted(info.name for info in iter_modules(import_module(package).__path__) if info.ispkg):
        if find_spec(f"{package}.{name}.manifest") is not None:
            engines |= import_module(f"{package}.{name}.manifest").ENGINES
    return engines


def calling(place: str, **arguments: object) -> Callable[[], Any]:
    """Return a function that imports `module:name` when it is called, and calls it."""

    def call() -> Any:
        module, name = place.split(":")
        return getattr(import_module(module), name)(**arguments)

    return call


def foreign(engines: Engines) -> tuple[str, ...]:
    """Return the names of the engines that are not the project's own."""
    return tuple(name for name, listed in engines.items() if listed.extra)


def require(engines: Engines, name: str) -> None:
    """Raise Unavailable if an engine is a foreign one that is not installed, or that lacks another requirement."""
    listed = engines[name]
    if listed.module and find_spec(listed.module) is None:
        message = f"the engine {name} needs the module {listed.module}, which is not installed"
        raise PackageMissing(listed.module, listed.extra, message)
    listed.look()


def engine_called(engines: Engines, name: str) -> Engine:
    """Return a new engine with this name. KeyError if there is none, Unavailable if it is a foreign one, not
    installed."""
    require(engines, name)
    return engines[name].make()
