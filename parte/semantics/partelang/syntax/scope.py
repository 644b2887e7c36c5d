"""The variables that an expression may mention (specification: scope-positive, scope-negated; D §4.2.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from parte.semantics.partelang.syntax import ast, core
from parte.semantics.partelang.syntax.declarations import Declarations, Schema
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Span


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of a rule: the position of its pattern, and its template, or None if it is unknown."""

    name: str
    position: int
    negated: bool
    schema: Schema | None
    pattern: ast.Pattern
    choices: tuple[Schema | None, ...] = ()
    """The templates of the alternatives of `either`; outside them, `schema` has what all have in common."""

    @property
    def collected(self) -> bool:
        """True if the variable stands for a set."""
        return self.pattern.collected

    @property
    def positive(self) -> bool:
        """True if a match binds one event to the variable."""
        return not (self.negated or self.collected)


@dataclass(frozen=True, slots=True)
class Scope:
    """The variables of a rule that are visible from one pattern, or after the patterns (`here` is None).

    `parameters`: the values of those of named patterns, None after an error.
    `condition`: what stands there are conditions, as in `having`.
    """

    variables: Mapping[str, Variable]
    here: Variable | None
    declarations: Declarations
    reporter: Reporter
    condition: bool = False
    parameters: Mapping[str, core.Expression | None] = field(default_factory=dict)

    @property
    def in_condition(self) -> bool:
        """True where conditions stand, of a pattern or in `having`."""
        return self.here is not None or self.condition

    @property
    def has_times(self) -> bool:
        """True in conditions of level 2, where timestamps and durations are no numbers."""
        return self.in_condition and self.declarations.level > 1

    def find(self, name: str, span: Span) -> Variable | None:
        """Return the variable called `name` if it is visible; else report the error and return None."""
        if self.here is not None and name == self.here.name:
            return self.here
        variable = self.variables.get(name)
        if variable is None:
            otherwise = "a variable is bound by a pattern: `variable : Template { … }`"
            hint = self.reporter.suggestion(name, self.variables, otherwise)
            self.reporter.report("unknown-variable", span, f"there is no variable called `{name}`", hint)
        elif variable.negated:
            message = f"`{name}` is bound by a negated pattern: in a match there is no such event"
            hint = f"use `{name}` in its own pattern only; compare it with the other variables there"
            self.reporter.report("negated-variable", span, message, hint)
        elif variable.collected:
            message = f"`{name}` is a set: in a match it is no single event"
            hint = f"use an aggregate in `having`, `with` or `at`, as in `count({name})`"
            self.reporter.report("set-reference", span, message, hint)
        elif self.here is not None and variable.position > self.here.position:
            message = f"`{name}` is bound by a later pattern"
            hint = f"move this condition to the pattern of `{name}`, or that pattern before this one"
            self.reporter.report("variable-too-early", span, message, hint)
        else:
            return variable
        return None
