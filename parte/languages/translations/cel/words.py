"""The words of a formula of CEL: its sequences of events, with their variables and comparisons. Iteration is
unfolded as far as a window reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product

from parte.languages.cel.semantics.syntax import tree
from parte.languages.translations.comparing import FALSE, Compared, Formula, Place, conjoined, conjuncts, disjoined
from parte.languages.translations.untyped import Attribute, Literal, Operand, Operator
from parte.semantics.source.reporting import Reporter

MAX_WORDS = 1_000
"""The greatest number of words, because each word becomes a rule."""


@dataclass(frozen=True, slots=True)
class Word:
    """A sequence of events: their types, their variables, and formulas that must all hold."""

    types: tuple[str, ...]
    labels: tuple[frozenset[str], ...]
    formulas: frozenset[Formula]

    def then(self, following: Word) -> Word:
        """Return this word, followed by another one."""
        by = len(self.types)
        moved = frozenset(formula.moved(lambda place: place + by) for formula in following.formulas)
        return Word(self.types + following.types, self.labels + following.labels, self.formulas | moved)

    def labelled(self, change: Callable[[frozenset[str]], frozenset[str]]) -> Word:
        """Return the word with other variables."""
        return Word(self.types, tuple(map(change, self.labels)), self.formulas)

    def where(self, formula: Formula) -> Word:
        """Return the word with one more formula."""
        return Word(self.types, self.labels, self.formulas.union(conjuncts(formula)))

    def places(self, variable: str) -> list[Place]:
        """Return the places of the events of a variable."""
        return [(place, self.types[place]) for place, label in enumerate(self.labels) if variable in label]


Words = dict[Word, None]
"""A set of words, in the order in which they were found."""


class TooMany(Exception):
    """Error: a formula has more words than `MAX_WORDS`."""


@dataclass(frozen=True, slots=True)
class Unfolding:
    """The unfolding of formulas. `longest` is the greatest number of events in a window, None without a window."""

    compared: Compared
    longest: int | None
    reporter: Reporter

    def words(self, formula: tree.Formula) -> Words:
        """Return all words of a formula. Raise TooMany if there are more than can be rules."""
        words = self._words(formula)
        if len(words) > MAX_WORDS:
            raise TooMany
        return words

    def _words(self, formula: tree.Formula) -> Words:
        match formula:
            case tree.EventType(name=name):
                return {Word((name,), (frozenset([name]),), frozenset()): None}
            case tree.Named(operand=operand, variable=variable):
                return _relabelled(self.words(operand), lambda label: label | {variable} if label else label)
            case tree.Projection(variables=names, operand=operand):
                return _relabelled(self.words(operand), lambda label: label & frozenset(names))
            case tree.Or(parts=parts):
                return {word: None for part in parts for word in self.words(part)}
            case tree.Filtered(operand=operand, condition=condition):
                fulfilled: Words = {}
                for word in self.words(operand):
                    if (formula_of_word := self._fulfilling(word, condition)) != FALSE:
                        fulfilled[word.where(formula_of_word)] = None
                return fulfilled
            case tree.Sequence(parts=parts):
                self._refuse_contiguous(formula)
                first, *others = [self.words(part) for part in parts]
                for second in others:
                    first = self._joined(first, second)
                return first
            case tree.Iteration(operand=operand):
                self._refuse_contiguous(formula)
                once = self.words(operand)
                if self.longest is None:
                    message = "an iteration without a window finds any number of events, and a rule a fixed one"
                    self.reporter.report("no-counterpart", formula.span, message, "add WITHIN with a time")
                    return once
                complete = new = once
                while new:
                    new = {word: None for word in self._joined(once, new) if word not in complete}
                    complete = complete | new
                    if len(complete) > MAX_WORDS:
                        raise TooMany
                return complete

    def _refuse_contiguous(self, formula: tree.Sequence | tree.Iteration) -> None:
        if formula.contiguous:
            message = "in PARTElang nothing says that no event lies between two others"
            self.reporter.report("no-counterpart", formula.span, message, "write `;` and `+` for `:` and `:+`")

    def _joined(self, first: Iterable[Word], then: Iterable[Word]) -> Words:
        words: Words = {}
        for left, right in product(first, then):
            if self.longest is None or len(left.types) + len(right.types) <= self.longest:
                words[left.then(right)] = None
                if len(words) > MAX_WORDS:
                    raise TooMany
        return words

    def predicate(self, node: tree.Predicate, at: Place, *, holds: bool = True) -> Formula:
        """Return the formula of a predicate that holds of an event, or does not hold."""
        match node:
            case tree.Comparison(left=left, operator=comparison, right=right):
                operator, left_operand, right_operand = Operator(comparison.value), operand(left), operand(right)
                return self.compared.comparison(
                    (at, left_operand), operator, (at, right_operand), node.span, holds=holds
                )
            case tree.Not(operand=negated):
                return self.predicate(negated, at, holds=not holds)
            case tree.Every(parts=parts) | tree.Some(parts=parts):
                formulas = [self.predicate(part, at, holds=holds) for part in parts]
                return conjoined(formulas) if isinstance(node, tree.Every) == holds else disjoined(formulas)

    def _fulfilling(self, word: Word, condition: tree.Condition) -> Formula:
        """Return the formula under which a word fulfils a condition."""
        match condition:
            case tree.Holds(variable=variable, predicate=predicate):
                return conjoined(self.predicate(predicate, place) for place in word.places(variable))
            case tree.Link():
                left, right = Attribute(condition.left_attribute), Attribute(condition.right_attribute)
                operator = Operator(condition.operator.value)
                return conjoined(
                    self.compared.comparison((left_place, left), operator, (right_place, right), condition.span)
                    for left_place in word.places(condition.left)
                    for right_place in word.places(condition.right)
                )
            case tree.Both(parts=parts):
                return conjoined(self._fulfilling(word, part) for part in parts)
            case tree.Either(parts=parts):
                return disjoined(self._fulfilling(word, part) for part in parts)


def _relabelled(words: Words, change: Callable[[frozenset[str]], frozenset[str]]) -> Words:
    return {word.labelled(change): None for word in words}


def operand(node: tree.Operand) -> Operand:
    """Return a side of a comparison."""
    return Attribute(node.name) if isinstance(node, tree.Attribute) else Literal(node.value)
