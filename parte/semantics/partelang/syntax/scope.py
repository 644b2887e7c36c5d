"""The variables that an expression may mention (specification: scope-positive, scope-negated; D §4.2.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from parte.semantics.partelang.syntax import ast
from parte.semantics.partelang.syntax.declarations import Declarations, Schema
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Span


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of a rule: its pattern's position, and its template, None if there is none of that name."""

    name: str
    position: int
    negated: bool
    schema: Schema | None
    pattern: ast.Pattern


@dataclass(frozen=True, slots=True)
class Scope:
    """The variables of a rule as seen from one pattern, or from after `then` (`here` is None)."""

    variables: Mapping[str, Variable]
    here: Variable | None
    declarations: Declarations
    reporter: Reporter

    def find(self, name: str, span: Span) -> Variable | None:
        """The variable called `name`, if it is visible; what is wrong is reported."""
        if self.here is not None and name == self.here.name:
            return self.here
        found = self.variables.get(name)
        if found is None:
            otherwise = "a variable is bound by a pattern: `variable : Template { … }`"
            hint = self.reporter.suggestion(name, self.variables, otherwise)
            self.reporter.report("unknown-variable", span, f"there is no variable called `{name}`", hint)
        elif found.negated:
            message = f"`{name}` is bound by a negated pattern: in a match there is no such event"
            hint = f"use `{name}` in its own pattern only; compare it with the other variables there"
            self.reporter.report("negated-variable", span, message, hint)
        elif self.here is not None and found.position > self.here.position:
            message = f"`{name}` is bound by a later pattern"
            hint = f"move this condition to the pattern of `{name}`, or that pattern before this one"
            self.reporter.report("variable-too-early", span, message, hint)
        else:
            return found
        return None
