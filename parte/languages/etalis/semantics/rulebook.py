"""The rulebook of ETALIS: the steps for an event, each a function under an id."""

from __future__ import annotations

from parte.semantics.rulebook.registry import Rule, Rulebook, entering

RULEBOOK: Rulebook[Rule] = Rulebook("ETALIS")
rule = entering(RULEBOOK, ("sound",))
