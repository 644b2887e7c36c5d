"""The rulebook of CORE: constructions of automata and steps of the algorithms, each a function under an id."""

from __future__ import annotations

from parte.languages.cel.semantics.repairs import MODELS
from parte.semantics.rulebook.registry import Rule, Rulebook, entering

RULEBOOK: Rulebook[Rule] = Rulebook("CORE")
rule = entering(RULEBOOK, MODELS)
