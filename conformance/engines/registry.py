"""Engines in this process by name: what `model:NAME` stands for in `parte conform`.

Another engine joins by a line in `FACTORIES`, and a foreign one by a line in `NEEDS` as well; what it needs is imported
when it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec

from conformance.engines.foreign import ForeignEngine
from conformance.engines.reference import EVALUATORS, ReferenceEngine
from conformance.protocol import Engine
from semantics.repairs import MODELS

PREFIX = "model:"


def _clips(eager: bool = False) -> Engine:
    from conformance.engines.clips.adapter import ClipsAdapter

    return ForeignEngine(ClipsAdapter(eager))


def _drools(kept: bool = False) -> Engine:
    from conformance.engines.drools.adapter import DroolsAdapter

    return ForeignEngine(DroolsAdapter(kept=kept))


_CENTURY_21 = 1_000_000_000_000
"""How far the time of `flink-moved` is moved, in ms: timestamp 0 falls into the year 2001."""


def _flink(moved: int = 0) -> Engine:
    from conformance.engines.flink.adapter import FlinkAdapter

    return ForeignEngine(FlinkAdapter(moved))


FACTORIES: dict[str, Callable[[], Engine]] = {
    **{name: partial(ReferenceEngine, name) for name in EVALUATORS},
    **{name: partial(ReferenceEngine, model) for name, model in MODELS.items()},
    "clips": _clips,
    "clips-eager": partial(_clips, eager=True),
    "drools": _drools,
    "drools-kept": partial(_drools, kept=True),
    "flink": _flink,
    "flink-moved": partial(_flink, _CENTURY_21),
}

NEEDS: Mapping[str, tuple[str, str]] = {
    "clips": ("clips", "clips"),
    "clips-eager": ("clips", "clips"),
    "drools": ("drools", "drools"),
    "drools-kept": ("drools", "drools"),
    "flink": ("flink", "pyflink"),
    "flink-moved": ("flink", "pyflink"),
}
"""The foreign engines, each with its extra and the module that comes with it."""


class EngineMissing(ImportError):
    """A foreign engine that is not installed, or something that it needs: `message` says what, `hint` what to do."""

    def __init__(self, message: str, hint: str) -> None:
        self.message, self.hint = message, hint
        super().__init__(f"{message}: {hint}")


def require(name: str) -> None:
    """EngineMissing if an engine is a foreign one that is not installed, or lacks what it needs besides Python."""
    if name in NEEDS and find_spec(NEEDS[name][1]) is None:
        extra, module = NEEDS[name]
        message = f"the engine {name} needs the module {module}, which is not installed"
        raise EngineMissing(message, f"pip install 'parte[{extra}]'")
    if name.startswith("drools"):
        from conformance.engines.drools.jdk import installation

        installation()


def engine_called(name: str) -> Engine:
    """A new engine of the name. KeyError if there is none, EngineMissing if it is a foreign one, not installed."""
    require(name)
    return FACTORIES[name]()
