"""Sequences of unknown length, for lemmas about any number of events, sources or results.

Such a sequence supports element-wise operations (`map`, `zip`), folding with one of four steps (`reduce`, `all`),
counting, reversing and accumulating. While a lemma runs, the functions below replace Python's own for this. Several
sequences can share their positions. All other operations are rejected, above all slices and indices, so that code which
uses only the first three elements cannot run on it, and its lemma fails (`NotOfAnyLength`).

An element is an arbitrary value at a position that has a name. Two facts define the result of a fold of a sequence of
any length: `highest` is at least every element, and it equals one of them. The first is assumed for all positions that
occur, the second makes a new position. That a fold has these facts follows from Python's `reduce` by an induction whose
steps are lemmas on the step (`fold-*`).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from functools import reduce as python_reduce
from itertools import accumulate as python_accumulate
from itertools import islice, repeat
from operator import add
from types import FrameType
from typing import Any, Final, Protocol, cast

from parte.checker.solver.branching import identity
from parte.proofs.sorted_sequences import Among, Cut, Fold, Line, NotOfAnyLength, bisect_left, bisect_right
from parte.semantics.rulebook import connectives
from parte.semantics.rulebook.connectives import conj, disj, greater, lesser, neg


class Width(Enum):
    """An unknown number of elements."""

    ANY = "any number"


ANY: Final = Width.ANY

_RUN_ON_THEM: list[dict[str, Any]] = [vars(connectives)]


def understood_by(*namespaces: dict[str, Any]) -> None:
    """Let `map`, `reduce` and so on in these modules accept such sequences while a lemma runs.

    Pass the namespaces themselves, not names of modules: a module may be a copy with some lines changed.
    """
    _RUN_ON_THEM.extend(space for space in namespaces if all(space is not known for known in _RUN_ON_THEM))


_IN_BETWEEN = (__name__.rpartition(".")[2], "statements")


class Arbitrary(Protocol):
    """The methods of a run that are used here."""

    def integer(self, name: str) -> int: ...

    def truth(self, name: str) -> bool: ...

    def define(self, condition: bool) -> None: ...

    def value_of(self, name: str) -> bool | None: ...


class Position:
    """One place in sequences that share positions. `following` is the place after it, if it occurs."""

    __slots__ = ("following", "last", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.following: Position | None = None
        self.last = False

    def __repr__(self) -> str:
        return self.name

    def __add__(self, other: int) -> _After:
        return _After(self, other)


class _After:
    """`position + 1`, the beginning of a slice."""

    __slots__ = ("position", "steps")

    def __init__(self, position: Position, steps: int) -> None:
        self.position = position
        self.steps = steps


class Positions:
    """The places of sequences that are equally long, as far as they occur."""

    def __init__(self, run: Arbitrary, name: str) -> None:
        self.run = run
        self.name = name
        self.known: list[Position] = []
        self.special: list[Position] = []
        self._facts: list[Callable[[Position], bool]] = []
        self._sums: list[tuple[int, AnyLength]] = []
        self._serials: Counter[str] = Counter()
        self._undecided: dict[int, tuple[bool, AnyLength, str]] = {}
        self.position("any place")

    def position(self, name: str, *, special: bool = False) -> Position:
        """Return a place without further knowledge; a `special` one may have an element unlike the others."""
        place = Position(f"{name} of {self.name}")
        self.known.append(place)
        if special:
            self.special.append(place)
        for fact in list(self._facts):
            self.run.define(fact(place))
        return place

    def everywhere(self, fact: Callable[[Position], bool]) -> None:
        """Define a fact that holds at every place."""
        self._facts.append(fact)
        for place in list(self.known):
            self.run.define(fact(place))

    def somewhere(self, fact: Callable[[Position], bool], name: str, otherwise: bool = False) -> None:
        """Define a fact that holds at some place, which gets a name, unless `otherwise` holds."""
        places = [*self.special, self.position(name)]
        self.run.define(python_reduce(disj, map(fact, places), otherwise))

    @property
    def count(self) -> int:
        """The number of places: one or more."""
        number = self.run.integer(f"number of {self.name}")
        self.run.define(number >= 1)
        return _marked(number, self)

    def arbitrary(self, name: str) -> AnyLength:
        """Return a sequence of arbitrary integers."""
        return AnyLength(self, lambda place: self.run.integer(f"{name} at {place}"), name)

    def folded(self, step: Callable[[Any, Any], Any], elements: AnyLength) -> Any:
        """Return the result of folding a sequence of one or more elements with a step."""
        if step is greater or step is lesser:
            return self._extreme(step is greater, elements)
        if step is conj:
            return self._every(elements)
        if step is disj:
            return neg(self._every(AnyLength(self, lambda place: neg(elements.at(place)), elements.name)))
        if step is add:
            return self._sum(elements)
        raise NotOfAnyLength(f"a fold of any number of elements with {getattr(step, '__name__', step)} is unknown")

    def _extreme(self, greatest: bool, elements: AnyLength) -> int:
        name = self._named("greatest" if greatest else "least")
        extreme = self.run.integer(name)
        self.everywhere(lambda place: elements.at(place) <= extreme if greatest else extreme <= elements.at(place))
        self.somewhere(lambda place: elements.at(place) == extreme, f"place {name}")
        return extreme

    def _every(self, elements: AnyLength) -> bool:
        """Return a name for "the condition holds at every place"; its later use decides which facts it gets."""
        name = self._named(f"every one in {_asking()}")
        place = f"place {name}"
        value = self.run.value_of(name)
        if value is None:
            return bool(python_reduce(conj, map(elements.at, list(self.known)), True))
        holds = self.run.truth(name)
        if isinstance(holds, bool):
            self._define(holds, elements, place)
        else:
            self._undecided[identity(holds)] = (holds, elements, place)
        return holds

    def _define(self, holds: bool, elements: AnyLength, place: str) -> None:
        self.everywhere(lambda at: disj(neg(holds), elements.at(at)))
        self.somewhere(lambda at: neg(elements.at(at)), place, otherwise=holds)

    def assumed(self, condition: bool) -> bool:
        """Return the rest to assume of a condition that may be such a name."""
        if (universal := self._undecided.pop(identity(condition), None)) is None:
            return condition
        self.everywhere(universal[1].at)
        return True

    def claimed(self, condition: bool) -> bool:
        """Return the condition to prove; for one at every place, that it holds at an arbitrary place."""
        if (universal := self._undecided.pop(identity(condition), None)) is None:
            return condition
        return python_reduce(conj, map(universal[1].at, [self.known[0], *self.special]), True)

    def settle(self) -> None:
        """Give each remaining condition a witness place at which it fails, if it fails."""
        while self._undecided:
            self._define(*self._undecided.pop(next(iter(self._undecided))))

    def _sum(self, elements: AnyLength) -> int:
        """Return a sum with its comparisons: it is at most another, or some element is more than the other's."""
        total = self.run.integer(self._named("sum"))
        for known, known_elements in self._sums:
            self._ordered(total, elements, known, known_elements)
            self._ordered(known, known_elements, total, elements)
        self._sums.append((total, elements))
        return total

    def _ordered(self, less: int, lows: AnyLength, more: int, highs: AnyLength) -> None:
        name = self._named("place")
        self.somewhere(lambda place: highs.at(place) < lows.at(place), name, otherwise=less <= more)

    def _named(self, what: str) -> str:
        self._serials[what] += 1
        return f"{what} #{self._serials[what]}"


def _asking() -> str:
    """Return the place in the text of lemmas and rules that is being evaluated: it is used alike on every path."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals["__name__"].rpartition(".")[2] in _IN_BETWEEN:
        frame = frame.f_back
    assert frame is not None
    return f"{frame.f_globals['__name__'].split('.')[-1]}:{frame.f_lineno}"


class AnyLength:
    """One or more elements, an unknown number, followed by a few known ones, the `tail`.

    Only elements at positions can be read. A sequence that is `backwards` runs from the last element to the first.
    """

    __slots__ = ("_elements", "backwards", "element", "name", "positions", "tail")

    def __init__(
        self,
        positions: Positions,
        element: Callable[[Position], Any],
        name: str,
        tail: tuple[Any, ...] = (),
        *,
        backwards: bool = False,
    ) -> None:
        self.positions = positions
        self.element = element
        self.name = name
        self.tail = tail
        self.backwards = backwards
        self._elements: dict[Position, Any] = {}

    def at(self, place: Position) -> Any:
        """Return the element at a place."""
        if place not in self._elements:
            self._elements[place] = self.element(place)
        return self._elements[place]

    def __getitem__(self, place: object) -> Any:
        match place:
            case Position():
                return self.at(place)
            case slice(start=None, stop=Position() as stop, step=None):
                return _Part(self, stop, ())
            case slice(start=_After(position=position, steps=1), stop=None, step=None):
                return _Rest(self, position)
        raise NotOfAnyLength(f"{self.name}: there is no place number {place}")

    def __add__(self, other: object) -> AnyLength:
        if isinstance(other, tuple):
            return AnyLength(self.positions, self.at, self.name, (*self.tail, *other), backwards=self.backwards)
        raise self._refusal("put before")

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Any]:
        raise self._refusal("run through")

    def __len__(self) -> int:
        raise self._refusal("counted")

    def __radd__(self, other: object) -> Any:
        raise self._refusal("put after")

    def __mul__(self, other: object) -> Any:
        raise self._refusal("repeated")

    __rmul__ = __mul__

    def __contains__(self, item: object) -> bool:
        raise self._refusal("searched")

    def _refusal(self, what: str) -> NotOfAnyLength:
        return NotOfAnyLength(f"{self.name}: a sequence of any length is not {what}")


class Chosen(AnyLength):
    """Some of the places of other sequences."""

    __slots__ = ()

    def __contains__(self, item: object) -> bool:
        return bool(self.positions.run.truth(f"{item} is one of {self.name}"))


class _Rest:
    """The elements after a place."""

    def __init__(self, whole: AnyLength, place: Position) -> None:
        self.whole = whole
        self.place = place


class _Part:
    """The elements before a place, and those that replace the one there."""

    def __init__(self, whole: AnyLength, place: Position, put: tuple[Any, ...]) -> None:
        self.whole = whole
        self.place = place
        self.put = put

    def __add__(self, other: object) -> Any:
        if isinstance(other, tuple):
            return _Part(self.whole, self.place, (*self.put, *other))
        fits = isinstance(other, _Rest) and other.whole is self.whole and other.place is self.place
        if not fits or len(self.put) != 1 or self.place not in self.whole.positions.special:
            raise NotOfAnyLength(f"{self.whole.name}: only one element can be put in the place of one")
        return AnyLength(
            self.whole.positions, lambda place: self.put[0] if place is self.place else self.whole.at(place), "replaced"
        )


# --- Replacements of Python's functions while a lemma runs -----------------------------------------------------------


class _Count(int):
    """The number of elements, in a concrete run."""

    positions: Positions


def _marked(number: int, positions: Positions) -> int:
    marked: Any = _Count(number) if isinstance(number, int) else number
    marked.positions = positions
    return cast(int, marked)


def _of_any_length(*sequences: object) -> list[AnyLength]:
    return [sequence for sequence in sequences if isinstance(sequence, AnyLength)]


def _map(function: Callable[..., Any], *sequences: Any) -> Any:
    unknown = _of_any_length(*sequences)
    if not unknown:
        return map(function, *sequences)
    first = unknown[0]
    sequences = tuple(_repeated(item, first) if isinstance(item, repeat) else item for item in sequences)
    unknown = _of_any_length(*sequences)
    alike = {(item.positions, len(item.tail), item.backwards) for item in unknown}
    if len(alike) > 1 or len(unknown) < len(sequences):
        raise NotOfAnyLength(f"{' and '.join(s.name for s in unknown)}: not known to be equally long and in order")
    tail = tuple(map(function, *(item.tail for item in unknown)))
    return AnyLength(
        first.positions,
        lambda place: function(*(item.at(place) for item in unknown)),
        first.name,
        tail,
        backwards=first.backwards,
    )


def _repeated(value: Any, alike: AnyLength) -> AnyLength:
    """Return the same value at every place."""
    (item,) = islice(value, 1)
    return AnyLength(alike.positions, lambda _: item, "repeated", (item,) * len(alike.tail), backwards=alike.backwards)


def _zip(*sequences: Any, strict: bool = False) -> Any:
    return _map(lambda *parts: parts, *sequences) if _of_any_length(*sequences) else zip(*sequences, strict=strict)


def _reduce(step: Callable[[Any, Any], Any], values: Any, *initial: Any) -> Any:
    if isinstance(values, Fold):
        return values.folded(step, *initial)
    if not _of_any_length(values):
        return python_reduce(step, values, *initial)
    whole = AnyLength(values.positions, values.at, values.name)
    return python_reduce(step, (*initial, values.positions.folded(step, whole), *values.tail))


def _all(values: Any) -> bool:
    return bool(_reduce(conj, values)) if _of_any_length(values) else all(values)


def _len(values: Any) -> int:
    if isinstance(values, Line):
        return cast(int, Cut(values, True))
    if not _of_any_length(values):
        return len(values)
    number: int = values.positions.count
    return number + len(values.tail) if values.tail else number


def _range(*limits: Any) -> Any:
    if any(isinstance(limit, Cut) for limit in limits):
        return Among(*limits)
    positions = getattr(limits[-1], "positions", None)
    if positions is None:
        return range(*limits)
    if len(limits) > 1:
        raise NotOfAnyLength("places of a sequence of any length begin at the first")
    return AnyLength(positions, lambda place: place, f"places of {positions.name}")


def _tuple(values: Iterable[Any] = ()) -> Any:
    return values if _of_any_length(values) else tuple(values)


def _list(values: Iterable[Any] = ()) -> Any:
    return values if _of_any_length(values) else list(values)


def _reversed(values: Any) -> Any:
    if isinstance(values, Fold):
        return values.reversed()
    if not _of_any_length(values):
        return reversed(values)
    if values.tail:
        raise NotOfAnyLength(f"{values.name}: not reversed, with elements after it")
    return AnyLength(values.positions, values.at, values.name, backwards=not values.backwards)


def _accumulate(values: Any, step: Callable[[Any, Any], Any], *, initial: Any = None) -> Any:
    """Return the folds of the elements after each element, from the last to the first."""
    if not _of_any_length(values):
        return python_accumulate(values, step, initial=initial)
    if not values.backwards or initial is None:
        raise NotOfAnyLength(f"{values.name}: accumulated from the last on, from something given")

    def folded(place: Position) -> Any:
        if place.last:
            return initial
        if place.following is None:
            return _like(initial, f"folded at {place}")
        return step(sums.at(place.following), values.at(place.following))

    sums = AnyLength(values.positions, folded, f"accumulated {values.name}", backwards=True)
    return sums


def _like(sample: Sequence[int] | AnyLength, name: str) -> Any:
    """Return arbitrary integers, as many as in a sample."""
    if isinstance(sample, AnyLength):
        run = sample.positions.run
        tail = tuple(run.integer(f"{name}, {number} after it") for number in range(len(sample.tail)))
        return sample.positions.arbitrary(name) + tail
    raise NotOfAnyLength("only sequences of any length are accumulated")


_FUNCTIONS = {
    "map": _map,
    "zip": _zip,
    "reduce": _reduce,
    "all": _all,
    "len": _len,
    "range": _range,
    "tuple": _tuple,
    "list": _list,
    "reversed": _reversed,
    "accumulate": _accumulate,
    "bisect_left": bisect_left,
    "bisect_right": bisect_right,
}


@contextmanager
def understood() -> Iterator[None]:
    """Let the code that lemmas are about run on sequences of any length inside this context."""
    spaces = list(_RUN_ON_THEM)
    before = [{name: space[name] for name in _FUNCTIONS if name in space} for space in spaces]
    for space in spaces:
        space.update(_FUNCTIONS)
    try:
        yield
    finally:
        for space, own in zip(spaces, before, strict=True):
            for name in _FUNCTIONS:
                del space[name]
            space.update(own)
