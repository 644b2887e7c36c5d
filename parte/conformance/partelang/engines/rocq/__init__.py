"""The machine that is verified in Rocq, and its definition, as extracted programs: engines of the kit
(docs/theorem.md)."""
