"""The number of ways through an automaton over one stream, as the stream grows: bounded, a power of its length, or
exponential.

The automaton is deterministic in events with their marks, so each way is a different result. The criteria are those of
A. Weber and H. Seidl (On the degree of ambiguity of finite automata, 1991): exponentially many iff a state leads back
to itself in two ways over one word; else the degree is the greatest number of steps q → p on one way where one word
leads from q to q, from q to p and from p to p.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from parte.checker.solver.clock import Clock, Undecided
from parte.languages.cel.checker.letters import Alphabet
from parte.languages.cel.checker.search import Word, shortest
from parte.languages.cel.semantics.automata import SKIP, Label
from parte.languages.cel.semantics.determinised import Determinised, State
from parte.semantics.events.event import Event

MOST_STATES = 60
"""The greatest number of deterministic states: the analysis takes time in the cube of it."""

START = -1
"""The state before the first event of an interval: a run may begin at any event."""

Move = tuple[Label, int]
"""The label of the event, and the next state."""


@dataclass(frozen=True)
class Ways:
    """States by number with the moves from them over each letter. `START` waits, and moves as the initial state does.

    Ways count at the `accepting` states.
    """

    letters: Alphabet
    moves: Mapping[int, tuple[tuple[Move, ...], ...]]
    accepting: frozenset[int]

    def after(self, state: int, letter: int) -> tuple[Move, ...]:
        """Return the moves over a letter, by its number."""
        return self.moves[state][letter]

    def leads(self, state: int, goal: int) -> bool:
        """Return whether `goal` is `state` or can be reached from it."""
        return state == goal or goal in self.onward[state]

    @cached_property
    def onward(self) -> Mapping[int, frozenset[int]]:
        """The states that each state leads to, by one move or more."""
        reachable: dict[int, frozenset[int]] = {}
        for state in self.moves:
            seen: set[int] = set()
            left = [state]
            while left:
                for _, target in (move for moves in self.moves[left.pop()] for move in moves):
                    if target not in seen:
                        seen.add(target)
                        left.append(target)
            reachable[state] = frozenset(seen)
        return reachable


@dataclass(frozen=True, slots=True)
class Growth:
    """The growth of the greatest number of ways: at least `size ** degree` on `stream(size)`; at least `2 ** size`
    where the degree is None; bounded where it is 0."""

    degree: int | None
    parts: tuple[Word, ...] = ()
    """Words that occur once, alternating with words that are repeated."""

    def stream(self, size: int) -> Word:
        """Return the stream of this size in the family that shows the growth."""
        return tuple(letter for place, part in enumerate(self.parts) for letter in part * (size if place % 2 else 1))

    def least(self, size: int) -> int:
        """Return the least number of ways on the stream of a size."""
        return int(2**size if self.degree is None else size**self.degree)


def ways(automaton: Determinised, alphabet: Alphabet, clock: Clock, *, results: bool) -> Ways:
    """Return the ways of an automaton over an alphabet. For `results`, only those from which acceptance is still
    possible."""
    passed = list({automaton.passed(letter): letter for letter in alphabet}.items())
    initial = automaton.beginning()
    numbers: dict[State, int] = {}
    left = [initial]
    moves: dict[int, tuple[tuple[Move, ...], ...]] = {}

    def number(state: State) -> int:
        if state not in numbers:
            numbers[state] = len(numbers)
            left.append(state)
            if len(numbers) > MOST_STATES:
                raise Undecided(f"it has more than {MOST_STATES} deterministic states")
        return numbers[state]

    while left:
        state = left.pop()
        after: list[tuple[Move, ...]] = []
        for satisfied, _ in passed:
            clock.tick()
            after.append(tuple((label, number(target)) for label, target in automaton.successors(state, satisfied)))
        moves[START if state == initial else numbers[state]] = tuple(after)
    moves[START] = tuple(((SKIP, START), *choices) for choices in moves[START])
    accepting = frozenset(numbers[state] for state in numbers if automaton.accepts(state))
    all_ways = Ways(tuple(letter for _, letter in passed), moves, accepting)
    return _useful(all_ways) if results else Ways(all_ways.letters, moves, frozenset(moves))


def _useful(every: Ways) -> Ways:
    """Return the ways without the states from which nothing is accepted."""
    useful = {
        state
        for state in every.moves
        if state in every.accepting or not every.accepting.isdisjoint(every.onward[state])
    } | {START}
    moves = {
        state: tuple(tuple(move for move in after if move[1] in useful) for after in every.moves[state])
        for state in useful
    }
    return Ways(every.letters, moves, every.accepting & useful)


def growth(every: Ways, clock: Clock) -> Growth:
    """Return the growth of the greatest number of ways."""
    doubled = _doubled(every, clock)
    if doubled is not None:
        state, word = doubled
        return Growth(None, (way(every, START, state, clock), word, _end(every, state, clock)))
    return _chain(every, clock)


# --- Exponentially many ----------------------------------------------------------------------------------------------


def _doubled(every: Ways, clock: Clock) -> tuple[int, Word] | None:
    """Return a state with a word that leads back to it in two ways, if there is one."""
    for home in sorted(every.moves):
        word = _twice(every, home, clock) if home in every.onward[home] else None
        if word is not None:
            return home, word
    return None


def _twice(every: Ways, home: int, clock: Clock) -> Word | None:
    Node = tuple[int, int, bool]

    def moves(node: Node) -> Iterator[tuple[Event, Node]]:
        left, right, apart = node
        for letter in range(len(every.letters)):
            for first in every.after(left, letter):
                for second in every.after(right, letter):
                    if every.leads(first[1], home) and every.leads(second[1], home):
                        yield every.letters[letter], (first[1], second[1], apart or first != second)

    return shortest((home, home, False), moves, lambda node: node == (home, home, True), clock)


# --- Polynomially many ------------------------------------------------------------------------------------------------


def _chain(every: Ways, clock: Clock) -> Growth:
    """Return the growth by the greatest number of steps on one way, with the words that show it."""
    steps = dict(_steps(every, clock))
    longest: dict[int, tuple[tuple[int, int], ...]] = {}

    def from_(state: int) -> tuple[tuple[int, int], ...]:
        """Return the longest chain of steps on a way that begins at a state."""
        if state not in longest:
            chains = [((q, p), *from_(p)) for q, p in steps if every.leads(state, q)]
            longest[state] = max(chains, key=len, default=())
        return longest[state]

    chain = from_(START)
    parts: list[Word] = []
    here = START
    for q, p in chain:
        parts += [way(every, here, q, clock), steps[q, p]]
        here = p
    return Growth(len(chain), (*parts, _end(every, here, clock)) if chain else ())


def _steps(every: Ways, clock: Clock) -> Iterator[tuple[tuple[int, int], Word]]:
    """Yield the pairs q → p with a word that leads from q to q, from q to p and from p to p."""
    for q in sorted(every.moves):
        for p in sorted(every.onward[q]):
            if p != q and q in every.onward[q] and p in every.onward[p]:
                word = _step(every, q, p, clock)
                if word is not None:
                    yield (q, p), word


def _step(every: Ways, q: int, p: int, clock: Clock) -> Word | None:
    Node = tuple[int, int, int]

    def moves(node: Node) -> Iterator[tuple[Event, Node]]:
        start, middle, end = node
        for letter in range(len(every.letters)):
            firsts = [state for _, state in every.after(start, letter) if every.leads(state, q)]
            lasts = [state for _, state in every.after(end, letter) if every.leads(state, p)]
            between = [state for _, state in every.after(middle, letter) if every.leads(state, p)]
            for first, second, last in product(firsts, between, lasts):
                yield every.letters[letter], (first, second, last)

    return shortest((q, q, p), moves, lambda node: node == (q, p, p), clock)


def way(every: Ways, start: int, goal: int, clock: Clock) -> Word:
    """Return a shortest word from a state to another; the empty word if they are the same."""
    if start == goal:
        return ()
    word = shortest(start, lambda state: _any(every, state), lambda state: state == goal, clock)
    assert word is not None
    return word


def _end(every: Ways, start: int, clock: Clock) -> Word:
    """Return a shortest word to an accepting state."""
    if start in every.accepting:
        return ()
    word = shortest(start, lambda state: _any(every, state), every.accepting.__contains__, clock)
    assert word is not None
    return word


def _any(every: Ways, state: int) -> Iterator[tuple[Event, int]]:
    for letter, moves in zip(every.letters, every.moves[state], strict=True):
        yield from ((letter, target) for _, target in moves)


# --- How many exactly -------------------------------------------------------------------------------------------------

MOST_COUNTS = 3_000
"""The greatest number of combinations of counts to examine."""

Counts = tuple[tuple[int, int], ...]
"""The number of ways that lead to each state, where there are any; one way waits at the start."""


def most_ways(every: Ways, length: int | None, clock: Clock) -> tuple[int, Word]:
    """Return the most ways that end at one event, in intervals of at most `length` events, with a stream that has as
    many.

    Without a length there must be a greatest number. Raise Undecided if the search is too large.
    """
    best, witness = 0, Word()
    layer: dict[Counts, Word] = {((START, 1),): ()}
    seen: set[Counts] = set()
    place = 0
    while layer and (length is None or place < length):
        place += 1
        following: dict[Counts, Word] = {}
        for counts, word in layer.items():
            for letter in range(len(every.letters)):
                clock.tick()
                reached = _moved(every, counts, letter)
                total = sum(count for state, count in reached if state in every.accepting)
                longer = (*word, every.letters[letter])
                if total > best:
                    best, witness = total, longer
                if reached not in seen:
                    following.setdefault(reached, longer)
        layer = _undominated(following)
        seen.update(layer)
        if len(seen) > MOST_COUNTS:
            raise Undecided(f"more than {MOST_COUNTS} combinations of counts would have to be looked at")
    return best, witness


def _moved(every: Ways, counts: Counts, letter: int) -> Counts:
    reached: dict[int, int] = {}
    for state, count in counts:
        for _, target in every.after(state, letter):
            reached[target] = reached.get(target, 0) + count
    return tuple(sorted(reached.items()))


def _undominated(layer: Mapping[Counts, Word]) -> dict[Counts, Word]:
    """Remove counts that are at most other counts in every state: more ways never lead to fewer."""
    maximal: list[tuple[dict[int, int], Counts]] = []
    for counts in sorted(layer, key=lambda candidate: -sum(count for _, count in candidate)):
        if not any(all(greater.get(state, 0) >= count for state, count in counts) for greater, _ in maximal):
            maximal.append((dict(counts), counts))
    return {counts: layer[counts] for _, counts in maximal}
