"""The jobs of a query, sent to each worker once.

A function that Spark ships with more than a mebibyte in it becomes a broadcast of its own accord, and the process that
asks a stateful processor for the schema of its state cannot load one. A domain table or many programs are soon larger;
so they travel apart, and what is shipped says only where they are.
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
    """Jobs, wherever they are asked for. `run` names the query in which they are used."""

    def __init__(self, run: str, fetch: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.run = run
        self._fetch = fetch
        self._arguments = arguments

    def jobs(self) -> Jobs:
        """The jobs; in a worker they are read once. The pickle is trusted: the driver of this query made it."""
        if self.run not in _loaded:
            content: bytes = self._fetch(*self._arguments).value
            _loaded.clear()
            _loaded[self.run] = cast(Jobs, pickle.loads(content))  # what Spark does with every function it ships
        return _loaded[self.run]


class Sending:
    """What the driver holds: becomes a `Shared` when it is pickled, and tells Spark of its broadcast then."""

    def __init__(self, context: SparkContext, jobs: Jobs) -> None:
        """Pickle the jobs for the workers, trusted as every function is that Spark ships."""
        from pyspark import cloudpickle

        self.run = uuid.uuid4().hex
        self._jobs = jobs
        self._broadcast = context.broadcast(cast(bytes, cloudpickle.dumps(dict(jobs))))  # type: ignore[no-untyped-call] # Spark's copy

    def jobs(self) -> Jobs:
        """The jobs themselves."""
        return self._jobs

    def __reduce__(self) -> tuple[type[Shared], tuple[object, ...]]:
        fetch, arguments = self._broadcast.__reduce__()
        return Shared, (self.run, fetch, arguments)
