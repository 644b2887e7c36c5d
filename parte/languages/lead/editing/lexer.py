"""The lexer of LEAD for Pygments."""

from __future__ import annotations

from parte.editing.lexers import lexer_of
from parte.languages.lead.editing.colouring import COLOURING

LeadLexer = lexer_of(COLOURING)
