"""Match: all matches of one program in one huge log, found by Spark (specification: relational-evaluator).

    from parte.spark_adapter.match import match

    found = match(spark, program, events, domain)
    found.rules["FraudPassThrough"].show()
    found.write("matches")

The log is a DataFrame with the columns of `parte.algebra.partelang.relational.columns`. The queries are those of
`parte.algebra.partelang.relational`, the compiler behind `parte run --model duckdb`, so that both find the same
matches.
"""

from __future__ import annotations

from parte.algebra.partelang.relational import Unsupported
from parte.algebra.partelang.relational.skew import Hot
from parte.spark_adapter.match.matching import match
from parte.spark_adapter.match.results import Matches

__all__ = ["Hot", "Matches", "Unsupported", "match"]
