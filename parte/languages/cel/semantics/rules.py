"""All rules of CORE by id: the modules that hold them enter them into the rulebook when they are imported."""

from __future__ import annotations

from collections.abc import Mapping

from parte.languages.cel.semantics import distribution, machine, maximal
from parte.languages.cel.semantics.rulebook import RULEBOOK
from parte.semantics.rulebook.registry import Rule

HOLDING = (machine, distribution, maximal)
"""These, and what they import."""

RULES: Mapping[str, Rule] = {identity: RULEBOOK[identity] for identity in sorted(RULEBOOK)}
