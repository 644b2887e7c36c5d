"""A Flink cluster in one JVM, shared by many queries: to start one for each takes seconds.

PyFlink communicates with that JVM through py4j; the cluster is Flink's own MiniCluster, which listens on this machine
only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyflink.common import Configuration, RowKind
from pyflink.java_gateway import get_gateway
from pyflink.table import EnvironmentSettings, TableEnvironment

from parte.conformance.engines.foreign import EngineFailure
from parte.conformance.partelang.engines.flink.sets import withdraw

_MEMORY = "32m"
_SETTINGS = {
    "parallelism.default": "1",
    # A watermark after every row that moves it on, not five times a second.
    "pipeline.auto-watermark-interval": "0 ms",
    "table.local-time-zone": "UTC",
}


class Cluster:
    """A running cluster, and a table environment that sends queries to it."""

    def __init__(self) -> None:
        jvm = get_gateway().jvm
        configuration = jvm.org.apache.flink.configuration.Configuration()
        for key, value in (
            ("rest.address", "localhost"),
            ("rest.bind-address", "localhost"),
            ("rest.port", "0"),
            ("rest.bind-port", "0"),
            ("taskmanager.memory.network.min", _MEMORY),
            ("taskmanager.memory.network.max", _MEMORY),
            ("taskmanager.memory.managed.size", _MEMORY),
        ):
            configuration.setString(key, value)
        minicluster = jvm.org.apache.flink.runtime.minicluster
        builder = minicluster.MiniClusterConfiguration.Builder().setConfiguration(configuration)
        self._cluster = minicluster.MiniCluster(builder.setNumTaskManagers(1).setNumSlotsPerTaskManager(2).build())
        self._cluster.start()
        client = Configuration()
        client.set_string("execution.target", "remote")
        client.set_string("rest.address", "localhost")
        client.set_string("rest.port", str(self._cluster.getRestAddress().get().getPort()))
        settings = EnvironmentSettings.new_instance().in_streaming_mode().with_configuration(client).build()
        self._tables = TableEnvironment.create(settings)
        for key, value in _SETTINGS.items():
            self._tables.get_config().set(key, value)

    def declare(self, name: str, statement: str) -> None:
        """Replace a temporary table. EngineFailure if Flink rejects it."""
        self._execute(f"DROP TEMPORARY TABLE IF EXISTS `{name}`")
        self._execute(statement)

    def rows(self, query: str, *, updating: bool = False) -> list[Sequence[Any]]:
        """Return all rows of a streaming query, once its sources have ended; of an `updating` query those that were not
        withdrawn. EngineFailure if Flink rejects the query, or withdraws a row of another one."""
        inserted: list[Sequence[Any]] = []
        with self._execute(query).collect() as results:
            try:
                for row in results:
                    kind = row.get_row_kind()
                    if kind is RowKind.INSERT or (updating and kind is RowKind.UPDATE_AFTER):
                        inserted.append(tuple(row))
                    elif updating:
                        withdraw(inserted, tuple(row))
                    else:
                        raise EngineFailure(f"Flink changed its mind: a row of the kind {kind}")
            except EngineFailure:
                raise
            except Exception as error:
                raise EngineFailure(f"Flink gave up: {_reason(error)}") from None
        return inserted

    def _execute(self, statement: str) -> Any:
        try:
            return self._tables.execute_sql(statement)
        except Exception as error:
            raise EngineFailure(f"Flink refuses: {_reason(error)}") from None

    def close(self) -> None:
        """End the cluster."""
        self._cluster.close()


def _reason(error: Exception) -> str:
    """Return the message, and those of the causes, without the stacks."""
    lines = [line.strip() for line in str(error).splitlines() if not line.startswith(("\tat ", "\t..."))]
    messages = [line for line in lines if line.startswith((": ", "Caused by: "))] or lines[:1]
    return " / ".join(dict.fromkeys(line.removeprefix("Caused by: ").removeprefix(": ") for line in messages))[:1500]
