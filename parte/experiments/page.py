"""The page of an experiment, in Markdown, and the files beside it."""

from __future__ import annotations

import shlex
from base64 import b64encode
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from parte.experiments.experiment import Experiment, Plot, Presentation, Scale, Table
from parte.experiments.parameters import to_toml, with_values
from parte.experiments.store import PARAMETERS
from parte.proofs.variants import current
from parte.semantics.events.files import write_whole

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

P = TypeVar("P")

PAGE = "README.md"
DOTS_PER_INCH = 120
MAX_SHOWN = 80
"""The most rows of a table on the page; the CSV file has all rows."""


def page(experiment: Experiment[P], parameters: P, presentation: Presentation) -> str:
    """Return the page: question, answer, command, data, tables and plots."""
    text = to_toml(parameters)
    variant = current()
    parts = [
        f"# {experiment.title}",
        *([f"Under the variant `{variant.name}`: {variant.description}."] if variant else ()),
        experiment.question,
        f"## Answer\n\n{presentation.answer}",
        f"## Rerun\n\n```\n{command(experiment, parameters)}\n```",
        f"## Data\n\n{experiment.data}\n\n```toml\n{text}```",
        "## Results",
        *(_table(number, table) for number, table in enumerate(presentation.tables, 1)),
        *(_plot(plot) for plot in presentation.plots),
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def command(experiment: Experiment[P], parameters: P) -> str:
    """Return the command that runs an experiment with these parameters; a parameter file in it lies beside the page."""
    variant = current()
    plain = f"parte experiment {experiment.name}" + (f" --variant {variant.name}" if variant else "")
    folders = {name: folder for name in experiment.inputs if (folder := getattr(parameters, name))}
    plain += "".join(f" --{name} {shlex.quote(folder)}" for name, folder in folders.items())
    options = {Scale.DEFAULT: "", Scale.SMALL: " --small", Scale.FULL: " --full"}
    for scale, option in options.items():
        if with_values(experiment.scales[scale], folders, plain) == parameters:
            return plain + option
    seed = getattr(parameters, SEED, None)
    for scale, option in options.items():
        if seed is not None and with_values(experiment.scales[scale], {SEED: seed}, plain) == parameters:
            return f"{plain}{option} --seed {seed}"
    return f"{plain} --parameters {PARAMETERS}"


SEED = "seed"


def _table(number: int, table: Table) -> str:
    visible = table.frame.head(MAX_SHOWN)
    more = len(table.frame) - len(visible)
    rest = f"\n\n{more} more rows are in [{csv_name(number)}]({csv_name(number)})." if more else ""
    note = f"\n\n{table.note}" if table.note else ""
    return f"### {table.title}\n\n{in_markdown(visible)}{rest}{note}"


def in_markdown(frame: pd.DataFrame) -> str:
    """Return a table in Markdown: integers with separators, others to four digits, an empty cell for no value."""
    values = [list(row) for row in frame.itertuples(index=False)]
    cells = [[in_words(value) for value in row] for row in values]
    words = [any(isinstance(row[number], str) for row in values) for number in range(len(frame.columns))]
    aligned = ["left" if has_words else "right" for has_words in words]
    from tabulate import tabulate

    headers = [str(column) for column in frame.columns]
    text: str = tabulate(cells, headers, tablefmt="pipe", colalign=aligned if cells else None, disable_numparse=True)
    return text


def in_words(value: object) -> str:
    """Return a value as pages show it: four digits of a fraction, separators in integers, nothing for no value."""
    import numpy as np

    if value is None or (isinstance(value, float | np.floating) and np.isnan(value)):
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | np.integer):
        return f"{int(value):,}"
    if isinstance(value, float | np.floating):
        number = float(value)
        return f"{number:,.4g}" if abs(number) < 10_000 else f"{number:,.0f}"
    return str(value).replace("|", "\\|")


def span(least: float, greatest: float) -> str:
    """Return two numbers as `3 to 17`, or one if they look the same."""
    low, high = in_words(float(f"{least:.3g}")), in_words(float(f"{greatest:.3g}"))
    return low if low == high else f"{low} to {high}"


def _plot(plot: Plot) -> str:
    return f"{_link(plot)}\n\n{plot.caption}"


def _link(plot: Plot) -> str:
    return f"![{plot.caption}]({plot.name}.svg)"


def csv_name(number: int) -> str:
    """Return the name of the file with the rows of a table."""
    return f"table-{number}.csv"


def write_page(directory: Path, presentation: Presentation, markdown: str) -> None:
    """Write the page, its tables as CSV, and its plots as SVG and PNG."""
    for number, table in enumerate(presentation.tables, 1):
        write_whole(directory / csv_name(number), table.frame.to_csv(index=False, lineterminator="\n"))
    for plot in presentation.plots:
        save(plot.draw(), directory / plot.name)
    write_whole(directory / PAGE, markdown)  # last, because it refers to the others


def with_plots_inside(presentation: Presentation, markdown: str) -> str:
    """Return a page without files beside it: its plots are inside it."""
    for plot in presentation.plots:
        png = BytesIO()
        plot.draw().savefig(png, format="png", bbox_inches="tight", dpi=DOTS_PER_INCH)
        inside = f"data:image/png;base64,{b64encode(png.getvalue()).decode('ascii')}"
        markdown = markdown.replace(_link(plot), f"![{plot.caption}]({inside})")
    return markdown


def save(figure: Figure, stem: Path) -> None:
    """Write a figure as SVG and as PNG."""
    import matplotlib as mpl

    # The same figure gives the same file: no date, and constant names of elements.
    with mpl.rc_context({"svg.hashsalt": "parte", "svg.fonttype": "path"}):
        svg, png = BytesIO(), BytesIO()
        figure.savefig(svg, format="svg", bbox_inches="tight", metadata={"Date": None})
        figure.savefig(png, format="png", bbox_inches="tight", dpi=DOTS_PER_INCH)
    write_whole(stem.with_suffix(".svg"), svg.getvalue())
    write_whole(stem.with_suffix(".png"), png.getvalue())
