"""The canonical layout of a rule (specification: lead-text). Parsing a printed rule gives an equal tree."""

from __future__ import annotations

from collections.abc import Iterator

from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.parser import OUTCOME, Source
from parte.semantics.source.comments import Line, with_comments

_SEQUENCE, _OR, _AND, _TIMED, _NOT, _POSTFIX = range(6)
_EITHER, _BOTH, _INVERSE, _COMPARISON, _SUM, _PRODUCT, _FACTOR, _VALUE = range(8)


def print_source(source: Source) -> str:
    """Return the text of a rule with its comments."""
    lines = []
    for name, texts in _clauses(source.rule).items():
        origin = source.clauses.get(name)
        lines += [Line(text, origin if number == 0 else None) for number, text in enumerate(texts)]
    return "".join(f"{line}\n" for line in with_comments(lines, source.comments))


def print_rule(rule: tree.Rule) -> str:
    """Return the text of a rule."""
    return "".join(f"{line}\n" for lines in _clauses(rule).values() for line in lines)


def _clauses(rule: tree.Rule) -> dict[str, list[str]]:
    streams = (
        stream.name if stream.name == stream.alias else f"{stream.name} AS {stream.alias}" for stream in rule.streams
    )
    clauses = {"FROM": [f"FROM {', '.join(streams)}"]}
    defined = [
        f"TimeEvent {time_event.name}({_value(time_event.start)}, {_value(time_event.end)})"
        for time_event in rule.times
    ]
    defined += [f"EventType {_type(kind)}" for kind in rule.types if not kind.enriched]
    if defined:
        clauses["DEFINE"] = [f"DEFINE {defined[0]}", *(f"    {text}" for text in defined[1:])]
    enriched = [_type(kind) for kind in rule.types if kind.enriched]
    if enriched:
        clauses["ENRICH"] = [f"ENRICH {enriched[0]}", *(f"    {text}" for text in enriched[1:])]
    clauses["MATCH"] = [f"MATCH {pattern_text(rule.pattern)}"]
    if rule.keys:
        clauses["PARTITION"] = [f"PARTITION BY {', '.join(map(_key, rule.keys))}"]
    if rule.outcome:
        clauses[OUTCOME] = list(_outcome(rule.outcome, ""))
    return clauses


def _type(node: tree.EventType) -> str:
    return f"{node.name}({', '.join(map(_attribute, node.attributes))})"


def _attribute(node: tree.Attribute) -> str:
    default = "" if node.default is None else f"({_value(node.default)})"
    return f"{node.type} {node.name}{default}"


def _key(key: tree.Key) -> str:
    if key.length is None:
        return f"{key.alias}.{key.attribute}"
    return f"window({key.length if isinstance(key.length, int) else _value(key.length)})"


def _outcome(outcome: tuple[tree.Outcome, ...], indent: str) -> Iterator[str]:
    for part in outcome:
        if isinstance(part, tree.Emission):
            yield f"{indent}{_emission(part)}"
        else:
            yield f"{indent}CHECK {'FIRST' if part.first else 'ANY'}"
            for clause in part.clauses:
                yield f"{indent}    WHERE ({_value(clause.condition)})"
                yield from _outcome(clause.outcome, f"{indent}        ")
            yield f"{indent}END"


def _emission(node: tree.Emission) -> str:
    return f"EMIT Event {node.type}({', '.join(map(_value, node.arguments))})"


def pattern_text(pattern: tree.Pattern) -> str:
    """Return the text of a pattern, with no more parentheses than it needs."""
    return _pattern(pattern, _SEQUENCE)


def _pattern(node: tree.Pattern, strength: int) -> str:
    """Return the text of a pattern in a place where operators that bind less than `strength` need parentheses."""
    match node:
        case tree.Atom(stream=stream, name=name):
            return stream if name is None else f"{stream} AS {name}"
        case tree.Sequence(parts=parts):
            text, own = " -> ".join(_pattern(part, _OR) for part in parts), _SEQUENCE
        case tree.Or(parts=parts):
            text, own = " or ".join(_pattern(part, _AND) for part in parts), _OR
        case tree.And(parts=parts):
            text, own = " and ".join(_pattern(part, _TIMED) for part in parts), _AND
        case tree.Within(operand=operand, duration=duration, source=source):
            start = "" if source is None else f" from {_pattern(source, _NOT)}"
            text, own = f"{_pattern(operand, _TIMED)} within {_value(duration)}{start}", _TIMED
        case tree.Not(operand=operand):
            text, own = f"not {_pattern(operand, _NOT)}", _NOT
        case tree.Filtered(operand=operand, condition=condition):
            text, own = f"{_pattern(operand, _POSTFIX)} FILTER ({_value(condition)})", _POSTFIX
        case tree.Subcontext():
            text, own = _subcontext(node), _POSTFIX
        case tree.Bound(name=name):
            return name
        case tree.Wait(operand=operand, duration=duration):
            return f"wait({pattern_text(operand)}, {_value(duration)})"
        case tree.Collect():
            return _collect(node)
        case tree.Pick(greatest=greatest, collect=collect, aggregate=aggregate):
            return f"{'max' if greatest else 'min'}({_collect(collect)}, {_value(aggregate)})"
        case tree.Policy(choice=choice, operand=operand, consumed=consumed):
            suffix = f" consume({', '.join(consumed)})" if consumed else ""
            return f"{choice.value}({pattern_text(operand)}){suffix}"
    return f"({text})" if own < strength else text


def _collect(node: tree.Collect) -> str:
    limits = (("accept", node.accept), ("terminate", node.terminate), ("invalidate", node.invalidate))
    clauses = "".join(f" {word} ({_value(limit)})" for word, limit in limits if limit is not None)
    return f"collect({pattern_text(node.operand)}){clauses}{'' if node.name is None else f' AS {node.name}'}"


def _subcontext(node: tree.Subcontext) -> str:
    bounds = "" if node.first is None else f".RANGE({node.first}, {node.last})"
    chosen = "" if node.condition is None else f".FILTER({_value(node.condition)})"
    actions = "".join(f" {_emission(action)}" for action in node.branch.actions)
    stop = "" if node.terminate is None else f" terminate ({_value(node.terminate)})"
    branch = f"(MATCH {pattern_text(node.branch.pattern)}{actions})"
    steps = f"{node.item} ==> {node.list}{bounds}{chosen} {branch}"
    return f"{_pattern(node.operand, _POSTFIX)} Subcontext({steps}){stop} AS {node.name}"


def _value(node: tree.Expression, strength: int = _EITHER) -> str:
    """Return the text of an expression in a place where operators that bind less than `strength` need parentheses."""
    match node:
        case tree.Literal(value=bool() as value):
            return "TRUE" if value else "FALSE"
        case tree.Literal(value=str() as value):
            return "'" + value.replace("'", "''") + "'"
        case tree.Literal(value=value):
            return repr(value)
        case tree.Duration(amount=amount, unit=unit):
            return f"{amount} {unit.name.lower()}"
        case tree.Reference(path=path):
            return ".".join(path)
        case tree.Aggregate(function=function, path=path):
            return f"{function.value}({'.'.join(path)})"
        case tree.Outside(name=name):
            return f"!{name}"
        case tree.Quantified():
            return f"{_quantifier(node)} ({_value(node.condition)})"
        case tree.Either(parts=parts):
            text, own = " or ".join(_value(part, _BOTH) for part in parts), _EITHER
        case tree.Both(parts=parts):
            text, own = " and ".join(_value(part, _INVERSE) for part in parts), _BOTH
        case tree.Negation(operand=operand):
            text, own = f"not {_value(operand, _INVERSE)}", _INVERSE
        case tree.Comparison(left=left, operator=operator, right=right):
            text, own = f"{_value(left, _SUM)} {operator.value} {_value(right, _SUM)}", _COMPARISON
        case tree.Sum(parts=parts):
            text, own = "".join(_terms(parts)), _SUM
        case tree.Product(parts=parts):
            text, own = " * ".join(_value(part, _FACTOR) for part in parts), _PRODUCT
        case tree.Negative(operand=operand):
            text, own = f"-{_value(operand, _FACTOR)}", _FACTOR
    return f"({text})" if own < strength else text


def _terms(parts: tuple[tree.Expression, ...]) -> Iterator[str]:
    yield _value(parts[0], _PRODUCT)
    for part in parts[1:]:
        if isinstance(part, tree.Negative):
            yield f" - {_value(part.operand, _PRODUCT)}"
        else:
            yield f" + {_value(part, _PRODUCT)}"


def _quantifier(node: tree.Quantified) -> str:
    if node.least is not None and node.most is not None:
        return f"BETWEEN {node.least} AND {node.most}"
    if node.least is not None:
        return f"AT LEAST {node.least}"
    return "ALL" if node.most is None else f"AT MOST {node.most}"
