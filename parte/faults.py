"""Faults of PARTE and of the machine it runs on: one line each, and exit codes that mean nothing else."""

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
"""The exit codes of input that cannot be used, of a fault in PARTE, and of memory that did not suffice, here or in a
process that PARTE needs."""

TRACEBACK: Final = "PARTE_TRACEBACK"
"""The variable of the environment that asks for the whole traceback."""

_OUT_OF_MEMORY: Final = "OutOfMemoryException"
"""An error of DuckDB."""


def told(fault: BaseException) -> int:
    """Say in one line what went wrong, and in more if that is asked for; the exit code."""
    if os.environ.get(TRACEBACK):
        traceback.print_exception(fault)
    if any(map(_lacks_memory, _causes(fault))):
        # Whoever stops before memory is gone says what to do.
        hint = getattr(fault, "hint", "")
        named = " ".join(str(fault).split()) if hint else _named(fault)
        _say(f"memory does not suffice: {named}", hint or "give it more memory, or less to do")
        return NO_MEMORY
    if isinstance(fault, OSError) and fault.errno == errno.ENAMETOOLONG:
        # Whoever asks whether a file is there gets this error, not `False`, so that many places may raise it.
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
    """What to say of an exception that a variant of the user's own raised, with the line of its file; also of one that
    is not expected of PARTE while such a variant is in place, whose results may be its cause. Nothing of any other."""
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
    """The innermost line of PARTE's own."""
    own = [
        f"{frame.f_globals.get('__name__')}:{line}"
        for frame, line in traceback.walk_tb(fault.__traceback__)
        if str(frame.f_globals.get("__name__")).startswith("parte.")
    ]
    return own[-1] if own else ""


def _say(message: str, hint: str) -> None:
    """By the least means there are: what ended the command may be a lack of memory."""
    from parte.semantics.source.diagnostics import printable

    sys.stderr.write(f"error: {printable(message)}\n  hint: {hint}\n")
