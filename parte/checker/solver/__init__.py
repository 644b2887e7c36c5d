"""What every checker needs of z3: terms for numbers, strings and orders, queries, verdicts."""
