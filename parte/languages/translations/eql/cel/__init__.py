"""Translations from EQL to CEL."""
