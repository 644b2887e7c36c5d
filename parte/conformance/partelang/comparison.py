"""Comparing a model with the algebra, and naming the step at which they differ (specification: sound-agrees).

    from parte.conformance.partelang.comparison import compare
    from parte.semantics.events.scenario import Scenario

    print(compare(Scenario.of(program, items), model=PUBLISHED).render())

The matches of the algebra are the truth. The model runs under round-robin and then under seeded schedules, random and
adversarial in turn, until one of them differs or blocks; that run is repeated with its steps recorded, and each step is
judged by the algebra's verdicts on partial matches.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

from parte.algebra.partelang.programs import run
from parte.conformance.partelang.contradiction import Contradiction, Held
from parte.conformance.partelang.judgement import judge
from parte.conformance.partelang.truth import Truth
from parte.semantics.events.differences import differences
from parte.semantics.events.match import Match, derivation
from parte.semantics.events.outcome import Blocked, Outcome
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities
from parte.semantics.partelang.execution import network_of, run_network
from parte.semantics.partelang.machine import Step
from parte.semantics.partelang.network import Network
from parte.semantics.partelang.repairs import SOUND
from parte.semantics.partelang.schedules import Adversarial, RoundRobin, Schedule, SeededRandom
from parte.semantics.partelang.syntax import core
from parte.semantics.rulebook.models import Model

NAIVE_LIMIT = 20_000
"""Combinations of events for one rule up to which the defining evaluator runs; above it, the indexed one does."""

_SHOWN = 10
"""Matches of a kind that a report lists."""

OTHER_MATCHES = "with its steps recorded the run gave other matches; this is about the recorded run"
UNRECORDED = (
    "with its steps recorded the run agrees with the algebra, so no rule is at fault, "
    "but the indexed histories or the way in which unbounded runs take their steps"
)
INCOMPLETE = "no step contradicts the algebra and no node holds what is missing: this explanation is incomplete"

Evaluator = Literal["naive", "indexed"]


@dataclass(frozen=True, slots=True)
class Trial:
    """A schedule by name and seed; round-robin has no seed."""

    schedule: str
    seed: int | None

    def __str__(self) -> str:
        return self.schedule if self.seed is None else f"{self.schedule} with seed {self.seed}"


@dataclass(frozen=True, slots=True)
class Difference:
    """A run that differs from the algebra, or blocked, with the reasons.

    `missing` are matches of the algebra that the run lacks, `spurious` those that it has beyond the algebra's; a match
    found twice is spurious once. `contradictions` are steps in order, the first being the first error; `held` are the
    partial matches that not-nodes never released. `note` states what neither explains.
    """

    trial: Trial
    missing: tuple[Match, ...]
    spurious: tuple[Match, ...]
    blocked: Blocked | None
    contradictions: tuple[Contradiction, ...]
    held: tuple[Held, ...]
    note: str | None = None

    @property
    def first(self) -> Contradiction | None:
        """The first step whose effect the algebra contradicts, if any."""
        return self.contradictions[0] if self.contradictions else None

    @property
    def explained(self) -> bool:
        """True if a step, a node that holds a partial match, or the blocked nodes explain the difference."""
        return bool(self.contradictions or self.held or self.blocked)

    def lines(self) -> Iterator[str]:
        """Yield the lines of the report."""
        yield from _matches("missing", self.missing)
        yield from _matches("spurious", self.spurious)
        for heading, contradictions in zip(
            ("first contradicted step:", "then:"), _split(self.contradictions), strict=True
        ):
            if contradictions:
                yield heading
                yield from (f"  {line}" for item in contradictions for line in item.render())
        if self.held:
            yield "never released:"
            yield from (f"  {line}" for item in self.held for line in item.render())
        if self.blocked is not None:
            yield from self.blocked.render().splitlines()
        if self.note is not None:
            yield f"note: {self.note}"

    def record(self) -> dict[str, object]:
        """Return the report as plain data."""
        blocked = self.blocked
        steps = [
            {
                "step": contradiction.step,
                "rule": contradiction.rule,
                "node": contradiction.node,
                "slot": contradiction.slot,
                "token": contradiction.token,
                "kind": contradiction.kind.value,
                "sentence": contradiction.sentence,
            }
            for contradiction in self.contradictions
        ]
        return {
            "schedule": self.trial.schedule,
            "seed": self.trial.seed,
            "missing": [json.loads(match.to_json()) for match in self.missing],
            "spurious": [json.loads(match.to_json()) for match in self.spurious],
            "contradictions": steps,
            "held": [{"node": h.node, "payload": h.payload, "sentence": h.sentence} for h in self.held],
            "blocked": None if blocked is None else blocked.render().splitlines(),
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of a model with the algebra: the number of the algebra's matches, the evaluator that found them,
    the schedules that were tried, in order, and the difference under the last of them, if there is one."""

    model: str
    evaluator: Evaluator
    matches: int
    trials: tuple[Trial, ...]
    difference: Difference | None

    @property
    def agrees(self) -> bool:
        """True if every schedule gave the matches of the algebra, and none blocked."""
        return self.difference is None

    def render(self) -> str:
        """Return the report as text."""
        algebra = f"the algebra ({self.evaluator} evaluator, {_count(self.matches, 'match', 'matches')})"
        if self.difference is None:
            return f"{self.model} agrees with {algebra} under {_count(len(self.trials), 'schedule', 'schedules')}"
        agreed = len(self.trials) - 1
        parts = "differs from" if self.difference.missing or self.difference.spurious else "blocks, unlike"
        head = f"{self.model} {parts} {algebra}, under the schedule {self.difference.trial}"
        if agreed:
            head += f"; {_count(agreed, 'schedule', 'schedules')} before it agreed"
        return "\n".join([head, *self.difference.lines()])

    def to_json(self) -> str:
        """Return one line of JSON with everything that `render` reports."""
        return json.dumps(self.record(), ensure_ascii=False, allow_nan=False)

    def record(self) -> dict[str, object]:
        """Return the content of `to_json` as plain data."""
        return {
            "model": self.model,
            "evaluator": self.evaluator,
            "matches": self.matches,
            "agrees": self.agrees,
            "schedules": [{"name": trial.schedule, "seed": trial.seed} for trial in self.trials],
            "difference": None if self.difference is None else self.difference.record(),
        }


def compare(
    scenario: Scenario[core.Program],
    *,
    model: Model = SOUND,
    schedules: int = 10,
    seed: int = 0,
    capacities: Capacities = UNBOUNDED,
) -> Comparison:
    """Run the algebra, and the model under round-robin and `schedules` others, up to the first that differs.

    The others are seeded with `seed`, `seed + 1` and so on. MissingPredicate if a declared predicate is not supplied;
    CapacitiesError if a node that has capacities does not exist.
    """
    network = network_of(scenario, model)
    capacities.check(node.name for node in network.nodes)
    truth, evaluator = _truth(scenario)
    runner = _Runner(scenario, network, model, capacities, truth)
    trials: list[Trial] = []
    difference = None
    for schedule, trial in schedules_from(schedules, seed):
        trials.append(trial)
        difference = runner.try_out(schedule, trial)
        if difference is not None:
            break
    return Comparison(model.name, evaluator, len(truth), tuple(trials), difference)


def difference_about(scenario: Scenario[core.Program], match: Match, model: Model) -> Difference | None:
    """Return how a model under round-robin lost a match of the algebra, or found one that the algebra does not have.

    None if both have it, or neither. Other matches that differ are ignored.
    """
    network = network_of(scenario, model)
    truth, _ = _truth(scenario)
    steps: list[Step] = []
    schedule = RoundRobin()
    outcome = run_network(network, scenario.arrivals, model, schedule, UNBOUNDED, steps.append)
    missing, spurious = differences(truth, outcome.matches, Match.to_json)
    missing, spurious = (
        tuple(candidate for candidate in matches if candidate == match) for matches in (missing, spurious)
    )
    if not missing and not spurious:
        return None
    about = _truth_about(scenario, network, truth, match, missing)
    judgement = judge(steps, about, network, missing, spurious)
    explained = judgement.contradictions or judgement.held or outcome.blocked
    note = None if explained else INCOMPLETE
    trial = Trial(schedule.name, None)
    return Difference(trial, missing, spurious, outcome.blocked, judgement.contradictions, judgement.held, note)


@dataclass(frozen=True, slots=True)
class Parting:
    """The differences of a recorded run from the algebra: matches, contradicted steps in order, and the partial matches
    that were never released."""

    missing: tuple[Match, ...]
    spurious: tuple[Match, ...]
    contradictions: tuple[Contradiction, ...]
    held: tuple[Held, ...]


def parting(
    scenario: Scenario[core.Program], network: Network, steps: Sequence[Step], matches: Sequence[Match], most: int = 20
) -> Parting:
    """Return the differences of a run from the algebra, with the steps that explain the first `most` missing matches
    and all spurious ones."""
    truth, _ = _truth(scenario)
    missing, spurious = differences(truth, matches, Match.to_json)
    judgements = [
        judge(steps, _truth_about(scenario, network, truth, match, (match,)), network, (match,), ())
        for match in missing[:most]
    ]
    if spurious:
        judgements.append(judge(steps, Truth(scenario, network, truth), network, (), spurious))
    contradictions = dict.fromkeys(item for judgement in judgements for item in judgement.contradictions)
    held = dict.fromkeys(item for judgement in judgements for item in judgement.held)
    return Parting(missing, spurious, tuple(sorted(contradictions, key=lambda item: item.step)), tuple(held))


def _truth_about(
    scenario: Scenario[core.Program],
    network: Network,
    truth: Sequence[Match],
    match: Match,
    missing: Sequence[Match],
) -> Truth:
    """Return the algebra's verdicts on the events that a match needs, and on the matches that emit the events it
    binds."""
    before = [needed for _, bound in match.bindings for needed in derivation(truth, bound)]
    return Truth(scenario, network, truth, (*before, *missing))


def _truth(scenario: Scenario[core.Program]) -> tuple[tuple[Match, ...], Evaluator]:
    """Return the algebra's matches, from the defining evaluator if that takes little time."""
    program, events = scenario.program, scenario.events
    matches = run(program, events, scenario.predicates, "indexed").matches
    emitted = (event for match in matches for event in match.emits)
    counts = Counter(event.template for event in (*events, *emitted))
    work = max((prod(counts[pattern.template] or 1 for pattern in rule.patterns) for rule in program.rules), default=0)
    if work > NAIVE_LIMIT:
        return matches, "indexed"
    return run(program, events, scenario.predicates, "naive").matches, "naive"


def schedules_from(count: int, seed: int) -> Iterator[tuple[Schedule, Trial]]:
    """Yield round-robin and `count` others, random and adversarial in turn, seeded with `seed`, `seed + 1` and so
    on."""
    yield RoundRobin(), Trial(RoundRobin().name, None)
    for number in range(seed, seed + count):
        schedule = Adversarial(number) if (number - seed) % 2 else SeededRandom(number)
        yield schedule, Trial(schedule.name, number)


@dataclass(frozen=True, slots=True)
class _Runner:
    """A runner of one model on one trace, with the expected matches."""

    scenario: Scenario[core.Program]
    network: Network
    model: Model
    capacities: Capacities
    truth: Sequence[Match]

    def try_out(self, schedule: Schedule, trial: Trial) -> Difference | None:
        """Return how a run differs, or None.

        `sound` runs on indexed histories, as users run it, and once more with its steps recorded if it differs. The
        steps of any other model are recorded at once: its matches may depend on the order in which a history gives its
        entries, which differs between plain and indexed histories.
        """
        steps: list[Step] = []
        first = self._execute(schedule, None if self.model == SOUND else steps)
        if not self._differs(first):
            return None
        if self.model != SOUND:
            return self._explain(trial, first, steps, None)
        recorded = self._execute(schedule, steps)
        if self._differs(recorded):
            same = recorded.matches == first.matches
            return self._explain(trial, recorded, steps, None if same else OTHER_MATCHES)
        missing, spurious = differences(self.truth, first.matches, Match.to_json)
        return Difference(trial, missing, spurious, first.blocked, (), (), UNRECORDED)

    def _execute(self, schedule: Schedule, steps: list[Step] | None) -> Outcome:
        recorder = None if steps is None else steps.append
        return run_network(self.network, self.scenario.arrivals, self.model, schedule, self.capacities, recorder)

    def _differs(self, execution: Outcome) -> bool:
        return any(differences(self.truth, execution.matches, Match.to_json)) or execution.blocked is not None

    def _explain(self, trial: Trial, execution: Outcome, steps: Sequence[Step], note: str | None) -> Difference:
        truth = Truth(self.scenario, self.network, self.truth)
        missing, spurious = differences(self.truth, execution.matches, Match.to_json)
        judgement = judge(steps, truth, self.network, missing, spurious)
        explanation = (judgement.contradictions, judgement.held)
        if not any(explanation) and execution.blocked is None and note is None:
            note = INCOMPLETE
        return Difference(trial, missing, spurious, execution.blocked, *explanation, note)


# --- Reports --------------------------------------------------------------------------------------------------------


def _count(number: int, singular: str, plural: str) -> str:
    return f"{number} {singular if number == 1 else plural}"


def _matches(heading: str, matches: Sequence[Match]) -> Iterator[str]:
    if matches:
        yield f"{heading} ({len(matches)}):"
        yield from (f"  {match.to_json()}" for match in matches[:_SHOWN])
        if len(matches) > _SHOWN:
            yield f"  and {len(matches) - _SHOWN} more"


def _split(contradictions: Sequence[Contradiction]) -> tuple[Sequence[Contradiction], Sequence[Contradiction]]:
    return contradictions[:1], contradictions[1:]
