"""The rulebook of PARTElang's machine, with all its rules: those of a node, →l, and those of the network, →g."""

import parte.semantics.partelang.machine  # noqa: F401 - adds the global rules, and by its own imports the local ones
from parte.semantics.partelang.rules.registry import RULEBOOK, rule_called

__all__ = ["RULEBOOK", "rule_called"]
