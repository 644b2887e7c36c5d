"""Named patterns, put in where rules use them (specification: named-patterns, use).

A rule with uses becomes one without: the variable `a` of a pattern that is used as `p` becomes `p.a`, and the parameter
`x` the name `p.x`, whose value is that of the argument. All later stages read the rule as any other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import Any, TypeVar, cast

from parte.semantics.partelang.syntax import ast, core, functions
from parte.semantics.partelang.syntax.aggregates import OF_EVENTS
from parte.semantics.partelang.syntax.declarations import Declarations
from parte.semantics.partelang.syntax.limits import MAX_NESTED_USES, MAX_PATTERNS, MAX_PUT_IN
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Spanned
from parte.semantics.source.trees import Tree

_EXPRESSIONS: Tree[ast.Expression] = Tree(ast.Expression)
_N = TypeVar("_N", bound=Spanned)

RELATED_OUTSIDE = frozenset(
    (
        *("first-pattern-selection", "unbounded-selection", "unrelated-variables", "unbounded-negation"),
        *("unbounded-set", "unbounded-without-key", "unbounded-distinct"),
    )
)
"""Errors of a rule that a named pattern may have: the rule that uses it may relate its variables, and bound them."""


@dataclass(frozen=True, slots=True)
class Argument:
    """The argument for the parameter that is called `name` in the rule, with `before` patterns before it."""

    name: str
    type: core.Scalar | None
    value: ast.Expression
    before: int


@dataclass(frozen=True, slots=True)
class Expanded:
    """A rule without uses, and the arguments of those that it had, each behind those on which it depends."""

    rule: ast.Rule
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class _Size:
    patterns: int
    nodes: int
    depth: int


class NamedPatterns:
    """The named patterns of a program. Those with errors are never put in, so that each error is reported once."""

    def __init__(self, source: ast.SourceProgram, declarations: Declarations, reporter: Reporter) -> None:
        own = (item for item in source.declarations if isinstance(item, ast.NamedPattern))
        self._items = {item.name: item for item in reversed(list(own))}
        self._types, self._templates, self._reporter = declarations.patterns, declarations.templates, reporter
        self._sizes: dict[str, _Size] = {}
        self._left = MAX_PUT_IN
        self.wrong = set[str]()
        """The patterns that are not put in."""

    def in_order(self) -> Iterator[ast.NamedPattern]:
        """Yield the patterns, each behind those that it uses; report cycles."""
        finished, open_ = set[str](), dict[str, Iterator[ast.Use]]()
        for start in self._items:
            pending = [start]
            while pending:
                name = pending[-1]
                if name in finished:
                    pending.pop()
                    continue
                uses = open_.setdefault(name, iter(self._items[name].body.uses))
                following = next(uses, None)
                if following is None:
                    finished.add(name)
                    pending.pop()
                    if name not in self.wrong:
                        yield self._items[name]
                elif following.pattern in open_ and following.pattern not in finished:
                    cycle = pending[pending.index(following.pattern) :]
                    self.wrong |= set(cycle)
                    chain_ = " uses ".join(f"`{link}`" for link in (*cycle[:10], cycle[0]))
                    message = f"the pattern `{following.pattern}` uses itself: {chain_}"
                    self._reporter.report("cyclic-pattern", following.pattern_span, message, "remove one of the uses")
                elif following.pattern in self._items:
                    pending.append(following.pattern)

    def check(self, item: ast.NamedPattern) -> None:
        """Report errors in the names of a pattern."""
        taken = {pattern.variable for pattern in item.body.patterns} | {use.name for use in item.body.uses}
        names = set[str]()
        for parameter in item.parameters:
            if parameter.name in names:
                message = f"the pattern `{item.name}` has a parameter `{parameter.name}` already"
                self._reporter.report("duplicate-name", parameter.span, message, "choose another name")
            elif parameter.name in taken or parameter.name == "timestamp":
                message = f"`{parameter.name}` could be a parameter, or something else of the pattern"
                self._reporter.report("ambiguous-name", parameter.span, message, "choose another name")
            names.add(parameter.name)
        for pattern in item.body.patterns:
            for choice in pattern.choices:
                template = self._templates.get(choice.template)
                attributes: Collection[str] = () if template is None else template.attributes
                for expression in choice.conditions:
                    for part in _EXPRESSIONS.within(expression):
                        if isinstance(part, ast.Reference) and part.variable is None and part.attribute in names:
                            self._check_ambiguous(part, attributes, choice.template)
        for export in item.exports:
            if not self._is_exported(export.name, item.body):
                hint = self._reporter.suggestion(
                    export.name, taken - {export.name}, "export variables of its patterns, as in `a`, `p.a`"
                )
                message = f"there is no variable called `{export.name}`"
                self._reporter.report("unknown-variable", export.span, message, hint)

    def _check_ambiguous(self, part: ast.Reference, attributes: Collection[str], template: str) -> None:
        if part.attribute in attributes:
            message = f"`{part.attribute}` is a parameter, and an attribute of `{template}`"
            self._reporter.report("ambiguous-name", part.span, message, "give the parameter another name")

    def _is_exported(self, name: str, body: ast.Rule) -> bool:
        """Return whether a variable of a rule or a pattern has a name: one of its own, or an exported one."""
        used = {use.name: use.pattern for use in body.uses}
        head, dot, rest = name.partition(".")
        if not dot:
            return any(pattern.variable == name for pattern in body.patterns)
        item = self._items.get(used.get(head, ""))
        return item is not None and any(export.name == rest for export in item.exports)

    def expand(self, rule: ast.Rule, parameters: Collection[str] = ()) -> Expanded | None:
        """Return a rule, or the body of a pattern, without uses; None if they have errors, which are reported."""
        if not rule.uses:
            return Expanded(rule)
        if not self._check_uses(rule):
            return None
        errors = self._reporter.errors
        self._check_exported(rule)
        if self._reporter.errors > errors:
            return None
        parts = self._put_in(rule, "", parameters, "")
        return Expanded(
            replace(
                rule,
                patterns=tuple(parts.patterns),
                constraints=tuple(parts.constraints),
                having=tuple(parts.having),
                uses=(),
            ),
            tuple(parts.arguments),
        )

    def _check_uses(self, rule: ast.Rule) -> bool:
        """Return whether all patterns that a rule uses can be put in."""
        report, valid = self._reporter.report, True
        names = {pattern.variable for pattern in rule.patterns}
        for use in rule.uses:
            if use.name in names:
                report(
                    "duplicate-name", use.name_span, f"`{use.name}` is a name in this rule already", "choose another"
                )
                valid = False
            names.add(use.name)
            item = self._items.get(use.pattern)
            if item is None:
                hint = self._reporter.suggestion(
                    use.pattern, self._items, f"declare it: `pattern {use.pattern} where … end`"
                )
                report("unknown-pattern", use.pattern_span, f"there is no pattern called `{use.pattern}`", hint)
            elif len(use.arguments) != len(item.parameters):
                count = len(item.parameters)
                message = (
                    f"the pattern `{use.pattern}` takes {count} argument{'s' * (count != 1)}, not {len(use.arguments)}"
                )
                report("wrong-argument-count", use.span, message, f"see the declaration of `{use.pattern}`")
            elif use.pattern not in self.wrong:
                continue
            valid = False
        return valid and self._fits(rule)

    def _fits(self, rule: ast.Rule) -> bool:
        """Return whether a rule with its uses is within the limits."""
        size, report = self.size_of(rule), self._reporter.report
        use = rule.uses[0]
        if size.depth > MAX_NESTED_USES:
            message = f"more than {MAX_NESTED_USES} patterns stand inside each other"
            report("too-many-patterns", use.pattern_span, message, "write the patterns out")
        elif size.patterns > MAX_PATTERNS:
            message = (
                f"`{rule.name}` has {size.patterns} patterns, with those that it uses; at most {MAX_PATTERNS} may be"
            )
            report("too-many-patterns", use.pattern_span, message, "split the rule")
        elif size.nodes > self._left:
            message = "the patterns that are used make the program too large"
            report("source-too-large", use.pattern_span, message, "use patterns less often, or shorter ones")
        else:
            self._left -= size.nodes
            return True
        return False

    def size_of(self, rule: ast.Rule) -> _Size:
        """Return the size of a rule, or of a pattern whose uses have been measured, with what it uses."""
        used = [self._sizes[use.pattern] for use in rule.uses]
        return _Size(
            len(rule.patterns) + sum(size.patterns for size in used),
            sum(1 for _ in ast.NODES.within(rule)) + sum(size.nodes for size in used),
            max((size.depth + 1 for size in used), default=0),
        )

    def admit(self, item: ast.NamedPattern) -> None:
        """Let a pattern without errors be put in."""
        self._sizes[item.name] = self.size_of(item.body)

    def _check_exported(self, rule: ast.Rule) -> None:
        """Report names of variables that a used pattern does not export."""
        used = {use.name: use.pattern for use in rule.uses}
        nodes = (*rule.patterns, *rule.constraints, *rule.having, *rule.emissions, *rule.uses)
        for node in chain.from_iterable(ast.NODES.within(node) for node in nodes):
            if isinstance(node, ast.Reference) and node.variable is not None:
                names, span = [(node.variable, node.span), (node.name, node.span)], node.span
            elif isinstance(node, ast.Constraint):
                for name, place in ((node.subject, node.subject_span), (node.reference, node.reference_span)):
                    if name.partition(".")[0] in used and not self._is_exported(name, rule):
                        self._report_hidden(name, used, place)
                continue
            else:
                continue
            if node.variable.partition(".")[0] in used and not any(self._is_exported(name, rule) for name, _ in names):
                self._report_hidden(node.variable if "." in node.variable else node.name, used, span)

    def _report_hidden(self, name: str, used: Mapping[str, str], span: Any) -> None:
        head, _, rest = name.partition(".")
        item = self._items[used[head]]
        listed = ", ".join(f"`{head}.{export.name}`" for export in item.exports[:12])
        hint = f"it exports {listed}" if listed else f"write `exports {rest or 'a'}` in its declaration"
        message = f"the pattern `{item.name}` exports no variable `{rest}`" if rest else f"`{head}` is a used pattern"
        self._reporter.report("not-exported", span, message, hint)

    # --- Putting in ---------------------------------------------------------------------------------------------------

    def _put_in(self, body: ast.Rule, prefix: str, parameters: Collection[str], origin: str) -> _Parts:
        """Return the parts of a rule or a pattern with those that it uses; names get a prefix."""
        parts = _Parts([], [], [], [])
        move = _Mover(prefix, frozenset(parameters), frozenset(p.variable for p in body.patterns), origin)
        for place in range(len(body.patterns) + 1):
            for use in body.uses:
                if use.place == place:
                    self._put_in_use(use, move, parts)
            if place < len(body.patterns):
                parts.patterns.append(move.pattern(body.patterns[place]))
        parts.constraints.extend(map(move.constraint, body.constraints))
        parts.having.extend(map(move.expression, body.having))
        return parts

    def _put_in_use(self, use: ast.Use, move: _Mover, parts: _Parts) -> None:
        item, prefix = self._items[use.pattern], f"{move.prefix}{use.name}."
        place = f"line {use.span.start.line}, column {use.span.start.column}"
        place += f" of {use.span.file}" if use.span.file else ""
        origin = move.origin or f" (from `use {use.pattern} as {use.name}`, {place})"
        for parameter, type_, value in zip(item.parameters, self._types[use.pattern], use.arguments, strict=True):
            before = len(parts.patterns)
            parts.arguments.append(Argument(prefix + parameter.name, type_, move.expression(value), before))
        names = [parameter.name for parameter in item.parameters]
        inner = self._put_in(item.body, prefix, names, origin)
        parts.arguments.extend(replace(a, before=a.before + len(parts.patterns)) for a in inner.arguments)
        parts.patterns.extend(inner.patterns)
        parts.constraints.extend(inner.constraints)
        parts.having.extend(inner.having)


@dataclass(frozen=True, slots=True)
class _Parts:
    patterns: list[ast.Pattern]
    constraints: list[ast.Constraint]
    having: list[ast.Expression]
    arguments: list[Argument]


@dataclass(frozen=True, slots=True)
class _Mover:
    """Renames the variables of a pattern, and notes where it is put in."""

    prefix: str
    parameters: frozenset[str]
    variables: frozenset[str]
    origin: str

    def pattern(self, node: ast.Pattern) -> ast.Pattern:
        conditions = tuple(map(self.expression, node.conditions))
        others = tuple(
            self._marked(replace(alternative, conditions=tuple(map(self.expression, alternative.conditions))))
            for alternative in node.alternatives
        )
        moved = replace(node, variable=self.prefix + node.variable, conditions=conditions, alternatives=others)
        return self._marked(moved)

    def constraint(self, node: ast.Constraint) -> ast.Constraint:
        subject, reference = self.prefix + node.subject, self.prefix + node.reference
        return self._marked(replace(node, subject=subject, reference=reference))

    def expression(self, node: ast.Expression) -> ast.Expression:
        return _EXPRESSIONS.mapped(node, self._changed) if self.prefix else node

    def _changed(self, node: ast.Expression) -> ast.Expression:
        if isinstance(node, ast.Reference):
            if node.variable is not None:
                node = replace(node, variable=self.prefix + node.variable)
            elif node.attribute in self.parameters:
                node = replace(node, variable=self.prefix[:-1])
        elif isinstance(node, ast.Call) and node.name in (*OF_EVENTS, *functions.of_clocks()):
            node = replace(node, arguments=tuple(map(self._variable, node.arguments)))
        return self._marked(node)

    def _variable(self, node: ast.Expression) -> ast.Expression:
        """Return the argument of a call whose argument is a variable."""
        if isinstance(node, ast.Reference) and node.variable is None and node.attribute in self.variables:
            return replace(node, variable=self.prefix[:-1])
        return node

    def _marked(self, node: _N) -> _N:
        """Return a node whose spans name the use."""
        if not self.origin:
            return node
        spans = [field.name for field in fields(cast(Any, node)) if field.name.endswith("span")]
        marked = {name: replace(getattr(node, name), origin=self.origin) for name in spans}
        return cast(_N, replace(cast(Any, node), **marked))
