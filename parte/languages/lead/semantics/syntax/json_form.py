"""A rule as JSON, for engines that do not read the text (`rule.schema.json`; specification: lead-text)."""

from __future__ import annotations

from functools import partial

from parte.languages.lead.semantics.syntax import tree
from parte.semantics.events.codec import Codec, Tagged

CODEC: Codec[tree.Rule] = Codec(
    tree.Rule,
    Tagged.of("pattern", tree.Pattern, Atom="event", Filtered="filter"),
    Tagged.of("expression", tree.Expression, Literal="value", Both="and", Either="or", Negation="not"),
    Tagged.of("outcome", tree.Outcome, Emission="emit"),
    header=("lead-rule", 1),
)
rule_to_json = CODEC.encode
schema = partial(CODEC.schema, "https://parte.example/schemas/lead-rule-1.json", "A LEAD rule")
