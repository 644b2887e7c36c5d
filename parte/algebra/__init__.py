"""Definitions: the meaning of a program over a whole trace. The event algebra EA (D §4.3–4.4) and its evaluators.

This package does not use the machine in `semantics`: the two share only the syntax and the events
(specification: independent-evaluators).
"""

if __name__ == "algebra":
    raise ImportError(
        "import parte.algebra: the folder algebra at the top of a checkout is a link into the package parte"
    )
