"""The machine that Rocq has proved, and its definition, as extracted: engines of the kit (docs/theorem.md)."""
