"""The rules of the languages beside PARTElang, as their records list them: for the pages of rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from parte.conformance.coverage import coverage
from parte.conformance.kit import KIT
from parte.conformance.suites import load_suite
from parte.languages.language import Language
from parte.languages.registry import languages
from parte.proofs.facets import LEMMAS, ROCQ
from parte.proofs.rocq.links import Statement
from parte.semantics.rulebook.listing import RULES
from parte.semantics.rulebook.registry import Rule

Table = Callable[[Sequence[str], Iterable[Sequence[str]]], str]


@dataclass(frozen=True, slots=True)
class _Listed:
    """A rule with its figures, and its links, in words."""

    rule: Rule
    figures: Sequence[tuple[str, str]]
    hanging: Sequence[str]


def _listed(language: Language) -> dict[str, list[_Listed]]:
    """Return the rules under their headings."""
    rules, listing = language[RULES].rules, language[RULES]
    covered = coverage(load_suite(language), language)
    lemmas = language[LEMMAS].lemmas if language.has(LEMMAS) else ()
    mutants = language[KIT].mutants()

    def of(identity: str) -> _Listed:
        cases = covered.rules.get(identity, ())
        case_text = (
            f"{len(cases)}, the first is `{cases[0]}`" if cases else f"none: {covered.unreachable.get(identity, '')}"
        )
        mutant_names = [mutant.name for mutant in mutants if mutant.rules[:1] == (identity,)]
        return _Listed(
            rules[identity],
            [
                (" and ".join(f"`{name}`" for name in names), drawn.render())
                for names, drawn in listing.figures(identity)
            ],
            [
                f"lemmas: {_codes(lemma.id for lemma in lemmas if identity in lemma.rules)}",
                f"mutants of the suite: {_codes(mutant_names)}",
                f"cases of the suite: {case_text}",
                *_stated(language, identity),
            ],
        )

    return {heading: [of(identity) for identity in listed] for heading, listed in listing.headings.items()}


def _stated(language: Language, identity: str) -> Iterator[str]:
    """Yield the definitions in Rocq that model a rule, and the theorems about it, if there are any."""
    if not language.has(ROCQ):
        return
    for heading, statements in zip(("definitions in Rocq", "theorems"), language[ROCQ].about(identity), strict=True):
        if statements:
            yield f"{heading}: {', '.join(map(_statement, statements))}"


def _statement(statement: Statement) -> str:
    return f"`{statement.name}` ({statement.file})"


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


def _others() -> Iterator[Language]:
    return iter(languages()[1:])


def listed_markdown(table: Table) -> str:
    """Return their part of rules.md."""
    parts = []
    for language in _others():
        parts.append(
            f"\n## {language.name}\n\nThe rules are functions, shown as they run: statements over the line, what the "
            f"function comes to below. Sections are those of {language.source}.\n\n"
        )
        for heading, listed in _listed(language).items():
            parts.append(f"### {language.name}: {heading}\n\n")
            parts += [_section(listed) for listed in listed]
        repairs = [(f"`{name}`", text) for name, text in language[RULES].repairs.items()]
        if repairs:
            parts.append(f"### {language.name}: repairs\n\n" + table(("repair", "what it does"), repairs))
    return "".join(parts)


def _section(listed: _Listed) -> str:
    rule = listed.rule
    figures = "".join(f"In {models}:\n\n```text\n{text}\n```\n\n" for models, text in listed.figures)
    hanging = "".join(f"- {text}\n" for text in listed.hanging)
    return f"#### {rule.id}\n\n({rule.name}), {_place(rule)}. {rule.summary}\n\n{figures}{hanging}\n"


def _place(rule: Rule) -> str:
    where = f"`{rule.function.__module__}.{rule.function.__qualname__}`"
    return f"§{rule.section}, {where}" if rule.section else where


def listed_html() -> str:
    """Return their part of rules-typeset.html."""
    parts = []
    for language in _others():
        for heading, listed in _listed(language).items():
            parts.append(f"<h2>{escape(language.name)}: {escape(heading)}</h2>\n")
            parts += [_html_section(listed) for listed in listed]
    return "".join(parts)


def _html_section(listed: _Listed) -> str:
    rule = listed.rule
    figures = "".join(
        f'<figure><pre>{escape(text)}</pre><figcaption class="models">{_coded(models)}</figcaption></figure>\n'
        for models, text in listed.figures
    )
    hanging = "".join(f"<li>{_coded(text)}</li>\n" for text in listed.hanging)
    return (
        f'<section id="{rule.id}">\n<h3>({escape(rule.name)})</h3>\n'
        f'<p><a href="rules.md#{rule.id.lower().replace("/", "")}"><code>{rule.id}</code></a>, {_coded(_place(rule))}. '
        f"{_coded(rule.summary)}</p>\n{figures}<ul>\n{hanging}</ul>\n</section>\n"
    )


def _coded(text: str) -> str:
    marked = escape(text, quote=False).split("`")
    return "".join(part if number % 2 == 0 else f"<code>{part}</code>" for number, part in enumerate(marked))
