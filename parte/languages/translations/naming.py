"""Names that mean something in a language: what is translated into it gets others, or is refused."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Span


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names that a language keeps for itself.

    Nothing can be called like one of the `words`, which are compared after `fold`. `own` are attributes that every
    event has: in data an attribute may be called so, in a program the name means that of the language.
    """

    language: str
    words: Collection[str]
    own: Collection[str] = ()
    fold: Callable[[str], str] = str

    def __contains__(self, name: str) -> bool:
        return self.fold(name) in self.words

    def free(self, name: str, taken: Collection[str], also: Callable[[str], Collection[str]] = lambda _: ()) -> str:
        """A name that is no word and not taken, and for which nothing is taken that is called after it."""
        while name in taken or name in self or not set(also(name)).isdisjoint(taken):
            name += "_"
        return name

    def refuse_template(self, name: str, span: Span, reporter: Reporter) -> None:
        """Report a template whose name is a word. It is not renamed: it is what the events of a trace have."""
        if name in self:
            message = f"`{name}` is a keyword of {self.language}, and can name no events"
            reporter.report("no-counterpart", span, message, "give the template another name")

    def refuse_attribute(self, name: str, span: Span, reporter: Reporter) -> None:
        """Report an attribute that would mean something else. It is not renamed either."""
        if name in self.own:
            message = f"`{name}` is an attribute that {self.language} gives to every event: it means its time"
            reporter.report("no-counterpart", span, message, "give the attribute another name")


def renamed(names: Mapping[str, str], marker: str) -> str:
    """Lines of comment that say what is called otherwise than before."""
    return "".join(f"{marker} `{name}` is called `{new}` here.\n" for name, new in names.items() if new != name)
