"""Upper bounds on the number of events, and of partial matches of several events, in a stretch of time (D def. 14;
specification: retention-left, retention-right).

All counts are upper bounds over every arrival pattern that the rates allow. The events of a partial match are related
by the temporal closure, so partial matches are counted along a spanning tree: the number of candidates for its root
times, for each edge, the number of candidates in the closed window of the neighbour relative to the event before it.
The tree with the least product is used, or a fractional edge cover (`edge_cover`) if declared keys make it smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial

from parte.semantics.events.rates import Rate, Supply, within
from parte.semantics.partelang.counting import FREE, Budget, affordable
from parte.semantics.partelang.edge_cover import Degree, least_cover, orders_of
from parte.semantics.partelang.syntax.temporal import Interval

EXACT_TREES = 7
"""The best tree is found for partial matches of at most so many events; longer ones get a good tree."""

MOST_COVERED = 5
"""Partial matches of more events are counted by trees alone: covers are sought in every order of the events."""

Attributes = frozenset[str]
Root = Callable[[Attributes], int]
"""The number of candidates for an event that is not searched from another one, given the values of some attributes."""

Keys = Mapping[Attributes, "Key"]
Slots = frozenset[tuple[int, str]]
"""Attributes, each with the index of its event."""


Window = tuple[tuple[int, ...], tuple[int, ...]]
"""The least and the greatest distances of the events of a set from each event of a match, in milliseconds."""


@dataclass(frozen=True, slots=True)
class Key:
    """At most `rate` events share the values of some attributes, of which there are at most `distinct` (None: any)."""

    rate: Rate
    distinct: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """The events of one template: from external sources, from rules, or both.

    `lag` is the distance, in milliseconds, of bounds on these events behind the promises of every source. `skew` is the
    greatest difference between the promises of two sources, None if there is no limit. Only streams with productions
    and some other source need it, since the machine merges only external sources by promise.
    """

    supplies: tuple[Supply, ...] = ()
    emissions: tuple[Emission, ...] = ()
    keys: Keys = field(default_factory=dict)
    skew: int | None = None
    lag: int = 0
    budget: Budget = FREE
    limits: dict[int, int] = field(default_factory=dict, repr=False)
    paces: list[Fraction] = field(default_factory=list, repr=False)

    def within(self, width: int, attributes: Iterable[str] = ()) -> int:
        """Return the number of events that fit into a closed window of `width` milliseconds, for known `attributes`."""
        if width not in self.limits:
            # Emitted events are counted by the events that cause them: strata of rules count one window repeatedly.
            self.budget.spend()
            self.limits[width] = affordable(self._limit(width))
        known = frozenset(attributes)
        return min(
            [self.limits[width], *(key.rate.within(width) for names, key in self.keys.items() if names <= known)]
        )

    def _limit(self, width: int) -> int:
        count = within(self.supplies, width) + sum(emission.within(width) for emission in self.emissions)
        limited = [key.rate.within(width) * key.distinct for key in self.keys.values() if key.distinct is not None]
        return min([count, *limited])

    @property
    def plain(self) -> bool:
        """True if these are the events of one external source that is never late, without further knowledge."""
        return len(self.supplies) == 1 and not self.supplies[0].late and not self.emissions and not self.keys

    @property
    def merged(self) -> bool:
        """True if the entry node takes these events in the order of promises: no production among several sources."""
        return not self.emissions or len(self.emissions) + len(self.supplies) == 1

    @property
    def lead(self) -> int | None:
        """Milliseconds by which an event may exceed the promises of all sources, except those `ahead`.

        None: there is no limit.
        """
        if not self.emissions:
            return max((supply.late for supply in self.supplies), default=0)
        leads = [emission.lead for emission in self.emissions]
        if self.merged:
            return leads[0]
        if self.skew is None:
            return None
        known = [lead for lead in leads if lead is not None]
        if len(known) < len(leads):
            return None
        return max([*known, *(supply.late for supply in self.supplies)]) + self.skew

    @property
    def ahead(self) -> int:
        """Number of events taken that may exceed the least promise by more than the lead.

        It is one for each other source, whose turn it was.
        """
        if not self.emissions:
            return max(len(self.supplies) - 1, 0)
        return self.emissions[0].ahead if self.merged else 0

    @property
    def rivals(self) -> int:
        """Number of events taken beyond the least promise of several productions, or of these and a source."""
        if self.merged:
            return 0
        return len(self.supplies) + sum(1 + emission.ahead for emission in self.emissions) - 1

    def standing(self, back: int, attributes: Iterable[str] = ()) -> int | None:
        """Return the number of events taken that lie at most `back` milliseconds before the least promise."""
        if self.emissions:
            lead = self.lead
            return None if lead is None else self.within(back + lead, attributes) + self.ahead
        latest = max((supply.late for supply in self.supplies), default=0)
        count = sum(supply.rate.within(back + supply.late) for supply in self.supplies)
        return min(count, self.within(back + latest, attributes)) + self.ahead

    @property
    def per_millisecond(self) -> Fraction:
        """Events per millisecond in the long run."""
        if not self.paces:
            self.paces.append(self._pace())
        return self.paces[0]

    def _pace(self) -> Fraction:
        rate = sum((supply.rate.per_millisecond for supply in self.supplies), Fraction())
        rate += sum((emission.partial.per_millisecond for emission in self.emissions), Fraction())
        limited = [key.rate.per_millisecond * key.distinct for key in self.keys.values() if key.distinct is not None]
        return min([rate, *limited])


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """Partial matches of several events.

    `distances[i][j]` are the least and greatest distances from event i to j. `classes` are attributes that must be
    equal, of two events or more; `fixed[j]` equal constants. `covering`: count by edge covers too.
    """

    variables: tuple[str, ...]
    streams: tuple[Stream, ...]
    distances: tuple[tuple[Interval, ...], ...]
    classes: tuple[Slots, ...]
    fixed: tuple[Attributes, ...]
    covering: bool = True
    known: dict[tuple[int, int, Attributes], int] = field(default_factory=dict, repr=False)

    def determined(self, origin: int, target: int) -> Attributes:
        """Return the attributes of `target` that have a known value once `origin` is known."""
        shared = [of_class for of_class in self.classes if any(event == origin for event, _ in of_class)]
        return self.fixed[target].union(name for of_class in shared for event, name in of_class if event == target)

    def edge(self, origin: int, target: int, besides: Attributes = frozenset()) -> int:
        """Return the number of events that can be `target` once `origin` is known, and the attributes `besides`."""
        place = origin, target, besides
        if place not in self.known:
            least, greatest = self.distances[origin][target]
            attributes = self.determined(origin, target) | besides
            self.known[place] = self.streams[target].within(greatest - least, attributes)
        return self.known[place]

    def product(self, roots: Sequence[Root | None]) -> int:
        """Return a bound on the number of partial matches: the least product over spanning trees, or a smaller cover.

        `roots[j]` counts the candidates for j; None: any.
        """
        counts = [None if root is None else root(fixed) for root, fixed in zip(roots, self.fixed, strict=True)]
        return self._covered(least_product(counts, self.edge), roots, (), 1)

    def extending(self, start: Sequence[int], count: int) -> int:
        """Return the number of partial matches that extend `count` partial matches of the events in `start`."""
        if not count:
            return 0
        roots: list[Root | None] = [None] * len(self.streams)
        return self._covered(least_product([None] * len(roots), self.edge, start, count), roots, start, count)

    def _covered(self, tree: int, roots: Sequence[Root | None], start: Sequence[int], count: int) -> int:
        """Return the bound by a spanning tree, or the one by an edge cover if that is smaller."""
        events = range(len(self.streams))
        by_key = list(self._by_key(roots))
        if not (self.covering and by_key and tree and len(events) <= MOST_COVERED):
            return tree
        self.streams[0].budget.spend()
        degrees = [
            *by_key,
            *(Degree(frozenset(), self._with_classes(j), root(self.fixed[j])) for j, root in enumerate(roots) if root),
            *(Degree(frozenset({i}), self._with_classes(j), self.edge(i, j)) for i in events for j in events if i != j),
        ]
        if start:
            degrees.append(Degree(frozenset(), frozenset().union(*map(self._with_classes, start)), count))
        if any(degree.count == 0 for degree in degrees):
            return tree
        of_classes = [frozenset(event for event, _ in of_class) for of_class in self.classes]
        cover = least_cover(degrees, orders_of(events, of_classes, start))
        return tree if cover is None else min(tree, cover.bound())

    def _by_key(self, roots: Sequence[Root | None]) -> Iterator[Degree]:
        """Yield the degrees that declared keys give: of events with known values of classes, and of these values."""
        for j, (stream, fixed) in enumerate(zip(self.streams, self.fixed, strict=True)):
            for names, key in stream.keys.items():
                of_key = [self._class(j, name) for name in names - fixed]
                shared = frozenset(vertex for vertex in of_key if vertex is not None)
                if not shared or None in of_key:
                    continue
                if key.distinct is not None:
                    yield Degree(frozenset(), shared, key.distinct)
                if (root := roots[j]) is not None:
                    yield Degree(shared, self._with_classes(j), root(fixed | names))
                for i in range(len(self.streams)):
                    if i != j:
                        yield Degree(shared | {i}, self._with_classes(j), self.edge(i, j, names))

    def _class(self, event: int, name: str) -> int | None:
        """Return the vertex of the class of an attribute; None if it is in none."""
        vertices = enumerate(self.classes, start=len(self.streams))
        return next((vertex for vertex, of_class in vertices if (event, name) in of_class), None)

    def _with_classes(self, event: int) -> frozenset[int]:
        """Return the vertices of an event and of the classes that it determines."""
        vertices = enumerate(self.classes, start=len(self.streams))
        return frozenset({event, *(vertex for vertex, of_class in vertices if any(e == event for e, _ in of_class))})

    def with_root(self, index: int) -> int:
        """Return the number of partial matches of one event at `index`."""
        return self.extending((index,), 1)

    def root(self, index: int, width: int) -> Root:
        """Return the count of events at `index` in a closed window of `width` milliseconds."""
        return partial(self.streams[index].within, width)

    def candidates(self, index: int, width: int) -> int:
        """Return the number of events at `index` in a closed window of `width` milliseconds."""
        return self.streams[index].within(width, self.fixed[index])

    @property
    def per_millisecond(self) -> Fraction:
        """Partial matches per millisecond in the long run."""
        return min(stream.per_millisecond * self.with_root(index) for index, stream in enumerate(self.streams))


@dataclass(frozen=True, slots=True, eq=False)
class Emission:
    """The output of a production node: an event for each partial match, at a time that its events determine.

    `lead` and `ahead` are as for a stream. `windows` are those of the sets whose summaries stand behind the events of
    the match: a time of a set lies in its window.
    """

    partial: Partial
    at: Callable[[tuple[int, ...]], int]
    lead: int | None
    ahead: int
    windows: tuple[Window, ...] = ()

    def spread(self, index: int) -> Interval:
        """Return the least and greatest distance from event `index` of the match to the emitted event."""
        row = self.partial.distances[index]
        opens = tuple(max(least + m for (least, _), m in zip(row, minima, strict=True)) for minima, _ in self.windows)
        closes = tuple(min(most + m for (_, most), m in zip(row, maxima, strict=True)) for _, maxima in self.windows)
        return self.at((*(least for least, _ in row), *opens)), self.at((*(most for _, most in row), *closes))

    def within(self, width: int) -> int:
        """Return the number of emitted events that fit into a closed window of `width` milliseconds."""
        if width < 0:
            return 0
        roots: list[Root | None] = []
        for index in range(len(self.partial.streams)):
            least, greatest = self.spread(index)
            roots.append(self.partial.root(index, width + greatest - least))
        return self.partial.product(roots)


def least_product(
    roots: Sequence[int | None], edge: Callable[[int, int], int], start: Sequence[int] = (), count: int = 1
) -> int:
    """Return the least product of counts over spanning trees: each event is a root or follows from a tree event.

    `start` is in the tree from the beginning, `count` times. Raise NotComputed if even the least is too large.
    """
    size = len(roots)
    if size > EXACT_TREES:
        return affordable(_greedy(roots, edge, start, count))
    edges = [[edge(i, j) if i != j else 0 for j in range(size)] for i in range(size)]
    best = {sum(1 << index for index in start): count}
    for members in range(1 << size):
        if members not in best:
            continue
        for j in range(size):
            if members >> j & 1:
                continue
            counts = [edges[i][j] for i in range(size) if members >> i & 1]
            root = roots[j]
            if root is not None:
                counts.append(root)
            if counts:
                grown, product = members | 1 << j, best[members] * min(counts)
                best[grown] = min(best.get(grown, product), product)
    return affordable(best[(1 << size) - 1])


def _greedy(roots: Sequence[int | None], edge: Callable[[int, int], int], start: Sequence[int], count: int) -> int:
    """Return the product of a tree that always takes the event with the fewest candidates next."""
    counts: dict[int, int | None] = {j: root for j, root in enumerate(roots) if j not in start}

    def reach(i: int) -> None:
        for j, known in counts.items():
            candidates = edge(i, j)
            counts[j] = candidates if known is None else min(known, candidates)

    for index in start:
        reach(index)
    product = count
    while counts:
        fewest, j = min((known, j) for j, known in counts.items() if known is not None)
        del counts[j]
        product *= fewest
        reach(j)
    return product
