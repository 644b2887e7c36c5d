"""What tests of editors ask of a guest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from parte.editing.analysis import Analysis
from parte.editing.support import Support, supported
from parte.semantics.source.tokens import Token
from tests.guests import modules


@dataclass(frozen=True, slots=True)
class Guest:
    """A guest: the package of its syntax, the tokens as its parser takes those of the scanner, and a text with a
    character or a sign that is no token.

    `completions` are texts that end where words are proposed, with some of these, and some that are not. `misspelt` is
    a text, the name in it that there is not, and what it is corrected to. `hovers` are texts, where in them the pointer
    is, and what is said there. `large` texts have work that could be quadratic, by a name. `identity` is what an
    editor calls a text and its path, which tell that it is of this language.
    """

    language: str
    syntax: str
    typed: Callable[[Sequence[Token]], Iterable[Token]]
    no_token: str
    completions: Sequence[tuple[str, set[str], set[str]]]
    misspelt: tuple[str, str, str]
    hovers: Sequence[tuple[str, str, list[str]]]
    large: Mapping[str, str]
    identity: tuple[str, str]


def joined(separator: str, item: str, count: int) -> str:
    """A long list; `{}` in an item is its number."""
    return separator.join(item.format(number) for number in range(count))


def unknown(support: Support, text: str) -> set[int]:
    """The places of names in a text that are no keywords and that the analysis does not find."""
    keywords = {*support.colouring.words, *support.units, "EVENT", "EVENTS"}
    known = {name.extent.start for name in Analysis(support, text).names.names}
    words = [token for token in support.tokens(text) if token.type == "NAME" and token.upper() not in keywords]
    return {token.start_pos for token in words} - known


def guests() -> Iterator[tuple[Support, Guest]]:
    """The guests, each with its part in editors."""
    supports = {support.language.name: support for support in supported()}
    for module in modules("editing/guest"):
        yield supports[module.GUEST.language], module.GUEST
