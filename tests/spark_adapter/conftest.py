"""One Spark for all tests here: starting it takes seconds, and so does what Java compiles, so one worker runs them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from parte.spark_adapter.session import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {
    "spark.sql.shuffle.partitions": "2",
    # Tests are over before Java has compiled anything well: most of its time would go into trying.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}

MEMORY = "3g"
"""For Java: 1g was too little for the broadcast tables of a job of many small matches."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    """One worker has the session; modules that say that they need none are free to go to others."""
    for item in items:
        if Path(__file__).parent.name in item.path.parts and not getattr(item.module, "WITHOUT_SPARK", False):
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A session with two threads and few shuffle partitions. It is not to be stopped."""
    started = session(cores=2, memory=MEMORY, settings=SETTINGS, name="parte-tests")
    yield started
    started.stop()
