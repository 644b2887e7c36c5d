"""Rules of PARTElang as queries of EQL.

A rule of one positive pattern is a query of one event, or a sequence with missing stages before and after the event. A
rule of two, b after a, is a sequence if no other event of either pattern lies between the two, as `first b` says, and a
negated pattern like that of a. Its other negated patterns are missing stages. It means the same if timestamps rise
strictly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from parte.languages.eql.semantics.syntax import tree
from parte.languages.translations.codes import CODES
from parte.languages.translations.connectives import CONDITIONS, conjuncts, present
from parte.languages.translations.naming import Vocabulary
from parte.languages.translations.sides import Side, sides
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.constructs import Construct
from parte.semantics.partelang.syntax.temporal import closure, negated_bounds
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Spanned

_EQL = Vocabulary("EQL", ())
_RELATIONS = {relation.value.replace("==", "="): relation for relation in tree.Relation}
_SHAPE = "write `first b : B` in `b in a [1 ms, W]`, and `no x : A` in `no x in a [1 ms, W], no x in b [-W, -1 ms]`"


def to_eql(program: core.Program, rule: core.Rule) -> tree.Query:
    """Return the query whose results are the matches of a rule. Raise ProgramError with every part that EQL lacks."""
    reporter = Reporter(program.source.text, CODES, program.source.files)
    _EQL.refuse_undeclared(rule, CONDITIONS | {Construct.SELECTIONS}, reporter)
    strata = dict(program.strata)
    for pattern in rule.patterns:
        if strata[pattern.template]:
            message = f"rules emit events of {pattern.template}, and a query of EQL sees those of the stream only"
            reporter.report("no-counterpart", pattern.span, message, "translate a rule that reads no emitted events")
    for emission in rule.emissions:
        hint = "leave out what stands after `then`: the same events match"
        reporter.report("no-counterpart", emission.span, "a query of EQL emits nothing", hint)
    reporter.raise_if_failed()
    query = _Translating(rule, reporter).query()
    reporter.raise_if_failed()
    return query


class _Translating:
    """A rule, with the conditions on each event alone, and its key: its attributes by those of the first event."""

    def __init__(self, rule: core.Rule, reporter: Reporter) -> None:
        self._rule, self._reporter = rule, reporter
        self._patterns = {pattern.variable: pattern for pattern in rule.patterns}
        self._positive = [pattern.variable for pattern in rule.positive]
        self._own: dict[str, dict[tree.Expression, None]] = {variable: {} for variable in self._patterns}
        self._keys: dict[str, dict[str, str]] = {variable: {} for variable in self._patterns}
        for pattern in rule.patterns:
            for condition in conjuncts(pattern.conditions):
                self._condition(condition, pattern)

    def _refuse(self, part: Spanned, message: str, hint: str) -> None:
        self._reporter.report("no-counterpart", part.span, message, hint)

    def query(self) -> tree.Query:
        """Return the query; any one, with a report, if there is none."""
        distances = closure(self._positive, self._rule.constraints)
        windows = {
            pattern.variable: negated_bounds(distances, pattern.variable, self._rule.constraints)
            for pattern in self._rule.patterns
            if pattern.negated
        }
        first, last = self._positive[0], self._positive[-1]
        least, span = 1, max((abs(end) for window in windows.values() for end in window[first]), default=0)
        if len(self._positive) == 1 and not windows:
            return tree.Single(self._stage(first, ()).event, ())
        if first != last:
            least, span = distances.between(last, first) or (0, 0)
        if len(self._positive) > 2 or least != 1 or span < 1 or distances.contradictory:
            message = "a sequence of EQL is one event, or two of which the second comes 1 ms to W after the first"
            self._refuse(self._rule, message, _SHAPE)
            return tree.Single(self._stage(first, ()).event, ())
        earlier, later = [[(variable, *ends) for variable in (first, last)] for ends in ((-span, -1), (1, span))]
        places = [
            negated_bounds(distances, "", [core.Constraint("", *window, True) for window in place])
            for place in (earlier, [later[0], earlier[1]], later)
        ]
        absent = {variable: places.index(window) if window in places else -1 for variable, window in windows.items()}
        return self._sequence(first, last, absent, span)

    def _sequence(self, first: str, last: str, absent: Mapping[str, int], span: int) -> tree.Query:
        """Return the sequence. Absent events are before its first event (0), between (1), after the last (2)."""
        two = first != last
        order = list(self._keys[last if two else next(iter(absent))])
        self._keys[first] = {name: name for name in order}
        needed = {first, last} if two else set()
        missing: list[list[tree.Stage]] = [[], [], []]
        for variable, place in absent.items():
            alike = {end for end in (first, last) if place == 1 and self._alike(variable, end)}
            needed -= alike
            if place < 0:
                message = f"`{variable}` is not absent before, between or after the events of a sequence"
                self._refuse(self._patterns[variable], message, _SHAPE)
            elif not alike:
                missing[place].append(replace(self._stage(variable, order), missing=True))
        for variable in sorted(needed):
            message = f"in a sequence no other event that may be `{variable}` lies between the two"
            self._refuse(self._patterns[variable], message, _SHAPE)
        positive = [self._stage(variable, order) for variable in dict.fromkeys((first, last))]
        stages = (*missing[0], positive[0], *missing[1], *positive[1:], *missing[2])
        common = stages[0].by if len({stage.by for stage in stages}) == 1 else ()
        if common:
            stages = tuple(replace(stage, by=()) for stage in stages)
        unit = [unit for unit in tree.Unit if span % unit.value == 0][-1]
        return tree.Sequence(common, tree.Span(span // unit.value, unit), stages, None, ())

    def _alike(self, absent: str, positive: str) -> bool:
        """Return whether the same events fill two patterns."""
        templates = {self._patterns[variable].template for variable in (absent, positive)}
        same = self._own[absent].keys() == self._own[positive].keys() and self._keys[absent] == self._keys[positive]
        return same and len(templates) == 1

    def _stage(self, variable: str, order: Sequence[str]) -> tree.Stage:
        key, pattern = self._keys[variable], self._patterns[variable]
        if key.keys() != set(order):
            hint = "let the same attributes of the first event be equal to one of each other event"
            self._refuse(pattern, f"`{variable}` has another key than the sequence", hint)
            order = ()
        parts = tuple(self._own[variable])
        condition = tree.Literal(True) if not parts else parts[0] if len(parts) == 1 else tree.And(parts)
        by = tuple(tree.Field(key[name], False) for name in order)
        return tree.Stage(tree.Event(pattern.template, condition), by=by)

    # --- Conditions ---------------------------------------------------------------------------------------------------

    def _condition(self, condition: core.Expression, pattern: core.Pattern) -> None:
        """Add a condition of a pattern to those on its event alone, or to its key."""
        if core.variables_of(condition) <= {pattern.variable}:
            translated = self._expression(condition)
            if translated is not None:
                self._own[pattern.variable][translated] = None
            return
        match condition:
            case core.Comparison(operator="=", left=core.AttributeOf() as left, right=core.AttributeOf() as right):
                own, key = (left, right) if left.variable == pattern.variable else (right, left)
                if key.variable == self._positive[0] and key.attribute not in self._keys[pattern.variable]:
                    self._keys[pattern.variable][key.attribute] = own.attribute
                    present = tree.Presence(tree.Field(key.attribute, False), True)
                    if key.optional and len(self._positive) == 1 and present not in self._own[key.variable]:
                        message = f"an event without `{key.attribute}` matches here, and is in no sequence by it"
                        self._refuse(condition, message, f"add the condition `{key.attribute} is present`")
                    return
        message = "events of a sequence are compared by a key only, attributes equal to those of the first event"
        self._refuse(condition, message, "leave the condition out")

    def _expression(self, condition: core.Expression) -> tree.Expression | None:
        """Return a condition on one event; None, with a report, if EQL has no such condition."""
        match condition:
            case core.Compound(connective=connective, operands=operands):
                parts = [self._expression(operand) for operand in operands]
                joined = tuple(part for part in parts if part is not None)
                if len(joined) < len(parts):
                    return None
                return tree.And(joined) if connective == "and" else tree.Or(joined)
            case core.Presence() if (attribute := present(condition)) is not None:
                return tree.Presence(tree.Field(attribute.attribute, False), condition.present)
        comparison = sides(condition, "EQL", self._reporter, lines=True)
        if comparison is None:
            return None
        left, operator, right = comparison
        if isinstance(left, core.AttributeOf) and isinstance(right, core.AttributeOf):
            self._refuse(condition, "EQL compares no field with a field", "compute it before, as an attribute")
            return None
        return tree.Comparison(_operand(left), _RELATIONS[operator], _operand(right))


def _operand(side: Side) -> tree.Expression:
    return tree.Literal(side.value) if isinstance(side, core.Constant) else tree.Field(side.attribute, False)
