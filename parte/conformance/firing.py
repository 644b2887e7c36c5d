"""The rules that fire in a run: those whose functions are called."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import CodeType, FrameType

from parte.conformance.fixtures import Fixture
from parte.conformance.protocol import Accepted, Engine, Load
from parte.semantics.rulebook.registry import Rule


def rules_fired(
    rules: Mapping[str, Rule], engine_of: Callable[[str], Engine]
) -> Callable[[Fixture, str], frozenset[str]]:
    """Return a function that measures the rules that fire in a case: those that the engine of a model calls, run as
    each process."""

    def fired(case: Fixture, model: str) -> frozenset[str]:
        engine, count = engine_of(model), len(case.shares)
        called: frozenset[str] = frozenset()
        for share in [{"processes": str(count), "index": str(index)} for index in range(count)] or [{}]:
            load = Load(case.text, None, case.domain, {"disorder": case.disorder}, options={**case.options, **share})
            # A model may reject a program in the middle of a construction, which has rules too.
            accepted = isinstance(engine.load(load), Accepted)
            called |= rules_called(
                rules.values(), partial(engine.run, case.trace) if accepted else partial(engine.load, load)
            )
        return called

    return fired


def rules_called(rules: Iterable[Rule], run: Callable[[], object]) -> frozenset[str]:
    """Return the ids of the rules whose functions `run` calls."""
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
