"""The commands of EQL beyond those that its record gives it."""

from __future__ import annotations

from parte.languages.eql.demo import demo

COMMANDS = {"demo": demo}
