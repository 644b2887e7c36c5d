"""The part of the languages that editors and pages need: colours, and answers to a language client (`parte lsp`)."""
