"""Case files: readable text of many cases each (docs/conformance.md, Cases), for every language."""
