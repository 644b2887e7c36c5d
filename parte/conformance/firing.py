"""Which rules fire in a run: those whose functions it calls."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from types import CodeType, FrameType

from parte.semantics.rulebook.registry import Rule


def rules_called(rules: Iterable[Rule], run: Callable[[], object]) -> frozenset[str]:
    """The ids of the rules whose functions are called."""
    codes = {rule.function.__code__: rule.id for rule in rules}
    called: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            called.add(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return frozenset(codes[code] for code in called if code in codes)
