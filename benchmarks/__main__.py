"""All benchmarks: `python -m benchmarks [MOST_TRANSFERS]`. Compare figures within one run only."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from benchmarks import (
    audit,
    checker,
    duckdb,
    exploration,
    fuzzing,
    indexed,
    long,
    parsing,
    proved,
    rules,
    sets,
    sound,
    suite,
)
from benchmarks.spark import match, replay, stream
from parte.proofs.partelang.evaluator.conversation import EVALUATOR


def main() -> None:
    """Print every table; with an argument, only of traces up to so many transfers."""
    most = [int(argument) for argument in sys.argv[1:2]]
    parsing.main()
    rules.main()
    sound.main(*most)
    indexed.main(*most)
    if EVALUATOR.is_file():
        proved.main(*most)
    long.main(*most)
    duckdb.main(*most)
    audit.main(*most)
    sets.main(*most)
    suite.main()
    fuzzing.main()
    checker.main()
    exploration.main()
    match.main(*most)
    replay.main()
    stream.main(*most)
    for path in sorted(Path(__file__).parent.glob("languages/*/*.py")):
        module = import_module(f"benchmarks.languages.{path.parent.name}.{path.stem}")
        module.main(*([] if path.stem == "spark" else most))  # the benchmarks on Spark have their own sizes


if __name__ == "__main__":
    main()
