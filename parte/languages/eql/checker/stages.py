"""Checks of the stages of a query: whether events fit them, have their keys, and make a result (specification:
eql-satisfiable)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from parte.checker.solver import terms
from parte.checker.solver.verdict import Verdict
from parte.languages.eql.algebra.conditions import fits
from parte.languages.eql.checker.encoding import Encoding
from parte.languages.eql.checker.work import Actor, Trace, Work, lines
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.printer import expression_text, print_query
from parte.languages.eql.semantics.syntax.readings import Readings
from parte.semantics.events.event import Event, Value
from parte.semantics.source.spans import Span

MOST_PARTS = 100
"""The most parts of conditions whose need is examined."""
MOST_TRIED = 12
"""The most events, and values of a part, that are tried before the solver is asked."""


def check_stages(work: Work) -> set[tree.Stage]:
    """Report stages that no event fits, and stages whose events have no key; return them."""
    dead: set[tree.Stage] = set()
    until = work.query.until if isinstance(work.query, tree.Sequence) else None
    stages = [*work.stages, *([] if until is None else [until])]
    for guarantee, code, keyed in (
        ("satisfiable-conditions", "never-true", False),
        ("keyed-stages", "keyless-stage", True),
    ):
        with work.collector.deciding(guarantee):
            for stage in dict.fromkeys(stages):
                if stage not in dead:
                    with work.open(code, stage.event.span, "whether an event fits"):
                        if not _has_event(work, stage, keyed=keyed):
                            dead.add(stage)
                            names = ", ".join(f"`{field.name}`" for field in work.fields(stage))
                            message = "no event fulfils this condition"
                            if keyed:
                                message = f"no event that fulfils this condition has the key {names}"
                            work.collector.find(code, stage.event.span, message)
    return dead


def _has_event(work: Work, stage: tree.Stage, *, keyed: bool) -> bool:
    encoding, actor = work.encoding(), work.actor("event", stage)
    formula = encoding.truth(actor.name, stage.event.condition).true
    if keyed:
        formula = work.fits(encoding, actor, stage)

    def shows(trace: Trace) -> bool:
        return fits(trace[0], stage.event, work.readings) and (not keyed or work.key(trace[0], stage) is not None)

    return work.solved("an event of a stage", encoding, {"fits": formula}, [(actor, 0)], shows).trace is not None


# --- Results ----------------------------------------------------------------------------------------------------------


def premises(work: Work, encoding: Encoding, chain: list[Actor], spared: int = -1) -> dict[str, terms.Formula]:
    """Return the formulas, by labels, that events are a chain that until does not end; `spared` is the place of an
    event that until may end it at."""
    formulas = {actor.name: work.joins(encoding, actor, actor.stage, chain[0]) for actor in chain}
    until = work.until
    if until is not None and work.readings.until != "between":
        ending = chain[1:] if work.readings.until == "before" else chain[:-1]
        formulas["until"] = terms.both(
            *(
                terms.negated(work.joins(encoding, actor, until, chain[0]))
                for actor in {actor.name: actor for actor in ending}.values()
                if spared < 0 or actor != chain[spared]
            )
        )
    return formulas


def times(work: Work, groups: int) -> list[int]:
    """Return timestamps, in milliseconds, for groups of events: 1 ms apart if the maxspan has room, else equal."""
    maxspan = work.query.maxspan if isinstance(work.query, tree.Sequence) else None
    apart = int(maxspan is None or groups - 1 <= maxspan.milliseconds)
    return [apart * number for number in range(groups)]


def check_satisfiable(work: Work) -> Trace | None:
    """Return a trace with one result, whose events are its only ones; None if there is none, or if that is open."""
    witness = None
    with work.deciding(
        "satisfiable", "unsatisfiable-query", work.query.span, "whether any trace has a result"
    ) as decision:
        encoding, chain = work.encoding(), work.chain()
        placed = list(zip(chain, times(work, len(chain)), strict=True))
        formulas = premises(work, encoding, chain)
        answer = work.solved("a result", encoding, formulas, placed, lambda trace: bool(work.results(trace)))
        witness = answer.trace
        if witness is not None:
            decision.detail = f"a trace of {len(witness)} event{'' if len(witness) == 1 else 's'} has one"
            decision.evidence["trace"] = lines(witness)
        else:
            _unsatisfiable(work, chain, answer.core)
    return witness


def _unsatisfiable(work: Work, chain: list[Actor], core: tuple[str, ...]) -> None:
    stages = list({actor.name: actor.stage for actor in chain if actor.name in core}.values())
    if "until" in core:
        reason = f"under the reading `until={work.readings.until}` until ends the chain at an event of these stages"
    elif len(stages) == 1:
        reason = "no event fits this stage with its key"
    else:
        reason = "no events that fulfil the conditions of these stages have the same key"
    places = [(stage.span, "this stage") for stage in stages]
    work.collector.find("unsatisfiable-query", work.query.span, "no trace has a result", reason=[reason], places=places)


# --- Conditions that follow -------------------------------------------------------------------------------------------


def check_conditions(work: Work, dead: set[tree.Stage]) -> None:
    """Report parts of conditions without which the same events fit."""
    with work.collector.deciding("every-condition-counts") as decision:
        left, query = MOST_PARTS, work.query
        for stage in dict.fromkeys(work.events):
            known: set[tree.Expression] = set()
            encoding, tried = work.encoding(), list[Event]()
            while stage not in dead:
                variant = next((v for v in _variants(stage.event.condition) if v.condition not in known), None)
                if variant is None:
                    break
                left -= 1
                if left < 0:
                    decision.verdict, decision.detail = Verdict.NOT_PROVED, f"only {MOST_PARTS} parts were examined"
                    return
                known.add(variant.condition)
                with work.open("implied-condition", variant.span, f"whether {variant.text} is needed"):
                    if not _differ(work, stage, variant, encoding, tried):
                        message = f"{variant.text} changes nothing: the same events fit without it"
                        work.collector.find("implied-condition", variant.span, message)
                        event = replace(stage.event, condition=variant.condition)
                        query = tree.TREE.exchanged(query, stage.event, event)
                        stage = replace(stage, event=event)
        if query is not work.query:
            decision.evidence["without"] = print_query(query)


@dataclass(frozen=True, slots=True)
class _Variant:
    """A condition without a `part`, which is named by a text and a span; a node that lost a part of its own was
    `changed`: after and before."""

    text: str
    span: Span
    part: tree.Expression
    condition: tree.Expression
    changed: tuple[tree.Expression, tree.Expression] | None = None


def _variants(condition: tree.Expression) -> Iterator[_Variant]:
    """Yield conditions without one part, the later parts first."""
    for node in tree.within(condition):
        match node:
            case tree.And(parts=parts) | tree.Or(parts=parts):
                for place in reversed(range(len(parts))):
                    rest, part = parts[:place] + parts[place + 1 :], parts[place]
                    new = rest[0] if len(rest) == 1 else replace(node, parts=rest)
                    text = f"`{expression_text(part)}`"
                    yield _Variant(text, part.span, part, tree.TREE.exchanged(condition, node, new))
            case tree.Matches(patterns=patterns) if len(patterns) > 1:
                for place in reversed(range(len(patterns))):
                    fewer = replace(node, patterns=patterns[:place] + patterns[place + 1 :])
                    text, lone = f"the pattern {patterns[place]!r}", replace(node, patterns=(patterns[place],))
                    new = tree.TREE.exchanged(condition, node, fewer)
                    yield _Variant(text, node.span, lone, new, (fewer, node))
            case tree.InList(values=values) if len(values) > 1:
                for place in reversed(range(len(values))):
                    shorter = replace(node, values=values[:place] + values[place + 1 :])
                    text, listed = f"the value {values[place].value!r}", replace(node, values=(values[place],))
                    new = tree.TREE.exchanged(condition, node, shorter)
                    yield _Variant(text, node.span, listed, new, (shorter, node))


def _differ(work: Work, stage: tree.Stage, variant: _Variant, encoding: Encoding, tried: list[Event]) -> bool:
    """Return whether a condition without a part fits other events. The solver is asked if no event that is like one of
    `tried`, its answers so far, shows it."""
    without = replace(stage.event, condition=variant.condition)

    def shows(trace: Trace) -> bool:
        return fits(trace[0], stage.event, work.readings) != fits(trace[0], without, work.readings)

    if any(shows((event,)) for event in _alike(tried, variant.part, work.readings)):
        return True
    actor = work.actor("event", stage)
    if variant.changed is not None:
        after, before = variant.changed
        encoding.changed[after] = encoding.changed.get(before, before)
    conditions = (stage.event.condition, variant.condition)
    formulas = {"differ": terms.negated(terms.same(*(encoding.truth(actor.name, node).true for node in conditions)))}
    answer = work.solved("a condition without a part", encoding, formulas, [(actor, 0)], shows)
    tried[:] = [*(answer.trace or ()), *tried][:MOST_TRIED]
    return answer.trace is not None


def _alike(tried: Sequence[Event], part: tree.Expression, readings: Readings) -> Iterator[Event]:
    """Yield events, and what they become with a value for one field that is likely to make a part true, or false."""
    for event in tried:
        yield event
        for node in islice(tree.within(part), MOST_TRIED):
            values: Iterable[Value | None] = ()
            match node:
                case tree.Matches(operand=tree.Field(name=name), patterns=patterns):
                    values = (None, *(pattern.replace("*", "").replace("?", "a") for pattern in patterns[:MOST_TRIED]))
                case tree.InList(operand=tree.Field(name=name), values=literals):
                    values = (None, *(literal.value for literal in literals[:MOST_TRIED]))
                case tree.Comparison(left=tree.Field(name=name), right=tree.Literal(value=constant)):
                    values = (None, constant)
                case tree.Presence(operand=tree.Field(name=name)):
                    values = (None, "a")
            for value in values:
                others = {field: own for field, own in event.attributes.items() if field != name}
                yield replace(event, attributes=others if value is None else {**others, name: value})
                before = event.attributes.get(name)
                if readings.lists == "any" and before is not None and not isinstance(value, tuple | None):
                    own = before if isinstance(before, tuple) else (before,)
                    yield replace(event, attributes={**others, name: (*own, value)})
                    yield replace(event, attributes={**others, name: (own[0], value)})
