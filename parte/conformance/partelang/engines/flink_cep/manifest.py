"""The engine of this folder."""

from __future__ import annotations

from parte.conformance.engines.registry import Engines, Listed, calling
from parte.conformance.partelang.engines.adapters import adapted
from parte.conformance.partelang.engines.jvm.description import DECLARED

ENGINES: Engines = {
    "flink-cep": Listed(
        adapted("parte.conformance.partelang.engines.flink_cep.adapter:FlinkCepAdapter", declared=DECLARED),
        "flink-cep",
        "pyflink",
        calling("parte.conformance.partelang.engines.flink_cep.jdk:installation"),
        needed_by="conform flink-cep",
    ),
}
