"""The translation of patterns to nets, construct by construct (specification: lead-nets; L §5.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from parte.languages.lead.semantics.branches import Contexts, forget, sub_context
from parte.languages.lead.semantics.conditions import Test
from parte.languages.lead.semantics.core import (
    LEFT,
    RIGHT,
    Pair,
    Source,
    conjunction,
    disjunction,
    enable,
    filtered,
    sequence,
    source,
)
from parte.languages.lead.semantics.net import Arc, Net, Phase, Place, Run, maybe, reading, single, some, taking
from parte.languages.lead.semantics.policies import Selection, adjacent, consume, every, first
from parte.languages.lead.semantics.repetition import Deadline, Repetition, collect, outside, pick, time_over
from parte.languages.lead.semantics.rulebook import rule
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.checking import bound
from parte.languages.lead.semantics.syntax.names import scope_of, twins, units
from parte.languages.lead.semantics.syntax.readings import USUAL, Readings
from parte.languages.lead.semantics.timing import From, Timed, last, negation, wait, within, within_from
from parte.languages.lead.semantics.tokens import Activation, Token
from parte.languages.lead.semantics.until import Until, until

Begun = dict[str, tuple[Place, ...]]
"""The places that receive the items of a list, by its name."""
Firing = Callable[[Run, Token], None]


class NoNet(ValueError):
    """Error: no net finds the meaning of a pattern under a reading (specification: lead-readings)."""

    def __init__(self, pattern: tree.Node, reason: str) -> None:
        place = pattern.span.start
        super().__init__(f"{place.line}:{place.column}: {reason}")


@dataclass(frozen=True, slots=True)
class Part:
    """The net of a pattern: the places of its enabling and of its matches, and a rank above all ranks in it."""

    enable: Place
    out: Place
    rank: int


@rule("DEFAULT", "default policy", "3.3.3")
def default(pattern: tree.Pattern, reading: str = USUAL.default) -> tree.Pattern:
    """Each largest part without a policy gets the policy first; or, by reading, each event and list without one."""
    if tree.is_open(pattern):
        return pattern
    if not _selects(pattern) and (reading == "largest" or isinstance(pattern, tree.Atom | tree.Collect)):
        return tree.Policy(tree.Choice.FIRST, pattern, ())
    match pattern:
        case tree.And(parts=parts) | tree.Or(parts=parts):
            return replace(pattern, parts=_defaulted([[part] for part in parts], type(pattern), reading))
        case tree.Sequence(parts=parts):
            return replace(pattern, parts=_defaulted([list(unit) for unit in units(parts)], tree.Sequence, reading))
        case tree.Within(operand=operand, source=within_source):
            if within_source is not None and not isinstance(within_source, tree.Bound):
                within_source = default(within_source, reading)
            return replace(pattern, operand=default(operand, reading), source=within_source)
        case tree.Wait(operand=operand) | tree.Filtered(operand=operand) | tree.Subcontext(operand=operand):
            return replace(pattern, operand=default(operand, reading))
    return pattern


def _defaulted(
    chain: Sequence[list[tree.Pattern]],
    kind: type[tree.And] | type[tree.Or] | type[tree.Sequence],
    reading: str,
) -> tuple[tree.Pattern, ...]:
    complete: list[tree.Pattern] = []
    free: list[tree.Pattern] = []
    for unit in [*chain, None]:
        if unit is not None and reading == "largest" and not any(map(_selects, unit)):
            free += unit
            continue
        if free:
            complete.append(default(kind(tuple(free)) if len(free) > 1 else free[0], reading))
            free = []
        complete += [default(part, reading) for part in unit or ()]
    return tuple(complete)


def _selects(pattern: tree.Pattern) -> bool:
    """Return whether a pattern has a policy, in the scope of its own matches."""
    if isinstance(pattern, tree.Policy | tree.Pick):
        return True
    if isinstance(pattern, tree.Collect | tree.Not):
        return False
    inner: tuple[tree.Node, ...] = tree.TREE.parts(pattern)
    if isinstance(pattern, tree.Subcontext):
        inner = (pattern.operand,)
    return any(_selects(part) for part in inner if isinstance(part, tree.Pattern))


def translated(rule_: tree.Rule, pattern: tree.Pattern, readings: Readings = USUAL) -> Net:
    """Return the net of a rule with this named pattern. Raise NoNet if it has none under these readings."""
    translation = _Translation(rule_, readings)
    whole = default(_branches(pattern, readings.default), readings.default)
    root = translation.part(whole, {})
    translation.net.root, translation.net.sink, translation.net.pattern = root.enable, root.out, whole
    return translation.net


def _branches(pattern: tree.Pattern, reading: str) -> tree.Pattern:
    def change(node: tree.Node) -> tree.Node:
        return replace(node, pattern=default(node.pattern, reading)) if isinstance(node, tree.Branch) else node

    return tree.TREE.mapped(pattern, change)


class _Translation:
    def __init__(self, rule_: tree.Rule, readings: Readings = USUAL) -> None:
        self.net = Net()
        self._readings = readings
        self._streams = {stream.alias: stream.name for stream in rule_.streams}

    def part(self, pattern: tree.Pattern, begun: Begun, ruled: Place | None = None) -> Part:
        """Return the net of a closed pattern. `ruled` gets a token when the pattern is a negation and fails."""
        outside, self.net.pattern = self.net.pattern, pattern
        net_part = self._part(pattern, begun, ruled)
        self.net.pattern = outside
        return net_part

    def _part(self, pattern: tree.Pattern, begun: Begun, ruled: Place | None) -> Part:
        match pattern:
            case tree.Atom():
                return self._source(pattern)
            case tree.Filtered(operand=operand, condition=condition):
                return self._filter(self.part(operand, begun, ruled), condition)
            case tree.And(parts=parts):
                done, groups = self.part(parts[0], begun), twins(parts)
                for operand_ in parts[1:]:
                    done = self._pair("AND", conjunction, done, self.part(operand_, begun), groups)
                return done
            case tree.Or(parts=parts):
                done = self.part(parts[0], begun)
                for operand_ in parts[1:]:
                    done = self._pair("OR", disjunction, done, self.part(operand_, begun), ())
                return done
            case tree.Sequence(parts=parts):
                first_unit, *others = [self._unit(unit, begun) for unit in units(parts)]
                for following in others:
                    first_unit = self._sequence(first_unit, following)
                return first_unit
            case tree.Within():
                return self._within(pattern, begun, ruled)
            case tree.Wait(operand=operand, duration=duration):
                return self._wait(operand, duration.milliseconds, begun, ruled)
            case tree.Collect():
                return self._repetition(pattern, begun, self._terminated(pattern), Phase.DUE_FIRST, None)
            case tree.Pick(collect=repeated):
                return self._repetition(repeated, begun, self._terminated(repeated), Phase.DUE_FIRST, pattern)
            case tree.Subcontext():
                return self._sub_context(pattern, begun)
            case tree.Policy(choice=tree.Choice.FIRST, operand=operand):
                return self._selection("FIRST", first, self.part(operand, begun, ruled))
            case tree.Policy(choice=tree.Choice.EVERY, operand=operand):
                return self._selection("EVERY", every, self.part(operand, begun))
            case tree.Policy(choice=tree.Choice.ALL, operand=operand, consumed=consumed):
                return self._consume(self.part(operand, begun), consumed)
            case tree.Policy(operand=operand):
                return self._adjacent(operand, begun)
            case _:
                raise AssertionError("an open pattern stands alone")

    # --- Core operators ----------------------------------------------------------------------------------------------

    def _source(self, pattern: tree.Atom) -> Part:
        net, name = self.net, pattern.name or pattern.stream
        start, out = net.place(f"enable {name}"), net.place(f"match {name}")
        arrivals = net.place(f"stream {name}")
        site = Source(net.place(f"enabled {name}", red=True, waits=True), net.place(f"present {name}"), name, out)
        net.arrivals.append((self._streams[pattern.stream], arrivals))
        net.present.append(site.present)
        for place, own, opposite in ((start, site.enabled, site.present), (arrivals, site.present, site.enabled)):
            action = partial(source, site=site)
            puts = single(own) + some(out)
            net.transition("SOURCE", 0, place, action, takes=reading(opposite), puts=puts, label=name)
        return Part(start, out, 1)

    def _filter(self, part: Part, condition: tree.Expression) -> Part:
        out = self.net.place("filtered")
        firing = partial(filtered, test=Test(condition), out=out)
        self.net.transition("FILTER", part.rank, part.out, firing, puts=maybe(out))
        return Part(part.enable, out, part.rank + 1)

    def _enabled(self, *parts: Place) -> Place:
        start = self.net.place("enable")
        self.net.transition("ENABLE", 0, start, partial(enable, targets=parts), puts=single(*parts))
        return start

    def _pair(
        self, identity: str, action: Callable[..., None], left: Part, right: Part, groups: Sequence[Sequence[str]]
    ) -> Part:
        net, rank = self.net, max(left.rank, right.rank)
        sides = (left.out, right.out)
        if identity == "AND":
            sides = (net.place("left", red=True), net.place("right", red=True))
        site = Pair(sides, net.place(identity.lower()), groups)
        for side, part in ((LEFT, left), (RIGHT, right)):
            firing, opposite = partial(action, site=site, side=side), sides[1 - side]
            if identity == "AND":
                takes, puts = reading(opposite), single(sides[side]) + some(site.out)
            else:
                takes, puts = taking(part.out, opposite), some(site.out)
            net.transition(identity, rank, part.out, firing, takes=takes, puts=puts)
        return Part(self._enabled(left.enable, right.enable), site.out, rank + 1)

    def _sequence(self, left: Part, right: Part, *, reverse: bool = False) -> Part:
        net, rank = self.net, max(left.rank, right.rank)
        lefts = net.place("left", red=True)
        site = Pair((lefts, right.out), net.place("sequence"), (), right.enable, reverse)
        firing = partial(sequence, site=site, side=LEFT)
        net.transition("SEQ", rank, left.out, firing, takes=reading(lefts), puts=single(lefts) + maybe(right.enable))
        firing = partial(sequence, site=site, side=RIGHT)
        net.transition("SEQ", rank, right.out, firing, takes=reading(lefts), puts=some(site.out))
        return Part(left.enable, site.out, rank + 1)

    # --- Repetition --------------------------------------------------------------------------------------------------

    def _terminated(self, pattern: tree.Collect) -> Deadline | None:
        names = outside(pattern.terminate)
        return partial(time_over, names) if names else None

    def _repetition(
        self, pattern: tree.Collect, begun: Begun, deadline: Deadline | None, phase: Phase, picked: tree.Pick | None
    ) -> Part:
        net, inner = self.net, self.part(pattern.operand, {})
        name = pattern.name or "list"
        start, out, lists = net.place(f"enable {name}"), net.place(f"list {name}"), net.place(f"lists {name}", red=True)
        ended = None if picked is None else net.place(f"ended {name}")
        site = Repetition(
            pattern, lists, inner.enable, inner.out, out, begun.get(name, ()), deadline, None, picked, ended
        )
        identity, action = ("COLLECT", collect) if picked is None else ("PICK", pick)
        released = maybe(out) if ended is None else maybe(out) + some(ended)
        firing = partial(action, site=site, step="enable")
        net.transition(identity, 0, start, firing, puts=maybe(inner.enable, lists) + released, disables=True)
        firing = partial(action, site=site, step="item")
        grown = maybe(lists) if picked is None else some(lists)  # the lists before, and those with the item
        takes, puts = taking(inner.out, lists), some(inner.out) + grown + maybe(*site.begun) + released
        label = "Wacc, Wrt, Win"
        net.transition(identity, inner.rank, inner.out, firing, takes=takes, puts=puts, label=label, disables=True)
        again = maybe(out, lists)
        if ended is not None:
            firing = partial(action, site=site, step="ended")
            takes = taking(ended, lists)
            net.transition(identity, inner.rank + 1, ended, firing, takes=takes, puts=again, disables=True)
        if deadline is not None:
            firing, age = partial(action, site=site, step="due"), getattr(deadline, "age", None)
            site.timer = net.transition(
                identity, inner.rank + 1, lists, firing, phase=phase, puts=again, age=age, disables=True
            )
        return Part(start, out, inner.rank + 2)

    # --- Time --------------------------------------------------------------------------------------------------------

    def _within(self, pattern: tree.Within, begun: Begun, ruled: Place | None) -> Part:
        length, origin = pattern.duration.milliseconds, pattern.source
        if origin is not None and not isinstance(origin, tree.Bound):
            if tree.is_open(pattern.operand):
                after = self._ended(pattern.operand, After(length, None), Phase.DUE_FIRST, begun, None)
                return self._sequence(self.part(origin, begun), after, reverse=True)
            return self._within_from(self.part(pattern.operand, begun), self.part(origin, begun), length)
        deadline = After(length, None if origin is None else origin.name)
        if tree.is_open(pattern.operand):
            return self._ended(pattern.operand, deadline, Phase.DUE_FIRST, begun, ruled)
        return self._timed("WITHIN", within, self.part(pattern.operand, begun), deadline, Phase.DUE_FIRST, None)

    def _wait(self, operand: tree.Pattern, length: int, begun: Begun, ruled: Place | None) -> Part:
        deadline = After(length, None)
        if tree.is_open(operand):
            return self._ended(operand, deadline, Phase.DUE_LATER, begun, ruled)
        return self._timed("WAIT", wait, self.part(operand, begun), deadline, Phase.DUE_LATER, None)

    def _ended(
        self, pattern: tree.Pattern, deadline: Deadline, phase: Phase, begun: Begun, ruled: Place | None
    ) -> Part:
        """Return the net of an open pattern that time ends."""
        match pattern:
            case tree.Filtered(operand=operand, condition=condition):
                return self._filter(self._ended(operand, deadline, phase, begun, ruled), condition)
            case tree.Collect():
                return self._repetition(pattern, begun, deadline, phase, None)
            case tree.Not(operand=operand):
                return self._timed("NOT", negation, self.part(operand, {}), deadline, phase, ruled)
            case tree.Policy(operand=operand):
                return self._timed("LAST", last, self.part(operand, begun), deadline, phase, None)
            case _:
                raise AssertionError("a closed pattern was to be ended")

    def _timed(
        self,
        identity: str,
        action: Callable[..., None],
        inner: Part,
        deadline: Deadline,
        phase: Phase,
        ruled: Place | None,
    ) -> Part:
        net = self.net
        clock, stored = net.place("T", red=True), net.place("stored", red=True)
        start, out = net.place("enable"), net.place(identity.lower())
        passes = identity == "WAIT" and self._readings.wait == "conjunction"
        site = Timed(clock, inner.enable, stored, out, deadline, None, phase is Phase.DUE_LATER, ruled, passes)
        firing, at_once = partial(action, site=site, step="enable"), maybe(out) if identity == "NOT" else ()
        net.transition(identity, 0, start, firing, puts=maybe(inner.enable, clock) + at_once)
        firing = partial(action, site=site, step="matched")
        takes, puts = self._matched(identity, site)
        net.transition(identity, inner.rank, inner.out, firing, takes=takes, puts=puts, disables=identity == "NOT")
        firing, age = partial(action, site=site, step="due"), getattr(deadline, "age", None)
        puts = some(out) if identity == "WAIT" else () if identity == "WITHIN" else maybe(out)
        site.timer = net.transition(
            identity,
            inner.rank + 1,
            clock,
            firing,
            phase=phase,
            takes=taking(stored) if identity in ("LAST", "WAIT") else (),
            puts=puts,
            age=age,
            disables=True,
        )
        return Part(start, out, inner.rank + 2)

    @staticmethod
    def _matched(identity: str, site: Timed) -> tuple[tuple[Arc, ...], tuple[Arc, ...]]:
        """Return the arcs of the transition for a match before the time is over."""
        clock, stored, out, ruled = site.clock, site.stored, site.out, site.ruled_out
        match identity:
            case "WITHIN":
                return reading(clock), maybe(out)
            case "NOT":
                return taking(clock), maybe(stored) if ruled is None else maybe(stored, ruled)
            case "LAST":
                return taking(stored), single(stored)
            case _ if site.passes:
                return reading(clock), maybe(stored, out)
            case _:
                return (), single(stored)

    def _within_from(self, operand: Part, origin: Part, length: int) -> Part:
        net, rank = self.net, max(operand.rank, origin.rank)
        least = 0 if self._readings.within == "closed" else 1
        site = From(net.place("from", red=True), net.place("within from"), length, least)
        net.transition(
            "WITHIN-FROM", rank, origin.out, partial(within_from, site=site, step="from"), puts=maybe(site.stored)
        )
        firing = partial(within_from, site=site, step="matched")
        takes = reading(site.stored)
        net.transition("WITHIN-FROM", rank + 1, operand.out, firing, takes=takes, puts=some(site.out))
        firing = partial(within_from, site=site, step="due")
        site.timer = net.transition("WITHIN-FROM", rank, site.stored, firing, phase=Phase.DUE_FIRST, age=length)
        return Part(self._enabled(operand.enable, origin.enable), site.out, rank + 2)

    # --- Patterns that the next element ends -------------------------------------------------------------------------

    def _unit(self, parts: tuple[tree.Pattern, ...], begun: Begun) -> Part:
        if len(parts) == 1:
            return self.part(parts[0], begun)
        after = self._unit(parts[1:], begun)
        core, conditions = parts[0], list[tree.Expression]()
        while isinstance(core, tree.Filtered):
            conditions.append(core.condition)
            core = core.operand
        assert isinstance(core, tree.Not | tree.Collect | tree.Policy)
        net, inner = self.net, self.part(core.operand, begun if isinstance(core, tree.Policy) else {})
        stored, out = net.place("stored", red=True), net.place("until")
        informed: tuple[Place, ...] = ()
        repetition = None
        if isinstance(core, tree.Collect):
            informed = begun.get(core.name or "list", ())
            repetition = Repetition(core, stored, inner.enable, inner.out, out, informed)
        strictly = self._readings.last == "open"
        site = Until(core, conditions, inner.out, stored, after.enable, out, repetition, informed, strictly)
        rank = max(inner.rank, after.rank)
        firing = partial(until, site=site, step="matched")
        if isinstance(core, tree.Policy):
            takes, puts = taking(inner.out) + reading(stored), some(stored) + maybe(after.enable)
        else:
            takes, puts = (), single(stored, *informed)
        net.transition("UNTIL", rank, inner.out, firing, takes=takes, puts=puts)
        firing = partial(until, site=site, step="ended")
        net.transition("UNTIL", rank + 1, after.out, firing, takes=reading(stored), puts=maybe(out))
        starts = (inner.enable,) if isinstance(core, tree.Policy) else (inner.enable, after.enable)
        return Part(self._enabled(*starts), out, rank + 2)

    # --- Policies ----------------------------------------------------------------------------------------------------

    def _selection(self, identity: str, action: Callable[..., None], inner: Part) -> Part:
        net = self.net
        start, out = net.place("enable"), net.place(identity.lower())
        site = Selection(inner.out, inner.enable, out)
        net.transition(identity, 0, start, partial(action, site=site, step="enable"), puts=single(inner.enable))
        again = inner.enable
        if identity == "EVERY" and self._readings.every == "before":
            again = site.again = net.place("again", red=True)
            firing = partial(action, site=site, step="due")
            arcs = single(inner.enable)
            site.timer = net.transition(identity, 0, again, firing, phase=Phase.DUE_FIRST, puts=arcs, age=1)
        firing, takes = partial(action, site=site, step="matched"), taking(inner.out)
        puts = single(out, again) if identity == "EVERY" else single(out)
        net.transition(identity, inner.rank, inner.out, firing, takes=takes, puts=puts, disables=True)
        return Part(start, out, inner.rank + 1)

    def _consume(self, inner: Part, names: Sequence[str]) -> Part:
        net = self.net
        memory = net.place("memory", red=True)
        site = Selection(inner.out, inner.enable, net.place("all"), names)
        firing = partial(consume, site=site, memory=memory)
        takes, puts = taking(inner.out, memory), some(site.out) + maybe(memory)
        net.transition("CONSUME", inner.rank, inner.out, firing, takes=takes, puts=puts)
        return Part(inner.enable, site.out, inner.rank + 1)

    def _adjacent(self, operand: tree.Pattern, begun: Begun) -> Part:
        assert isinstance(operand, tree.Sequence | tree.And)
        net, out, names = self.net, self.net.place("adjacent"), list(scope_of(operand))
        *rest, later_part = operand.parts
        before = rest[0] if len(rest) == 1 else replace(operand, parts=tuple(rest))
        orders = [(before, later_part)]
        if isinstance(operand, tree.And) and self._readings.adjacent == "least":
            reason = "which of two is nearest shows only when the other has come, which may be never (L §3.3.3, (16))"
            raise NoNet(operand, f"no net finds `adj` of a conjunction under adjacent=least: {reason}")
        if isinstance(operand, tree.And):
            orders.append((later_part, before))
        last_, first_ = tree.Choice.LAST, tree.Choice.FIRST
        sequences = []
        for earlier, later in orders:
            sequences.append(self._unit((tree.Policy(last_, earlier, ()), tree.Policy(first_, later, ())), begun))
        rank = max(part.rank for part in sequences)
        for part in sequences:
            net.transition("ADJ", rank, part.out, partial(adjacent, names=names, out=out), puts=single(out))
        start = self._enabled(*(part.enable for part in sequences))
        return self._selection("FIRST", first, Part(start, out, rank + 1))

    # --- Sub-contexts ------------------------------------------------------------------------------------------------

    def _sub_context(self, pattern: tree.Subcontext, begun: Begun) -> Part:
        net = self.net
        items, ruled = net.place("branch items"), net.place("ruled out")
        before = len(net.places)
        operand = self.part(pattern.operand, {**begun, pattern.list: (*begun.get(pattern.list, ()), items)})
        lists = tuple(place for place in net.places[before:] if place.red)
        outside, net.context = net.context, f"{net.context} {pattern.name}".strip()
        branch = self.part(pattern.branch.pattern, {}, ruled)
        net.context = outside
        length = self._length(pattern.branch)
        rank = max(operand.rank, branch.rank)
        start, out = net.place("enable"), net.place("sub-context")
        entered, count = net.place("entered", red=True), net.place("count", red=True)
        waiting = net.place("waiting", red=True)
        lists = (*lists, waiting)
        site = Contexts(pattern, entered, operand.enable, count, waiting, branch.enable, branch.out, out, length, lists)
        net.consumers.append((count, partial(forget, site=site)))
        over = reading(site.branches) + taking(site.waiting)
        steps = (
            (0, start, "enable", (), single(operand.enable, site.entered)),
            (0, items, "item", reading(site.entered, site.branches), maybe(site.branches, branch.enable)),
            (rank, branch.out, "match", taking(branch.out) + over, some(out)),
            (rank, ruled, "ruled", over, some(out)),
            (rank + 1, operand.out, "whole", over, maybe(site.waiting) + some(out)),
        )
        for level, trigger, step, takes, puts in steps:
            firing, disables = partial(sub_context, site=site, step=step), step in ("match", "ruled")
            net.transition("SUB", level, trigger, firing, takes=takes, puts=puts, label=step, disables=disables)
        firing = partial(sub_context, site=site, step="over")
        site.timer = net.transition(
            "SUB",
            rank + 1,
            site.branches,
            firing,
            phase=Phase.DUE_LATER,
            takes=over,
            puts=some(out),
            age=length,
            disables=True,
        )
        return Part(start, out, rank + 2)

    def _length(self, branch: tree.Branch) -> int:
        """Return the longest time, in ms, that a branch takes. Raise NoNet if it may match later, after a wait that
        is over."""

        def passing(node: tree.Node) -> tree.Node:
            match node:
                case tree.Wait(operand=operand) if not tree.is_open(operand):
                    return tree.Or((operand, node))
                case _:
                    return node

        length, latest = bound(branch.pattern), bound(tree.TREE.mapped(branch.pattern, passing))
        assert length is not None
        if self._readings.wait == "conjunction" and (latest is None or latest > length):
            reason = (
                "it may match when its time is over, and that it will not shows only when it cannot any more "
                "(L §3.3.2, remark 1)"
            )
            raise NoNet(branch, f"no net finds when this branch is over under wait=conjunction: {reason}")
        return length


@dataclass(frozen=True, slots=True)
class After:
    """A deadline: `length` ms after the activation, or after an event that is bound to its left."""

    length: int
    origin: str | None

    @property
    def age(self) -> int | None:
        """The age at which a token is due, if it is counted from the activation."""
        return self.length if self.origin is None else None

    def __call__(self, _: Run, activation: Activation) -> int | None:
        if self.origin is None:
            return activation.enabled + self.length
        event = activation.names.get(self.origin)
        return None if event is None else event.time + self.length
