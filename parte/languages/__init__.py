"""The record of a language, the registry that finds languages, and the guests that come along, a folder each."""
