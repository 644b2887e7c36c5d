"""Case files: readable text of many cases each (docs/conformance.md, Cases). They know no language."""
