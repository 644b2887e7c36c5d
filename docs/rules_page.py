"""The inference rules as text for `rules.md`, and as the page `rules-typeset.html`, typeset in MathML.

Both show what `parte.semantics.partelang.rules.figures` reads out of the code. The typeset page is HTML because MathML
is what browsers lay out by themselves, with text that can be searched and read aloud; as a page of its own because the
viewers of Markdown drop it. `rules.md` has the same figures as text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape

from docs.listed_rules import listed_html, listed_markdown
from docs.rule_links import RuleLinks, rule_links
from parte.drawing.mathml import inference, lines
from parte.proofs.lemma import SOUND, Lemma
from parte.proofs.rocq.links import Statement
from parte.semantics.partelang.repairs import MODELS, Family, Repairs
from parte.semantics.partelang.rulebook import RULEBOOK
from parte.semantics.partelang.rules.figures import auxiliaries, by_figure
from parte.semantics.partelang.rules.registry import MachineRule
from parte.semantics.rulebook.figures import Auxiliary, grouped

Table = Callable[[Sequence[str], Iterable[Sequence[str]]], str]

TYPESET = "rules-typeset.html"

HEADINGS = {
    Family.FEATHERWEIGHT: "One node, one token: `published` and `sound` (D §5.4)",
    Family.RUDIMENTARY: "One node, one token: `rudimentary` (D §5.2)",
    None: "The network: all models (D §5.2.5, §5.4.7)",
}

NOTATION = (
    "The figures are read out of the functions that run (`parte.semantics.partelang.rules.figures`), so that a change "
    "of a rule changes them. Premises stand in the order of the code, which is D's for `published` and `rudimentary`. "
    "Where a repair makes a difference there is one figure for each model. What a node never changes is left out of "
    "𝒟: its condition c, the windows dist, its template ιₜₙ. p̅m̅ and e̅ are the left and the right history, ℓmap↘ "
    "and ℓ↙ what each side has promised, sℓmap what each source has; a subscript t means the token's own. *entry* is "
    "the payload with the interval in which it is live and its key, the values that equality conditions compare. "
    "Lists are in order: tokens of one step form a sequence. A rule whose premise of room or turn fails waits."
)

LINKS: Sequence[tuple[str, Callable[[RuleLinks], str]]] = (
    ("lemmas", lambda links: _codes(lemma.id for lemma in links.lemmas)),
    ("mutants of the lemmas", lambda links: _codes(links.mutants)),
    ("cases of the suite", lambda links: _cases(links)),
    ("definitions in Rocq", lambda links: _stated(links.definitions)),
    ("theorems", lambda links: _stated(links.theorems)),
)
"""Kinds of links of a rule: a heading, and the function that returns the text under it."""


def _cases(links: RuleLinks) -> str:
    if not links.cases:
        return f"none: {links.unreachable}"
    return f"{len(links.cases)}, the first is {_codes(links.cases[:1])}"


def _stated(statements: Sequence[Statement]) -> str:
    return (
        ", ".join(f"`{statement.name}` ({statement.file})" for statement in statements)
        or "none: the theorem is about `sound`"
    )


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def statuses(info: MachineRule, links: RuleLinks) -> Iterator[tuple[str, str, str, str]]:
    """Return for each model whether it has the rule, its proved lemmas, and its refuted lemmas with their defects."""
    for model in MODELS:
        if model not in info.models:
            yield model, "has no such rule", "", ""
        else:
            proved, refuted = links.proved(model), links.refuted(model)
            yield model, "has it", f"{len(proved)} proved", ", ".join(map(_refutation, refuted)) or "none refuted"


def _refutation(lemma: Lemma) -> str:
    otherwise = "false in every model" if lemma.home == SOUND else f"D §{lemma.section}"
    reasons = ", ".join(f"defect {number}" for number in lemma.defects)
    return f"`{lemma.id}` ({reasons or otherwise})"


def rules_markdown(table: Table) -> str:
    """Return the rules as figures in text, each with its lemmas, mutants, cases and counterparts in Rocq."""
    links = {rule_links.rule: rule_links for rule_links in rule_links()}
    overview = [
        (f"[`{i.id}`](#{anchor(i)})", i.name, i.section, ", ".join(i.models), i.summary) for i in RULEBOOK.values()
    ]
    sections = []
    for family, heading in HEADINGS.items():
        sections.append(f"## {heading}\n\n")
        sections += [_section(info, links[info.id], table) for info in RULEBOOK.values() if info.family is family]
    declared = enumerate(Repairs.declared().items(), 1)
    repairs = [(str(number), f"`{name}`", repair.text) for number, (name, repair) in declared]
    return (
        f"The same rules are typeset: [rules-typeset.html]({TYPESET}).\n\n{NOTATION}\n\n"
        + table(("id", "name in D", "section", "models", "what it does"), overview)
        + "\n"
        + "".join(sections)
        + "## Auxiliary functions\n\nWhat the rules above call, read out of the code too (D fig. 5.4, 5.5).\n\n"
        + "".join(_auxiliary(names, auxiliary) for names, auxiliary in shared_functions())
        + "## Repairs\n\nThe number is that of the defect in [defects.md](defects.md).\n\n"
        + table(("", "repair", "what it does"), repairs)
        + listed_markdown(table)
    )


def anchor(info: MachineRule) -> str:
    """Return the anchor that viewers of Markdown give the heading of a rule."""
    return info.id.lower().replace("/", "")


def _section(info: MachineRule, links: RuleLinks, table: Table) -> str:
    figures = "".join(
        (f"In {_models(names)}:\n\n" if len(info.models) > len(names) else "") + f"```text\n{drawn.render()}\n```\n\n"
        for names, drawn in by_figure(info)
    )
    hanging = "\n".join(f"- {name}: {text(links)}" for name, text in LINKS) + "\n\n"
    return (
        f"### {info.id}\n\n({info.name}), D §{info.section}, {place(info)}. {info.summary}\n\n{figures}"
        + table(("model", "", "lemmas", "refuted"), statuses(info, links))
        + f"\n{hanging}"
    )


def _models(names: Iterable[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)


def place(info: MachineRule) -> str:
    """Return the function without its line (which `parte rules` has), so that edits above it do not change the page."""
    return f"`{info.function.__module__}.{info.function.__qualname__}`"


def shared_functions() -> list[tuple[list[str], Auxiliary]]:
    """Return the auxiliary functions, each with the models that have this form of it."""
    functions = grouped(MODELS, lambda name: auxiliaries(MODELS[name]))
    return sorted(functions, key=lambda pair: [auxiliary.name for _, auxiliary in functions].index(pair[1].name))


def _auxiliary(names: Sequence[str], auxiliary: Auxiliary) -> str:
    where = "" if len(names) == len(MODELS) else f"In {_models(names)}:\n\n"
    text = "\n".join([auxiliary.head, *(f"  {line}" for line in auxiliary.lines)])
    return f"{where}```text\n{text}\n```\n\n"


# --- Typeset ---------------------------------------------------------------------------------------------------------

STYLE = """
:root { color-scheme: light dark; --ink: #111; --paper: #fff; --quiet: #555; --line: #ccc; --link: #0b5cad; }
@media (prefers-color-scheme: dark) {
:root { --ink: #e4e9ee; --paper: #14181d; --quiet: #9aa7b3; --line: #333c46; --link: #7db7f2; } }
body { font-family: serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; line-height: 1.4; color: var(--ink);
background: var(--paper); overflow-wrap: anywhere; } a { color: var(--link); }
math { font-size: 1.1rem; } mi.over { border-top: 1px solid; padding-top: .08em; }
mtd { white-space: normal; }
math.left { text-align: left; margin: .4rem 0 .4rem 1rem; }
math.left mtd { text-align: left; padding: .1rem .3rem; } mfrac mtd { padding: .18rem .5rem; }
ul { margin: .4rem 0; padding-left: 1.2rem; font-size: .9rem; }
section { border-top: 1px solid var(--line); padding: .6rem 0 1rem; }
h3 { margin: .3rem 0; font-variant: small-caps; } p { margin: .3rem 0; }
.models { color: var(--quiet); font-size: .9rem; } table { border-collapse: collapse; font-size: .9rem; }
figure, .wide { margin: .8rem 0; overflow-x: auto; overflow-y: hidden; }
td, th { padding: .1rem .7rem .1rem 0; text-align: left; vertical-align: top; } code { font-size: .85em; }
@media (min-width: 48rem) { td:not(:last-child) { white-space: nowrap; } }
"""


def rules_html() -> str:
    """Return the page of typeset rules, with their status and links; it needs no other file.

    Its links lead to pages of Markdown, which the site has as HTML (`docs.conf.with_typeset_rules`).
    """
    links = {rule_links.rule: rule_links for rule_links in rule_links()}
    parts = []
    for family, heading in HEADINGS.items():
        parts.append(f"<h2>{_html(heading)}</h2>\n")
        parts += [_typeset(info, links[info.id]) for info in RULEBOOK.values() if info.family is family]
    parts.append("<h2>Auxiliary functions</h2>\n")
    parts += [_typeset_auxiliary(names, auxiliary) for names, auxiliary in shared_functions()]
    headings, body = _with_contents("".join(parts) + listed_html())
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>PARTE: inference rules</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n"
        '<nav><a href="index.md">PARTE</a>, <a href="rules.md">the same as text</a>, '
        '<a href="lemmas.md">what the lemmas say</a>, <a href="machine.md">the machine</a></nav>\n'
        f"<h1>Inference rules</h1>\n<p>{_html(NOTATION)}</p>\n"
        f"{headings}{body}</body>\n</html>\n"
    )


def _with_contents(body: str) -> tuple[str, str]:
    """Return links to the headings of a page, and the page with a name for each."""
    headings = re.findall("<h2>(.*)</h2>", body)
    for number, heading in enumerate(headings, 1):
        body = body.replace(f"<h2>{heading}</h2>", f'<h2 id="part-{number}">{heading}</h2>')
    listed = "".join(f'<li><a href="#part-{number}">{heading}</a></li>\n' for number, heading in enumerate(headings, 1))
    return f'<nav aria-label="Contents"><ul>\n{listed}</ul></nav>\n', body


def _typeset(info: MachineRule, links: RuleLinks) -> str:
    figures = "".join(
        f'<figure>{inference(drawn.premises, drawn.conclusion)}<figcaption class="models">{", ".join(names)}'
        "</figcaption></figure>\n"
        for names, drawn in by_figure(info)
    )
    rows = "".join(
        "<tr>" + "".join(f"<td>{_html(cell)}</td>" for cell in row) + "</tr>\n" for row in statuses(info, links)
    )
    hanging = "".join(f"<li>{name}: {_html(text(links))}</li>\n" for name, text in LINKS)
    return (
        f'<section id="{info.id}">\n<h3>({escape(info.name)})</h3>\n'
        f'<p><a href="rules.md#{anchor(info)}"><code>{info.id}</code></a>, D §{info.section}, '
        f"{_html(place(info))}. {_html(info.summary)}</p>\n{figures}<table>\n{rows}</table>\n<ul>\n{hanging}</ul>\n"
        "</section>\n"
    )


def _typeset_auxiliary(names: Sequence[str], auxiliary: Auxiliary) -> str:
    models = "" if len(names) == len(MODELS) else f'<p class="models">{", ".join(names)}</p>\n'
    return f'{models}<div class="wide">{lines([auxiliary.head, *auxiliary.lines])}</div>\n'


def _html(text: str) -> str:
    """Return text with `code` and *emphasis* as HTML."""
    marked = escape(text, quote=False).split("`")
    coded = "".join(part if number % 2 == 0 else f"<code>{part}</code>" for number, part in enumerate(marked))
    starred = coded.split("*")
    return "".join(part if number % 2 == 0 else f"<em>{part}</em>" for number, part in enumerate(starred))
