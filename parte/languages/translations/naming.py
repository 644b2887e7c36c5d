"""Reserved names of a language. A translation into it renames an item with such a name, or rejects it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.constructs import Construct, lacking, undeclared_in
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Span


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names that a language reserves.

    No name may be one of the `words`, which are compared after `fold`. `own` are the attributes that every event has:
    data may have an attribute of such a name, but in a program the name means that of the language.
    """

    language: str
    words: Collection[str]
    own: Collection[str] = ()
    fold: Callable[[str], str] = str

    def __contains__(self, name: str) -> bool:
        return self.fold(name) in self.words

    def free(self, name: str, taken: Collection[str], also: Callable[[str], Collection[str]] = lambda _: ()) -> str:
        """Return a name that is no word and not taken, and whose derived names (`also`) are not taken either."""
        while name in taken or name in self or not set(also(name)).isdisjoint(taken):
            name += "_"
        return name

    def refuse_template(self, name: str, span: Span, reporter: Reporter) -> None:
        """Report a template whose name is a word. It is not renamed, because the events of a trace have this name."""
        if name in self:
            message = f"`{name}` is a keyword of {self.language}, and can name no events"
            reporter.report("no-counterpart", span, message, "give the template another name")

    def refuse_undeclared(self, rule: core.Rule, declared: Collection[Construct], reporter: Reporter) -> None:
        """Report the constructs of level 2 in a rule, except for those that the translation to this language has.

        Raise ProgramError if there are any, or another was reported.
        """
        for construct, part in undeclared_in([rule], declared):
            message = lacking(construct, self.language)
            reporter.report("no-counterpart", part.span, message, "write a rule without it that means the same")
        reporter.raise_if_failed()

    def refuse_attribute(self, name: str, span: Span, reporter: Reporter) -> None:
        """Report an attribute that would mean something else. It is not renamed, for the same reason."""
        if name in self.own:
            message = f"`{name}` is an attribute that {self.language} gives to every event: it means its time"
            reporter.report("no-counterpart", span, message, "give the attribute another name")


def renamed(names: Mapping[str, str], marker: str) -> str:
    """Return lines of comment with the names that changed."""
    return "".join(f"{marker} `{name}` is called `{new}` here.\n" for name, new in names.items() if new != name)
