"""All benchmarks: `python -m benchmarks [MOST_TRANSFERS]`. Compare figures within one run only."""

from __future__ import annotations

import sys

from benchmarks import (
    checker,
    duckdb,
    exploration,
    fuzzing,
    indexed,
    parsing,
    sound,
    suite,
)
from benchmarks.spark import match, replay, stream


def main() -> None:
    """Print every table; with an argument, only of traces up to so many transfers."""
    most = [int(argument) for argument in sys.argv[1:2]]
    parsing.main()
    sound.main(*most)
    indexed.main(*most)
    duckdb.main(*most)
    suite.main()
    fuzzing.main()
    checker.main()
    exploration.main()
    match.main(*most)
    replay.main()
    stream.main(*most)


if __name__ == "__main__":
    main()
