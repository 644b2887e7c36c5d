"""Programs of one language as programs of another, on the fragments where both say the same (docs/translations.md)."""
