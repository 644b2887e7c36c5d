"""Sizes of histories and outboxes for `sound`, by the time for which an entry is stored (specification: size-viable).

Let m be the least promise of some source that some side of a two-input node has received. Three facts follow from the
rules, and this module computes them node by node, from the top down (docs/bounds.md has the argument):

- a bound anywhere is at least m less a *lag*, which depends only on the windows above;
- the number of entries in a history that are live, and were made while one of their sources had promised m, is limited;
- so a history with room for one more cannot be full while it waits for a source that is no further behind than itself,
  and waiting ends where the least has been promised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from parte.semantics.events.rates import Supply, least_span
from parte.semantics.partelang.counting import FREE, Budget, NotComputed, affordable
from parte.semantics.partelang.network import (
    AlphaNode,
    EntryNode,
    Network,
    Node,
    Past,
    ProductionNode,
    Side,
    TwoInputNode,
)
from parte.semantics.partelang.streams import Emission, Keys, Partial, Root, Slots, Stream, Window
from parte.semantics.partelang.syntax.temporal import Interval

Supplies = Mapping[tuple[str, str], Supply]
"""The events that each external source sends of each template."""


NO_KEYS = "nothing limits the number of keys in a window without beginning: declare the cardinality of each attribute"
DRIFT = (
    "a rule and another source feed one template, or the windows of a negated pattern or a set may exclude each other"
)
UNLIMITED = f"{DRIFT}, and nothing limits how far the sources drift apart"


Slot = tuple[str, str]
"""A variable and one of its attributes."""


@dataclass(frozen=True, slots=True)
class Equalities:
    """The equality conditions between the positive patterns of a rule: pairs of equal slots, and fixed attributes.

    `fixed` has, for each variable, the attributes that equal a constant.
    """

    pairs: tuple[tuple[Slot, Slot], ...] = ()
    fixed: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def classes(self, variables: Sequence[str]) -> tuple[Slots, ...]:
        """Return the classes of attributes that are equal in a partial match of `variables`.

        Only the conditions among `variables` count; those that need another variable do not hold yet.
        """
        groups: dict[Slot, frozenset[Slot]] = {}
        for left, right in self.pairs:
            if left[0] in variables and right[0] in variables:
                merged = groups.get(left, frozenset({left})) | groups.get(right, frozenset({right}))
                groups.update(dict.fromkeys(merged, merged))
        return tuple(
            frozenset((variables.index(variable), name) for variable, name in group)
            for group in dict.fromkeys(groups.values())
        )


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Knowledge besides the rates: keys by template and attributes, equalities by rule, and the skew of sources in
    milliseconds (None: no limit).
    """

    keys: Mapping[str, Keys] = field(default_factory=dict)
    equalities: Mapping[str, Equalities] = field(default_factory=dict)
    skew: int | None = None


@dataclass(frozen=True, slots=True)
class Need:
    """The need of one history. None: no finite size is enough.

    `live` counts the entries that are live at once and made while a source had promised no more than the bound for
    which they wait; `viable` is the capacity with which it never blocks. With less than `least` it blocks, or waits for
    later events than it needs, for some arrivals that the rates allow. `reason` says how the numbers were computed.
    """

    live: int | None
    viable: int | None
    least: int
    reason: str

    @property
    def tight(self) -> bool:
        """True if no smaller capacity is enough."""
        return self.viable == self.least


@dataclass(frozen=True, slots=True)
class NodeNeed:
    """The needs of a two-input node, and the most tokens of one step after a left and a right activation."""

    left: Need
    right: Need
    left_batch: int | None
    right_batch: int | None

    @property
    def without_limit(self) -> str:
        """The reason why no finite size is enough, if none is."""
        return (self.left if self.left.viable is None else self.right).reason

    @property
    def outbox(self) -> int | None:
        """The room for all tokens of one step."""
        if self.left_batch is None or self.right_batch is None:
            return None
        return max(1, self.left_batch, self.right_batch)


@dataclass(frozen=True, slots=True, eq=False)
class Defeat:
    """A not-node or a set-node that partial matches have passed.

    `drifts`: nothing but the skew limits how far those released are ahead of the least promise.
    Its maxima for its left events, the capacity of its left history (one step may release all of it), and the events
    that defeat them. At an upward set-node, where an event releases them, the maxima are such that the window would
    be over with it.
    """

    maxima: tuple[tuple[int, int], ...]
    capacity: int | None
    stream: Stream
    drifts: bool

    def released(self, partial: Partial) -> int | None:
        """Return how many partial matches one step may release, including those that later joins make of them."""
        return None if self.capacity is None else partial.extending([index for index, _ in self.maxima], self.capacity)


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """The output of a node: partial matches, lags of their bounds (milliseconds), and the not-nodes passed."""

    rule: str
    partial: Partial
    lags: tuple[int, ...]
    defeats: tuple[Defeat, ...] = ()
    first_join: tuple[int, int, Interval] | None = None
    """The capacities of the first join and its window, while the flow has passed no other node."""
    windows: tuple[Window, ...] = ()
    """The windows of the sets whose summaries stand behind the events."""


@dataclass(frozen=True, slots=True)
class OnceNeed:
    """The most events that wait at a node that suppresses, None if nothing limits them, and the most that have passed
    and may still suppress others."""

    waiting: int | None
    passed: int

    @property
    def outbox(self) -> int | None:
        """The room for all tokens of one step: one bound may decide all that waits and the event that comes."""
        return None if self.waiting is None else self.waiting + 1


@dataclass(frozen=True, slots=True, eq=False)
class Retention:
    """The needs and inputs (left, right) of two-input nodes and the streams of entry nodes by name, outputs by index.

    `suppressions` are the needs of the nodes that suppress, by name.
    """

    needs: Mapping[str, NodeNeed]
    inputs: Mapping[str, tuple[Flow, Flow]]
    streams: Mapping[str, Stream]
    flows: Mapping[int, Flow]
    suppressions: Mapping[str, OnceNeed] = field(default_factory=dict)


def retention(
    network: Network, supplies: Supplies, knowledge: Knowledge = Knowledge(), budget: Budget = FREE
) -> Retention:
    """Return the needs of the nodes of a network. A source and template without a supply sends nothing.

    Raise NotComputed if a count is too large or the budget is spent.
    """
    return _Analysis(network, supplies, knowledge, budget).run()


class _Analysis:
    def __init__(self, network: Network, supplies: Supplies, knowledge: Knowledge, budget: Budget) -> None:
        self.budget = budget
        self.network = network
        self.supplies = supplies
        self.knowledge = knowledge
        self.needs: dict[str, NodeNeed] = {}
        self.sides: dict[str, tuple[Flow, Flow]] = {}
        self.streams: dict[str, Stream] = {}
        self.flows: dict[int, Flow] = {}
        self.suppressions: dict[str, OnceNeed] = {}
        self.inputs: dict[tuple[int, Side], list[int]] = {}
        for origin, successor in network.edges():
            self.inputs.setdefault((successor.node, successor.side), []).append(origin)

    def run(self) -> Retention:
        for index, node in enumerate(self.network.nodes):
            try:
                self.node(index, node)
            except NotComputed as problem:
                raise NotComputed(f"{node.name}: {problem}") from None
        return Retention(self.needs, self.sides, self.streams, self.flows, self.suppressions)

    def node(self, index: int, node: Node) -> None:
        self.budget.spend()
        if isinstance(node, EntryNode):
            self.streams[node.name] = self.stream(index, node)
        elif isinstance(node, AlphaNode):
            self.flows[index] = self.pattern(index, node)
        elif isinstance(node, TwoInputNode):
            self.two_input(index, node)

    def above(self, index: int, side: Side) -> Flow:
        (origin,) = self.inputs[index, side]
        return self.flows[origin]

    # --- One-input nodes ---------------------------------------------------------------------------------------------

    def stream(self, index: int, node: EntryNode) -> Stream:
        supplies = [self.supplies.get((node.sources[slot], node.template)) for slot in node.external]
        emissions, lags = [], [0] if node.external else []
        for origin in self.inputs.get((index, Side.TOP), ()):
            production = self.network.nodes[origin]
            assert isinstance(production, ProductionNode)
            flow = self.above(origin, Side.TOP)
            lag = -production.generate_bound(tuple(-lag for lag in flow.lags))
            emission = self.emission(flow, production)
            emissions.append(emission if production.once is None else self.suppressed(production, emission, lag))
            lags.append(lag)
        # What is suppressed is no event of the template.
        keys = {} if node.rule else self.knowledge.keys.get(node.template, {})
        known = tuple(supply for supply in supplies if supply is not None)
        return Stream(known, tuple(emissions), keys, self.knowledge.skew, max(lags), self.budget)

    def pattern(self, index: int, node: AlphaNode) -> Flow:
        (entry,) = self.inputs[index, Side.TOP]
        stream = self.streams[self.network.nodes[entry].name]
        fixed = self.equalities(node.rule).fixed.get(node.variable, frozenset())
        partial = Partial((node.variable,), (stream,), (((0, 0),),), (), (fixed,))
        return Flow(node.rule, partial, (stream.lag,))

    def equalities(self, rule: str) -> Equalities:
        return self.knowledge.equalities.get(rule, Equalities())

    def emission(self, flow: Flow, node: ProductionNode) -> Emission:
        partial = flow.partial
        bare = Emission(partial, node.generate_bound, None, 0, flow.windows)
        reach: list[int | None] = []
        for index, stream in enumerate(partial.streams):
            reach.append(None if stream.lead is None else stream.lead + bare.spread(index)[1])
        for defeat in flow.defeats:
            if defeat.drifts:
                reach.append(self.skewed(partial, bare))
            else:
                reach.append(max(-maximum - 1 + bare.spread(index)[1] for index, maximum in defeat.maxima))
        known = [lead for lead in reach if lead is not None]
        lead = None if len(known) < len(reach) else max(known)
        batches = len(partial.streams) > 1 or bool(flow.defeats)
        beyond = [partial.extending((j,), stream.ahead + batches) for j, stream in enumerate(partial.streams)]
        beyond.extend(count for defeat in flow.defeats if (count := defeat.released(partial)) is not None)
        if any(defeat.capacity is None for defeat in flow.defeats):
            lead = None
        ahead = max(beyond)
        return Emission(partial, node.generate_bound, lead, ahead, flow.windows)

    def suppressed(self, node: ProductionNode, emission: Emission, lag: int) -> Emission:
        """Return the emission of a node that suppresses: at most all of it passes, and what waits may come at once."""
        assert node.once is not None
        waiting = Stream(emissions=(emission,), budget=self.budget).standing(lag)
        self.suppressions[node.name] = OnceNeed(waiting, affordable(emission.within(node.once.milliseconds)))
        if waiting is None:
            return replace(emission, lead=None)
        return replace(emission, ahead=emission.ahead + waiting)

    def skewed(self, partial: Partial, emission: Emission) -> int | None:
        """Return the lead of an emission if no source has promised more than the skew beyond the least promise."""
        lead, skew = partial.streams[0].lead, self.knowledge.skew
        return None if lead is None or skew is None else lead + skew + emission.spread(0)[1]

    # --- Two-input nodes ---------------------------------------------------------------------------------------------

    def two_input(self, index: int, node: TwoInputNode) -> None:
        left, right = self.sides[node.name] = self.above(index, Side.LEFT), self.above(index, Side.RIGHT)
        joined = self.joined(node, left.partial, right.partial)
        stream = right.partial.streams[0]
        live_left = self.live_left(node, left, stream.lag)
        lags = self.lags(node, left, right) if node.collects else left.lags
        back = min(lag - least for lag, least in zip(lags, node.minima, strict=False))  # summaries have no window
        if node.past is not None:
            back = max(lag - greatest for lag, greatest in zip(lags, node.maxima, strict=False))
        live_right = 0 if node.past and node.past.at_once else stream.standing(back, right.partial.fixed[0])
        if node.collects and live_right is not None:
            live_right += stream.rivals  # the bound on these events themselves expires them
        reason = "events of closed windows, summed over sources"
        seen = min(-least for least in node.minima)
        plain = (
            node.past is None
            and stream.plain
            and not node.waits
            and not any(above.emissions for above in left.partial.streams)
        )
        least = stream.supplies[0].rate.within(seen) if plain else 0
        of_left, of_right = _with_room(live_left, 0, reason), _with_room(live_right, least, reason)
        if len(node.minima) > 1:
            of_left = _with_room(live_left, 0, self.counted_by(node, left, stream.lag, live_left))
        if node.past is not None:
            of_right = self.with_past(node.past, stream, live_right)
        elif len(node.minima) == 1 and (
            not node.collects and self.is_alone(index, left, right) and live_left is not None and live_right is not None
        ):
            same = (
                self.network.nodes[self.source_of(index, Side.LEFT)]
                is self.network.nodes[self.source_of(index, Side.RIGHT)]
            )
            of_left, of_right = _alone(node, left.partial.streams[0], stream, live_left, live_right, same)
        self.needs[node.name] = NodeNeed(of_left, of_right, *self.batches(node, joined, of_left, of_right))
        self.flows[index] = self.after(node, left, right, joined, of_left, of_right)

    def with_past(self, past: Past, stream: Stream, live: int | None) -> Need:
        """Return the need of the right history of a window without beginning: one entry for each key, and the events
        that are not in the windows of all partial matches yet."""
        known = [stream.keys.get(frozenset({name})) for name in past.keys if name is not None]
        numbers = [key.distinct for key in known if key is not None and key.distinct is not None]
        if len(numbers) < len(past.keys):
            return Need(None, None, 0, NO_KEYS)
        return _with_room(None if live is None else live + affordable(prod(numbers)), 0, "one summary for each key")

    def source_of(self, index: int, side: Side) -> int:
        """Return the entry node of the alpha node that feeds a side."""
        (alpha,) = self.inputs[index, side]
        (entry,) = self.inputs[alpha, Side.TOP]
        return entry

    def is_alone(self, index: int, left: Flow, right: Flow) -> bool:
        """Return whether a node joins two patterns of external sources, and no two-input node is below it."""
        raw = not left.partial.streams[0].emissions and not right.partial.streams[0].emissions
        (origin,) = self.inputs[index, Side.LEFT]
        below = any(self.network.informs[successor.node] for successor in self.network.successors[index])
        return raw and not below and isinstance(self.network.nodes[origin], AlphaNode)

    def joined(self, node: TwoInputNode, left: Partial, right: Partial) -> Partial:
        """Return the partial matches of both sides, with the windows of the node."""
        variables = (*left.variables, node.right)  # summaries are no variables
        windows = list(zip(node.minima, node.maxima, strict=True))
        rows = [(*row, window) for row, window in zip(left.distances, windows, strict=True)]
        rows.append((*((-greatest, -least) for least, greatest in windows), (0, 0)))
        classes = self.equalities(node.rule).classes(variables)
        return Partial(variables, left.streams + right.streams, tuple(rows), classes, left.fixed + right.fixed)

    def live_left(self, node: TwoInputNode, left: Flow, lag: int) -> int | None:
        """Return the maximum number of left partial matches that are live while the least promise is m.

        m is the least promise among their sources and those of the right events. The result is the maximum, over the
        sources that may have promised it, of the number of partial matches whose events that source allows.
        """
        partial = left.partial
        back = [lag + greatest for greatest in node.maxima]
        if len(partial.streams) == 1 and not left.defeats:
            return partial.streams[0].standing(back[0], partial.fixed[0])
        counts = [self.led_by(index, left, back) for index in range(len(partial.streams))]
        counts.extend(self.released(defeat, left, back) for defeat in left.defeats)
        known = [count for count in counts if count is not None]
        return None if len(known) < len(counts) else max(known)

    def counted_by(self, node: TwoInputNode, left: Flow, lag: int, live: int | None) -> str:
        """Return the method that gives the number of live left partial matches: the smaller of two bounds."""
        by_tree = self.live_left(node, replace(left, partial=replace(left.partial, covering=False)), lag)
        if by_tree == live:
            return "partial matches along the best spanning tree"
        return f"partial matches by a fractional edge cover; {by_tree:,} along the best spanning tree"

    def led_by(self, index: int, left: Flow, back: list[int]) -> int | None:
        """Return the number of live partial matches whose event `index` is from a source that has promised only m."""
        partial = left.partial
        stream = partial.streams[index]
        if stream.lead is None:
            return None
        widths = [back[j] + stream.lead + partial.distances[index][j][1] for j in range(len(back))]
        roots: list[Root | None] = [partial.root(j, width) for j, width in enumerate(widths)]

        def standing(attributes: frozenset[str]) -> int:
            count = stream.standing(back[index], attributes)
            assert count is not None  # the lead is known
            return count

        roots[index] = standing
        if left.first_join is not None and stream.merged and not stream.emissions:
            self.behind_first_join(index, left, back, roots)
        # One event beyond the promise: some results of its step may have come through and others not.
        return partial.product(roots) + partial.extending((index,), stream.ahead + 1)

    def behind_first_join(self, index: int, left: Flow, back: list[int], roots: list[Root | None]) -> None:
        """Limit the events of the other side: the first join stores all those that the promise m does not expire."""
        assert left.first_join is not None
        of_left, of_right, (least, greatest) = left.first_join
        opposite = 1 - index
        ended, capacity = (least - 1, of_right) if index == 0 else (-greatest - 1, of_left)
        known, open_ones = roots[opposite], left.partial.root(opposite, back[opposite] + ended)
        assert known is not None
        roots[opposite] = lambda attributes: min(known(attributes), open_ones(attributes) + capacity)

    def released(self, defeat: Defeat, left: Flow, back: list[int]) -> int | None:
        """Return the number of live partial matches that a not-node has released while its right source promised m."""
        partial = left.partial
        roots: list[Root | None] = []
        for j in range(len(back)):
            if defeat.drifts:
                lead, skew = partial.streams[j].lead, self.knowledge.skew
                if lead is None or skew is None:
                    return None
                latest = lead + skew
            else:
                latest = max(-maximum - 1 + partial.distances[i][j][1] for i, maximum in defeat.maxima)
            roots.append(partial.root(j, back[j] + latest))
        batch = defeat.released(partial)
        return None if batch is None else partial.product(roots) + batch

    def batches(
        self, node: TwoInputNode, joined: Partial, of_left: Need, of_right: Need
    ) -> tuple[int | None, int | None]:
        """Return the maximum number of results of one left and of one right activation."""
        if node.waits:
            return 1, of_left.viable
        if of_left.viable is None or of_right.viable is None:
            return None, None
        last = len(node.left)
        width = min(greatest - least for least, greatest in zip(node.minima, node.maxima, strict=True))
        attributes = joined.fixed[last].union(*(joined.determined(index, last) for index in range(last)))
        of_one = joined.streams[last].within(width, attributes)
        return min(of_right.viable, of_one), min(of_left.viable, joined.with_root(last))

    def lags(self, node: TwoInputNode, left: Flow, right: Flow) -> list[int]:
        """Return the lags of the left events below a node: bounds lag by the stored entries too."""
        lag = right.lags[0]
        return [max(known, lag + greatest) for known, greatest in zip(left.lags, node.maxima, strict=False)]

    def after(
        self, node: TwoInputNode, left: Flow, right: Flow, joined: Partial, of_left: Need, of_right: Need
    ) -> Flow:
        """Return the output of a node: bounds lag by the stored entries, as long as these are stored."""
        lag = right.lags[0]
        of_events = self.lags(node, left, right)
        lags = (*of_events, *left.lags[len(of_events) :])
        if node.waits:
            maxima, lead = tuple(enumerate(node.maxima)), right.partial.streams[0].lead
            if node.gathering.upward:
                maxima = tuple((i, least - 1 - (lead or 0)) for i, least in enumerate(node.minima))
            drifts = (
                bool(right.partial.streams[0].emissions)
                or (node.past is not None and node.gathering.upward)
                or _may_be_empty(node, left.partial)
            )
            defeat = Defeat(maxima, of_left.viable, right.partial.streams[0], drifts)
            windows = (*left.windows, (node.minima, node.maxima)) if node.collects else left.windows
            if node.collects:
                lags = (*lags, min(known - least for known, least in zip(of_events, node.minima, strict=True)))
            return Flow(node.rule, left.partial, lags, (*left.defeats, defeat), left.first_join, windows)
        retained = min(known - least for known, least in zip(left.lags, node.minima, strict=True))
        first = None
        if len(node.left) == 1 and not left.defeats and of_left.viable is not None and of_right.viable is not None:
            first = (of_left.viable, of_right.viable, (node.minima[0], node.maxima[0]))
        return Flow(node.rule, joined, (*lags, max(lag, retained)), left.defeats, first)


def _may_be_empty(node: TwoInputNode, partial: Partial) -> bool:
    """Return whether the windows of a node from the events of some partial match may exclude each other.

    The node releases such a partial match at once, however little its right side has promised.
    """
    return any(
        partial.distances[j][i][1] + least > greatest
        for i, least in enumerate(node.minima)
        for j, greatest in enumerate(node.maxima)
    )


def _with_room(live: int | None, least: int, reason: str) -> Need:
    """Return a need of one more than is live at once: a full history then has an entry that a later bound removes."""
    if live is None:
        return Need(None, None, least, UNLIMITED)
    return Need(live, live + 1, least, reason)


def _alone(
    node: TwoInputNode, left: Stream, right: Stream, live_left: int, live_right: int, same: bool
) -> tuple[Need, Need]:
    """Return the capacities of a node of which only its own two histories can wait for each other.

    It is enough that not both are full of live entries at once. From one entry node both get the same events, and room
    for one more on one side is enough; else the events of the two sides must span more than the window.

    With one punctual source on each side, and no keys, they are also the least. At a not-node this is true of the left
    side alone, and of neither side if both get the same events, because events may defeat the entries that would fill
    the histories.
    """
    single = left.plain and right.plain
    if same:
        reason = "live entries of a self-join, and one more on the right"
        of_left, of_right = live_left, live_right + 1
    else:
        reason = "two independent inputs whose entries together span more than the window"
        of_left, of_right = _spanning(node, left, right, live_left, live_right)
    least_left = of_left if single and not node.negated else live_left if single and not same else 0
    least_right = of_right if single and not node.negated else 0
    return Need(live_left, of_left, least_left, reason), Need(live_right, of_right, least_right, reason)


def _spanning(node: TwoInputNode, left: Stream, right: Stream, live_left: int, live_right: int) -> tuple[int, int]:
    """Return the fewest entries in total that contain all live ones and together span more than the window."""
    width = node.maxima[0] - node.minima[0]
    options = [(live_left + 1, live_right + 1)]
    if left.supplies and right.supplies and width >= 0:
        late = max(supply.late for supply in left.supplies) + max(supply.late for supply in right.supplies)

        def spans(of_left: int, of_right: int) -> bool:
            parts = (left, of_left - left.ahead), (right, of_right - right.ahead)
            if any(count < 1 for _, count in parts):
                return False
            return sum(least_span(stream.supplies, count) for stream, count in parts) > width + late

        base_left, base_right = max(live_left, 1 + left.ahead), max(live_right, 1 + right.ahead)
        options.append((base_left, _least(lambda size: spans(base_left, size), base_right)))
        options.append((_least(lambda size: spans(size, base_right), base_left), base_right))
    return min(options, key=lambda sizes: (sum(sizes), sizes))


def _least(enough: Callable[[int], bool], start: int) -> int:
    """Return the least number from `start` that is enough; every greater number is enough too."""
    step, size = 1, start
    while not enough(size):
        size, step = size + step, 2 * step
    low = max(start - 1, size - step)
    while size - low > 1:
        middle = (low + size) // 2
        if enough(middle):
            size = middle
        else:
            low = middle
    return size
