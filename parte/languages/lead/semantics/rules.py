"""All rules of LEAD by id: the modules that hold them enter them into the rulebook when they are imported."""

from __future__ import annotations

from collections.abc import Mapping

from parte.languages.lead.semantics import machine
from parte.languages.lead.semantics.rulebook import RULEBOOK
from parte.semantics.rulebook.registry import Rule

HOLDING = (machine,)
"""This, and what it imports."""

RULES: Mapping[str, Rule] = {identity: RULEBOOK[identity] for identity in sorted(RULEBOOK)}
