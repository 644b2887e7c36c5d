"""The purpose of a checkpoint, recorded in its `parte.json`, and the check that it is not used for another.

State belongs to one program with one domain and one disorder, and output to one checkpoint. A domain is compared by a
digest of its tables after reading, independent of their files and the order of their rows. Of a Python callable only
its presence is compared: a change of its answers cannot be detected.
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
    """The fixed choices of a checkpoint: the engine and the number of partitions of its stream."""

    engine: str
    partitions: int


def claim(
    spark: SparkSession, checkpoint: str, out: str, jobs: Mapping[str, Job], disorder: int, engine: str
) -> Claimed:
    """Record the purpose of a new checkpoint, or check that these jobs, this disorder, engine and output are its own.

    CheckpointError if the checkpoint or the output belongs to another stream.
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
    recorded = read(spark, path)
    if recorded is not None:
        partitions = _compare(path, recorded, ours)
    if not numbered(spark, join(checkpoint, "spark", "offsets")) and numbered(spark, join(out, "_spark_metadata")):
        # Spark numbers the batches of a checkpoint from 0, and skips a batch whose number its sink already has.
        raise CheckpointError(
            f"{out}: this directory holds the output of another checkpoint than {checkpoint}, which is new: the first "
            "batches would be taken for those that are there, and lost; name another directory for the output, or the "
            "checkpoint that it was made with"
        )
    if recorded is None:
        # Spark keeps the number of partitions of the first start, and buckets are spread over as many.
        partitions = int(spark.conf.get("spark.sql.shuffle.partitions") or 1)
        write(spark, path, json.dumps({**ours, "partitions": partitions}) + "\n")
    return Claimed(engine, partitions)


def _compare(path: str, recorded: str, ours: Mapping[str, Any]) -> int:
    """Return the number of partitions of a checkpoint after comparing its purpose."""
    try:
        theirs = json.loads(recorded)
    except (ValueError, RecursionError):
        theirs = None
    if not isinstance(theirs, dict) or "version" not in theirs:
        raise CheckpointError(
            f"{path}: expected a JSON object that says what the checkpoint was made for, found {recorded[:100]!r}: the "
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
        theirs_text = json.dumps({name: known.get(name) for name in wrong})[:500]
        ours_text = json.dumps({name: ours[name] for name in wrong})[:500]
        raise CheckpointError(
            f"{path}: this checkpoint was made for another {names}; found {theirs_text}, expected {ours_text}: "
            f"{_OTHER}, or go back to what the checkpoint was made for"
        )
    partitions = known.get("partitions")
    if type(partitions) is not int or partitions < 1:
        raise CheckpointError(
            f"{path}: expected the number of partitions under `partitions`, found {partitions!r}: the file is damaged; "
            f"{_OTHER}"
        )
    return partitions
