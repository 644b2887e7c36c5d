"""All firing sequences of the net of a rule on a small trace: which matches each finds.

Of the transitions of least rank that are enabled, and of the tokens that may trigger them, each may come first; so may
each of the guards that are due together. What was found is held against the definition, partition by partition.
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
    """What was found in the partitions that were looked at: the states at which there was a choice, firing sequences,
    what ended it, and the first sequence that does not find what the definition says."""

    states: int = 0
    sequences: int = 0
    partitions: int = 0
    ended: str = "all"
    difference: Difference | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """A firing sequence that finds something else than is defined: the rules that fire, and what is found."""

    firings: tuple[str, ...]
    missing: tuple[Match, ...]
    spurious: tuple[Match, ...]


def explored(
    rule: tree.Rule, events: Sequence[Occurrence], model: Model, most_states: int, seconds: float
) -> Iterator[Explored]:
    """Explore each partition in turn, up to the first difference; how far it is, after each firing sequence."""
    found = Explored()
    until = monotonic() + seconds
    for keys, group in partitions(rule, events):
        # Windows of a partition by itself are counted anew.
        expected = tuple(replace(match, partition=keys) for match in evaluate(rule, group))
        before = (found.states, found.sequences)
        progress: Progress[Result] = Progress()
        found.partitions += 1
        for progress in explore(
            partial(_played, rule, model, keys, group), most_states - before[0], until - monotonic()
        ):
            found.states, found.sequences = before[0] + progress.states, before[1] + progress.ways
            wrong = next((each for each in progress.results if each != expected), None)
            if wrong is not None:
                found.difference = _difference(rule, model, keys, group, progress.results[wrong], expected)
                yield found
                return
            yield found
        if progress.ended != "all":
            found.ended = progress.ended
            yield found
            return


def _played(rule: tree.Rule, model: Model, keys: Keys, group: Sequence[Occurrence], guide: Guide) -> Result:
    """The matches of one firing sequence."""
    machine = Machine(rule, model, guide)
    run = machine.begun(Run)
    guide.state = partial(state_of, run)
    return tuple(in_order({repr(each): each for each in machine.reported(run.run(group), keys)}.values()))


class _Recorded(Run):
    """A run that notes which transitions fire."""

    firings: tuple[str, ...] = ()

    def _fire(self, transition: Transition, token: Token) -> None:
        self.firings += (f"{transition.identity} {transition.label}".strip(),)
        super()._fire(transition, token)


def _difference(
    rule: tree.Rule, model: Model, keys: Keys, group: Sequence[Occurrence], path: Path, expected: Result
) -> Difference:
    machine = Machine(rule, model, Guide(path, set(), []))
    run = machine.begun(_Recorded)
    found = {repr(each): each for each in machine.reported(run.run(group), keys)}
    known = {repr(each): each for each in expected}
    missing = tuple(match for text, match in known.items() if text not in found)
    return Difference(run.firings, missing, tuple(match for text, match in found.items() if text not in known))


# --- States -----------------------------------------------------------------------------------------------------------


def state_of(run: Run, among: Sequence[object]) -> Hashable | None:
    """What decides how a run goes on: the instant, what has come and was found, and the tokens and guards of each
    activation, whatever they are numbered. None where the order of tokens decides, too."""
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
        each: Activation | None = activation
        while each is not None and each not in known:
            known.add(each)
            children[each.parent].append(each)
            each = each.parent

    def tree_of(activation: Activation) -> Hashable:
        below = Counter(tree_of(child) for child in children[activation])
        names = frozenset(activation.names.items())
        content = (activation.enabled, names, activation.used, activation.spent, activation.closed)
        return content, frozenset(own[activation].items()), frozenset(below.items())

    whole = Counter(tree_of(activation) for activation in children[None])
    found = Counter(repr(token.colour) for token in run.results)
    return run.stage, run.now, run.arrived, frozenset(found.items()), frozenset(whole.items())


def _timers(among: Sequence[object]) -> list[Timer]:
    """The guards among what is chosen from, which are taken already; they stand alone, or behind what is enabled."""
    found = [each[0][3] if isinstance(each, tuple) and len(each) == 2 else each for each in among]
    return [cast("Timer", each) for each in found if each is not None]
