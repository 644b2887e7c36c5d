"""The event algebra EA (D §4.3–4.4): patterns, the evaluators that say what a program means, and its mapping to EA.

Independent of the machine in `semantics`: only the syntax and the events are shared
(specification: independent-evaluators).
"""
