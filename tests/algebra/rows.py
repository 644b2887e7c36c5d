"""Events for the tests of bounds."""

from __future__ import annotations

from parte.semantics.events.event import Event


def events(count: int, apart: int = 1) -> list[Event]:
    """Events A in a row."""
    return [Event(f"e{number}", "A", number * apart, {}, "s") for number in range(count)]
