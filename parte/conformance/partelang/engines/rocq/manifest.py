"""The engines of this folder."""

from __future__ import annotations

from parte.conformance.engines.registry import Engines, Listed, calling
from parte.conformance.partelang.engines.adapters import adapted
from parte.semantics.partelang.syntax.constructs import Construct

_ADAPTER = "parte.conformance.partelang.engines.rocq.adapter:RocqAdapter"
_EVALUATOR = "parte.conformance.partelang.engines.rocq.adapter:EvaluatorAdapter"
_LOOK = calling("parte.conformance.partelang.engines.rocq.replay:installation")
_LOOK_FOR_EVALUATOR = calling("parte.proofs.partelang.evaluator.conversation:installation")
DECLARED = frozenset(Construct) - {Construct.SUPPRESSION}
"""The proof of the machine does not cover suppression; that of the evaluator does."""

ENGINES: Engines = {
    "rocq": Listed(adapted(_ADAPTER, declared=DECLARED), "rocq", look=_LOOK),
    "rocq-algebra": Listed(adapted(_ADAPTER, declared=DECLARED, algebra=True), "rocq", look=_LOOK),
    "proved": Listed(adapted(_EVALUATOR, declared=frozenset(Construct)), "rocq", look=_LOOK_FOR_EVALUATOR),
}
