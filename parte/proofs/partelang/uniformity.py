"""Check by its text that code treats all entries of histories alike, one by one.

Lemmas that a solver decides are about three entries. Code that filters, maps and unites lists as a whole, and only
tests whether a list is empty, does the same to one of a hundred entries as to one of three. Such code is recognised by
its text: `departures` lists every expression that may single out, count or compare entries. Exceptions, which treat
something other than entries, or only seem to treat entries, are in `REVIEWED`, word for word and with the reason.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from types import FunctionType

from parte.semantics.partelang import histories
from parte.semantics.partelang.histories import PlainHistory
from parte.semantics.partelang.rules import collection, join, negation, premises

REVIEWED: Mapping[str, str] = {
    # Comparisons.
    "entry.key == key": "a question to one entry",
    "entry.key == right.key": "a question to one entry",
    "other.key == entry.key": "a question to one entry",
    "opens == closes": "about the window, the same for all entries",
    "site.left_capacity is None": "about the node",
    "site.right_capacity is None": "about the node",
    "node.past is not None": "about the node",
    "len(history) < site.left_capacity": "room for one more; what a full history does is for the lemmas `progress-*`",
    "len(history) < site.right_capacity": "likewise",
    "{id(entry) for entry in entries}": "a set of entries, for the next",
    "id(entry) not in gone": "a question to one entry",
    # About the events of one entry, or the node's windows for them.
    "map(timestamp_of, partial)": "over the events of a partial match",
    "highest(node.maxima)": "over the events of a partial match",
    "lowest(node.minima)": "over the events of a partial match",
    "all(map(kernel.in_window, map(timestamp_of, entry.events), repeat(opens), repeat(closes)))": "over those of one",
    "all(map(kernel.printed_left_is_young, map(timestamp_of, entry.events), repeat(bound)))": "over those of one entry",
    "all(map(kernel.printed_left_is_old, map(timestamp_of, entry.events), repeat(bound)))": "over those of one entry",
    "map(kernel.propagated_bound, bounds, map(data.left.earliest, range(len(bounds))))": "over the places of events",
    "map(left.earliest, range(len(left_bounds)))": "over the places of events",
    "map(kernel.propagated_bound, left_bounds, stored)": "over the places of events",
    "other.events[0]": "the one event of an entry",
    "entry.events + (summary,)": "the events of one partial match, and its summary",
    "left + (opens,)": "the bounds on left events, and the one on the summary",
    "left_bounds_after(site, data) + (right,)": "the bounds on left events, and the one on the right event",
    "map(kernel.batch_bound, bounds, map(timestamp_of, result))": "over the events of a result",
    # One number for all entries, the same in any order.
    "len(self.entries)": "how many there are",
    "min((entry.events[position].timestamp for entry in self.entries), default=POSITIVE_INFINITY)": "the least time",
    # Loops, and one token for each result: see the lemma `bounds-in-batch`.
    "for entry in self.entries:\n    (staying if stays(entry) else leaving).append(entry)": "one question to each",
    "map(BetaToken, repeat(bounds), results)": "one token for each result",
    "accumulate(reversed(results), bounds_before, initial=bounds)": "the bounds after each result, the last first",
    "list(map(BetaToken, later, reversed(results)))": "one token for each result",
}

_PLAIN = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.keyword, ast.expr_context, ast.arguments, ast.arg, ast.Lambda),
    *(ast.Expr, ast.Return, ast.If, ast.IfExp, ast.BoolOp, ast.boolop, ast.UnaryOp, ast.Not),
    *(ast.Tuple, ast.List, ast.ListComp, ast.GeneratorExp, ast.comprehension),
)
_OPERATIONS = {"overlapping", "passed", "parted", "stored", "without", "earliest"}
_OF_THE_NODE = {"condition", "left_key", "right_key", "summarize", "holds"}
_BUILDERS = {"BetaToken", "Effect", "Entry", "PlainHistory", "TwoInputData", "tuple", "reversed", "iter"}
_QUESTIONS = {"in_window", "is_stale", "stays"}


def covered() -> tuple[FunctionType, ...]:
    """Return the rules of join-, not- and set-nodes, their premises, and the operations of plain histories."""
    modules = [
        function
        for module in (collection, join, negation, premises)
        for function in vars(module).values()
        if isinstance(function, FunctionType) and function.__module__ == module.__name__
    ]
    operations = [vars(PlainHistory)[name] for name in ("__len__", "__iter__", *sorted(_OPERATIONS))]
    return (*modules, histories._overlaps, *operations)


def departures(function: FunctionType) -> tuple[str, ...]:
    """Return the parts of a function's text that may treat an entry differently from others."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    (definition,) = tree.body
    assert isinstance(definition, ast.FunctionDef)
    known = {checked.__name__ for checked in covered()} | _BUILDERS | _QUESTIONS
    return tuple(text for statement in definition.body for text in _departures(statement, known))


def _departures(node: ast.AST, known: set[str]) -> Iterator[str]:
    text = ast.unparse(node)
    if text in REVIEWED:
        return
    parts = list(ast.iter_child_nodes(node))
    match node:
        case ast.Assign(targets=[ast.Name() | ast.Tuple() as target], value=value):
            # Unpacking into a fixed number of parts fails for any other number of entries; `*rest` would not.
            if any(isinstance(part, ast.Starred) for part in ast.walk(target)):
                yield text
            parts = [value]
        case ast.AnnAssign(target=ast.Name(), value=ast.expr() as value):
            parts = [value]
        case ast.Call(func=ast.Name(id=name)) if name in known:
            pass
        case ast.Call(func=ast.Attribute(value=receiver, attr=name)):
            of_kernel = isinstance(receiver, ast.Name) and receiver.id == "kernel"
            if not (of_kernel or name in _OPERATIONS | _OF_THE_NODE):
                yield text
        case ast.Subscript(value=ast.Call(func=ast.Attribute(attr="passed" | "parted")), slice=ast.Constant(value=0)):
            pass  # the history, not the entries that left it
        case ast.Starred(ctx=ast.Load()):
            pass
        case ast.BinOp(left=ast.Attribute(attr="events"), op=ast.Add(), right=ast.Attribute(attr="events")):
            parts = []  # the events of two partial matches, one after the other
        case _ if not isinstance(node, _PLAIN):
            yield text
    for part in parts:
        yield from _departures(part, known)
