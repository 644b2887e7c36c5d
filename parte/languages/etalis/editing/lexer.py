"""The lexer of ETALIS for Pygments."""

from __future__ import annotations

from parte.editing.lexers import lexer_of
from parte.languages.etalis.editing.colouring import COLOURING

EtalisLexer = lexer_of(COLOURING)
