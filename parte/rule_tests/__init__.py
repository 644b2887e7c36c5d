"""Tests that stand beside rules (`parte test`)."""
