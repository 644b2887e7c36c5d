"""The rulebook of EQL: the steps of its machine, each a function under an id."""

from __future__ import annotations

from parte.languages.eql.semantics.repairs import MODELS
from parte.semantics.rulebook.registry import Rule, Rulebook, entering

RULEBOOK: Rulebook[Rule] = Rulebook("EQL")
rule = entering(RULEBOOK, MODELS)
