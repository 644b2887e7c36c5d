"""Why a rule matched, or did not: what the algebra says of events that are bound, and where a model lost or found more.

from parte.conformance.partelang.why import why

print(why(scenario, "FraudPassThrough", {"incoming": "t1"}).render())
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from parte.algebra.partelang.programs import run
from parte.algebra.partelang.reasons import LIMIT, NEAREST, Explained, Level, Search, explained, search
from parte.conformance.partelang.comparison import Difference, difference_about
from parte.semantics.events.event import Event
from parte.semantics.events.match import Match
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.syntax import core
from parte.semantics.rulebook.models import Model
from parte.semantics.source.similar import advice

_DEMANDS_SHOWN = 3


class UnknownBinding(LookupError):
    """A rule, a variable or an event that there is not."""


@dataclass(frozen=True, slots=True)
class Why:
    """What the algebra says of a rule and events that some of its variables are bound to.

    `whole` explains a binding of all positive variables, `found` is what a search made of fewer; one of them is None.
    `matches` are those of the rule with this binding. `model` is the machine that was asked too, and `difference` how
    it lost the first of the matches that it lacks, or found one too many; None if it has the same.
    """

    rule: core.Rule
    given: tuple[tuple[str, str], ...]
    matches: int
    whole: Explained | None
    found: Search | None
    model: str | None = None
    difference: Difference | None = None

    def render(self) -> str:
        """Lines for people."""
        return "\n".join(self._lines())

    def __str__(self) -> str:
        return self.render()

    def to_json(self) -> str:
        """One line of JSON with everything that `render` tells."""
        record = {
            "rule": self.rule.name,
            "bindings": dict(self.given),
            "matches": self.matches,
            "explained": None if self.whole is None else _record(self.whole),
            "search": None if self.found is None else _search_record(self.found),
            "model": self.model,
            "difference": None if self.difference is None else self.difference.record(),
        }
        return json.dumps(record, ensure_ascii=False, allow_nan=False)

    def _lines(self) -> Iterator[str]:
        bindings = ", ".join(f"{variable}={event}" for variable, event in self.given)
        count = f"{self.matches} match{'' if self.matches == 1 else 'es'}" if self.matches else "no match"
        yield f"{self.rule.name}{f'({bindings})' if bindings else ''}: {count}"
        if self.whole is not None:
            yield from _explained(self.rule, self.whole)
        if self.found is not None:
            yield from _searched(self.rule, self.found)
        if self.model is not None:
            yield f"{self.model} has the same" if self.difference is None else f"{self.model} differs:"
            yield from (f"  {line}" for line in (self.difference.lines() if self.difference else ()))


def why(
    scenario: Scenario[core.Program],
    rule: str | None = None,
    bindings: Mapping[str, str] | None = None,
    *,
    model: Model | None = None,
    nearest: int = NEAREST,
    limit: int = LIMIT,
) -> Why:
    """Why a rule matches the events with these ids, or does not; of variables that are not bound, the nearest misses.

    Without a rule it is the only one of the program. A search tries at most `limit` combinations of events. With a
    model, also where that one parts from the algebra. UnknownBinding for a rule, variable or event that there is not.
    """
    chosen = _rule(scenario.program, rule)
    given = bindings or {}
    truth = run(scenario.program, scenario.events, scenario.predicates, "indexed").matches
    known = _stream(scenario, chosen, truth)
    bound = _bound(chosen, given, known)
    here = _of(chosen, given, truth)
    stream = tuple(known.values())
    whole = len(bound) == len(chosen.positive)
    parted = None if model is None else _difference(scenario, model, chosen, given, truth)
    return Why(
        chosen,
        tuple((pattern.variable, given[pattern.variable]) for pattern in chosen.positive if pattern.variable in given),
        len(here),
        explained(chosen, bound, stream, scenario.predicates) if whole else None,
        None if whole else search(chosen, bound, stream, scenario.predicates, limit=limit, nearest=nearest),
        None if model is None else model.name,
        parted,
    )


def _rule(program: core.Program, name: str | None) -> core.Rule:
    names = [rule.name for rule in program.rules]
    if name is None and len(names) == 1:
        return program.rules[0]
    if name is None or name not in names:
        asked = "name one of the rules" if name is None else f"no rule is called {name!r}"
        raise UnknownBinding(f"{asked}; {advice(name or '', names)}")
    return program.rule(name)


def _stream(scenario: Scenario[core.Program], rule: core.Rule, truth: tuple[Match, ...]) -> dict[str, Event]:
    """The events that a rule sees, by id: those of the trace and those that rules of lower strata emit."""
    program = scenario.program
    own = program.stratum(rule)
    below = {each.name for each in program.rules if program.stratum(each) < own}
    emitted = (event for match in truth if match.rule in below for event in match.emits)
    return {event.id: event for event in (*scenario.events, *emitted)}


def _bound(rule: core.Rule, given: Mapping[str, str], known: Mapping[str, Event]) -> dict[str, Event]:
    variables = [pattern.variable for pattern in rule.positive]
    for variable, event in given.items():
        if variable not in variables:
            negated = any(pattern.variable == variable for pattern in rule.patterns)
            what = "is of a negated pattern, which binds nothing" if negated else f"is no variable of {rule.name}"
            others = f"its variables are: {', '.join(variables)}"
            raise UnknownBinding(f"{variable} {what}; {others if negated else advice(variable, variables, others)}")
        if event not in known:
            hint = advice(event, known, "its events are those of the trace, and those that rules before it emit")
            raise UnknownBinding(f"no event that {rule.name} sees has the id {event!r}; {hint}")
    return {variable: known[event] for variable, event in given.items()}


def _of(rule: core.Rule, given: Mapping[str, str], matches: tuple[Match, ...]) -> list[Match]:
    return [m for m in matches if m.rule == rule.name and given.items() <= dict(m.bindings).items()]


def _difference(
    scenario: Scenario[core.Program], model: Model, rule: core.Rule, given: Mapping[str, str], truth: tuple[Match, ...]
) -> Difference | None:
    there = _of(rule, given, execute(scenario, model=model).matches)
    here = _of(rule, given, truth)
    missing = [match for match in here if match not in there]
    spurious = [match for match in there if match not in here or there.count(match) > 1]
    for match in (*missing, *spurious):
        if (found := difference_about(scenario, match, model)) is not None:
            return found
    return None


# --- Reports ----------------------------------------------------------------------------------------------------------


def _explained(rule: core.Rule, one: Explained) -> Iterator[str]:
    """A line for each demand under the pattern that it belongs to, in columns."""
    bound = dict(one.bindings)
    places = {id(reason): f"{reason.line}:{reason.column}" for reason in one.reasons}
    text = max((len(reason.demand) for reason in one.reasons), default=0)
    place = max(map(len, places.values()), default=0)
    for position, pattern in enumerate(rule.patterns, start=1):
        reasons = [reason for reason in one.reasons if reason.pattern == position]
        if pattern.negated:
            heading = f"no {pattern.variable}"
        else:
            heading = f"{pattern.variable} = {bound.get(pattern.variable, '?')}"
        if reasons or (pattern.variable in bound and not pattern.negated):
            yield f"  {heading}"
        for each in reasons:
            mark = "yes" if each.holds else "NO "
            yield f"    {mark}  {each.demand:{text}}  {places[id(each)]:>{place}}  {each.found}".rstrip()


def _searched(rule: core.Rule, found: Search) -> Iterator[str]:
    yield "  pattern by pattern:"
    for level in found.levels:
        yield from _level(level)
    if not found.complete:
        yield "  it ended at its limit: there may be more, and nearer ones"
    for heading, several in (("a match:", found.matches), ("nearest:", found.nearest)):
        for one in several:
            yield f"  {heading}"
            yield from (f"  {line}" for line in _explained(rule, one))


def _level(level: Level) -> Iterator[str]:
    name = f"no {level.variable}" if level.negated else level.variable
    yield f"    {name} : {level.template}: {level.left:,} of {level.tried:,} left"
    for demand, count in level.failed[:_DEMANDS_SHOWN]:
        yield f"      {count:,} fail  {demand}"


def _record(one: Explained) -> dict[str, object]:
    reasons = [{**asdict(reason), "kind": reason.kind.value} for reason in one.reasons]
    return {"bindings": dict(one.bindings), "holds": one.holds, "reasons": reasons}


def _search_record(found: Search) -> dict[str, object]:
    return {
        "complete": found.complete,
        "levels": [
            {**asdict(level), "failed": [{"demand": demand, "count": count} for demand, count in level.failed]}
            for level in found.levels
        ],
        "matches": [_record(one) for one in found.matches],
        "nearest": [_record(one) for one in found.nearest],
    }
