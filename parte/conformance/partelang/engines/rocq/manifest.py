"""The engines of this folder."""

from __future__ import annotations

from parte.conformance.engines.registry import Engines, Listed, calling
from parte.conformance.partelang.engines.adapters import adapted
from parte.semantics.partelang.syntax.constructs import Construct

_ADAPTER = "parte.conformance.partelang.engines.rocq.adapter:RocqAdapter"
_LOOK = calling("parte.conformance.partelang.engines.rocq.replay:installation")
DECLARED = frozenset(Construct) - {Construct.SUPPRESSION}
"""The proof does not cover suppression."""

ENGINES: Engines = {
    "rocq": Listed(adapted(_ADAPTER, declared=DECLARED), "rocq", look=_LOOK),
    "rocq-algebra": Listed(adapted(_ADAPTER, declared=DECLARED, algebra=True), "rocq", look=_LOOK),
}
