"""All rules of EQL by id. Importing the modules in `HOLDING` enters their rules into the rulebook."""

from __future__ import annotations

from collections.abc import Mapping

from parte.languages.eql.semantics import machine
from parte.languages.eql.semantics.rulebook import RULEBOOK
from parte.semantics.rulebook.registry import Rule

HOLDING = (machine,)
"""The modules with rules; they import the others."""

RULES: Mapping[str, Rule] = {identity: RULEBOOK[identity] for identity in sorted(RULEBOOK)}
