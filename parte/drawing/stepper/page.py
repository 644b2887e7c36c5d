"""The page of a run: one file that needs no other file and no network, and works wherever it is opened."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources

from parte.conformance.partelang.comparison import Parting, parting
from parte.drawing.layout import Layout, lay_out
from parte.drawing.mathml import formula
from parte.drawing.pages import beginning
from parte.drawing.stepper.recording import LIMIT, Json, Recording, record
from parte.drawing.svg import draw_svg
from parte.drawing.timeline import draw_timeline
from parte.semantics.events.match import Match
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities
from parte.semantics.partelang.failures.machine import FAILURE_RULES, FaultKind
from parte.semantics.partelang.network import EntryNode, TwoInputNode, slot_name
from parte.semantics.partelang.repairs import SOUND, Family, family_of
from parte.semantics.partelang.rulebook import RULEBOOK
from parte.semantics.partelang.rules.figures import figure
from parte.semantics.partelang.rules.registry import MachineRule
from parte.semantics.partelang.schedules import Schedule
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.printer import print_program
from parte.semantics.rulebook.models import Model

_STYLE, _SCRIPT = (
    resources.files(__package__).joinpath(name).read_text(encoding="utf-8") for name in ("stepper.css", "stepper.js")
)
_SHOWN = 10
_PASSING = RULEBOOK["PARTE/PROP"]
_FAULTS = {
    FaultKind.CRASH: "NODE crashes: its memory is lost",
    FaultKind.RESTORE: "NODE recovers: it replays its log from its checkpoint",
    FaultKind.CHECKPOINT: "NODE writes a checkpoint and empties its log",
}


@dataclass(frozen=True, slots=True)
class Stepper:
    """A page that shows a run step by step, as `html`. It has `shown` of the `steps`, from `first` on.

    `missing` and `spurious` are the matches by which the run differs from the algebra.
    """

    html: str
    first: int
    shown: int
    steps: int
    missing: tuple[Match, ...]
    spurious: tuple[Match, ...]

    def _repr_html_(self) -> str:
        """Return the page in a frame, for notebooks."""
        style = "width: 100%; height: 55rem; border: 0"
        return f'<iframe srcdoc="{escape(self.html)}" title="Steps" style="{style}"></iframe>'


def draw_steps(
    scenario: Scenario[core.Program],
    *,
    model: Model = SOUND,
    schedule: Schedule | None = None,
    capacities: Capacities = UNBOUNDED,
    first: int | None = None,
    limit: int = LIMIT,
    title: str = "",
) -> Stepper:
    """Run a machine on a scenario and record `limit` of its steps, from the `first` on.

    Without `first`, the steps begin with the run, or so that they include the first step that the algebra contradicts;
    the page opens at that step. Raise ValueError for a model without bounds, whose network cannot be drawn;
    CapacitiesError if a node that has capacities does not exist; MissingPredicate if a predicate is not supplied.
    """
    if family_of(model) is not Family.FEATHERWEIGHT:
        raise ValueError(f"the network of the model {model.name} has no entry nodes to draw; give sound or published")

    def recorded(begin: int) -> Recording:
        return record(scenario, model=model, schedule=schedule, capacities=capacities, first=begin, limit=limit)

    recording = recorded(first or 1)
    comparison = parting(scenario, recording.network, recording.fired, recording.outcome.matches)
    places = [recording.numbers[contradiction.step - 1] for contradiction in comparison.contradictions]
    if first is None and places and places[0] > limit:
        recording = recorded(places[0] - limit // 2)
    html = "".join(_document(scenario, recording, comparison, title or "A run step by step"))
    return Stepper(
        html, recording.first, len(recording.steps), recording.total, comparison.missing, comparison.spurious
    )


def _document(scenario: Scenario[core.Program], recording: Recording, comparison: Parting, title: str) -> Iterator[str]:
    program, shown_steps = scenario.program, len(recording.steps)
    yield beginning(title, _STYLE)
    yield f"<header>\n<h1>{escape(title)}</h1>\n"
    yield from _summary(recording, comparison)
    yield f"</header>\n{_CONTROLS.format(shown=shown_steps)}\n<main>\n"
    yield "<section>\n<h2>The network, and the tokens in it</h2>\n"
    yield f'<div class="network">{draw_svg(program, recording.network)}</div>\n'
    yield '<p><label><input type="checkbox" id="fit"> all of it in the window</label></p>\n</section>\n'
    yield '<section>\n<h2>The rule</h2>\n<div id="differences"></div>\n<div id="figure"></div>\n'
    yield '<h2 id="held">What a node holds</h2>\n<div id="stores"></div>\n</section>\n'
    yield '<section class="wide">\n<h2>The trace in time</h2>\n'
    for fluid in (False, True):
        drawn = draw_timeline(scenario.items, recording.outcome.matches, program, fluid=fluid).svg
        yield f'<div class="time{" fluid" * fluid}">{drawn}</div>\n'
    yield "</section>\n"
    source = escape(print_program(program.source))
    yield f'<details class="wide">\n<summary>The program</summary>\n<pre>{source}</pre>\n</details>\n'
    yield f"</main>\n<footer>{_KEYS}</footer>\n"
    yield f'<script type="application/json" id="run">{_embedded(_data(program, recording, comparison))}</script>\n'
    yield f"<script>\n{_SCRIPT}</script>\n</body>\n</html>\n"


def _embedded(data: Json) -> str:
    """Return JSON that may stand in a script element: nothing in it ends the element, or begins another."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode("utf-8", "replace").decode("utf-8")


_CONTROLS = """<nav class="controls" aria-label="Steps">
<button id="first" title="Home">First</button><button id="back" title="left arrow">Back</button>
<button id="on" title="right arrow">Next</button><button id="last" title="End">Last</button>
<label>by <select id="grain"><option value="step">step</option><option value="event">event</option>
<option value="match">match</option></select></label>
<button id="match" title="n">Next match</button><button id="difference" title="l">Next loss</button>
<button id="play" title="p">Play</button>
<input id="slider" type="range" min="0" max="{shown}" value="0" aria-label="Step"><output id="count"></output>
<p id="said" aria-live="polite"></p>
</nav>"""

_KEYS = """<p>Keys: <kbd>→</kbd> <kbd>←</kbd> next and back, <kbd>g</kbd> by step, event or match, <kbd>n</kbd>
<kbd>N</kbd> next and previous match, <kbd>l</kbd> <kbd>L</kbd> next and previous step that the algebra contradicts (a
match lost, or one too many), <kbd>Home</kbd> <kbd>End</kbd>, <kbd>p</kbd> play. A click on a node shows what it holds.
The address links to the step.</p>
<p>Each figure is read out of the code of its rule; the values beside it are what its lines come to.</p>"""


def _summary(recording: Recording, comparison: Parting) -> Iterator[str]:
    last = recording.first - 1 + len(recording.steps)
    yield '<div class="summary quiet">'
    yield f"<span>{escape(recording.model.name)}, {escape(recording.schedule)}</span>"
    yield '<span>matches: <span id="so-far"></span></span>'
    if len(recording.steps) < recording.total:
        yield (
            f"<span><strong>steps {recording.first:,} to {last:,} of {recording.total:,}</strong> are shown; "
            "for others: --from N, --limit N</span>"
        )
    if not comparison.missing and not comparison.spurious:
        yield "<span>the algebra has the same matches</span>"
    yield "</div>\n"
    for heading, matches in (("missing", comparison.missing), ("too many", comparison.spurious)):
        if matches:
            named = "".join(f"<li>{escape(_named(match))}</li>" for match in matches[:_SHOWN])
            more = f"<li>and {len(matches) - _SHOWN:,} more</li>" if len(matches) > _SHOWN else ""
            head = f"<summary>{heading}, by the algebra: {len(matches):,}</summary>"
            yield f'<details class="difference">{head}<ul>{named}{more}</ul></details>\n'
    for held in comparison.held[:_SHOWN]:
        yield f'<p class="difference">{escape(" ".join(held.render()))}</p>\n'
    if recording.outcome.blocked is not None:
        yield f'<pre class="difference">{escape(recording.outcome.blocked.render())}</pre>\n'


def _named(match: Match) -> str:
    return f"{match.rule}({', '.join(f'{variable}={event}' for variable, event in match.bindings)})"


def _data(program: core.Program, recording: Recording, comparison: Parting) -> Json:
    layout = lay_out(program, recording.network)
    places = [(recording.numbers[contradiction.step - 1], contradiction) for contradiction in comparison.contradictions]
    last = recording.first - 1 + len(recording.steps)
    visible = [(place, contradiction) for place, contradiction in places if recording.first <= place <= last]
    differences = [
        {"place": place - recording.first + 1, "kind": contradiction.kind.value, "sentence": contradiction.sentence}
        for place, contradiction in visible
    ]
    blocked = 0 if recording.outcome.blocked is None else len(recording.steps)
    return {
        "first": recording.first,
        "total": recording.total,
        "begin": differences[0]["place"] if differences else blocked,
        "start": recording.start,
        "steps": recording.steps,
        **recording.tables,
        "queues": recording.queues,
        "rules": [_rule(info, recording.model) for info in recording.rules],
        "passing": _rule(_PASSING, recording.model),
        "faults": {kind.value: _fault(f"PARTE/{kind.name}", said) for kind, said in _FAULTS.items()},
        "differences": differences,
        "nodes": _nodes(recording, layout),
        "boxes": [box.index for box in layout.boxes],
        "wires": [
            {"origin": wire.origin, "node": wire.successor.node, "slot": wire.successor.slot, "end": wire.points[-1]}
            for wire in layout.wires
        ],
    }


def _fault(identity: str, said: str) -> Json:
    return {"id": identity, "said": said, "summary": FAILURE_RULES[identity].summary}


def _rule(info: MachineRule, model: Model) -> Json:
    drawn = figure(info, model)
    return {
        "id": info.id,
        "name": info.name,
        "section": info.section,
        "summary": info.summary.replace("`", ""),
        "premises": _typeset(drawn.premises),
        "conclusion": _typeset(drawn.conclusion),
    }


def _typeset(lines: Sequence[str]) -> list[str]:
    return [f'<math displaystyle="true">{formula(line)}</math>' for line in lines]


def _nodes(recording: Recording, layout: Layout) -> list[Json]:
    network, boxes = recording.network, {box.index: box for box in layout.boxes}
    described: list[Json] = []
    for index, node in enumerate(network.nodes):
        box = boxes[index]
        bounds: Sequence[str] = ()
        if isinstance(node, EntryNode):
            bounds = node.sources
        elif isinstance(node, TwoInputNode):
            bounds = (*node.left, node.right)
        described.append(
            {
                "name": node.name,
                "slots": [slot_name(node, slot) for slot in range(network.slots(index))],
                "stores": isinstance(node, TwoInputNode),
                "bounds": bounds,
                "box": {"x": box.x, "y": box.y, "width": box.width, "height": box.height},
            }
        )
    return described
