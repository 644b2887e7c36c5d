"""The baseline as a Spark job: micro-batches through three keyed joins, whose histories are the state between them.

D's job is a chain of `mapWithState`, which Python lacks. Here each join is a grouped map, and the histories after a
micro-batch are rows of the next. A key is one trace with one choice of sizes, so one job runs them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from parte.experiments.windowed_spark.generator import RATE, THRESHOLD, uncommon_route
from parte.experiments.windowed_spark.windowed_join import JOINS, History, Token, viable_by_d, windowed_join
from parte.semantics.events.event import Event

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LEFT, RIGHT, LEFT_HISTORY, RIGHT_HISTORY = "left", "right", "left history", "right history"

_SCHEMA = pa.schema(
    [
        ("trace", pa.int64()),
        ("factor", pa.int64()),
        ("kind", pa.string()),
        ("position", pa.int64()),
        ("account", pa.string()),
        ("ids", pa.list_(pa.int64())),
        ("times", pa.list_(pa.int64())),
        ("amounts", pa.list_(pa.float64())),
    ]
)


def found_by_spark(
    spark: SparkSession, traces: Sequence[Sequence[Event]], factors: Sequence[int], batches: int
) -> dict[tuple[int, int], set[int]]:
    """Return, by index of the trace and factor of the sizes, the positions of the incoming transfers of matches."""
    from pyspark.sql.pandas.types import from_arrow_schema

    shape = from_arrow_schema(_SCHEMA)
    lefts, rights = _streams(spark, traces)
    of_factors = spark.createDataFrame([(factor,) for factor in factors], "factor long")
    stored: list[DataFrame | None] = [None] * JOINS
    incoming: dict[tuple[int, int], set[int]] = {
        (trace, factor): set() for trace in range(len(traces)) for factor in factors
    }
    longest = max(len(trace) for trace in traces)
    for batch in range(batches):
        begin, end = batch * longest // batches, (batch + 1) * longest // batches
        here = f"position >= {begin} and position < {end}"
        tokens = lefts.where(here).crossJoin(of_factors).select(*_SCHEMA.names)
        right = rights.where(here).crossJoin(of_factors).select(*_SCHEMA.names)
        for join in range(1, JOINS + 1):
            came_in = tokens.unionByName(right)
            before = stored[join - 1]
            if before is not None:
                came_in = came_in.unionByName(before)
            result = came_in.groupBy("trace", "factor").applyInArrow(_of_join(join), shape)
            if batches > 1:
                result = result.localCheckpoint()
                stored[join - 1] = result.where(f"kind in ('{LEFT_HISTORY}', '{RIGHT_HISTORY}')")
            tokens = result.where(f"kind = '{LEFT}'")
        for row in tokens.selectExpr("trace", "factor", "ids[0] as incoming").distinct().toLocalIterator():
            incoming[row["trace"], row["factor"]].add(row["incoming"])
    return incoming


def _streams(spark: SparkSession, traces: Sequence[Sequence[Event]]) -> tuple[DataFrame, DataFrame]:
    """Return the transfers that may be incoming, and those that may be outgoing, with the account in question."""
    rows: dict[str, list[dict[str, object]]] = {LEFT: [], RIGHT: []}
    for index, trace in enumerate(traces):
        for position, event in enumerate(trace):
            originator, destination = str(event.attributes["originator"]), str(event.attributes["destination"])
            amount = event.attributes["amount"]
            assert isinstance(amount, float)
            token = {"ids": [position], "times": [event.timestamp], "amounts": [amount]}
            if uncommon_route(originator, destination):
                rows[RIGHT].append(
                    {"trace": index, "kind": RIGHT, "position": position, "account": originator, **token}
                )
                if amount >= THRESHOLD:
                    rows[LEFT].append(
                        {"trace": index, "kind": LEFT, "position": position, "account": destination, **token}
                    )
    schema = pa.schema([field for field in _SCHEMA if field.name != "factor"])
    tables = [pa.Table.from_pylist(rows[kind], schema) for kind in (LEFT, RIGHT)]
    left, right = (spark.createDataFrame(table) for table in tables)
    return left, right


def _of_join(join: int) -> Callable[[pa.Table], pa.Table]:
    """Return the function that Spark calls for one micro-batch of one join of one key."""

    def step(table: pa.Table) -> pa.Table:
        columns = {name: table.column(name).to_pylist() for name in table.column_names}
        trace, factor = columns["trace"][0], columns["factor"][0]
        order = sorted(range(table.num_rows), key=lambda row: columns["position"][row])
        of: dict[str, list[Token]] = {kind: [] for kind in (LEFT, RIGHT, LEFT_HISTORY, RIGHT_HISTORY)}
        for row in order:
            token = Token(columns["account"][row], *(tuple(columns[name][row]) for name in ("ids", "times", "amounts")))
            of[columns["kind"][row]].append(token)
        left_size, right_size = viable_by_d(factor, RATE)[join - 1]
        lefts, rights = History(left_size, of[LEFT_HISTORY]), History(right_size, of[RIGHT_HISTORY])
        joined = list(windowed_join(join, of[LEFT], of[RIGHT], lefts, rights))
        results = ((LEFT, joined), (LEFT_HISTORY, lefts), (RIGHT_HISTORY, rights))
        rows = list(_rows(trace, factor, [(kind, list(tokens)) for kind, tokens in results]))
        return pa.Table.from_pylist(rows, _SCHEMA)

    return step


def _rows(trace: int, factor: int, results: Sequence[tuple[str, Sequence[Token]]]) -> Iterator[dict[str, object]]:
    for kind, tokens in results:
        for position, token in enumerate(tokens):
            where = {"trace": trace, "factor": factor, "kind": kind, "position": position}
            yield where | {"account": token.account, "ids": token.ids, "times": token.times, "amounts": token.amounts}
