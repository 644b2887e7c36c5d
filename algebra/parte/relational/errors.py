"""What a relational engine says when it cannot run a program. It never answers wrongly instead."""

from __future__ import annotations


class Unsupported(ValueError):
    """A program that means something, but that this engine cannot be asked (specification: relational-evaluator)."""


class TooMuch(MemoryError):
    """Matches, or what leads to them, for which there is no room: before anything is run, or as soon as it shows."""

    hint = (
        "the model sound needs memory for the open windows only: parte run --model sound PROGRAM TRACE; or shorten the "
        "windows, add conditions, or give it a part of the log"
    )
