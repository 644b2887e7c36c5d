"""The engine of this folder."""

from __future__ import annotations

from parte.conformance.engines.registry import Engines, Listed, calling
from parte.conformance.partelang.engines.adapters import adapted
from parte.semantics.partelang.syntax.constructs import Construct

DECLARED = frozenset({Construct.CONNECTIVES, Construct.PRESENCE, Construct.OPTIONAL, Construct.TIMES})
"""No selections: `not B and b=B` is never fulfilled by the b that it waits for, which is a B, too."""

ENGINES: Engines = {
    "siddhi": Listed(
        adapted("parte.conformance.partelang.engines.siddhi.adapter:SiddhiAdapter", declared=DECLARED),
        "siddhi",
        look=calling("parte.conformance.partelang.engines.siddhi.jdk:installation"),
    ),
}
