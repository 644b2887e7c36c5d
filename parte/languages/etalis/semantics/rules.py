"""All rules of ETALIS by id, in the order in which the modules state them."""

from __future__ import annotations

from collections.abc import Mapping

from parte.languages.etalis.semantics import machine
from parte.languages.etalis.semantics.rulebook import RULEBOOK
from parte.semantics.rulebook.registry import Rule

HOLDING = (machine,)
"""This, and what it imports."""

RULES: Mapping[str, Rule] = {identity: RULEBOOK[identity] for identity in sorted(RULEBOOK)}
