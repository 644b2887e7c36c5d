"""A rule as JSON, for engines that do not read the text (`rule.schema.json`; specification: lead-text)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast

from parte.languages.lead.semantics.syntax import tree
from parte.semantics.events.codec import Codec, Json, Tagged

FORMAT: Literal["lead-rule"] = "lead-rule"
VERSION: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule. What is optional in the text is null."""

    format: Literal["lead-rule"]
    version: Literal[1]
    streams: tuple[tree.Stream, ...]
    times: tuple[tree.TimeEvent, ...]
    types: tuple[tree.EventType, ...]
    pattern: tree.Pattern
    keys: tuple[tree.Key, ...]
    outcome: tuple[tree.Outcome, ...]


_PATTERNS: dict[type, str] = {
    tree.Atom: "event",
    tree.And: "and",
    tree.Or: "or",
    tree.Sequence: "sequence",
    tree.Not: "not",
    tree.Within: "within",
    tree.Wait: "wait",
    tree.Filtered: "filter",
    tree.Collect: "collect",
    tree.Pick: "pick",
    tree.Policy: "policy",
    tree.Bound: "bound",
    tree.Subcontext: "subcontext",
}
_EXPRESSIONS: dict[type, str] = {
    tree.Literal: "value",
    tree.Duration: "duration",
    tree.Reference: "reference",
    tree.Aggregate: "aggregate",
    tree.Sum: "sum",
    tree.Product: "product",
    tree.Negative: "negative",
    tree.Comparison: "comparison",
    tree.Both: "and",
    tree.Either: "or",
    tree.Negation: "not",
    tree.Outside: "outside",
    tree.Quantified: "quantified",
}
_OUTCOMES: dict[type, str] = {tree.Emission: "emit", tree.Check: "check"}

CODEC: Codec[_Rule] = Codec(
    _Rule, Tagged("pattern", _PATTERNS), Tagged("expression", _EXPRESSIONS), Tagged("outcome", _OUTCOMES)
)


def schema() -> dict[str, Any]:
    """The JSON Schema of rules."""
    return CODEC.schema("https://parte.example/schemas/lead-rule-1.json", "A LEAD rule")


def rule_to_json(rule: tree.Rule) -> dict[str, Json]:
    """The rule as a tree that the standard `json` module can write."""
    form = _Rule(FORMAT, VERSION, rule.streams, rule.times, rule.types, rule.pattern, rule.keys, rule.outcome)
    return cast(dict[str, Json], CODEC.encode(form))
