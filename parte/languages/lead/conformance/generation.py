"""How cases of LEAD are drawn, varied and made small."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import TypeVar

from parte.conformance.fuzz import trace_edits
from parte.conformance.fuzz.cases import EventCase, Generation, Menu
from parte.languages.lead.conformance.fitting import fitted
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.checking import check
from parte.languages.lead.semantics.syntax.codes import CODES
from parte.languages.lead.semantics.syntax.names import resolved
from parte.languages.lead.semantics.syntax.printer import print_rule
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.source.reporting import Reporter

STREAMS = ("A", "B", "C")
NAMES = ("x", "y", "z")
LISTS = ("l", "k")
GAPS = (0, 0, 0, 1, 1, 2, 3)
"""Milliseconds between events; ties are frequent."""
PACES = (GAPS, GAPS, GAPS, GAPS, (0,), (0, 0, 5, 1000))
"""How the events of a trace follow each other; some all at once, some with long silences."""
VALUES: tuple[tree.Constant, ...] = (0, 1, 2, -1, 1.5, True, "a", "")


@dataclass(frozen=True, slots=True)
class Shape:
    """What a drawn rule may have, and how long its trace may be."""

    depth: int = 3
    events: int = 6
    least: int = 1
    contexts: bool = True
    rules: bool = True


@dataclass(frozen=True, slots=True)
class Case(EventCase[tree.Rule]):
    """A rule and a trace."""

    @property
    def text(self) -> str:
        """The rule."""
        return print_rule(self.program)

    @property
    def summary(self) -> str:
        """How large it is."""
        nodes = sum(1 for _ in tree.within(self.program.pattern))
        return f"{nodes} part{'' if nodes == 1 else 's'}; {len(self.items)} events"


# --- Drawing ----------------------------------------------------------------------------------------------------------


def drawn_case(rng: Random, shape: Shape = Shape()) -> Case:
    """A rule and a trace for it."""
    return Case(drawn_rule(rng, shape), drawn_events(rng, shape.events, shape.least))


def drawn_rule(rng: Random, shape: Shape = Shape()) -> tree.Rule:
    """A rule of a shape that has no error."""
    depth = rng.randint(0, shape.depth)
    while True:
        drawn = fitted(_rule(rng, depth, shape), rng)
        if fits(drawn):
            return drawn


def fits(drawn: tree.Rule) -> bool:
    """Whether there is nothing wrong with a rule."""
    reporter = Reporter("", CODES)
    check(drawn, reporter)
    return not reporter.failed and resolved(_unbound(drawn.pattern)) == drawn.pattern


def _unbound(pattern: tree.Pattern) -> tree.Pattern:
    """The pattern as it is read, before the names behind `from` are known."""

    def change(node: tree.Node) -> tree.Node:
        return tree.Atom(node.name, None) if isinstance(node, tree.Bound) else node

    return tree.TREE.mapped(pattern, change)


def drawn_events(rng: Random, most: int, least: int = 1) -> tuple[Event, ...]:
    """A trace in order of time; some streams may be empty."""
    events: list[Event] = []
    now = rng.choice((0, 0, 0, -3, 10**9))
    gaps = rng.choice(PACES)
    kinds = (*STREAMS, *STREAMS, "D") if rng.random() < 0.8 else rng.sample(STREAMS, rng.randint(1, 2))
    for number in range(rng.randint(least, most)):
        now += rng.choice(gaps)
        kind = rng.choice(kinds)
        attributes = {name: rng.choice(VALUES) for name in ("v", "w") if rng.random() < 0.8}
        events.append(Event(f"{kind.lower()}{number}", kind, now, attributes))
    return tuple(events)


def _rule(rng: Random, depth: int, shape: Shape) -> tree.Rule:
    pattern = _pattern(rng, depth, shape)
    if rng.random() < 0.6:
        pattern = tree.Policy(tree.Choice.ALL, pattern, ())
    streams = tuple(tree.Stream(name, name) for name in STREAMS)
    if rng.random() < 0.15:
        streams = (*streams[:-1], tree.Stream(STREAMS[0], STREAMS[-1]))  # one stream under two names
    times: tuple[tree.TimeEvent, ...] = (
        tree.TimeEvent("t", tree.Reference(("A", "event_time")), _later(rng, ("A", "event_time"))),
        tree.TimeEvent("u", tree.Reference(("x", "event_time")), _later(rng, ("x", "event_time"))),
    )
    keys: tuple[tree.Key, ...] = ()
    if shape.rules and rng.random() < 0.2:
        keys = rng.choice(
            (
                (tree.Key("A", "v", None),),
                (tree.Key("A", "v", None), tree.Key("A", "w", None)),
                (tree.Key("", "", tree.Duration(rng.randint(1, 4), tree.Unit.MS)),),
                (tree.Key("", "", rng.randint(1, 4)),),
                (tree.Key("A", "v", None), tree.Key("", "", rng.randint(1, 4))),
            )
        )
    outcome = _outcome(rng) if shape.rules and rng.random() < 0.3 else ()
    types = (_type(rng),) if shape.rules and rng.random() < 0.1 else ()
    return tree.Rule(streams, times, types, pattern, keys, outcome)


def _type(rng: Random) -> tree.EventType:
    names = rng.sample(("v", "w", "p", "q"), rng.randint(1, 3))
    defaults = [rng.choice((None, tree.Literal(7))) for _ in names]
    attributes = tuple(tree.Attribute("INTEGER", name, given) for name, given in zip(names, defaults, strict=True))
    return tree.EventType("E", attributes, rng.random() < 0.5)


def _later(rng: Random, path: tuple[str, ...]) -> tree.Expression:
    return tree.Sum((tree.Reference(path), tree.Duration(rng.randint(0, 5), tree.Unit.MS)))


def _outcome(rng: Random) -> tuple[tree.Outcome, ...]:
    emission = tree.Emission("E", (tree.Reference((rng.choice(STREAMS), "v")), tree.Literal(1)))
    if rng.random() < 0.5:
        return (emission,)
    clauses = tuple(tree.Where(_condition(rng, 1), (emission,)) for _ in range(rng.randint(1, 2)))
    return (tree.Check(rng.random() < 0.5, clauses),)


def _pattern(rng: Random, depth: int, shape: Shape) -> tree.Pattern:
    """A closed pattern."""
    if depth <= 0 or rng.random() < 0.1:
        return _event(rng)
    inner = partial(_pattern, rng, depth - 1, shape)
    kinds: list[tuple[float, Callable[[], tree.Pattern]]] = [
        (
            4.0,
            lambda: tree.Sequence((*(_element(rng, depth - 1, shape) for _ in range(rng.choice((1, 1, 2)))), inner())),
        ),
        (2.0, lambda: _chain(inner() for _ in range(rng.choice((2, 2, 3))))),
        (2.0, lambda: tree.Or(tuple(inner() for _ in range(rng.choice((2, 2, 3)))))),
        (2.0, lambda: tree.Within(inner(), _duration(rng), None)),
        (2.0, lambda: tree.Within(_open(rng, depth - 1, shape), _duration(rng), None)),
        (
            1.5,
            lambda: tree.Within(
                _element(rng, depth - 1, shape),
                _duration(rng),
                rng.choice((inner(), _event(rng), tree.Atom(rng.choice((*STREAMS, *NAMES)), None))),
            ),
        ),
        (1.0, lambda: tree.Wait(_element(rng, depth - 1, shape), _duration(rng))),
        (1.0, lambda: tree.Filtered(inner(), _condition(rng, 1))),
        (2.0, lambda: _collected(rng, depth - 1, shape, ends=True)),
        (0.7, lambda: tree.Pick(rng.random() < 0.5, _collected(rng, depth - 1, shape, ends=True), _aggregate(rng))),
        (1.5, lambda: tree.Policy(rng.choice((tree.Choice.FIRST, tree.Choice.EVERY, tree.Choice.ALL)), inner(), ())),
        (0.7, lambda: tree.Policy(tree.Choice.ALL, inner(), (rng.choice((*STREAMS, *NAMES, *LISTS)),))),
        (
            0.7,
            lambda: tree.Policy(
                tree.Choice.ADJ, rng.choice((_chain((inner(), inner())), tree.Sequence((inner(), inner())))), ()
            ),
        ),
        (2.0 if shape.contexts else 0.0, lambda: _context(rng, depth - 1, shape)),
    ]
    kinds += [(1.5, partial(_telling, rng)), (0.5, lambda: _chain([tree.Atom(rng.choice(STREAMS), None)] * 2))]
    (made,) = rng.choices([make for _, make in kinds], [weight for weight, _ in kinds])
    return made()


def _telling(rng: Random) -> tree.Pattern:
    """Small patterns whose matches are many at once, on which a net that takes one for another errs."""
    event = partial(_event, rng)
    absent = tree.Within(tree.Not(event()), _duration(rng), None)
    of_pair = tree.Within(event(), _duration(rng), tree.Sequence((event(), event())))
    waiting = tree.Wait(event(), _duration(rng))
    each = rng.choice(
        (tree.Sequence((event(), absent)), of_pair, waiting, tree.Sequence((event(), _chain((event(), event())))))
    )
    return tree.Policy(tree.Choice.ALL, each, ())


def _chain(parts: Iterable[tree.Pattern]) -> tree.Pattern:
    found: list[tree.Pattern] = []
    for part in parts:
        found.extend(part.parts if isinstance(part, tree.And) else (part,))
    return tree.And(tuple(found))


def _event(rng: Random) -> tree.Pattern:
    atom = tree.Atom(rng.choice(STREAMS), rng.choice((None, None, *NAMES)))
    if rng.random() < 0.15:
        path = (atom.name or atom.stream, rng.choice(("v", "w", "event_time")))
        return tree.Filtered(atom, _compared(rng, tree.Reference(path)))
    return atom


def _element(rng: Random, depth: int, shape: Shape) -> tree.Pattern:
    """A part of a sequence that is not the last."""
    return _open(rng, depth, shape) if rng.random() < 0.35 else _pattern(rng, depth, shape)


def _open(rng: Random, depth: int, shape: Shape) -> tree.Pattern:
    inner = _pattern(rng, depth, shape)
    match rng.randrange(4):
        case 0:
            return tree.Not(inner)
        case 1:
            return tree.Policy(tree.Choice.LAST, inner, ())
        case 2:
            return _collected(rng, depth, shape, ends=False)
        case _:
            name = rng.choice(LISTS)
            condition = _compared(rng, tree.Aggregate(tree.Function.COUNT, (name,)))
            return tree.Filtered(replace(_collected(rng, depth, shape, ends=False), name=name), condition)


def _collected(rng: Random, depth: int, shape: Shape, *, ends: bool) -> tree.Collect:
    operand = _pattern(rng, depth if rng.random() < 0.3 else 0, _inside(rng, shape))
    if rng.random() < 0.2:
        operand = tree.Policy(rng.choice((tree.Choice.EVERY, tree.Choice.ALL)), operand, ())
    limit = partial(_limit, rng)
    terminate: tree.Expression | None = None
    if ends:
        outside = tree.Outside(rng.choice(("t", "u")))
        terminate = rng.choice((limit(), limit(), outside, tree.Either((limit(), outside))))
    return tree.Collect(
        operand,
        limit() if rng.random() < 0.2 else None,
        terminate,
        limit() if rng.random() < 0.2 else None,
        rng.choice((None, *LISTS)),
    )


def _limit(rng: Random) -> tree.Expression:
    return _compared(rng, rng.choice((_aggregate(rng), _aggregate(rng), tree.Reference((rng.choice(STREAMS), "v")))))


def _aggregate(rng: Random) -> tree.Aggregate:
    if rng.random() < 0.5:
        return tree.Aggregate(tree.Function.COUNT, ())
    return tree.Aggregate(rng.choice(list(tree.Function)), (rng.choice(STREAMS), rng.choice(("v", "event_time"))))


def _inside(rng: Random, shape: Shape) -> Shape:
    """What the items of a list and the branches of a sub-context may have; seldom a sub-context of their own."""
    return replace(shape, contexts=shape.contexts and rng.random() < 0.5)


def _context(rng: Random, depth: int, shape: Shape) -> tree.Pattern:
    name = rng.choice(LISTS)
    first, last = rng.choice(((None, None), (None, None), (1, 1), (2, 3)))
    inner = _inside(rng, shape)
    branch = _pattern(rng, rng.randint(0, 1), inner)
    if rng.random() < 0.5:
        branch = tree.Not(branch)
    bounded = tree.Within(branch, _duration(rng), None) if rng.random() < 0.8 else tree.Wait(branch, _duration(rng))
    operand: tree.Pattern = replace(_collected(rng, depth, inner, ends=True), name=name)
    match rng.randrange(4):
        case 0:
            operand = tree.Sequence((_pattern(rng, depth, inner), operand))
        case 1:
            operand = _chain((operand, _pattern(rng, depth, inner)))
        case 2:
            operand = tree.Sequence(
                (replace(_collected(rng, depth, inner, ends=False), name=name), _pattern(rng, depth, inner))
            )
    actions = (tree.Emission("E", (tree.Literal(1),)),) if rng.random() < 0.4 else ()
    return tree.Subcontext(
        operand,
        "i",
        name,
        first,
        last,
        _compared(rng, tree.Reference(("i", "v"))) if rng.random() < 0.3 else None,
        tree.Branch(bounded, actions),
        _compared(rng, tree.Aggregate(tree.Function.COUNT, (name,))) if rng.random() < 0.2 else None,
        rng.choice(("b", "m")),
    )


def _condition(rng: Random, depth: int) -> tree.Expression:
    chance = rng.random()
    if depth and chance < 0.3:
        parts = tuple(_condition(rng, depth - 1) for _ in range(2))
        return tree.Both(parts) if chance < 0.15 else tree.Either(parts)
    if depth and chance < 0.4:
        return tree.Negation(_condition(rng, depth - 1))
    if chance < 0.5:
        name = rng.choice(LISTS)
        if chance < 0.45:
            least, most = rng.choice(((None, None), (1, None), (None, 1), (1, 2)))
            return tree.Quantified(least, most, _compared(rng, tree.Reference((name, "v"))))
        return _compared(rng, tree.Aggregate(tree.Function.COUNT, (name,)))
    return _compared(rng, tree.Reference((rng.choice((*STREAMS, *NAMES)), rng.choice(("v", "w", "event_time")))))


def _compared(rng: Random, left: tree.Expression) -> tree.Expression:
    right: tree.Expression = tree.Literal(rng.choice(VALUES))
    if isinstance(right, tree.Literal) and not isinstance(right.value, bool | str) and right.value < 0:
        right = tree.Negative(tree.Literal(-right.value))
    if rng.random() < 0.3:
        right = tree.Reference((rng.choice((*STREAMS, *NAMES)), "v"))
    if rng.random() < 0.2:
        left = rng.choice((tree.Sum((left, right)), tree.Product((left, right)), tree.Negative(left)))
    return tree.Comparison(left, rng.choice(list(tree.Operator)), right)


def _duration(rng: Random) -> tree.Duration:
    return tree.Duration(rng.choice((1, 1, 2, 3, 5)), tree.Unit.MS)


# --- Varying and making smaller ---------------------------------------------------------------------------------------


def _batch(shape: Shape, rng: Random) -> Iterator[Case]:
    for _ in range(16):
        rule = drawn_rule(rng, shape)
        for _ in range(2):
            yield Case(rule, drawn_events(rng, shape.events))


def _varied(case: Case, rng: Random) -> Case:
    """With a few events that are others, or have other attributes, or come elsewhere."""
    items: list[TraceItem] = list(case.items)
    for _ in range(rng.randint(1, 3)):
        if not items:
            break
        place, other = rng.randrange(len(items)), rng.choice(items)
        event = items[place]
        assert isinstance(event, Event)
        assert isinstance(other, Event)
        match rng.randrange(3):
            case 0:
                items[place] = replace(event, template=other.template)
            case 1:
                items[place] = replace(event, attributes=other.attributes)
            case _:
                items[place] = replace(event, timestamp=other.timestamp)
    times = sorted(item.timestamp for item in items)
    return replace(case, items=tuple(replace(item, timestamp=time) for item, time in zip(items, times, strict=True)))


def without_clauses(case: Case) -> Iterator[Case]:
    """Without a clause, or with less in it."""
    rule = case.program
    plainer = [
        replace(rule, keys=()),
        replace(rule, outcome=()),
        replace(rule, types=()),
        replace(rule, times=()),
        *(replace(rule, keys=rest) for rest in _without_one(rule.keys)),
        *(replace(rule, times=rest) for rest in _without_one(rule.times)),
        *(replace(rule, streams=rest) for rest in _without_one(rule.streams)),
    ]
    yield from (replace(case, program=each) for each in plainer if each != rule and each.streams and fits(each))


def with_smaller_pattern(case: Case) -> Iterator[Case]:
    """With a part of the pattern in place of the whole that it is part of, or with one part fewer."""
    pattern = case.program.pattern
    for node in tree.within(pattern):
        for smaller in _smaller(node):
            made = replace(case.program, pattern=resolved(tree.TREE.exchanged(pattern, node, smaller)))
            if fits(made):
                yield replace(case, program=made)


def _smaller(node: tree.Node) -> Iterator[tree.Node]:
    match node:
        case tree.Sequence(parts=parts) | tree.And(parts=parts) | tree.Or(parts=parts):
            yield from parts
            if len(parts) > 2:
                yield from (replace(node, parts=rest) for rest in _without_one(parts))
        case tree.Within(operand=operand, duration=duration, source=source):
            yield operand
            if source is not None:
                yield replace(node, source=None)
            if duration.amount > 1:
                yield replace(node, duration=tree.Duration(1, tree.Unit.MS))
        case tree.Wait(operand=operand, duration=duration):
            yield operand
            if duration.amount > 1:
                yield replace(node, duration=tree.Duration(1, tree.Unit.MS))
        case tree.Not(operand=operand) | tree.Filtered(operand=operand):
            yield operand
        case tree.Policy(operand=operand, consumed=consumed):
            yield operand
            if consumed:
                yield replace(node, consumed=())
        case tree.Subcontext(operand=operand):
            yield operand
            yield replace(node, condition=None)
            yield replace(node, terminate=None)
            if node.first is not None:
                yield replace(node, first=None, last=None)
        case tree.Pick(collect=collect):
            yield collect
        case tree.Collect(operand=operand):
            yield operand
            plainer = (
                replace(node, accept=None),
                replace(node, terminate=None),
                replace(node, invalidate=None),
                replace(node, name=None),
            )
            yield from (each for each in plainer if each != node)
        case tree.Both(parts=parts) | tree.Either(parts=parts):
            yield from parts
        case tree.Negation(operand=operand):
            yield operand
        case tree.Comparison(right=right, operator=operator):
            yield from (replace(node, right=tree.Literal(value)) for value in (0, 1) if right != tree.Literal(value))
            if operator is not tree.Operator.EQUAL:
                yield replace(node, operator=tree.Operator.EQUAL)
        case tree.Atom(stream=stream, name=name):
            if name is not None:
                yield replace(node, name=None)
            yield from (replace(node, stream=each) for each in STREAMS[: STREAMS.index(stream)])


P = TypeVar("P")


def _without_one(parts: tuple[P, ...]) -> Iterator[tuple[P, ...]]:
    return (parts[:place] + parts[place + 1 :] for place in range(len(parts)))


def weight(case: Case) -> tuple[int, ...]:
    """What makes a case hard to read, the worst first."""
    rule = case.program
    nodes = list(tree.within(rule.pattern))
    events = [item for item in case.items if isinstance(item, Event)]
    return (
        len(nodes) + 2 * (len(rule.keys) + len(rule.outcome) + len(rule.times)),
        len(case.items),
        len(rule.streams),
        sum(node.name is not None for node in nodes if isinstance(node, tree.Atom | tree.Collect)),
        sum(STREAMS.index(node.stream) for node in nodes if isinstance(node, tree.Atom) and node.stream in STREAMS),
        sum(node.milliseconds for node in nodes if isinstance(node, tree.Duration)),
        sum(node.operator is not tree.Operator.EQUAL for node in nodes if isinstance(node, tree.Comparison)),
        sum(trace_edits.difficulty(node.value) for node in nodes if isinstance(node, tree.Literal)),
        sum(trace_edits.difficulty(value) for item in events for value in item.attributes.values()),
        sum(len(item.attributes) for item in events),
        sum(time if time >= 0 else 10 - time for time in (item.timestamp for item in events)),
    )


def _with(plainer: Callable[[tree.Rule], tree.Rule]) -> Callable[[Case], Case]:
    """A case with a plainer rule."""
    return lambda case: replace(case, program=plainer(case.program))


def _without_conditions(rule: tree.Rule) -> tree.Rule:
    plain = tree.TREE.mapped(rule.pattern, lambda node: node.operand if isinstance(node, tree.Filtered) else node)
    return replace(rule, pattern=plain)


REMEDIES: Mapping[str, Callable[[Case], Case]] = {
    "partition": _with(lambda rule: replace(rule, keys=())),
    "actions": _with(lambda rule: replace(rule, outcome=())),
    "conditions": _with(_without_conditions),
}
"""What can be taken away from a case, to find out what an engine gets wrong."""

GENERATION: Generation[Case] = Generation(
    menus=(
        Menu("everything", partial(_batch, Shape()), 4),
        Menu("patterns", partial(_batch, Shape(depth=2, contexts=False, rules=False)), 3),
        Menu("deep", partial(_batch, Shape(depth=4, events=5))),
    ),
    varied=_varied,
    edits=(
        trace_edits.without_items,
        without_clauses,
        with_smaller_pattern,
        trace_edits.from_fewer_sources,
        trace_edits.with_plainer_attributes,
        trace_edits.with_plainer_times,
    ),
    weight=weight,
    renamed=lambda case: case,
    clauses=("lead-results",),
    remedies=REMEDIES,
)
