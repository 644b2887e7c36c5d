"""PARTElang in `parte test`: reasons for near misses, edits of rules, and traces that show them."""
