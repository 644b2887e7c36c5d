"""All rules of LEAD by id. The modules with rules enter them into the rulebook when they are imported."""

from __future__ import annotations

from collections.abc import Mapping

from parte.languages.lead.semantics import machine
from parte.languages.lead.semantics.rulebook import RULEBOOK
from parte.semantics.rulebook.registry import Rule

HOLDING = (machine,)
"""The module whose imports enter all rules."""

RULES: Mapping[str, Rule] = {identity: RULEBOOK[identity] for identity in sorted(RULEBOOK)}
