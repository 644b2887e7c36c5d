"""Variants: rules that differ from those of the language without being faults, with their expected results.

A mutant is a fault, which some test must detect. A variant answers a "what if": it has a name, a description, and
replaces functions of the machine by others. `applied` installs it for lemmas, suite, explorer and experiments alike,
which do not depend on variants.
"""

from __future__ import annotations

import dis
import inspect
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, FunctionType

from parte.proofs.mutation import swapped
from parte.semantics.rulebook.stepping import every_step

Function = Callable[..., object]

_MACHINES = "parte.semantics."

_in_place: list[Variant] = []
_own: dict[str, Path] = {}
"""The files of variants that this process ran, by Python's name for them, with the user's path."""


class NoVariant(ValueError):
    """A variant that does not exist, or that cannot be installed; `hint` says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """Named rules other than those of `sound`.

    `replaces` maps functions of the machine to their replacements: functions with the same parameters, written as if
    they were in the same module. `refutes` lists all lemmas that hold of `sound` but not of the variant. `fails` are
    the cases of the suite that it fails; if there are none, it finds the algebra's matches.
    """

    name: str
    description: str
    replaces: Mapping[Function, Function]
    refutes: tuple[str, ...] = ()
    fails: tuple[str, ...] = ()

    @property
    def places(self) -> tuple[str, ...]:
        """The functions that it replaces, as `module:name`."""
        return tuple(f"{function.__module__}:{function.__qualname__}" for function in self.replaces)


def current() -> Variant | None:
    """Return the variant of this process's machine; None if there is none."""
    return _in_place[-1] if _in_place else None


@contextmanager
def applied(variant: Variant) -> Iterator[None]:
    """Install the variant in this process inside this context. Raise NoVariant if something does not fit."""
    with ExitStack() as stack:
        for original, replacement in variant.replaces.items():
            before, after = _function(original, variant), _function(replacement, variant)
            _check(before, after, variant)
            stack.enter_context(_named(before, after, variant))
            stack.enter_context(swapped(before, after))
        stack.enter_context(every_step())  # quick runs skip rules whose results are known, or not yet needed
        _in_place.append(variant)
        stack.callback(_in_place.remove, variant)
        yield


def _function(replaced: Function, variant: Variant) -> FunctionType:
    if not isinstance(replaced, FunctionType):
        raise NoVariant(
            f"the variant {variant.name} replaces, or replaces by, {replaced!r}, which is no plain function"
        )
    return replaced


def _check(before: FunctionType, after: FunctionType, variant: Variant) -> None:
    where = f"{before.__module__}:{before.__qualname__}"
    if not before.__module__.startswith(_MACHINES):
        raise NoVariant(
            f"the variant {variant.name} replaces {where}, which is no part of a machine",
            "what a program means stays as it is: it is what variants are held against",
        )
    expected, actual = (tuple(inspect.signature(function).parameters) for function in (before, after))
    if expected != actual:
        raise NoVariant(
            f"the variant {variant.name} replaces {where} by a function of other parameters: expected "
            f"({', '.join(expected)}), found ({', '.join(actual)})"
        )
    if after.__code__.co_freevars or before.__code__.co_freevars:
        raise NoVariant(
            f"the variant {variant.name} replaces {where} by, or is, a function within a function",
            "define it at the top level of the module, without the variables of another function",
        )


@contextmanager
def _named(before: FunctionType, after: FunctionType, variant: Variant) -> Iterator[None]:
    """Define, in the module of a function and inside this context, the names that its replacement uses."""
    used = {name: after.__globals__[name] for name in _used(after.__code__) if name in after.__globals__}
    there = before.__globals__
    for name, value in used.items():
        if there.get(name, value) is not value:
            raise NoVariant(
                f"{name!r} in the variant {variant.name} is something else in {before.__module__}",
                "call it by another name",
            )
    added = {name: value for name, value in used.items() if name not in there}
    there.update(added)
    try:
        yield
    finally:
        for name in added:
            del there[name]


def _used(code: CodeType) -> Iterator[str]:
    """Return the names of its module that code reads, also in functions within it."""
    yield from (step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _used(constant)


# --- Exceptions of a variant of the user's own ------------------------------------------------------------------------


def raised_at(fault: BaseException) -> str:
    """Return the innermost line of a variant's file in the traceback, as `FILE:LINE`; "" if there is none."""
    if isinstance(fault, SyntaxError) and fault.filename in _own:
        return f"{_own[fault.filename]}:{fault.lineno or 1}"
    frames = ((frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(fault.__traceback__))
    places = [f"{_own[name]}:{line}" for name, line in frames if name in _own]
    return places[-1] if places else ""


def replaced_in_own() -> list[str]:
    """Return the first lines, as `FILE:LINE`, of the functions that the variant takes from a file of the user's."""
    variant = current()
    replacements = () if variant is None else variant.replaces.values()
    codes = (function.__code__ for function in replacements if isinstance(function, FunctionType))
    return [f"{_own[code.co_filename]}:{code.co_firstlineno}" for code in codes if code.co_filename in _own]


# --- Naming one -------------------------------------------------------------------------------------------------------


def variant_called(name: str, known: Sequence[Variant]) -> Variant:
    """Return the known variant of that name, or one of a file: `FILE.py`, or `FILE.py:NAME` if it has several.

    The file is Python, and is run, as `python FILE.py` would run it. Raise NoVariant if there is none; exceptions of
    the file itself are not caught.
    """
    path, _, inner = name.partition(".py:") if ".py:" in name else (name.removesuffix(".py"), "", "")
    if path == name:
        return _chosen(name, known, "")
    own = [value for value in vars(_run(Path(f"{path}.py"))).values() if isinstance(value, Variant)]
    return _chosen(inner, own, f"{path}.py")


def _chosen(name: str, among: Sequence[Variant], file: str) -> Variant:
    if not name and len(among) == 1:
        return among[0]
    for variant in among:
        if variant.name == name:
            return variant
    names = [variant.name for variant in among]
    if not names:
        raise NoVariant(f"{file} has no variant", "assign a `Variant` to a name at its top level")
    if not name:
        raise NoVariant(f"{file} has several variants: {', '.join(names)}", f"name one: {file}:{names[0]}")
    near = get_close_matches(name, names, 1)
    where = f" in {file}" if file else ""
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(names)}"
    raise NoVariant(f"no variant{where} is called {name!r}", hint if file else f"{hint}; FILE.py has one of your own")


def _run(file: Path) -> object:
    spec = spec_from_file_location(f"variants_in_{file.stem}", file)
    if spec is None or spec.loader is None or not file.is_file():
        raise NoVariant(f"there is no file {file}", "a variant of your own is a Python file")
    _own[str(spec.origin)] = file
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        with suppress(KeyError):
            del sys.modules[spec.name]
        raise
    return module
