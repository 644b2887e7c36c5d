"""Translations from EQL to LEAD."""
