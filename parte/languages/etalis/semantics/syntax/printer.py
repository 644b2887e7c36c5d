"""The canonical layout of a program (specification: etalis-layout): parsing the printed text gives an equal tree."""

from __future__ import annotations

from fractions import Fraction

from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.parser import Source
from parte.languages.etalis.semantics.syntax.values import text_of
from parte.semantics.source.comments import Line, with_comments

_COMPARISON, _SUM, _PRODUCT, _FACTOR = range(4)
_STRENGTH = {
    tree.Arithmetic.PLUS: _SUM,
    tree.Arithmetic.MINUS: _SUM,
    tree.Arithmetic.TIMES: _PRODUCT,
    tree.Arithmetic.OVER: _PRODUCT,
}


def print_source(source: Source) -> str:
    """Return the text of a program with its comments."""
    lines = [Line(rule_text(rule), rule.span.start) for rule in source.program.rules]
    return "".join(f"{line}\n" for line in with_comments(lines, source.comments, "%"))


def print_program(program: tree.Program) -> str:
    """Return the text of a program, a line for each rule."""
    return "".join(f"{rule_text(rule)}\n" for rule in program.rules)


def rule_text(rule: tree.Rule) -> str:
    """Return the text of a rule with its full stop."""
    return f"{pattern_text(rule.head)} <- {pattern_text(rule.body)}."


def pattern_text(node: tree.Pattern, *, first: bool = True) -> str:
    """Return the text of a pattern, in parentheses if it is a right part of a joined pattern."""
    match node:
        case tree.EventPattern(name=name, arguments=arguments):
            # An argument is no condition: a comparison as argument stands in parentheses.
            return f"{name}({', '.join(term_text(argument, _SUM) for argument in arguments)})" if arguments else name
        case tree.Moment(time=time):
            return text_of(time)
        case tree.Lasting(operand=operand, length=length):
            return f"({pattern_text(operand)}).{text_of(length)}"
        case tree.Negation(absent=absent, first=begin, last=end):
            return f"NOT({pattern_text(absent)}).[{pattern_text(begin)}, {pattern_text(end)}]"
        case tree.Where(operand=operand, condition=condition):
            text = f"{pattern_text(operand)} WHERE {term_text(condition)}"
        case tree.Joined(left=left, operator=operator, right=right):
            text = f"{pattern_text(left)} {operator.value} {pattern_text(right, first=False)}"
    return text if first else f"({text})"


def term_text(node: tree.Term, strength: int = _COMPARISON) -> str:
    """Return the text of a term in a place where operators that bind less than `strength` need parentheses."""
    match node:
        case tree.Variable(name=name):
            return name
        case tree.Constant(value=value):
            text = text_of(value)
            own = _PRODUCT if isinstance(value, Fraction) and "/" in text else _FACTOR
        case tree.Calculation(left=left, operator=operator, right=right):
            own = _STRENGTH[operator]
            text = f"{term_text(left, own)} {operator.value} {term_text(right, own + 1)}"
        case tree.Comparison(left=left, relation=relation, right=right):
            text, own = f"{term_text(left, _SUM)} {relation.value} {term_text(right, _SUM)}", _COMPARISON
    return text if own >= strength else f"({text})"
