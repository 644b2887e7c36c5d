"""MathML for the linear notation in which `parte.semantics.partelang.rules.figures` writes inference rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

OVERLINE = "\u0305"
_WORD = re.compile(
    r"(?P<overlined>(?:[a-z]" + OVERLINE + r")+(?:_[a-z]+)?)"
    r"|(?P<name>[^\W\d_][^\W_ₜₛₙₑₜβαˡᵉ]*(?:-[a-z]+)*(?:_[a-z]+)?)(?P<below>[ₜₛₙₑβα]*)(?P<above>[ˡᵉ]*)(?P<side>[↘↙]?)"
    r"|(?P<arrow>→[lg])"
    r"|(?P<number>\d+)"
    r"|(?P<space>\s+)"
    r"|(?P<operator>:=|.)"
)
_PLAIN = str.maketrans("ₜₛₙₑˡᵉ", "tsnele")
_SPACED = "=≠≤≥<>∈∉⇒:=∧∨·∖+−×↦⋄"
"""Operators around which a browser leaves space by itself."""

_PROSE = ("if", "else", "in", "which", "for", "each", "where", "is", "bounded")
_SPACE = '<mspace width="0.25em"/>'


def inference(premises: Sequence[str], conclusion: Sequence[str]) -> str:
    """Return an inference rule: premises over a line over the conclusion; an axiom has nothing over the line."""
    above = _lines(premises) if premises else '<mspace width="6em"/>'
    fraction = f"<mfrac>{above}{_lines(conclusion)}</mfrac>"
    return f'<math display="block"><mstyle displaystyle="true" scriptlevel="0">{fraction}</mstyle></math>'


def lines(text: Iterable[str]) -> str:
    """Return formulas one below the other, aligned at the left."""
    return f'<math display="inline" class="left" displaystyle="true">{_lines(text)}</math>'


def _lines(text: Iterable[str]) -> str:
    return "<mtable>" + "".join(f"<mtr><mtd>{formula(line)}</mtd></mtr>" for line in text) + "</mtable>"


def formula(text: str) -> str:
    """Return one line of the notation. The result has every character of it, except spaces that a browser leaves
    itself."""
    parts = [match for match in _WORD.finditer(text) if match.group()]
    pieces = []
    for number, part in enumerate(parts):
        if part["space"]:
            beside = parts[number - 1].group() + (parts[number + 1].group() if number + 1 < len(parts) else "")
            if not any(character in _SPACED for character in beside):
                pieces.append(_SPACE)
        else:
            pieces.append(_part(part))
    return f"<mrow>{''.join(pieces)}</mrow>"


def _part(part: re.Match[str]) -> str:
    if part["overlined"]:
        name, _, below = part["overlined"].replace(OVERLINE, "").partition("_")
        # Not <mover>: a line above several letters needs a mathematical font, which not every reader has.
        over = f'<mi class="over">{name}</mi>'
        return f"<msub>{over}<mtext>{below}</mtext></msub>" if below else over
    if part["name"]:
        return _name(part)
    if part["arrow"]:
        return f"<mover><mo stretchy='false'>⟶</mo><mi>{part['arrow'][1]}</mi></mover>{_SPACE}"
    if part["number"]:
        return f"<mn>{part['number']}</mn>"
    if part["operator"] in "⊥∅↘↙↓":
        return _identifier(part["operator"])
    stretchy = ' stretchy="false"' if part["operator"] in "()[]⟨⟩|" else ""
    return f"<mo{stretchy}>{escape(part['operator'])}</mo>"


def _name(part: re.Match[str]) -> str:
    name, _, word = part["name"].partition("_")
    if name in _PROSE:
        return f"<mtext>{name}</mtext>"
    base = _identifier(name)
    below = (f"<mtext>{word}</mtext>" if word else "") + _identifier((part["below"] + part["side"]).translate(_PLAIN))
    above = _identifier(part["above"].translate(_PLAIN))
    if below and above:
        return f"<msubsup>{base}<mrow>{below}</mrow><mrow>{above}</mrow></msubsup>"
    if above:
        return f"<msup>{base}<mrow>{above}</mrow></msup>"
    return f"<msub>{base}<mrow>{below}</mrow></msub>" if below else base


def _identifier(name: str) -> str:
    return f"<mi>{escape(name)}</mi>" if name else ""
