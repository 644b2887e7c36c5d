"""All firing sequences of the net of a rule on a small trace, with the matches that each finds.

Any of the enabled transitions of least rank may fire first, for any of the tokens that may trigger it; so may any of
the guards that are due together. The results are compared with the definition, partition by partition.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import cast

from parte.conformance.choices import Guide, Path, Progress, explore
from parte.languages.lead.algebra.rules import evaluate
from parte.languages.lead.semantics.branches import Running
from parte.languages.lead.semantics.machine import Machine, in_order
from parte.languages.lead.semantics.net import Run, Timer, Transition
from parte.languages.lead.semantics.partitioning import partitions
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Keys, Match, Occurrence
from parte.languages.lead.semantics.tokens import Activation, Token
from parte.semantics.rulebook.models import Model

Result = tuple[Match, ...]


@dataclass(slots=True)
class Explored:
    """The results in the partitions so far: the states with a choice, the firing sequences, the reason for the end,
    and the first sequence whose matches are not those of the definition."""

    states: int = 0
    sequences: int = 0
    partitions: int = 0
    ended: str = "all"
    difference: Difference | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """A firing sequence whose matches are not those of the definition: the rules that fire, and the differences."""

    firings: tuple[str, ...]
    missing: tuple[Match, ...]
    spurious: tuple[Match, ...]


def explored(
    rule: tree.Rule, events: Sequence[Occurrence], model: Model, most_states: int, seconds: float
) -> Iterator[Explored]:
    """Explore each partition in turn, up to the first difference. Yield the progress after each firing sequence."""
    exploration = Explored()
    until = monotonic() + seconds
    for keys, group in partitions(rule, events):
        # Windows of a partition by itself are numbered anew.
        expected = tuple(replace(match, partition=keys) for match in evaluate(rule, group))
        before = (exploration.states, exploration.sequences)
        progress: Progress[Result] = Progress()
        exploration.partitions += 1
        for progress in explore(
            partial(_played, rule, model, keys, group), most_states - before[0], until - monotonic()
        ):
            exploration.states, exploration.sequences = before[0] + progress.states, before[1] + progress.ways
            wrong = next((result for result in progress.results if result != expected), None)
            if wrong is not None:
                exploration.difference = _difference(rule, model, keys, group, progress.results[wrong], expected)
                yield exploration
                return
            yield exploration
        if progress.ended != "all":
            exploration.ended = progress.ended
            yield exploration
            return


def _played(rule: tree.Rule, model: Model, keys: Keys, group: Sequence[Occurrence], guide: Guide) -> Result:
    """Return the matches of one firing sequence."""
    machine = Machine(rule, model, guide)
    run = machine.begun(Run)
    guide.state = partial(state_of, run)
    return tuple(in_order({repr(match): match for match in machine.reported(run.run(group), keys)}.values()))


class _Recorded(Run):
    """A run that records which transitions fire."""

    firings: tuple[str, ...] = ()

    def _fire(self, transition: Transition, token: Token) -> None:
        self.firings += (f"{transition.identity} {transition.label}".strip(),)
        super()._fire(transition, token)


def _difference(
    rule: tree.Rule, model: Model, keys: Keys, group: Sequence[Occurrence], path: Path, expected: Result
) -> Difference:
    machine = Machine(rule, model, Guide(path, set(), []))
    run = machine.begun(_Recorded)
    reported = {repr(match): match for match in machine.reported(run.run(group), keys)}
    known = {repr(match): match for match in expected}
    missing = tuple(match for text, match in known.items() if text not in reported)
    return Difference(run.firings, missing, tuple(match for text, match in reported.items() if text not in known))


# --- States -----------------------------------------------------------------------------------------------------------


def state_of(run: Run, among: Sequence[object]) -> Hashable | None:
    """Return the state that decides how a run continues: the instant, the events so far, the results, and the tokens
    and guards of each activation, in any numbering. Return None if the order of tokens matters too."""
    if not (run.repairs.wait_all and run.repairs.kill_all):
        return None
    own: dict[Activation, Counter[Hashable]] = defaultdict(Counter)
    for place, token in run.marking:
        if isinstance(token.colour, Running):
            branch = token.colour
            own[branch.activation]["branch", place.number, branch.item, branch.over, branch.match] += 1
        else:
            own[token.activation][place.number, token.colour, token.birth] += 1
    waiting = {id(timer): timer for timer in (*run.timers, *_timers(among))}
    for instant, _, transition, token in waiting.values():
        own[token.activation]["due", instant, run.net.transitions.index(transition)] += 1
    children: dict[Activation | None, list[Activation]] = defaultdict(list)
    known: set[Activation] = set()
    for activation in own:
        ancestor: Activation | None = activation
        while ancestor is not None and ancestor not in known:
            known.add(ancestor)
            children[ancestor.parent].append(ancestor)
            ancestor = ancestor.parent

    def tree_of(activation: Activation) -> Hashable:
        below = Counter(tree_of(child) for child in children[activation])
        names = frozenset(activation.names.items())
        content = (activation.enabled, names, activation.used, activation.spent, activation.closed)
        return content, frozenset(own[activation].items()), frozenset(below.items())

    whole = Counter(tree_of(activation) for activation in children[None])
    results = Counter(repr(token.colour) for token in run.results)
    return run.stage, run.now, run.arrived, frozenset(results.items()), frozenset(whole.items())


def _timers(among: Sequence[object]) -> list[Timer]:
    """Return the guards among the candidates of a choice, already taken; they stand alone, or behind an enabled
    transition."""
    timers = [
        candidate[0][3] if isinstance(candidate, tuple) and len(candidate) == 2 else candidate for candidate in among
    ]
    return [cast("Timer", timer) for timer in timers if timer is not None]
