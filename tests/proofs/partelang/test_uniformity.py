"""What singles out, counts or compares entries is found in many forms, and every reviewed phrase is in use."""

from __future__ import annotations

import ast
import inspect
import textwrap

import pytest

from parte.proofs.mutation import Mutant, applied
from parte.proofs.partelang.uniformity import REVIEWED, covered, departures

_FUNCTION = "parte.semantics.partelang.rules.premises:matching_left"
_WHOLE = "return [entry for entry in window if node.condition(entry.events + right.events)]"


@pytest.mark.parametrize(
    "after",
    [
        "return [entry for entry in window[:9] if node.condition(entry.events + right.events)]",
        "return [window[0]]",
        "first, *rest = window; return rest",
        "return [entry for _, entry in zip(range(9), window)]",
        "return [entry for number, entry in enumerate(window) if number < 9]",
        "return [next(iter(window))]",
        "return list(islice(window, 9))",
        "window.sort(key=id); return window",
        "return [window.pop() for entry in window]",
        "return [entry for entry in window if len(window) < 9]",
        "return [entry for entry in window if entry is window]",
        "return window if all(entry.key for entry in window) else []",
        "return sorted(window, key=id)",
        "return (window + window)",
        "return window * 2",
        "return [(last := entry) for entry in window]",
        "return {entry.opens: entry for entry in window}.values()",
        "while window: return window",
        "for entry in window:\n        return [entry]",
    ],
)
def test_what_singles_out_entries_is_found(after: str) -> None:
    planted = Mutant("planted", _FUNCTION, _WHOLE, after)
    assert planted.original() in covered()
    assert departures(planted.original()) == ()
    with applied(planted):
        assert departures(planted.original())
    assert departures(planted.original()) == ()


def test_every_reviewed_phrase_is_in_use() -> None:
    there = {
        ast.unparse(node)
        for function in covered()
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function))))
        if not isinstance(node, ast.expr_context | ast.operator)
    }
    assert REVIEWED.keys() <= there
