"""What editors and pages need of the languages: colours, and answers to a language client (`parte lsp`)."""
