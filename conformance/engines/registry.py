"""Engines in this process by name: what `model:NAME` stands for in `parte conform`.

Another engine joins by a line in `FACTORIES`; what it needs is imported when it is made.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from conformance.engines.reference import EVALUATORS, ReferenceEngine
from conformance.protocol import Engine
from semantics.repairs import MODELS

PREFIX = "model:"

FACTORIES: dict[str, Callable[[], Engine]] = {
    **{name: partial(ReferenceEngine, name) for name in EVALUATORS},
    **{name: partial(ReferenceEngine, model) for name, model in MODELS.items()},
}


def engine_called(name: str) -> Engine:
    """A new engine of the name. KeyError if there is none."""
    return FACTORIES[name]()
