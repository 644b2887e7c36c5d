"""`parte spark`: the reference on Spark. Each command lives in a module of its own; here they get their names."""

from __future__ import annotations

import typer

from parte.commands.spark.match import log, match
from parte.commands.spark.replay import convert, generate, replay
from parte.commands.spark.stream import stream

app = typer.Typer(
    name="spark",
    help="The reference on Spark: many traces in parallel, one program over a huge log, a live stream.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def options() -> None:
    """The reference on Spark: many traces in parallel, one program over a huge log, a live stream."""


for command in (replay, convert, generate, match, log, stream):
    app.command()(command)
