"""The interface of all checkers to z3: terms for numbers, strings and orders, queries, verdicts."""
