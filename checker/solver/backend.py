"""z3, if it is installed. Only the modules of this package import it from here."""

from __future__ import annotations

from parte.semantics.source.packages import importing

with importing("z3", message="the checker needs the solver z3, which is not installed"):
    import z3 as z3
