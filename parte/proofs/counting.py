"""Check by its text that code counts, numbers and cuts nothing, except in reviewed phrases.

Lemmas that a solver decides are about a few operands, goals or tokens. Code that treats the fifth of them in another
way must count them, number them, cut them off or compare a number of them with a constant. `phrases` lists every such
part of a module's text. Those that treat every number of things alike are in a table beside the lemmas, word for word
and with the reason; any other one is a form of code that the lemmas cannot decide.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from importlib.resources import files
from importlib.util import find_spec
from types import FunctionType, ModuleType
from typing import cast

from parte.proofs.lemma import IN_SOUND, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.sorted_sequences import NotOfAnyLength
from parte.proofs.symbolic import Claims, Run
from parte.semantics.events.stricttoml import decode

ID = "nothing-is-counted"
TABLE = "counted.toml"
"""The file with the reviewed phrases."""
Reviewed = Mapping[str, Mapping[str, str]]
"""For each module, by the end of its name, the reviewed phrases with the reason of each."""

_COUNTING = {"len", "enumerate", "range", "islice", "nsmallest", "nlargest", "count", "batched"}
_WHOLE = (
    ast.stmt,
    ast.comprehension,
    ast.match_case,
    ast.ExceptHandler,
    ast.BoolOp,
    ast.IfExp,
    ast.Dict,
    ast.GeneratorExp,
)
"""Nodes that are larger than a phrase."""


def phrases(text: str) -> Iterator[str]:
    """Yield the parts of a text that count, number or cut: numbers but 0 and 1, lengths, slices, and the first
    elements that an assignment takes off."""
    tree = ast.parse(text)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if _counts(node):
            phrase = node
            while not isinstance(parents[phrase], _WHOLE):
                phrase = parents[phrase]
            yield ast.unparse(parents[phrase] if isinstance(phrase, ast.Constant | ast.Tuple | ast.Name) else phrase)


def _counts(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value not in (0, 1)  # True and False are among these
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in _COUNTING
        case ast.Tuple(elts=parts, ctx=ast.Store()) | ast.List(elts=parts, ctx=ast.Store()):
            return any(isinstance(part, ast.Starred) for part in parts)
        case ast.MatchStar() | ast.Slice() | ast.keyword(arg="maxlen"):
            return True
        case _:
            return False


def texts(module: ModuleType) -> Iterator[str]:
    """Yield the text of a module, which may have edits, and that of each function in it that a mutant replaced."""
    functions = [function for value in vars(module).values() for function in _functions(value, module)]
    sources = Counter(function.__code__.co_filename for function in functions)
    for file, _ in sources.most_common(1):
        yield "".join(linecache.getlines(file))
        for function in functions:
            if function.__code__.co_filename != file:
                yield textwrap.dedent(inspect.getsource(function))


def _functions(value: object, module: ModuleType) -> Iterator[FunctionType]:
    """Yield the functions of a module that have a text: all but those that dataclasses make."""
    match value:
        case type(__module__=module.__name__):
            for part in vars(value).values():
                yield from _functions(part, module)
        case staticmethod(__func__=function) | property(fget=function) | cached_property(func=function):
            yield from _functions(function, module)
        case FunctionType(__module__=module.__name__, __code__=compiled):
            spec = find_spec(module.__name__)
            edits = compiled.co_filename.startswith("<") and compiled.co_filename in linecache.cache
            if edits or (spec is not None and compiled.co_filename == spec.origin):
                yield value


def read(package: str) -> Reviewed:
    """Return the reviewed phrases of a package of lemmas."""
    return cast(Reviewed, decode(files(package).joinpath(TABLE).read_text(encoding="utf-8")))


def unreviewed(module: ModuleType, reviewed: Mapping[str, str]) -> tuple[str, ...]:
    """Return the phrases of a module that nobody reviewed."""
    return tuple(phrase for text in texts(module) for phrase in phrases(text) if phrase not in reviewed)


def modules_of(guest: str, load: Callable[..., ModuleType]) -> list[ModuleType]:
    """Return the modules of the table of a guest, in its order."""
    return [load(f"{guest}.{name}", None, None, ("__name__",)) for name in read(f"{guest}.proofs")]


def lemma(guest: str, load: Callable[..., ModuleType], section: str, mutant: Mutant) -> Lemma:
    """Return the lemma that the modules of the table of a guest, a package, count nothing but in its phrases.

    `load` is the `__import__` of the module that states the lemma, which imports the edited copy of an edited module.
    """
    reviewed, modules = read(f"{guest}.proofs"), modules_of(guest, load)

    def body(_: Run) -> Claims:
        for module in modules:
            for phrase in unreviewed(module, phrases_of(module, reviewed)):
                raise NotOfAnyLength(f"`{phrase}` in {module.__name__} is not reviewed in {TABLE}")
        return (("nothing is counted, numbered or cut but in reviewed phrases", True),)

    return Lemma(
        ID,
        "Syntactic, asked of no solver: machine and definition count, number and cut nothing, but for the phrases in "
        f"`{TABLE}`, each with its reason. Other code may treat the fifth of some things unlike the fourth.",
        section,
        (),
        f"the text of {len(modules)} modules",
        body,
        mutant,
        IN_SOUND,
    )


def phrases_of(module: ModuleType, reviewed: Reviewed) -> Mapping[str, str]:
    """Return the reviewed phrases of a module."""
    return next(own for name, own in reviewed.items() if module.__name__.endswith(f".{name}"))
