"""The engines of this folder."""

from __future__ import annotations

from parte.conformance.engines.registry import Engines, Listed, calling
from parte.conformance.partelang.engines.adapters import adapted

_ADAPTER = "parte.conformance.partelang.engines.rocq.adapter:RocqAdapter"
_LOOK = calling("parte.conformance.partelang.engines.rocq.replay:installation")

ENGINES: Engines = {
    "rocq": Listed(adapted(_ADAPTER, level=2), "rocq", look=_LOOK),
    "rocq-algebra": Listed(adapted(_ADAPTER, level=2, algebra=True), "rocq", look=_LOOK),
}
