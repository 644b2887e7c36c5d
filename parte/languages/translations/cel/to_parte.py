"""Queries of CEL as rules of PARTElang.

A query with a window of time is unfolded into the sequences of events that it finds, and each becomes a rule: its
patterns follow each other, and the last is at most the window after the first. Timestamps are integers and must rise
strictly, so a window of W ms has at most W + 1 events. The pattern of an event of D is `e` with its number. The pattern
of any other event is `s` with its number: such events only mark where the interval begins and ends, and the steps
between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.parser import Source
from parte.languages.translations.cel.words import MAX_WORDS, TooMany, Unfolding, Word, Words, operand
from parte.languages.translations.codes import CODES
from parte.languages.translations.comparing import FALSE, Compared, condition_of, conjoined
from parte.languages.translations.elaborating import elaborated
from parte.languages.translations.untyped import Attribute, Operand, Operator, Types, declarations, inferred
from parte.semantics.events.complex_event import ComplexEvent
from parte.semantics.events.event import Event
from parte.semantics.events.match import Match
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.partelang.syntax.limits import MAX_PATTERNS
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Position, Span

MARKED, UNMARKED = "e", "s"


def to_parte(source: Source, text: str, types: Types | None = None) -> core.Program:
    """Return the program whose matches are the results of a query. Raise ProgramError with every part that no rule can
    have.

    `types` are the attributes of events; without them, they are inferred from the query.
    """
    query = source.query
    reporter = Reporter(text, CODES)
    _clauses(query, {name: Span(place, place) for name, place in source.clauses.items()}, reporter)
    attributes = _inferred(query, reporter) if types is None else types
    reporter.raise_if_failed()
    compared = Compared(_declared(query, attributes, reporter), reporter, "CEL")
    window = query.window.milliseconds if isinstance(query.window, tree.TimeWindow) else None
    try:
        words = Unfolding(compared, None if window is None else window + 1, reporter).words(query.formula)
        words = _partitioned(words, query, compared)
    except TooMany:
        message = f"this finds more than {MAX_WORDS} different sequences of events, each of which would be a rule"
        reporter.report("too-large-translation", query.formula.span, message, "shorten the window")
        words = {}
    longest = max((len(word.types) for word in words), default=0)
    if longest > 1 and window is None:
        message = "without a window events may be any time apart, and patterns of a rule may not"
        reporter.report("no-counterpart", query.formula.span, message, "add WITHIN with a time")
    if longest > MAX_PATTERNS:
        message = f"this finds sequences of {longest} events, and a rule has at most {MAX_PATTERNS} patterns"
        reporter.report("too-large-translation", query.formula.span, message, "shorten the window")
    reporter.raise_if_failed()
    marked = dict.fromkeys(_marked(word, query.selected) for word in words)
    rules = [_rule(f"R{number}", word, window or 0) for number, word in enumerate(marked, 1)]
    return elaborated(declarations(compared.types), rules, query.formula.span, "use other names in the query", reporter)


def results(matches: Iterable[Match], events: Sequence[Event]) -> list[ComplexEvent]:
    """Return the results of the matches of a translated query, on a stream with these events."""
    positions = {event.id: position for position, event in enumerate(events)}
    unique = set[ComplexEvent]()
    for match in matches:
        places = sorted((int(name[1:]), name[0], positions[identity]) for name, identity in match.bindings)
        marked = tuple(position for _, mark, position in places if mark == MARKED)
        unique.add(ComplexEvent(places[-1][2], places[0][2], marked))
    return sorted(unique)


def _clauses(query: tree.Query, places: Mapping[str, Span], reporter: Reporter) -> None:
    """Report clauses that rules do not have."""
    start = Span(Position(1, 1), Position(1, 1))

    def refuse(clause: str, message: str, hint: str) -> None:
        reporter.report("no-counterpart", places.get(clause, start), message, hint)

    if query.strategy is not tree.Strategy.ALL:
        refuse("SELECT", f"rules find all matches, and not those that {query.strategy.value} selects", "select ALL")
    if query.streams:
        refuse("FROM", "a rule does not see which stream an event comes from", "leave FROM out")
    if isinstance(query.window, tree.EventWindow):
        refuse("WITHIN", "windows of PARTElang are of time", "give a time")
    if query.consumption is not tree.Consumption.NONE:
        refuse("CONSUME", "in PARTElang nothing is used up", "leave CONSUME BY out")


def _inferred(query: tree.Query, reporter: Reporter) -> Types:
    """Return templates for the types of a query, inferred from its comparisons."""
    names = dict.fromkeys(node.name for node in tree.within(query.formula) if isinstance(node, tree.EventType))
    return inferred(names, _compared(query), reporter)


def _compared(query: tree.Query) -> Iterator[tuple[Span, tuple[Operand, ...]]]:
    for attribute in query.attributes:
        yield query.formula.span, (Attribute(attribute),)
    for node in tree.within(query.formula):
        if isinstance(node, tree.Comparison):
            yield node.span, (operand(node.left), operand(node.right))
        elif isinstance(node, tree.Link):
            yield node.span, (Attribute(node.left_attribute), Attribute(node.right_attribute))


def _declared(query: tree.Query, types: Types, reporter: Reporter) -> Types:
    """Return the templates of the types of the query."""
    templates: dict[str, Mapping[str, core.Type]] = {}
    for node in tree.within(query.formula):
        if isinstance(node, tree.EventType):
            if node.name not in types:
                hint = reporter.suggestion(node.name, types, "declare it, or leave --templates out")
                reporter.report("no-counterpart", node.span, f"no template is called {node.name}", hint)
            templates[node.name] = types.get(node.name, {})
    return templates


def _partitioned(words: Words, query: tree.Query, compared: Compared) -> Words:
    """Return the words whose events all have the attributes of PARTITION BY, with equal values."""
    partitioned: Words = {}
    for word in words:
        if all(attribute in compared.types[type_name] for type_name in word.types for attribute in query.attributes):
            first = (0, word.types[0])
            same = conjoined(
                compared.comparison(
                    (first, Attribute(attribute)),
                    Operator.EQUAL,
                    ((place, name), Attribute(attribute)),
                    query.formula.span,
                )
                for attribute in query.attributes
                for place, name in enumerate(word.types)
                if place
            )
            if same != FALSE:
                partitioned[word.where(same)] = None
    return partitioned


def _marked(word: Word, selected: Sequence[str] | None) -> Word:
    """Return the word with nothing but a mark for each event: whether it is in D."""

    def mark(label: frozenset[str]) -> frozenset[str]:
        variables = label if selected is None else label & frozenset(selected)
        return frozenset([MARKED if variables else UNMARKED])

    return word.labelled(mark)


def _rule(name: str, word: Word, window: int) -> ast.Rule:
    names = [f"{next(iter(mark))}{place}" for place, mark in enumerate(word.labels)]
    conditions: list[list[ast.Expression]] = [[] for _ in names]
    for formula in sorted(word.formulas, key=repr):
        place, condition = condition_of(formula, names)
        conditions[place].append(condition)
    patterns = tuple(
        ast.Pattern(False, name_, type_, tuple(conditions[place]))
        for place, (name_, type_) in enumerate(zip(names, word.types, strict=True))
    )
    pairs = [(place, place - 1) for place in range(1, len(names))]
    if len(names) > 2:
        pairs.append((len(names) - 1, 0))
    constraints = tuple(
        ast.Constraint(False, names[later], names[earlier], _ms(1), _ms(window)) for later, earlier in pairs
    )
    return ast.Rule(name, patterns, constraints, ())


def _ms(amount: int) -> ast.Duration:
    return ast.Duration(amount, ast.Unit.MILLISECONDS)
