"""Definitions: what a program means over a whole trace. The event algebra EA (D §4.3–4.4), and its evaluators.

Independent of the machine in `semantics`: only the syntax and the events are shared
(specification: independent-evaluators).
"""

if __name__ == "algebra":
    raise ImportError(
        "import parte.algebra: the folder algebra at the top of a checkout is a link into the package parte"
    )
