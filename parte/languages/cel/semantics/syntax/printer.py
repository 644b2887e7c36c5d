"""The canonical layout of a query (specification: cel-text): parsing the printed text gives an equal tree."""

from __future__ import annotations

from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.lexis import KEYWORDS
from parte.languages.cel.semantics.syntax.parser import Source
from parte.semantics.source.comments import Line, with_comments

_FILTER, _OR, _ADJACENT, _SEQUENCE, _POSTFIX = range(5)


def print_source(source: Source) -> str:
    """Return the text of a query with its comments."""
    lines = [Line(text, source.clauses.get(name)) for name, text in _clauses(source.query).items()]
    return "".join(f"{line}\n" for line in with_comments(lines, source.comments, "--"))


def print_query(query: tree.Query) -> str:
    """Return the text of a query, a line for each clause."""
    return "".join(f"{line}\n" for line in _clauses(query).values())


def _clauses(query: tree.Query) -> dict[str, str]:
    clauses = {"SELECT": _select(query)}
    if query.streams:
        clauses["FROM"] = f"FROM {', '.join(query.streams)}"
    clauses["WHERE"] = f"WHERE {formula_text(query.formula)}"
    if query.attributes:
        clauses["PARTITION"] = f"PARTITION BY {', '.join(map(_attribute, query.attributes))}"
    if query.window is not None:
        clauses["WITHIN"] = f"WITHIN {_window(query.window)}"
    if query.consumption is not tree.Consumption.NONE:
        clauses["CONSUME"] = f"CONSUME BY {query.consumption.value}"
    return clauses


def _select(query: tree.Query) -> str:
    selected = "*" if query.selected is None else ", ".join(query.selected) or "NONE"
    return f"SELECT {selected}" if query.strategy is tree.Strategy.ALL else f"SELECT {query.strategy.value} {selected}"


def _window(window: tree.Window) -> str:
    if isinstance(window, tree.EventWindow):
        return f"{window.events} EVENTS"
    return " ".join(f"{amount} {unit.name}" for amount, unit in window.terms)


def formula_text(formula: tree.Formula) -> str:
    """Return the text of a formula without unnecessary parentheses."""
    return _formula(formula, _FILTER)


def _formula(node: tree.Formula, strength: int) -> str:
    """Return the text of a formula in a place where operators that bind less than `strength` need parentheses."""
    match node:
        case tree.EventType(name=name):
            return name
        case tree.Projection(variables=names, operand=operand):
            return f"PROJ ({', '.join(names)}) ({_formula(operand, _FILTER)})"
        case tree.Iteration(operand=operand, contiguous=contiguous):
            return f"{_formula(operand, _POSTFIX)}{':+' if contiguous else '+'}"
        case tree.Named(operand=operand, variable=variable):
            return f"{_formula(operand, _POSTFIX)} AS {variable}"
        case tree.Sequence(parts=parts, contiguous=True):
            text, own = " : ".join(_formula(part, _SEQUENCE) for part in parts), _ADJACENT
        case tree.Sequence(parts=parts):
            text, own = "; ".join(_formula(part, _POSTFIX) for part in parts), _SEQUENCE
        case tree.Or(parts=parts):
            text, own = " OR ".join(_formula(part, _ADJACENT) for part in parts), _OR
        case tree.Filtered(operand=operand, condition=condition):
            text, own = f"{_formula(operand, _FILTER)} FILTER {condition_text(condition)}", _FILTER
    return f"({text})" if own < strength else text


def condition_text(node: tree.Condition, inner: int = 0) -> str:
    """Return the text of a condition of FILTER; `inner` is 1 below OR, 2 below AND."""
    match node:
        case tree.Holds(variable=variable, predicate=predicate):
            return f"{variable}[{predicate_text(predicate)}]"
        case tree.Link():
            left = f"{node.left}[{_attribute(node.left_attribute)}]"
            return f"{left} {node.operator.value} {node.right}[{_attribute(node.right_attribute)}]"
        case tree.Either(parts=parts):
            text, own = " OR ".join(condition_text(part, 1) for part in parts), 0
        case tree.Both(parts=parts):
            text, own = " AND ".join(condition_text(part, 2) for part in parts), 1
    return f"({text})" if own < inner else text


def predicate_text(node: tree.Predicate, inner: int = 0) -> str:
    """Return the text of a predicate; `inner` is 1 below OR, 2 below AND, 3 below NOT."""
    match node:
        case tree.Comparison(left=left, operator=operator, right=right):
            return f"{_operand(left)} {operator.value} {_operand(right)}"
        case tree.Not(operand=operand):
            return f"NOT {predicate_text(operand, 3)}"
        case tree.Some(parts=parts):
            text, own = " OR ".join(predicate_text(part, 1) for part in parts), 0
        case tree.Every(parts=parts):
            text, own = " AND ".join(predicate_text(part, 2) for part in parts), 1
    return f"({text})" if own < inner else text


def _operand(node: tree.Operand) -> str:
    match node:
        case tree.Attribute(name=name):
            return _attribute(name)
        case tree.Literal(value=bool() as value):
            return "TRUE" if value else "FALSE"
        case tree.Literal(value=str() as value):
            return "'" + value.replace("'", "''") + "'"
        case tree.Literal(value=value):
            return repr(value)


def _attribute(name: str) -> str:
    return f"[{name}]" if name.upper() in KEYWORDS else name
