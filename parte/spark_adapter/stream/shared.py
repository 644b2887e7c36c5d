"""The jobs of a query, sent to each worker once.

Spark turns a function with more than a mebibyte of data into a broadcast, and the process that determines the schema of
a stateful processor's state cannot load one. A domain table or many programs exceed that soon; so they are sent
separately, and the function contains only their place.
"""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from parte.spark_adapter.stream.job import Job

if TYPE_CHECKING:
    from pyspark import SparkContext

Jobs = Mapping[str, Job]

_loaded: dict[str, Jobs] = {}
"""The jobs that this process has loaded, by run; those of the last run only."""


class Shared:
    """Jobs, in any process. `run` names the query that uses them."""

    def __init__(self, run: str, fetch: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.run = run
        self._fetch = fetch
        self._arguments = arguments

    def jobs(self) -> Jobs:
        """Return the jobs; in a worker they are read once. The pickle is trusted: the driver of this query made it."""
        if self.run not in _loaded:
            content: bytes = self._fetch(*self._arguments).value
            _loaded.clear()
            _loaded[self.run] = cast(Jobs, pickle.loads(content))  # as Spark does with every function it ships
        return _loaded[self.run]


class Sending:
    """The jobs in the driver: becomes a `Shared` when it is pickled, and registers its broadcast with Spark then."""

    def __init__(self, context: SparkContext, jobs: Jobs) -> None:
        """Pickle the jobs for the workers, trusted as every function is that Spark ships."""
        from pyspark import cloudpickle

        self.run = uuid.uuid4().hex
        self._jobs = jobs
        self._broadcast = context.broadcast(cast(bytes, cloudpickle.dumps(dict(jobs))))  # type: ignore[no-untyped-call] # Spark's copy

    def jobs(self) -> Jobs:
        """Return the jobs themselves."""
        return self._jobs

    def __reduce__(self) -> tuple[type[Shared], tuple[object, ...]]:
        fetch, arguments = self._broadcast.__reduce__()
        return Shared, (self.run, fetch, arguments)
