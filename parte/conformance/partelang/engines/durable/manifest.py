"""The engine of this folder."""

from __future__ import annotations

from parte.conformance.engines.registry import Engines, Listed
from parte.conformance.partelang.engines.adapters import adapted
from parte.semantics.partelang.syntax.constructs import Construct

DECLARED = frozenset(
    {
        Construct.CONNECTIVES,
        Construct.PRESENCE,
        Construct.OPTIONAL,
        Construct.TIMES,
        Construct.ALTERNATIVES,
        Construct.SELECTIONS,
    }
)

ENGINES: Engines = {
    "durable": Listed(
        adapted("parte.conformance.partelang.engines.durable.adapter:DurableAdapter", declared=DECLARED),
        "durable",
        "durable",
        needed_by="conform durable",
    ),
}
