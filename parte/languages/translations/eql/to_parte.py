"""Queries of EQL as rules of PARTElang.

A sequence is one rule: each positive event is the `first` of its stage behind the one before, and no other chain ends
between the two (EQL/CHAIN). Chains of one stage are the events of this stage; rules emit an event for each end of a
longer chain. Until and missing stages are negated patterns. It means the same if timestamps rise strictly.

`pairs` is the rule that matches all events of the stages in a row. Its matches that contain no other one in time begin
and end as the results do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from parte.languages.eql.semantics.syntax import tree
from parte.languages.translations.codes import CODES
from parte.languages.translations.comparing import (
    FALSE,
    Compared,
    Formula,
    Place,
    conjoined,
    conjuncts,
    disjoined,
    expression_of,
)
from parte.languages.translations.elaborating import PARTELANG, elaborated
from parte.languages.translations.eql.conditions import Conditions, mentioned
from parte.languages.translations.untyped import Attribute, Operand, Operator, Types, declarations, inferred
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Span

Window = tuple[int, int, int]
"""The place of the pattern that a window refers to, and its ends in milliseconds."""


@dataclass(frozen=True, slots=True)
class InParte:
    """A program. The events of a result are those of the `variables` in a match of its rule called `rule`."""

    program: core.Program
    rule: str
    variables: tuple[str, ...]


def to_parte(
    query: tree.Query, text: str, declared: Sequence[core.Template] | None = None, *, pairs: bool = False
) -> InParte:
    """Return the program whose matches are the results of a query, or with `pairs` all events of its stages in a row.

    Raise ProgramError with every part that no rule can have. Without declared templates their attributes are inferred,
    and optional; with `pairs` those that have no type otherwise are Strings, for the other languages have no types.
    """
    reporter = Reporter(text, CODES)
    sequence = _sequence(query, pairs, reporter)
    reporter.raise_if_failed()
    stages = (*sequence.stages, *(() if sequence.until is None else (sequence.until,)))
    if declared is None:
        templates = [str(stage.event.category) for stage in stages]
        types = inferred(templates, _mentioned(stages), reporter, core.Scalar.STRING if pairs else None)
        optional = {(template, name) for template in types for name in types[template]}
    else:
        types = {template.name: {slot.name: slot.type for slot in template.attributes} for template in declared}
        optional = {(known.name, slot.name) for known in declared for slot in known.attributes if slot.optional}
    reporter.raise_if_failed()
    making = _Making(sequence, types, optional, pairs, reporter)
    if pairs and not making.rules:
        message = "this never has a result, and the other language has no pattern for that"
        reporter.report("no-counterpart", query.span, message, "there is nothing to translate")
    reporter.raise_if_failed()
    program = elaborated(making.templates(), making.rules, query.span, "use other names in the query", reporter)
    return InParte(program, making.rule, making.variables)


def _sequence(query: tree.Query, pairs: bool, reporter: Reporter) -> tree.Sequence:
    """Return a query as a sequence whose stages have all of their keys; report what no rule has."""

    def refuse(part: tree.Node, message: str, hint: str) -> None:
        reporter.report("no-counterpart", part.span, message, hint)

    match query:
        case tree.Single(event=event, pipes=pipes):
            sequence = tree.Sequence((), None, (tree.Stage(event),), None, pipes, span=query.span)
        case tree.Sequence(by=by, stages=stages, until=until):
            stages = tuple(replace(stage, by=(*by, *stage.by)) for stage in stages)
            until = None if until is None else replace(until, by=(*by, *until.by))
            sequence = replace(query, by=(), stages=stages, until=until)
            if query.maxspan is None:
                refuse(query, "without a maxspan events may be any time apart, and patterns may not", "add a maxspan")
            elif query.maxspan.milliseconds == 0:
                refuse(query.maxspan, "in a maxspan of 0 ms no event is later than another one", "take 1 ms or more")
        case tree.Sample(span=span):
            refuse(query, "a sample is one of several tuples of events, and rules find all", "write a sequence")
            return tree.Sequence((), None, (), None, (), span=span)
    for node in tree.within(sequence):
        name = node.name if isinstance(node, tree.Field) else node.category if isinstance(node, tree.Event) else None
        if name is not None and not (name.isidentifier() and name.isascii()):
            refuse(node, f"`{name}` is no name in PARTElang", "give it another name in the trace, without dots")
    for pipe in sequence.pipes:
        refuse(pipe, "rules have all results", "leave the pipe out")
    for stage in (*sequence.stages, *(() if sequence.until is None else (sequence.until,))):
        if stage.event.category is None:
            refuse(stage.event, "a pattern names the template of its events", "write a category for `any`")
        if pairs and (stage.missing or stage is sequence.until):
            hint = "translate it to PARTElang, which has negated patterns"
            refuse(stage, "this translation has no missing events and no `until`", hint)
    return sequence


def _mentioned(stages: tuple[tree.Stage, ...]) -> Iterator[tuple[Span, tuple[Operand, ...]]]:
    for stage in stages:
        yield from mentioned(stage.event.condition)
        yield from ((field.span, (Attribute(field.name),)) for field in stage.by)
        for field, first in zip(stage.by, stages[0].by, strict=True):
            yield field.span, (Attribute(field.name), Attribute(first.name))


class _Making:
    """The rules of a sequence."""

    def __init__(
        self, sequence: tree.Sequence, types: Types, optional: set[tuple[str, str]], pairs: bool, reporter: Reporter
    ) -> None:
        self._types = dict[str, Mapping[str, core.Type]]()
        self._optional = optional
        self._conditions = Conditions(Compared(self._types, reporter, "EQL"), self._optional, pairs)
        self._span = 0 if sequence.maxspan is None else sequence.maxspan.milliseconds
        for stage in (*sequence.stages, *(() if sequence.until is None else (sequence.until,))):
            name = str(stage.event.category)
            if name not in types:
                hint = reporter.suggestion(name, types, "declare it, or leave --templates out")
                reporter.report("no-counterpart", stage.event.span, f"no template is called {name}", hint)
            self._types[name] = types.get(name, {})
        self.rules: list[ast.Rule] = []
        stages, last = tree.positive(sequence), len(tree.positive(sequence)) - 1
        self.variables = tuple(f"e{number}" for number, _ in enumerate(stages, 1))
        self.rule = PARTELANG.free("Results", self._types)
        negated: list[tuple[tree.Stage, tuple[Window, ...]]] = []
        if not pairs:
            negated = [(end, self._between(place)) for place, end in self._ends(stages)]
            if sequence.until is not None:
                negated += [(sequence.until, self._between(place)) for place in range(last)]
            for place, missing in enumerate(tree.between(sequence), -1):
                windows = self._between(place)
                if place in (-1, last):
                    ends = (-self._span, -1) if place < 0 else (1, self._span)
                    windows = tuple(dict.fromkeys(((0, *ends), (last, *ends))))
                negated += [(stage, windows) for stage in missing]
        self._rule(self.rule, stages, negated, first=not pairs)

    def templates(self) -> list[ast.Template]:
        """Return the templates of the query, and those of the ends of chains."""
        return declarations(self._types, self._optional)

    def _between(self, place: int) -> tuple[Window, ...]:
        """Return the windows between the event at a place and the next one."""
        return (place, 1, self._span), (place + 1, -self._span, -1)

    def _ends(self, stages: Sequence[tree.Stage]) -> list[tuple[int, tree.Stage]]:
        """Return, for each place, the ends of the chains up to it that must not lie before the next event.

        If the next stage is the same, its `first` event is not behind another end. A chain of several stages ends in an
        event that a rule emits.
        """
        places = [place for place, (stage, after) in enumerate(pairwise(stages)) if stage != after]
        ends = [stages[0]]
        for place, (before, stage) in enumerate(pairwise(stages[: max(places, default=0) + 1]), 1):
            name = PARTELANG.free(f"Chain{place + 1}", self._types)
            negated = [(ends[-1], self._between(0))] if before != stage else []
            slots = [(f"k{number}", field) for number, field in enumerate(stage.by, 1)]
            category = str(stage.event.category)
            typed = [(slot, field.name) for slot, field in slots if field.name in self._types[category]]
            assignments = tuple(ast.Assignment(slot, ast.Reference("e2", field)) for slot, field in typed)
            emission = ast.Emission(name, ast.Reference("e2", "timestamp"), assignments)
            self._rule(PARTELANG.free(f"To{name}", self._types), (ends[-1], stage), negated, emission)
            self._types[name] = {slot: self._types[category][field] for slot, field in typed}
            self._optional |= {(name, slot) for slot, field in typed if (category, field) in self._optional}
            keys = tuple(tree.Field(slot, field.optional) for slot, field in slots)
            ends.append(tree.Stage(tree.Event(name, tree.Literal(True)), by=keys))
        return [(place, ends[place]) for place in places]

    def _rule(
        self,
        called: str,
        stages: Sequence[tree.Stage],
        negated: Sequence[tuple[tree.Stage, Sequence[Window]]],
        emission: ast.Emission | None = None,
        *,
        first: bool = True,
    ) -> None:
        """Add a rule of events in a row, without the negated ones in their windows, if it can match."""
        count = len(stages)
        formulas = [self._formula(place, stage, stages[0], count == 1) for place, stage in enumerate(stages)]
        if FALSE in formulas:
            return
        names = [f"e{number}" for number in range(1, count + 1)]
        patterns = [
            _pattern(names[: place + 1], stage, formula, first=first and place > 0)
            for place, (stage, formula) in enumerate(zip(stages, formulas, strict=True))
        ]
        apart = [(place, place - 1) for place in range(1, count)] + ([(count - 1, 0)] if count > 2 else [])
        constraints = [_window(False, names[later], names[earlier], 1, self._span) for later, earlier in apart]
        for stage, windows in negated:
            if (formula := self._formula(count, stage, stages[0], False)) != FALSE:
                name = f"n{len(patterns) - count + 1}"
                patterns.append(_pattern([*names, name], stage, formula, negated=True))
                constraints += [_window(True, name, names[reference], *ends) for reference, *ends in windows]
        emissions = () if emission is None else (emission,)
        self.rules.append(ast.Rule(called, tuple(patterns), tuple(constraints), emissions))

    def _formula(self, place: int, stage: tree.Stage, first: tree.Stage, alone: bool) -> Formula:
        """Return the conditions of a stage: its own, and that it has the key of the first one."""
        at = (place, str(stage.event.category))
        parts = [self._conditions.formula(stage.event.condition, at)]
        if place or alone:
            to = (0, str(first.event.category))
            parts += [self._same((at, own), (to, key)) for own, key in zip(stage.by, first.by, strict=True)]
        return conjoined(parts)

    def _same(self, left: tuple[Place, tree.Field], right: tuple[Place, tree.Field]) -> Formula:
        """Return that two fields are the same part of a key: null is a value if both are optional."""
        (at, own), (to, key) = left, right
        equal = self._conditions.compare(
            (at, Attribute(own.name)), Operator.EQUAL, (to, Attribute(key.name)), own.span, holds=True
        )
        if not (own.optional and key.optional):
            return equal
        missing = [
            self._conditions.present(place, field.name, field.span, holds=False) for place, field in (left, right)
        ]
        return disjoined([equal, conjoined(missing)])


def _pattern(
    names: Sequence[str], stage: tree.Stage, formula: Formula, *, first: bool = False, negated: bool = False
) -> ast.Pattern:
    """Return the pattern of the last of some variables."""
    conditions = tuple(expression_of(part, len(names) - 1, names) for part in conjuncts(formula))
    selection = ast.Selection.FIRST if first else None
    return ast.Pattern(negated, names[-1], str(stage.event.category), conditions, selection=selection)


def _window(negated: bool, subject: str, reference: str, lower: int, upper: int) -> ast.Constraint:
    least, most = (ast.Duration(end, ast.Unit.MILLISECONDS) for end in (lower, upper))
    return ast.Constraint(negated, subject, reference, least, most)
