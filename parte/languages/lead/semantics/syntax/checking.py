"""Checks of a rule that the grammar accepts (specification: lead-errors)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.names import Scope, named, resolved, scope_of
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Span

MAX_NODES = 10_000
MAX_DEPTH = 100
"""The greatest height of a pattern's tree with its conditions; all later passes recurse over it."""
TIME = "event_time"
"""The attribute that every event has."""


def resolve(rule: tree.Rule, reporter: Reporter) -> tree.Rule:
    """Return the rule with its names resolved. Report a rule that is too deep before anything recurses over it."""
    nodes: list[tree.Node] = [
        rule.pattern,
        *rule.outcome,
        *(expression for time in rule.times for expression in (time.start, time.end)),
    ]
    if not _small(nodes, reporter):
        return rule
    return replace(rule, pattern=resolved(rule.pattern))


def check(rule: tree.Rule, reporter: Reporter) -> None:
    """Report all errors of a resolved rule."""
    _Checking(rule, reporter).check()


def _small(nodes: list[tree.Node], reporter: Reporter) -> bool:
    left = [(node, 1) for node in nodes]
    count = 0
    while left:
        node, depth = left.pop()
        count += 1
        if depth > MAX_DEPTH:
            message = f"this is more than {MAX_DEPTH} operations deep"
            reporter.report("too-deep", node.span, message, "use fewer parentheses and operators within others")
            return False
        if count > MAX_NODES:
            message = f"this rule has more than {MAX_NODES} parts"
            reporter.report("too-large", node.span, message, "split the rule")
            return False
        left.extend((part, depth + 1) for part in tree.TREE.parts(node))
    return True


class _Checking:
    def __init__(self, rule: tree.Rule, reporter: Reporter) -> None:
        self._rule = rule
        self._reporter = reporter
        self._aliases = {stream.alias for stream in rule.streams}
        self._times = {time.name for time in rule.times}

    def check(self) -> None:
        rule = self._rule
        self._unique([(stream.alias, stream.span) for stream in rule.streams])
        self._unique([(time_event.name, time_event.span) for time_event in rule.times])
        for enriched in (False, True):
            self._unique([(kind.name, kind.span) for kind in rule.types if kind.enriched is enriched])
        attributes: dict[str, list[tuple[str, Span]]] = {}
        for kind in rule.types:
            attributes.setdefault(kind.name, []).extend(
                (attribute.name, attribute.span) for attribute in kind.attributes
            )
        for named_alike in attributes.values():
            self._unique(named_alike)
        for key in rule.keys:
            if key.length is None:
                self._alias(key.alias, key.span)
            elif (key.length if isinstance(key.length, int) else key.length.amount) < 1:
                self._report("empty-interval", key.span, "a window of no length", "write a length of 1 or more")
        self._pattern(rule.pattern, ended=False, selected=False)
        self._unnamed(named(rule.pattern))
        scope = scope_of(named(rule.pattern))
        for time in rule.times:
            for expression in (time.start, time.end):
                self._expression(expression, scope, None)
        keys = {key.attribute for key in rule.keys if key.length is None}
        for outcome in rule.outcome:
            self._outcome(outcome, scope, keys)

    # --- Patterns ----------------------------------------------------------------------------------------------------

    def _pattern(self, node: tree.Pattern, *, ended: bool, selected: bool) -> None:
        """Check a pattern. `ended`: something ends an open pattern here; `selected`: below `all` or `every`."""
        self._names(node)
        self._inside(node, ended=ended, selected=selected)

    def _names(self, scope: tree.Pattern) -> None:
        """Check that each name of the matches of a pattern is given once."""
        explicit: list[tuple[str, Span]] = []
        unnamed: dict[str, Span] = {}
        left = [scope]
        while left:
            node = left.pop()
            match node:
                case tree.Atom(name=None):
                    unnamed.setdefault(node.stream, node.span)
                case tree.Atom(name=str() as name):
                    explicit.append((name, node.span))
                case tree.Collect(name=str() as name):
                    explicit.append((name, node.span))
                case tree.Subcontext(name=name, operand=operand):
                    explicit.append((name, node.span))
                    left.append(operand)
                case tree.Atom() | tree.Collect() | tree.Not() | tree.Bound():
                    pass
                case tree.And(parts=parts) | tree.Or(parts=parts) | tree.Sequence(parts=parts):
                    left.extend(reversed(parts))
                case tree.Within(operand=operand, source=source):
                    left.extend([operand] if source is None else [source, operand])
                case tree.Pick(collect=collect):
                    left.append(collect)
                case _:
                    left.append(node.operand)
        self._unique([*unnamed.items(), *explicit])

    def _inside(self, node: tree.Pattern, *, ended: bool, selected: bool) -> None:
        if tree.is_open(node) and not ended:
            hint = "put it below `within` or `wait`, or another element behind it in a sequence"
            self._report("unterminated", node.span, "nothing ends this pattern", hint)
        match node:
            case tree.Atom(stream=stream):
                self._alias(stream, node.span)
            case tree.Bound():
                pass
            case tree.Sequence(parts=parts):
                for number, part in enumerate(parts):
                    self._inside(part, ended=number < len(parts) - 1, selected=selected)
            case tree.And(parts=parts) | tree.Or(parts=parts):
                for part in parts:
                    self._inside(part, ended=False, selected=selected)
            case tree.Not(operand=operand):
                self._pattern(operand, ended=False, selected=False)
            case tree.Within(operand=operand, duration=duration, source=source):
                if duration.amount == 0:
                    hint = "write 1 ms or more: a match comes in less than this time"
                    self._report("empty-interval", duration.span, "nothing comes in less than no time", hint)
                self._ending(operand, "within", selected)
                if source is not None:
                    self._inside(source, ended=False, selected=selected)
            case tree.Wait(operand=operand):
                self._ending(operand, "wait", selected)
            case tree.Filtered(operand=operand, condition=condition):
                self._ending(operand, "FILTER", selected)
                self._expression(condition, scope_of(named(operand)), None)
            case tree.Collect():
                self._collect(node)
            case tree.Pick(collect=collect, aggregate=aggregate):
                if tree.is_open(collect):
                    hint = "give the repetition a condition `terminate`"
                    self._report("unterminated", collect.span, "nothing ends these lists", hint)
                self._collect(collect)
                self._expression(aggregate, *self._items(collect))
            case tree.Policy():
                self._policy(node, selected)
            case tree.Subcontext():
                self._subcontext(node, selected)

    def _ending(self, operand: tree.Pattern, word: str, selected: bool) -> None:
        """Check the operand of `within`, `wait` or FILTER: it may be an open pattern, but not a sequence that ends
        with one."""
        left = tree.open_end(operand)
        if left is None or left is operand:
            self._inside(operand, ended=True, selected=selected)
            return
        message = f"`{word}` ends no sequence: what is open at its end begins later than the sequence"
        hint = f"put this part alone below `{word}`: it begins where what precedes it matches (L (9), remark 3)"
        self._report("unterminated", left.span, message, hint)

    def _policy(self, node: tree.Policy, selected: bool) -> None:
        counted = node.choice in (tree.Choice.EVERY, tree.Choice.ALL)
        operand = node.operand
        if counted and selected:
            message = f"`{node.choice.value}` within `all` or `every`"
            hint = "they consume events in different ways: leave one out"
            self._report("nested-policy", node.span, message, hint)
        if node.choice is tree.Choice.ADJ:
            if not isinstance(operand, tree.And | tree.Sequence):
                hint = "write `adj(A -> B)` or `adj(A and B)`"
                self._report("adjacent", node.span, "`adj` is of a sequence, or of a conjunction", hint)
            elif isinstance(operand, tree.Sequence) and any(map(tree.is_open, operand.parts)):
                hint = "put it into parentheses below `within`"
                self._report("unterminated", node.span, "what is adjacent ends by itself", hint)
        if node.choice is tree.Choice.EVERY and not productive(operand):
            hint = "a match without an event ends where the next one begins: there is no end to them"
            self._report("unproductive", node.span, "`every` over what may match without an event", hint)
        if node.consumed and node.choice is not tree.Choice.ALL:
            self._report("consume", node.span, "only `all` consumes", "write `all(…) consume(…)`")
        scope = scope_of(named(operand))
        for name in node.consumed:
            if name not in scope:
                hint = self._reporter.suggestion(name, scope, "it is a name that the pattern binds")
                self._report("consume", node.span, f"`{name}` is no part of what is consumed", hint)
        self._inside(operand, ended=False, selected=selected or counted)

    def _collect(self, node: tree.Collect) -> None:
        self._pattern(node.operand, ended=False, selected=False)
        for condition in (node.accept, node.invalidate):
            if condition is not None:
                self._expression(condition, *self._items(node))
        if node.terminate is not None:
            alternatives = node.terminate.parts if isinstance(node.terminate, tree.Either) else (node.terminate,)
            for alternative in alternatives:
                if not isinstance(alternative, tree.Outside):
                    self._expression(alternative, *self._items(node))
                elif alternative.name not in self._times:
                    self._unknown(alternative.name, self._times, alternative.span)

    def _items(self, node: tree.Collect) -> tuple[Scope, Scope]:
        """Return the scopes of conditions on a list: an item with the list by its name, and an item."""
        items = scope_of(named(node.operand))
        return {**items, **({node.name: items} if node.name else {})}, items

    def _subcontext(self, node: tree.Subcontext, selected: bool) -> None:
        self._inside(node.operand, ended=False, selected=selected)
        scope = scope_of(named(node.operand))
        items = scope.get(node.list)
        if items is None:
            message = f"`{node.list}` is no list of this pattern"
            self._report("sub-context", node.span, message, "name a list that a repetition in front of it binds")
            items = {}
        elif node.list not in {inner.name for inner in tree.within(node.operand) if isinstance(inner, tree.Collect)}:
            self._report("sub-context", node.span, "branches of branches", "name the list of a repetition")
        if node.first is not None and node.last is not None and not 1 <= node.first <= node.last:
            message = f"no item has a number from {node.first} to {node.last}"
            self._report("empty-interval", node.span, message, "items are counted from 1")
        single = None if list(items.values()) == [None] else items
        if node.condition is not None:
            self._expression(node.condition, {**scope, node.item: single}, None)
        if node.terminate is not None:
            self._expression(node.terminate, scope, None)
        if bound(node.branch.pattern) is None:
            hint = "put it below `within` or `wait`"
            self._report("unbounded-branch", node.branch.span, "nothing ends this branch", hint)
        self._pattern(node.branch.pattern, ended=False, selected=False)
        inside = {**scope_of(named(node.branch.pattern)), node.item: single}
        for emission in node.branch.actions:
            self._outcome(emission, inside, set())

    def _unnamed(self, whole: tree.Pattern) -> None:
        """Check that conditions and `consume` use names of their own pattern. There, a second event of a stream has
        no name that can be written."""
        for node in tree.within(whole):
            spoken: list[tuple[str, Span]] = []
            match node:
                case tree.Filtered(operand=operand, condition=condition):
                    spoken += _spoken(condition)
                case tree.Policy(operand=operand, consumed=consumed):
                    spoken += [(name, node.span) for name in consumed]
                case tree.Subcontext(operand=operand, condition=chosen, terminate=terminate):
                    spoken += [
                        pair
                        for expression in (chosen, terminate)
                        if expression is not None
                        for pair in _spoken(expression)
                    ]
                case _:
                    continue
            scope = scope_of(operand)
            for name, span in spoken:
                if name not in scope and any(known.startswith(f"{name}#") for known in scope):
                    message = f"`{name}` is another part of the match: the one here has no name of its own"
                    hint = "give it one, by AS, and write that name"
                    self._report("unnamed-part", span, message, hint)

    # --- Outcomes and expressions ------------------------------------------------------------------------------------

    def _outcome(self, outcome: tree.Outcome, scope: Scope, keys: set[str]) -> None:
        if isinstance(outcome, tree.Emission):
            for argument in outcome.arguments:
                if not (isinstance(argument, tree.Reference) and len(argument.path) == 1 and argument.path[0] in keys):
                    self._expression(argument, scope, None)
            return
        for clause in outcome.clauses:
            self._expression(clause.condition, scope, None)
            for inner in clause.outcome:
                self._outcome(inner, scope, keys)

    def _expression(self, node: tree.Expression, scope: Scope, current: Scope | None) -> None:
        """Check an expression. `current` is the scope of an item of the list that is being collected, if there is
        one."""
        match node:
            case tree.Reference(path=path):
                self._reference(path, scope, node.span)
            case tree.Aggregate():
                self._aggregate(node, scope, current)
            case tree.Outside():
                hint = "`!t` stands in `terminate`, alone or below `or`"
                self._report("terminate", node.span, "a time event at another place than `terminate`", hint)
            case tree.Quantified(condition=condition, least=least, most=most):
                if least is not None and most is not None and least > most:
                    self._report("empty-interval", node.span, "no number is in this range", "exchange the two")
                lists = sorted({name for name in _outer(condition) if scope.get(name) is not None})
                if len(lists) != 1:
                    message = f"expected one list in this condition, found {', '.join(lists) or 'none'}"
                    self._report("unknown-list", node.span, message, "write a condition as `l.v > 1` on one list `l`")
                    return
                items = scope[lists[0]]
                single = items is not None and list(items.values()) == [None]
                self._expression(condition, {**scope, lists[0]: None if single else items}, current)
            case _:
                for part in tree.TREE.parts(node):
                    self._expression(part, scope, current)  # type: ignore[arg-type]  # parts of expressions are such

    def _reference(self, path: tuple[str, ...], scope: Scope, span: Span) -> None:
        inside: Scope | None = scope
        for name in path[:-1]:
            if inside is None or name not in inside:
                self._unknown(name, inside or (), span)
                return
            inside = inside[name]
        if len(path) < 2 or (inside is not None and path[-1] != TIME):
            self._unknown(".".join(path), (f"{name}.{TIME}" for name in scope), span)

    def _aggregate(self, node: tree.Aggregate, scope: Scope, current: Scope | None) -> None:
        path, items = node.path, current
        if path and scope.get(path[0]) is not None:
            items, path = scope[path[0]], path[1:]
        if items is None:
            name = path[0] if path else node.function.value
            lists = [known for known, inside in scope.items() if inside is not None]
            hint = self._reporter.suggestion(name, lists, "name a list that a repetition binds")
            self._report("unknown-list", node.span, f"`{name}` is no list here", hint)
        elif not path and node.function is not tree.Function.COUNT:
            message = f"{node.function.value} of what?"
            self._report("unknown-name", node.span, message, f"write an attribute: `{node.function.value}(l.v)`")
        elif len(path) == 1 and path[0] != TIME and list(items.values()) != [None]:
            self._unknown(path[0], (f"{name}.{path[0]}" for name in items), node.span)
        elif len(path) > 1 and (path[0] not in items or items[path[0]] is not None or len(path) > 2):
            self._unknown(path[0], items, node.span)

    # --- Reports -----------------------------------------------------------------------------------------------------

    def _alias(self, alias: str, span: Span) -> None:
        if alias not in self._aliases:
            hint = self._reporter.suggestion(alias, self._aliases, "streams and their aliases stand in FROM")
            self._report("unknown-stream", span, f"no stream is called `{alias}`", hint)

    def _unknown(self, name: str, known: Iterable[str], span: Span) -> None:
        hint = self._reporter.suggestion(name, known, "a condition sees what its pattern binds, by name and attribute")
        self._report("unknown-name", span, f"`{name}` is no name of an event here", hint)

    def _unique(self, names: list[tuple[str, Span]]) -> None:
        seen: set[str] = set()
        for name, span in names:
            if name in seen:
                self._report("duplicate-name", span, f"there is a `{name}` already", "choose another name")
            seen.add(name)

    def _report(self, code: str, span: Span, message: str, hint: str) -> None:
        self._reporter.report(code, span, message, hint)


def _outer(node: tree.Expression) -> Iterable[str]:
    """Return the names that references begin with."""
    return (reference.path[0] for reference in tree.within(node) if isinstance(reference, tree.Reference))


def _spoken(node: tree.Expression) -> Iterable[tuple[str, Span]]:
    """Yield the names of events and lists that a condition begins with, with their places."""
    for part in tree.within(node):
        if isinstance(part, tree.Reference | tree.Aggregate) and part.path:
            yield part.path[0], part.span


def productive(pattern: tree.Pattern) -> bool:
    """Return whether every match of a pattern has an event."""
    match pattern:
        case tree.Atom():
            return True
        case tree.And(parts=parts) | tree.Sequence(parts=parts):
            return any(map(productive, parts))
        case tree.Or(parts=parts):
            return all(map(productive, parts))
        case tree.Within(operand=operand, source=source):
            return productive(operand) or (source is not None and productive(source))
        case tree.Wait(operand=operand) | tree.Filtered(operand=operand) | tree.Policy(operand=operand):
            return productive(operand)
        case tree.Subcontext(operand=operand):
            return productive(operand)
        case _:
            return False


def bound(pattern: tree.Pattern) -> int | None:
    """Return the longest time, in ms, from enabling to a match, or None if nothing bounds it."""
    match pattern:
        case tree.Within(duration=duration, source=source):
            if source is None or isinstance(source, tree.Bound):
                return duration.milliseconds
            rest = bound(source)
            return None if rest is None else rest + duration.milliseconds
        case tree.Wait(duration=duration):
            return duration.milliseconds
        case tree.Policy(choice=tree.Choice.EVERY):
            return None  # each match enables it anew
        case tree.Policy(choice=tree.Choice.ADJ, operand=tree.And(parts=(first, *rest, latest))) if rest:
            return bound(tree.Policy(tree.Choice.ADJ, tree.And((tree.And((first, *rest)), latest)), ()))
        case tree.Policy(choice=tree.Choice.ADJ, operand=tree.And(parts=parts) | tree.Sequence(parts=parts)):
            limits = [bound(part) for part in parts]  # one after the other
            return None if None in limits else sum(limit for limit in limits if limit is not None)
        case tree.Filtered(operand=operand) | tree.Policy(operand=operand):
            return bound(operand)
        case tree.Or(parts=parts) | tree.And(parts=parts):
            limits = [bound(part) for part in parts]
            return None if None in limits else max(limit for limit in limits if limit is not None)
        case tree.Sequence(parts=parts):
            limits = [bound(part) for part in parts if not tree.is_open(part) or _selects_last(part)]
            return None if None in limits else sum(limit for limit in limits if limit is not None)
        case _:
            return None


def _selects_last(pattern: tree.Pattern) -> bool:
    """Return whether an open pattern is `last(P)`. The following part begins at the first match of P, so P must have
    a bound."""
    while isinstance(pattern, tree.Filtered):
        pattern = pattern.operand
    return isinstance(pattern, tree.Policy)
