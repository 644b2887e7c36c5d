"""One Spark for all tests of a process: starting it takes seconds, so each worker of pytest has one of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from spark_adapter.session import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {
    "spark.sql.shuffle.partitions": "2",
    # Tests are over before Java has compiled anything well: most of its time would go into trying.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}

MEMORY = "3g"
"""For Java: 1g was too little for the broadcast tables of a job of many small matches."""


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A session with two threads and few shuffle partitions. It is not to be stopped."""
    started = session(cores=2, memory=MEMORY, settings=SETTINGS, name="parte-tests")
    yield started
    started.stop()
