"""The engines of this folder."""

from __future__ import annotations

from parte.conformance.engines.registry import Engines, Listed, calling
from parte.conformance.partelang.engines.adapters import adapted
from parte.conformance.partelang.engines.jvm.description import DECLARED
from parte.semantics.partelang.syntax.constructs import Construct

_ADAPTER = "parte.conformance.partelang.engines.drools.adapter:DroolsAdapter"
_DECLARED = DECLARED | {Construct.SELECTIONS}
_LOOK = calling("parte.conformance.partelang.engines.drools.jdk:installation")

ENGINES: Engines = {
    "drools": Listed(adapted(_ADAPTER, declared=_DECLARED), "drools", "drools", _LOOK, needed_by="conform drools"),
    "drools-kept": Listed(adapted(_ADAPTER, declared=_DECLARED, explicit_expiry=True), "drools", "drools", _LOOK),
}
