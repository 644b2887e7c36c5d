"""The table of a grammar, as lark computes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lark import Lark
from lark.parsers.lalr_analysis import Shift

from parte.semantics.source.automaton import Rule, Tables, checksum


def computed(grammar: str, starts: Sequence[str]) -> Tables:
    """Return the table of a grammar. A rule whose name begins with `_` has no action, nor has a repetition."""
    # The attributes of lark that are read here have no declared types.
    parser: Any = Lark(
        grammar, parser="lalr", start=list(starts), keep_all_tokens=True, maybe_placeholders=False
    ).parser
    table = parser.parser._parse_table
    rules = sorted({_rule(rule) for rule in parser.parser_conf.rules})
    numbers = {rule: number for number, rule in enumerate(rules)}
    # lark numbers states anew in each process: here their order follows from the grammar.
    order = [table.start_states[start] for start in starts]
    for state in order:
        following = [arg for _, (action, arg) in sorted(table.states[state].items()) if action is Shift]
        order += dict.fromkeys(arg for arg in following if arg not in order)
    states = {state: number for number, state in enumerate(order)}
    rows = [
        {
            str(name): states[arg] if action is Shift else -1 - numbers[_rule(arg)]
            for name, (action, arg) in table.states[state].items()
        }
        for state in order
    ]
    places = {start: (states[table.start_states[start]], states[table.end_states[start]]) for start in starts}
    return Tables(checksum(grammar), places, rules, rows)


def _rule(rule: Any) -> Rule:
    symbol = str(rule.origin.name)
    inserted = tuple(
        place for place, part in enumerate(rule.expansion) if not part.is_term and part.name.startswith("_")
    )
    action = "" if symbol.startswith("_") else str(rule.alias or symbol)
    return Rule(symbol, len(rule.expansion), action, inserted, bool(rule.options.expand1 and not rule.alias))
