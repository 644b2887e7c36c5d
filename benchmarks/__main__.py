"""All benchmarks: `python -m benchmarks [MOST_TRANSFERS]`. Compare figures within one run only."""

from __future__ import annotations

import sys

from benchmarks import (
    audit,
    cel,
    checker,
    core,
    duckdb,
    etalis,
    exploration,
    fuzzing,
    indexed,
    lead,
    long,
    parsing,
    rules,
    sound,
    suite,
)
from benchmarks.spark import cel as cel_on_spark
from benchmarks.spark import match, replay, stream


def main() -> None:
    """Print every table; with an argument, only of traces up to so many transfers."""
    most = [int(argument) for argument in sys.argv[1:2]]
    parsing.main()
    rules.main()
    sound.main(*most)
    indexed.main(*most)
    long.main(*most)
    duckdb.main(*most)
    audit.main(*most)
    suite.main()
    fuzzing.main()
    checker.main()
    exploration.main()
    cel.main(*most)
    etalis.main(*most)
    lead.main(*most)
    core.main(most[0] if most else max(core.LENGTHS))
    match.main(*most)
    replay.main()
    stream.main(*most)
    cel_on_spark.main()


if __name__ == "__main__":
    main()
