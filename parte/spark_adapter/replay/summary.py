"""The summary of a replay: traces by verdict, runs by model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parte.spark_adapter.replay.result import RunVerdict
from parte.spark_adapter.replay.rows import REJECTED

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Kind = tuple[str, str | None]
"""A verdict, and for an error its cause."""


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """The runs of one model: the number of runs for each verdict, and their milliseconds on average."""

    model: str
    verdicts: Mapping[str, int]
    milliseconds: float

    @property
    def runs(self) -> int:
        return sum(self.verdicts.values())


@dataclass(frozen=True, slots=True)
class Summary:
    """A whole replay. `examples` are ids and messages of some bad traces."""

    kinds: Mapping[Kind, int]
    models: tuple[ModelSummary, ...]
    examples: tuple[tuple[str, str], ...]

    @property
    def traces(self) -> int:
        return sum(self.kinds.values())

    @property
    def bad(self) -> int:
        """Traces on which models disagree or were not compared to the end: all but `agree` and rejected ones.

        No model can run a rejected trace, so it counts against none of them.
        """
        fine = {(RunVerdict.AGREE.value, None), (RunVerdict.ERROR.value, REJECTED)}
        return sum(count for kind, count in self.kinds.items() if kind not in fine)


def summarize(results: DataFrame, examples: int = 5) -> Summary:
    """Return the summary of results, with up to so many examples, the first by id."""
    from pyspark.sql import functions as f

    kinds = {
        (row["verdict"], row["cause"]): row["count"] for row in results.groupBy("verdict", "cause").count().collect()
    }
    runs = results.select(f.explode("runs").alias("run"))
    grouped = runs.groupBy("run.model", "run.verdict").agg(
        f.count("*").alias("count"), f.sum("run.milliseconds").alias("total")
    )
    verdicts: dict[str, dict[str, int]] = {}
    totals: dict[str, float] = {}
    for row in grouped.orderBy("model", "verdict").collect():
        verdicts.setdefault(row["model"], {})[row["verdict"]] = row["count"]
        totals[row["model"]] = totals.get(row["model"], 0.0) + row["total"]
    bad = results.where(f"verdict != 'agree' and not (verdict = 'error' and cause <=> '{REJECTED}')")
    example_rows = bad.orderBy("trace_id").select("trace_id", "message").limit(examples).collect()
    models = tuple(
        ModelSummary(model, counts, totals[model] / sum(counts.values())) for model, counts in verdicts.items()
    )
    return Summary(kinds, models, tuple((str(row["trace_id"]), str(row["message"])) for row in example_rows))
