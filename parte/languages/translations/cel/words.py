"""What a formula of CEL finds, as words: events one after the other, which variables they belong to, and what is
compared. Iteration is unfolded as far as a window reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product

from parte.languages.cel.semantics.syntax import tree
from parte.languages.translations.comparing import (
    MAX_ALTERNATIVES,
    Alternatives,
    Atom,
    Compared,
    Place,
    TooManyAlternatives,
    conjoined,
)
from parte.languages.translations.untyped import Attribute, Literal, Operand, Operator
from parte.semantics.source.reporting import Reporter

MAX_WORDS = 1_000
"""More are too many rules."""


@dataclass(frozen=True, slots=True)
class Word:
    """The types of the events, their variables, and the comparisons that all hold."""

    types: tuple[str, ...]
    labels: tuple[frozenset[str], ...]
    atoms: frozenset[Atom]

    def then(self, other: Word) -> Word:
        """One after the other."""
        by = len(self.types)
        moved = frozenset(atom.moved(by) for atom in other.atoms)
        return Word(self.types + other.types, self.labels + other.labels, self.atoms | moved)

    def labelled(self, change: Callable[[frozenset[str]], frozenset[str]]) -> Word:
        """With other variables."""
        return Word(self.types, tuple(map(change, self.labels)), self.atoms)

    def where(self, atoms: frozenset[Atom]) -> Word:
        """With more comparisons."""
        return Word(self.types, self.labels, self.atoms | atoms)

    def places(self, variable: str) -> list[Place]:
        """The events of a variable."""
        return [(place, self.types[place]) for place, label in enumerate(self.labels) if variable in label]


Words = dict[Word, None]
"""In the order in which they were found."""


class TooMany(Exception):
    """A formula has more words than `MAX_WORDS`."""


@dataclass(frozen=True, slots=True)
class Unfolding:
    """How formulas are unfolded: `longest` is how many events a window holds at most, None without one."""

    compared: Compared
    longest: int | None
    reporter: Reporter

    def words(self, formula: tree.Formula) -> Words:
        """All words of a formula. TooMany if there are more than can be rules."""
        found = self._words(formula)
        if len(found) > MAX_WORDS:
            raise TooMany
        return found

    def _words(self, formula: tree.Formula) -> Words:
        match formula:
            case tree.EventType(name=name):
                return {Word((name,), (frozenset([name]),), frozenset()): None}
            case tree.Named(operand=operand, variable=variable):
                return _each(self.words(operand), lambda label: label | {variable} if label else label)
            case tree.Projection(variables=names, operand=operand):
                return _each(self.words(operand), lambda label: label & frozenset(names))
            case tree.Or(parts=parts):
                return {word: None for part in parts for word in self.words(part)}
            case tree.Filtered(operand=operand, condition=condition):
                fulfilled: Words = {}
                for word in self.words(operand):
                    fulfilled.update((word.where(atoms), None) for atoms in self._fulfilling(word, condition))
                    if len(fulfilled) > MAX_WORDS:
                        raise TooMany
                return fulfilled
            case tree.Sequence(parts=parts):
                self._refuse_contiguous(formula)
                first, *others = [self.words(part) for part in parts]
                for other in others:
                    first = self._joined(first, other)
                return first
            case tree.Iteration(operand=operand):
                self._refuse_contiguous(formula)
                once = self.words(operand)
                if self.longest is None:
                    message = "an iteration without a window finds any number of events, and a rule a fixed one"
                    self.reporter.report("no-counterpart", formula.span, message, "add WITHIN with a time")
                    return once
                found = new = once
                while new:
                    new = {word: None for word in self._joined(once, new) if word not in found}
                    found = found | new
                    if len(found) > MAX_WORDS:
                        raise TooMany
                return found

    def _refuse_contiguous(self, formula: tree.Sequence | tree.Iteration) -> None:
        if formula.contiguous:
            message = "in PARTElang nothing says that no event lies between two others"
            self.reporter.report("no-counterpart", formula.span, message, "write `;` and `+` for `:` and `:+`")

    def _joined(self, first: Iterable[Word], then: Iterable[Word]) -> Words:
        found: Words = {}
        for one, other in product(first, then):
            if self.longest is None or len(one.types) + len(other.types) <= self.longest:
                found[one.then(other)] = None
                if len(found) > MAX_WORDS:
                    raise TooMany
        return found

    def predicate(self, node: tree.Predicate, at: Place, *, holds: bool = True) -> Alternatives:
        """When a predicate holds of an event, or when it does not."""
        match node:
            case tree.Comparison(left=left, operator=comparison, right=right):
                operator, one, other = Operator(comparison.value), operand(left), operand(right)
                return self.compared.comparison((at, one), operator, (at, other), node.span, holds=holds)
            case tree.Not(operand=negated):
                return self.predicate(negated, at, holds=not holds)
            case tree.Every(parts=parts) | tree.Some(parts=parts):
                made = [self.predicate(part, at, holds=holds) for part in parts]
                if isinstance(node, tree.Every) == holds:
                    return conjoined(made)
                found = list(dict.fromkeys(atoms for each in made for atoms in each))
                if len(found) > MAX_ALTERNATIVES:
                    raise TooManyAlternatives
                return found

    def _fulfilling(self, word: Word, condition: tree.Condition) -> Alternatives:
        """The comparisons under which a word fulfils a condition."""
        match condition:
            case tree.Holds(variable=variable, predicate=predicate):
                return conjoined(self.predicate(predicate, place) for place in word.places(variable))
            case tree.Link():
                left, right = Attribute(condition.left_attribute), Attribute(condition.right_attribute)
                operator = Operator(condition.operator.value)
                return conjoined(
                    self.compared.comparison((one, left), operator, (other, right), condition.span)
                    for one in word.places(condition.left)
                    for other in word.places(condition.right)
                )
            case tree.Both(parts=parts):
                return conjoined(self._fulfilling(word, part) for part in parts)
            case tree.Either(parts=parts):
                return [atoms for part in parts for atoms in self._fulfilling(word, part)]


def _each(words: Words, change: Callable[[frozenset[str]], frozenset[str]]) -> Words:
    return {word.labelled(change): None for word in words}


def operand(node: tree.Operand) -> Operand:
    """A side of a comparison."""
    return Attribute(node.name) if isinstance(node, tree.Attribute) else Literal(node.value)
