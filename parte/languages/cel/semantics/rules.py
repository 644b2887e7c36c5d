"""All rules of CORE by id. Importing the modules in `HOLDING` enters their rules into the rulebook."""

from __future__ import annotations

from collections.abc import Mapping

from parte.languages.cel.semantics import distribution, machine, maximal
from parte.languages.cel.semantics.rulebook import RULEBOOK
from parte.semantics.rulebook.registry import Rule

HOLDING = (machine, distribution, maximal)
"""The modules with rules; they import the others."""

RULES: Mapping[str, Rule] = {identity: RULEBOOK[identity] for identity in sorted(RULEBOOK)}
