"""The lexer of CEL for Pygments."""

from __future__ import annotations

from parte.editing.lexers import lexer_of
from parte.languages.cel.editing.colouring import COLOURING

CelLexer = lexer_of(COLOURING)
