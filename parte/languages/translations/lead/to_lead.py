"""Rules of PARTElang as rules of LEAD.

The positive patterns become named events, joined by `and` below `all`. One FILTER has the windows and joint conditions.
A negated pattern is attached to the event that its window refers to. It becomes an absence for some time after this
event, or lists of events before it and after it; FILTER then requires that no item fulfils the conditions in the
window. LEAD uses an event once in a match, so a rule in which one event may fill two patterns has no counterpart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.checking import TIME
from parte.languages.lead.semantics.syntax.lexis import KEYWORDS, SYNONYMS
from parte.languages.translations.codes import CODES
from parte.languages.translations.connectives import CONDITIONS, conjuncts, of_times, present
from parte.languages.translations.lead.sets import Items, Sets
from parte.languages.translations.naming import Vocabulary
from parte.languages.translations.sides import Side, sides
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.constructs import Construct
from parte.semantics.partelang.syntax.temporal import closure
from parte.semantics.source.reporting import Reporter

_OPERATORS = {"=": tree.Operator.EQUAL} | {operator.value: operator for operator in tree.Operator}
_CONSTRUCTS = CONDITIONS | {Construct.TIMES, Construct.EVER, Construct.SETS}
_LEAD = Vocabulary("LEAD", KEYWORDS | SYNONYMS.keys(), (TIME,), str.upper)


@dataclass(frozen=True, slots=True)
class InLead:
    """A rule, and its name for each positive variable of the rule of PARTElang."""

    rule: tree.Rule
    variables: Mapping[str, str]


def to_lead(program: core.Program, rule: core.Rule) -> InLead:
    """Return the rule of LEAD. Raise ProgramError with every part that has no counterpart in LEAD.

    It means the same on every trace in order of time: its matches bind the same events to the positive variables.
    """
    reporter = Reporter(program.source.text, CODES, program.source.files)
    _LEAD.refuse_undeclared(rule, _CONSTRUCTS, reporter)
    _patterns(program, rule, reporter)
    _once(rule, reporter)
    names = _named(rule)
    translating = _Translating(rule, names, reporter)
    parts = [translating.part(pattern) for pattern in rule.positive]
    conditions = [*translating.windows(), *translating.joint, *translating.absences, *translating.having()]
    reporter.raise_if_failed()
    pattern = parts[0] if len(parts) == 1 else tree.And(tuple(parts))
    if conditions:
        pattern = tree.Filtered(pattern, conditions[0] if len(conditions) == 1 else tree.Both(tuple(conditions)))
    streams = dict.fromkeys(pattern.template for pattern in rule.patterns)
    translated = tree.Rule(
        tuple(tree.Stream(name, name) for name in streams),
        (),
        (),
        tree.Policy(tree.Choice.ALL, pattern, ()),
        (),
        (),
    )
    return InLead(translated, {pattern.variable: names[pattern.variable] for pattern in rule.positive})


def _patterns(program: core.Program, rule: core.Rule, reporter: Reporter) -> None:
    strata = dict(program.strata)
    for pattern in rule.patterns:
        if strata[pattern.template]:
            message = f"rules emit events of {pattern.template}, and in LEAD what a rule emits feeds no rule"
            reporter.report("no-counterpart", pattern.span, message, "translate a rule that reads no emitted events")
        _LEAD.refuse_template(pattern.template, pattern.span, reporter)
        for condition in pattern.conditions:
            for part in core.EXPRESSIONS.within(condition):
                if isinstance(part, core.AttributeOf):
                    _LEAD.refuse_attribute(part.attribute, part.span, reporter)
    for emission in rule.emissions:
        message = "in LEAD an emitted event has the end of the match as its time"
        hint = "leave out what stands after `then`: the same events match"
        reporter.report("no-counterpart", emission.span, message, hint)


def _once(rule: core.Rule, reporter: Reporter) -> None:
    """Report two patterns that one event may fill. A negated pattern may also be filled by an event of the match."""
    distances = closure([pattern.variable for pattern in rule.positive], rule.constraints)
    if distances.contradictory:
        message = f"the windows of {rule.name} contradict each other, so that it never matches"
        reporter.report("no-counterpart", rule.span, message, "there is nothing to translate")
        return
    for (i, first), (j, second) in combinations(enumerate(rule.positive), 2):
        apart = [distances.greatest[i][j], distances.greatest[j][i]]
        if first.template == second.template and not (
            any(bound is not None and bound <= -1 for bound in apart) or _differ(first, second)
        ):
            message = f"one event may be `{first.variable}` and `{second.variable}`, and LEAD binds an event once"
            hint = f"let them be apart in time, or in an attribute: `uid != {first.variable}.uid`"
            reporter.report("no-counterpart", second.span, message, hint)


def _differ(first: core.Pattern, second: core.Pattern) -> bool:
    """Return whether a condition requires that two events of one template differ in an attribute."""
    for condition in (*first.conditions, *second.conditions):
        match condition:
            case core.Comparison(
                operator="!=" | "<" | ">", left=core.AttributeOf() as left, right=core.AttributeOf() as right
            ):
                if left.attribute == right.attribute and {left.variable, right.variable} == {
                    first.variable,
                    second.variable,
                }:
                    return True
    return False


def _named(rule: core.Rule) -> dict[str, str]:
    """Return a name for each variable. Neither it nor the name of the list after it is a keyword, a stream or taken."""
    taken = {pattern.template for pattern in rule.patterns}
    names: dict[str, str] = {}
    for pattern in rule.patterns:
        name = _LEAD.free(pattern.variable, taken, lambda name: (_after(name),))
        taken |= {name, _after(name)}
        names[pattern.variable] = name
    return names


def _after(name: str) -> str:
    """Return the name of the list of the events that come after."""
    return f"{name}_after"


# --- Conditions -------------------------------------------------------------------------------------------------------


def _time(name: str) -> tree.Reference:
    return tree.Reference((name, TIME))


def _duration(milliseconds: int) -> tree.Expression:
    """Return a duration in the largest unit in which it is a whole number."""
    size = abs(milliseconds)
    fitting = [unit for unit in tree.Unit if size % unit.value == 0] if size else [tree.Unit.MS]
    duration = tree.Duration(size // fitting[-1].value, fitting[-1])
    return tree.Negative(duration) if milliseconds < 0 else duration


def _literal(value: tree.Constant) -> tree.Expression:
    if isinstance(value, bool | str):
        return tree.Literal(value)
    if value == -(2**63) and isinstance(value, int):  # the number without its sign is no Integer
        return tree.Sum((tree.Negative(tree.Literal(2**63 - 1)), tree.Negative(tree.Literal(1))))
    negative = value < 0 or str(value).startswith("-")
    return tree.Negative(tree.Literal(-value)) if negative else tree.Literal(value)


def _apart(later: str, earlier: str, operator: tree.Operator, milliseconds: int) -> tree.Expression:
    difference = tree.Sum((_time(later), tree.Negative(_time(earlier))))
    return tree.Comparison(difference, operator, _duration(milliseconds))


class _Translating:
    """The conditions of a rule, by their places in the rule of LEAD."""

    def __init__(self, rule: core.Rule, names: Mapping[str, str], reporter: Reporter) -> None:
        self._rule = rule
        self._names = names
        self._reporter = reporter
        self.joint: list[tree.Expression] = []
        self.absences: list[tree.Expression] = []
        self._lists: dict[str, list[Items]] = {}

    def windows(self) -> list[tree.Expression]:
        """Return the conditions of the windows of positive patterns."""
        conditions: list[tree.Expression] = []
        for window in self._rule.constraints:
            if not window.negated:
                later, earlier = self._names[window.subject], self._names[window.reference]
                conditions.append(_apart(later, earlier, tree.Operator.GREATER_OR_EQUAL, window.begins))
                conditions.append(_apart(later, earlier, tree.Operator.LESS_OR_EQUAL, window.upper))
        return conditions

    def part(self, pattern: core.Pattern) -> tree.Pattern:
        """Return a positive pattern with the absences and the lists before it and after it."""
        before: list[tree.Pattern] = []
        after: list[tree.Pattern] = []
        for absent in self._rule.patterns:
            if not absent.positive:
                windows = [window for window in self._rule.constraints if window.subject == absent.variable]
                if windows and windows[0].reference == pattern.variable:
                    self._beside(absent, pattern, windows, before, after)
        event = self._event(pattern, self._names[pattern.variable], self.joint)
        behind = [] if not after else [after[0] if len(after) == 1 else tree.And(tuple(after))]
        parts = (*before, event, *behind)
        return parts[0] if len(parts) == 1 else tree.Sequence(parts)

    def _event(self, pattern: core.Pattern, name: str, joint: list[tree.Expression]) -> tree.Pattern:
        """Return an event with the conditions on it alone; add the others to `joint`."""
        own: list[tree.Expression] = []
        for condition in conjuncts(pattern.conditions):
            translated = self._condition(condition)
            if translated is not None:
                alone = core.variables_of(condition) <= {pattern.variable}
                (own if alone else joint).append(translated)
        atom = tree.Atom(pattern.template, name)
        if not own:
            return atom
        return tree.Filtered(atom, own[0] if len(own) == 1 else tree.Both(tuple(own)))

    def _condition(self, condition: core.Expression) -> tree.Expression | None:
        """Return a condition without `not`; None, with a report, if LEAD has no such condition."""
        if isinstance(condition, core.Compound):
            parts = [self._condition(operand) for operand in condition.operands]
            translated = tuple(part for part in parts if part is not None)
            if len(translated) < len(parts):
                return None
            return tree.Both(translated) if condition.connective == "and" else tree.Either(translated)
        if isinstance(condition, core.Presence) and (attribute := present(condition)) is not None:
            own = self._operand(attribute)
            has_value = tree.Comparison(own, tree.Operator.EQUAL, own)
            return has_value if condition.present else tree.Negation(has_value)
        if (times := of_times(condition)) is not None:
            left_time, right_time = self._time(times.left), self._time(times.right)
            return tree.Comparison(left_time, _OPERATORS[times.operator], right_time)
        comparison = sides(condition, "LEAD", self._reporter)
        if comparison is None:
            return None
        left, operator, right = comparison
        return tree.Comparison(self._operand(left), _OPERATORS[operator], self._operand(right))

    def _operand(self, side: Side) -> tree.Expression:
        if isinstance(side, core.Constant):
            return _literal(side.value)
        return tree.Reference((self._names[side.variable], side.attribute))

    def _time(self, side: core.Expression) -> tree.Expression:
        """Return a side of a comparison of times."""
        match side:
            case core.TimestampOf(variable=variable):
                return _time(self._names[variable])
            case core.TimeConstant(milliseconds=milliseconds, quantity="duration"):
                return _duration(milliseconds)
            case core.TimeConstant(milliseconds=milliseconds):
                return _literal(milliseconds)
            case core.Arithmetic(left=left, right=right):
                return tree.Sum((self._time(left), tree.Negative(self._time(right))))
        raise AssertionError("this is no time")

    # --- Negation and sets -------------------------------------------------------------------------------------------

    def having(self) -> list[tree.Expression]:
        """Return the conditions on sets."""

        def translated(condition: core.Expression, variable: str, name: str) -> tree.Expression | None:
            return self._with_names({variable: name})._condition(condition)

        if len(self._lists) < len(self._rule.collected):  # another one was reported
            return []
        return Sets(self._lists, translated, self._reporter).having(self._rule.having)

    def _with_names(self, names: Mapping[str, str]) -> _Translating:
        return _Translating(self._rule, {**self._names, **names}, self._reporter)

    def _beside(
        self,
        pattern: core.Pattern,
        anchor: core.Pattern,
        windows: Sequence[core.Constraint],
        before: list[tree.Pattern],
        after: list[tree.Pattern],
    ) -> None:
        """Translate a negated pattern or a set, at the event to which its first window refers."""
        lower, upper = windows[0].lower, windows[0].upper
        alone = all(core.variables_of(condition) <= {pattern.variable} for condition in pattern.conditions)
        name = self._names[pattern.variable]
        plainly = alone and len(windows) == 1 and lower == 0 and upper >= 0
        if pattern.negated and plainly and pattern.template != anchor.template:
            event = self._event(pattern, name, [])
            after.append(tree.Within(tree.Not(event), _length(upper + 1), None))
            return
        others = [
            pattern_beside
            for pattern_beside in self._rule.patterns
            if pattern_beside is not pattern and pattern_beside.template == pattern.template
        ]
        if others:
            message = f"an event of {pattern.template} may be `{pattern.variable}` and `{others[0].variable}`"
            message += ", and LEAD uses an event once"
            hint = "let a template be negated or collected once, and in no other pattern"
            self._reporter.report("no-counterpart", pattern.span, message, hint)
            return
        lists: list[str] = []
        if lower is None or lower < 0:
            before.append(self._collected(pattern, name))
            lists.append(name)
        if upper >= 0:
            inside = self._collected(pattern, _after(name))
            after.append(tree.Within(inside, _length(upper + 1), None))
            lists.append(_after(name))
        if pattern.negated:
            for items in lists:
                self._never(pattern, items, windows)
        else:
            self._lists[pattern.variable] = [Items(items, self._belonging(pattern, items, windows)) for items in lists]

    def _collected(self, absent: core.Pattern, name: str) -> tree.Collect:
        """Return the list of the events that must be absent; its items have the name of the pattern."""
        event = self._event(absent, self._names[absent.variable], [])
        return tree.Collect(event, None, None, None, name)

    def _never(self, absent: core.Pattern, name: str, windows: Sequence[core.Constraint]) -> None:
        """Require that no item of a list is in all windows and fulfils the joint conditions."""
        outside: list[tree.Expression] = []
        for window in windows:
            reference = self._names[window.reference]
            if window.lower is not None:
                outside.append(_apart(name, reference, tree.Operator.LESS, window.lower))
            outside.append(_apart(name, reference, tree.Operator.GREATER, window.upper))
        outside += map(tree.Negation, self._joint(absent, name))
        self.absences.append(
            tree.Quantified(None, None, outside[0] if len(outside) == 1 else tree.Either(tuple(outside)))
        )

    def _belonging(
        self, pattern: core.Pattern, name: str, windows: Sequence[core.Constraint]
    ) -> tuple[tree.Expression, ...]:
        """Return the conditions under which an item of a list is in all windows and fulfils the joint conditions."""
        inside: list[tree.Expression] = []
        for window in windows:
            reference = self._names[window.reference]
            if window.lower is not None:
                inside.append(_apart(name, reference, tree.Operator.GREATER_OR_EQUAL, window.lower))
            inside.append(_apart(name, reference, tree.Operator.LESS_OR_EQUAL, window.upper))
        return (*inside, *self._joint(pattern, name))

    def _joint(self, pattern: core.Pattern, name: str) -> list[tree.Expression]:
        """Return the conditions of a pattern that mention other variables, about the items of a list."""
        translating = self._with_names({pattern.variable: name})
        joint = [
            translating._condition(condition)
            for condition in conjuncts(pattern.conditions)
            if not core.variables_of(condition) <= {pattern.variable}
        ]
        return [condition for condition in joint if condition is not None]


def _length(milliseconds: int) -> tree.Duration:
    duration = _duration(milliseconds)
    assert isinstance(duration, tree.Duration)
    return duration
