"""The plots of growth on the page of benchmarks, drawn from the tables of that page."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from parte.experiments.plots import COLOURS, MARKERS, log_ticks, panels

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

PAGE: Final = Path(__file__).parent / "benchmarks.md"
Lines = dict[str, list[tuple[int, float]]]
"""The points of each line: a size, and the time of an event in microseconds."""

DESCRIPTION: Final = (
    "The microseconds of an event by the number of rules, by the length of the trace, and in LEAD by the length of the "
    "stream; both axes are logarithmic"
)


def growth() -> str:
    """Return the plots in a box that scrolls, with their description."""
    import matplotlib as mpl

    text = PAGE.read_text(encoding="utf-8")
    figure, axes = panels(3, 3.2, shared=False)
    _draw(axes[0], "rules (Staged and not)", by_rules(text))
    _draw(axes[1], "transfers (sound, 200 a day)", by_length(text))
    _draw(axes[2], "events (LEAD)", in_lead(text))
    svg = StringIO()
    with mpl.rc_context({"svg.hashsalt": "parte", "svg.fonttype": "path"}):
        figure.savefig(svg, format="svg", bbox_inches="tight", metadata={"Date": None})
    drawn = svg.getvalue()[svg.getvalue().index("<svg") :]
    return (
        f'<figure class="drawing wide" tabindex="0" role="region" aria-label="{DESCRIPTION}">\n{drawn}</figure>\n\n'
        f"{DESCRIPTION}. The points are those of the tables below.\n"
    )


def by_rules(text: str) -> Lines:
    """Return the lines of the table of many rules, staged and not: one for each evaluator."""
    heads, *rows = [re.split(r" {2,}", row) for row in _block(text, "### Staged and not").splitlines()]
    columns = {name.partition(",")[0]: place for place, name in enumerate(heads) if name not in _OTHERS}
    return {name: [(_number(row[0]), _decimal(row[place])) for row in rows] for name, place in columns.items()}


_OTHERS: Final = ("rules", "compiled, s", "ratio", "matches")


def by_length(text: str) -> Lines:
    """Return the lines of the table of the sound machine by the length of the trace: one for each scenario."""
    table = text[text.index("The sound machine: 200 transfers a day") :]
    lines: Lines = {}
    for row in re.findall(r"^│ (.*) │$", table[: table.index("└")], re.MULTILINE):
        scenario, transfers, _, microseconds, *_ = (cell.strip() for cell in row.split("│"))
        lines.setdefault(scenario, []).append((_number(transfers), _decimal(microseconds)))
    return lines


def in_lead(text: str) -> Lines:
    """Return the lines of the table of nets of LEAD that are fed event by event: one for each rule."""
    table = text[text.index("| rule | 500 events") :]
    heads, _, *rows = [line.strip("| ").split(" | ") for line in table.split("\n\n")[0].splitlines()]
    sizes = [_number(head.split()[0]) for head in heads[1:]]
    return {
        row[0].strip("`").removeprefix("MATCH "): [
            (size, _decimal(cell.split()[0])) for size, cell in zip(sizes, row[1:], strict=True)
        ]
        for row in rows
    }


def _block(text: str, heading: str) -> str:
    """Return the first block of text below a heading."""
    return text[text.index(heading) :].split("```text\n")[1].split("```")[0]


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def _decimal(text: str) -> float:
    return float(text.replace(",", ""))


def _draw(axes: Axes, label: str, lines: Mapping[str, list[tuple[int, float]]]) -> None:
    for number, (name, points) in enumerate(lines.items()):
        x, y = zip(*points, strict=True)
        short = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
        axes.loglog(x, y, label=short, color=COLOURS[number], marker=MARKERS[number], markersize=4)
    least, greatest = axes.get_ylim()
    axes.set_ylim(min(least, greatest / SPREAD), greatest)
    log_ticks(axes.xaxis, sorted({size for points in lines.values() for size, _ in points}))
    log_ticks(axes.yaxis)
    axes.set_xlabel(label)
    axes.set_ylabel("µs an event")
    axes.legend(fontsize="x-small", frameon=False)


LONGEST: Final = 48
"""Characters of a label."""
SPREAD: Final = 10
"""The least factor between the ends of the axis of times, so that small differences look small."""
