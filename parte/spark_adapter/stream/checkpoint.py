"""What a checkpoint was made for: `parte.json` in it, and what must not be mixed up with it.

State is that of one program with one domain and one disorder, and output that of one checkpoint. A domain is compared
by a digest of its tables as they are after reading, whatever files and order of rows they came from. Of a Python
callable only that it is one is known: whether it answers as before nobody can tell.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from parte.spark_adapter.errors import Unusable
from parte.spark_adapter.stream.job import Job
from parte.spark_adapter.stream.places import join, numbered, qualified, read, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

VERSION: Final = 4

_WORDS: Final[Mapping[str, str]] = {"programs": "program", "domains": "domain", "output": "output directory"}

_OTHER: Final = "take another checkpoint and output directory"


class CheckpointError(Unusable):
    """A checkpoint or an output of something else, whose state would be taken for that of this program."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """What a checkpoint fixes: by which engine, and in how many partitions, its stream runs."""

    engine: str
    partitions: int


def claim(
    spark: SparkSession, checkpoint: str, out: str, jobs: Mapping[str, Job], disorder: int, engine: str
) -> Claimed:
    """Take a checkpoint that is new, or make sure that it is that of these jobs, this disorder, engine and output.

    CheckpointError if it is another's, or if the output is.
    """
    path = join(checkpoint, "parte.json")
    ours = {
        "version": VERSION,
        "disorder": disorder,
        "engine": engine,
        "output": qualified(spark, out),
        "programs": {name: job.identity() for name, job in sorted(jobs.items())},
        "domains": {name: job.domain() for name, job in sorted(jobs.items())},
    }
    found = read(spark, path)
    if found is not None:
        partitions = _compare(path, found, ours)
    if not numbered(spark, join(checkpoint, "spark", "offsets")) and numbered(spark, join(out, "_spark_metadata")):
        # Spark numbers the batches of a checkpoint from 0, and skips what its sink has under that number already.
        raise CheckpointError(
            f"{out}: this directory holds the output of another checkpoint than {checkpoint}, which is new: the first "
            "batches would be taken for those that are there, and lost; name another directory for the output, or the "
            "checkpoint that it was made with"
        )
    if found is None:
        # Spark keeps the number of partitions of the first start, and buckets are spread over as many.
        partitions = int(spark.conf.get("spark.sql.shuffle.partitions") or 1)
        write(spark, path, json.dumps({**ours, "partitions": partitions}) + "\n")
    return Claimed(engine, partitions)


def _compare(path: str, found: str, ours: Mapping[str, Any]) -> int:
    """The number of partitions that a checkpoint was made with."""
    try:
        theirs = json.loads(found)
    except (ValueError, RecursionError):
        theirs = None
    if not isinstance(theirs, dict) or "version" not in theirs:
        raise CheckpointError(
            f"{path}: expected a JSON object that says what the checkpoint was made for, found {found[:100]!r}: the "
            f"file is damaged; {_OTHER}"
        )
    known: dict[str, Any] = theirs
    if known["version"] != VERSION:
        raise CheckpointError(
            f"{path}: this checkpoint was made by another version of PARTE, whose state this one cannot read: found "
            f"{json.dumps(known['version'])[:100]}, expected {VERSION}; {_OTHER}, or go on with that version"
        )
    wrong = [name for name in ours if known.get(name) != ours[name]]
    if wrong:
        names = " and ".join(_WORDS.get(name, name) for name in wrong)
        theirs_shown = json.dumps({name: known.get(name) for name in wrong})[:500]
        ours_shown = json.dumps({name: ours[name] for name in wrong})[:500]
        raise CheckpointError(
            f"{path}: this checkpoint was made for another {names}; found {theirs_shown}, expected {ours_shown}: "
            f"{_OTHER}, or go back to what the checkpoint was made for"
        )
    partitions = known.get("partitions")
    if type(partitions) is not int or partitions < 1:
        raise CheckpointError(
            f"{path}: expected the number of partitions under `partitions`, found {partitions!r}: the file is damaged; "
            f"{_OTHER}"
        )
    return partitions
