"""The engines of this folder."""

from __future__ import annotations

from parte.conformance.engines.registry import Engines, Listed, calling
from parte.conformance.partelang.engines.adapters import adapted

_ADAPTER = "parte.conformance.partelang.engines.drools.adapter:DroolsAdapter"
_LOOK = calling("parte.conformance.partelang.engines.drools.jdk:installation")

ENGINES: Engines = {
    "drools": Listed(adapted(_ADAPTER), "drools", "drools", _LOOK, needed_by="conform drools"),
    "drools-kept": Listed(adapted(_ADAPTER, kept=True), "drools", "drools", _LOOK),
}
