"""Faults of PARTE and of the machine it runs on: one line each, and exit codes that have no other meaning."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Iterator
from typing import Final

from parte import interruptions

UNUSABLE: Final = 2
INTERNAL: Final = 70
NO_MEMORY: Final = 71
"""The exit codes of input that cannot be used, of a fault in PARTE, and of a lack of memory, here or in a process
that PARTE needs."""

TRACEBACK: Final = "PARTE_TRACEBACK"
"""The environment variable that requests the whole traceback."""

_OUT_OF_MEMORY: Final = "OutOfMemoryException"
"""An error of DuckDB."""


def report_fault(fault: BaseException) -> int:
    """Print in one line what failed, with the traceback if it is requested. Return the exit code."""
    if os.environ.get(TRACEBACK):
        traceback.print_exception(fault)
    if any(map(_lacks_memory, _causes(fault))):
        # Code that stops before memory is exhausted has a hint of its own.
        hint = getattr(fault, "hint", "")
        named = " ".join(str(fault).split()) if hint else _named(fault)
        _say(f"memory does not suffice: {named}", hint or "give it more memory, or less to do")
        return NO_MEMORY
    if isinstance(fault, OSError) and fault.errno == errno.ENAMETOOLONG:
        # A test whether a file exists raises this error instead of returning `False`, so many places may raise it.
        name = str(fault.filename)
        _say(f"a name of {len(name):,} characters is too long for a file: {name[:60]}…", "name a shorter one")
        return UNUSABLE
    place = _place(fault)
    _say(
        f"a fault in PARTE: {_named(fault)}{f' at {place}' if place else ''}",
        f"please report it with the command and its input; with {TRACEBACK}=1 the whole traceback is shown",
    )
    return INTERNAL


def of_variant(fault: BaseException, expected: tuple[type[BaseException], ...] = (BaseException,)) -> str:
    """Return a message for an exception that a variant of the user raised, with the line of its file. While such a
    variant is active, do the same for an unexpected exception of PARTE, because the results of the variant may be
    its cause. Return "" for any other exception."""
    variants = sys.modules.get("parte.proofs.variants")
    if variants is None or (isinstance(fault, KeyboardInterrupt) and interruptions.has_come()):
        return ""
    if place := variants.raised_at(fault):
        return f"{place}: the variant raises {_named(fault)}"
    places = () if isinstance(fault, expected) else variants.replaced_in_own()
    return f"{', '.join(places)}: with this variant there is {_named(fault)} at {_place(fault)}" if places else ""


def _causes(fault: BaseException | None) -> Iterator[BaseException]:
    seen = set[int]()
    while fault is not None and id(fault) not in seen:
        seen.add(id(fault))
        yield fault
        fault = fault.__cause__ or fault.__context__


def _lacks_memory(fault: BaseException) -> bool:
    if isinstance(fault, MemoryError) or type(fault).__name__ == _OUT_OF_MEMORY:
        return True
    if isinstance(fault, OSError):
        return fault.errno == errno.ENOMEM
    return type(fault).__module__.startswith("z3") and "out of memory" in str(fault)


def _named(fault: BaseException) -> str:
    text = " ".join(str(fault).split())
    return f"{type(fault).__name__}: {text[:300]}" if text else type(fault).__name__


def _place(fault: BaseException) -> str:
    """Return the innermost line in a module of PARTE."""
    own = [
        f"{frame.f_globals.get('__name__')}:{line}"
        for frame, line in traceback.walk_tb(fault.__traceback__)
        if str(frame.f_globals.get("__name__")).startswith("parte.")
    ]
    return own[-1] if own else ""


def _say(message: str, hint: str) -> None:
    """Print an error by the simplest means, because the fault may be a lack of memory."""
    from parte.semantics.source.diagnostics import printable

    sys.stderr.write(f"error: {printable(message)}\n  hint: {hint}\n")
