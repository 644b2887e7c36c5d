"""The lexer of EQL for Pygments."""

from __future__ import annotations

from parte.editing.lexers import lexer_of
from parte.languages.eql.editing.colouring import COLOURING

EqlLexer = lexer_of(COLOURING)
