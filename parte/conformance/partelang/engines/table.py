"""The engines for PARTElang: the models of this project, and foreign engines behind their adapters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

from parte.algebra.partelang.evaluators import EVALUATORS
from parte.conformance.engines.foreign import ForeignEngine, Reading
from parte.conformance.engines.registry import Listed
from parte.conformance.partelang.engines.reading import read_program
from parte.conformance.partelang.engines.reference import ReferenceEngine
from parte.conformance.partelang.engines.varied import VariedEngine
from parte.conformance.protocol import Engine, Greeting
from parte.proofs.partelang.variants import VARIANTS
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Arrival
from parte.semantics.partelang.repairs import MODELS
from parte.semantics.partelang.syntax import core

Json = Any


class Adapter(Protocol):
    """How a foreign engine is asked."""

    @property
    def greeting(self) -> Greeting:
        """Who the engine is, with the version of what is installed."""
        ...

    def compile(self, program: core.Program, domain: Predicates) -> Callable[[Sequence[Arrival]], list[Json]]:
        """A function from arrivals, in their order, to matches as JSON. Both raise Inexpressible and EngineFailure."""
        ...


def behind(adapter: Adapter) -> Engine:
    """The foreign engine behind an adapter."""
    reading = Reading(read_program, lambda loaded, trace: loaded.scenario(trace).arrivals)
    return ForeignEngine(adapter.greeting, reading, lambda given: adapter.compile(given.program, given.predicates))


def _clips(eager: bool = False) -> Engine:
    from parte.conformance.partelang.engines.clips.adapter import ClipsAdapter

    return behind(ClipsAdapter(eager))


def _drools(kept: bool = False) -> Engine:
    from parte.conformance.partelang.engines.drools.adapter import DroolsAdapter

    return behind(DroolsAdapter(kept=kept))


def _jdk() -> object:
    from parte.conformance.partelang.engines.drools.jdk import installation

    return installation()


_CENTURY_21 = 1_000_000_000_000
"""How far the time of `flink-moved` is moved, in ms: timestamp 0 falls into the year 2001."""


def _flink(moved: int = 0) -> Engine:
    from parte.conformance.partelang.engines.flink.adapter import FlinkAdapter

    return behind(FlinkAdapter(moved))


def _siddhi() -> Engine:
    from parte.conformance.partelang.engines.siddhi.adapter import SiddhiAdapter

    return behind(SiddhiAdapter())


def _siddhi_jars() -> object:
    from parte.conformance.partelang.engines.siddhi.jdk import installation

    return installation()


def _match_recognize() -> Engine:
    from parte.conformance.partelang.engines.flink.adapter import FlinkAdapter
    from parte.conformance.partelang.engines.flink.recognition import recognition_query

    return behind(FlinkAdapter(name="Flink SQL, MATCH_RECOGNIZE", ask=recognition_query))


def _flink_cep() -> Engine:
    from parte.conformance.partelang.engines.flink_cep.adapter import FlinkCepAdapter

    return behind(FlinkCepAdapter())


def _flink_jars() -> object:
    from parte.conformance.partelang.engines.flink_cep.jdk import installation

    return installation()


def _sqlite() -> Engine:
    from parte.conformance.partelang.engines.sqlite.adapter import SqliteAdapter

    return behind(SqliteAdapter())


def _polars() -> Engine:
    from parte.conformance.partelang.engines.polars.adapter import PolarsAdapter

    return behind(PolarsAdapter())


def _durable() -> Engine:
    from parte.conformance.partelang.engines.durable.adapter import DurableAdapter

    return behind(DurableAdapter())


def _rocq(algebra: bool = False) -> Engine:
    from parte.conformance.partelang.engines.rocq.adapter import RocqAdapter

    return behind(RocqAdapter(algebra))


def _extracted() -> object:
    from parte.conformance.partelang.engines.rocq.replay import installation

    return installation()


ENGINES: dict[str, Listed] = {
    **{name: Listed(partial(ReferenceEngine, name)) for name in EVALUATORS},
    **{name: Listed(partial(ReferenceEngine, model)) for name, model in MODELS.items()},
    **{variant.name: Listed(partial(VariedEngine, variant)) for variant in VARIANTS},
    "clips": Listed(_clips, "clips", "clips"),
    "clips-eager": Listed(partial(_clips, eager=True), "clips", "clips"),
    "drools": Listed(_drools, "drools", "drools", _jdk),
    "drools-kept": Listed(partial(_drools, kept=True), "drools", "drools", _jdk),
    "flink": Listed(_flink, "flink", "pyflink"),
    "flink-cep": Listed(_flink_cep, "flink-cep", "pyflink", _flink_jars),
    "match-recognize": Listed(_match_recognize, "flink", "pyflink"),
    "flink-moved": Listed(partial(_flink, _CENTURY_21), "flink", "pyflink"),
    "siddhi": Listed(_siddhi, "siddhi", look=_siddhi_jars),
    "sqlite": Listed(_sqlite, "sqlite", "sqlite3"),
    "polars": Listed(_polars, "polars", "polars"),
    "durable": Listed(_durable, "durable", "durable"),
    "rocq": Listed(_rocq, "rocq", look=_extracted),
    "rocq-algebra": Listed(partial(_rocq, algebra=True), "rocq", look=_extracted),
}
"""Every engine by name; the foreign ones come last."""
