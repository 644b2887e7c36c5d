"""All rules of ETALIS by id."""

from __future__ import annotations

from collections.abc import Mapping

from parte.languages.etalis.semantics import machine
from parte.languages.etalis.semantics.rulebook import RULEBOOK
from parte.semantics.rulebook.registry import Rule

HOLDING = (machine,)
"""The module with rules; it imports the others."""

RULES: Mapping[str, Rule] = {identity: RULEBOOK[identity] for identity in sorted(RULEBOOK)}
