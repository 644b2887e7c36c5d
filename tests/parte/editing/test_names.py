"""Names are found where the trees of the parsers have them, and lead to their declarations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.conformance.fuzz.draw import seeded
from parte.conformance.partelang.drawing import ProgramShape, drawn_program
from parte.editing.analysis import Analysis
from parte.editing.names import Entity, Extent, Sort
from parte.editing.partelang.names import TIMESTAMP
from parte.editing.positions import Lines
from parte.editing.renaming import NotRenamed, renamable, renamed
from parte.editing.support import Support, colourings, supported
from parte.languages.registry import languages
from parte.semantics.partelang.syntax import ast, functions
from parte.semantics.partelang.syntax.parser import parse_source
from parte.semantics.partelang.syntax.printer import print_program
from parte.semantics.source.spans import Position
from tests.parte.editing.texts import damaged, programs

SUPPORTED = supported()
PARTELANG = SUPPORTED[0]
each_language = pytest.mark.parametrize("support", SUPPORTED, ids=lambda support: support.colouring.language)
Found = tuple[Position, Entity]
DRAWN = [print_program(drawn_program(seeded(number), ProgramShape(level=2)).source) for number in range(60)]
"""Programs with named patterns, some of which use others."""


def of_the_tree(program: ast.SourceProgram) -> Iterator[Found]:
    """The names of a program in PARTElang, as its tree has them."""
    predicates = {item.name for item in program.declarations if isinstance(item, ast.Predicate)}
    patterns = {item.name: item.body for item in program.declarations if isinstance(item, ast.NamedPattern)}
    for item in program.declarations:
        match item:
            case ast.TypeAlias(name, target):
                yield item.name_span.start, Entity(Sort.TYPE, "", name)
                yield of_type(target)
            case ast.Predicate(name, parameters):
                yield item.name_span.start, Entity(Sort.PREDICATE, "", name)
                yield from map(of_type, parameters)
            case ast.Template(name, slots):
                yield item.name_span.start, Entity(Sort.TEMPLATE, "", name)
                for slot in slots:
                    yield slot.span.start, Entity(Sort.ATTRIBUTE, name, slot.name)
                    yield of_type(slot.type)
            case ast.Rule():
                yield item.name_span.start, Entity(Sort.RULE, "", item.name)
                yield from of_rule(item, item.name, predicates, patterns)
            case ast.NamedPattern(name, inputs, exports, body):
                yield item.name_span.start, Entity(Sort.PATTERN, "", name)
                owner = f"pattern {name}"
                for parameter in inputs:
                    yield parameter.span.start, Entity(Sort.VARIABLE, owner, parameter.name)
                    yield of_type(parameter.type)
                for export in exports:
                    yield from of_variable(export.name, export.span.start, owner, body, patterns)[0]
                yield from of_rule(body, owner, predicates, patterns, {parameter.name for parameter in inputs})


Bodies = Mapping[str, ast.Rule]


def of_variable(
    name: str, place: Position, owner: str, body: ast.Rule, patterns: Bodies
) -> tuple[list[Found], str | None]:
    """The parts of the name of a variable, and the template of its events; None if it is the name of a use."""
    parts = list[Found]()
    template = None
    for part in name.split("."):
        parts.append((place, Entity(Sort.VARIABLE, owner, part)))
        place = Position(place.line, place.column + len(part) + 1)
        uses = {use.name: use.pattern for use in body.uses}
        template = next((item.template for item in body.patterns if item.variable == part), None)
        if part in uses:
            owner, body = f"pattern {uses[part]}", patterns[uses[part]]
    return parts, template


def of_type(type_: ast.TypeExpression) -> Found:
    named = type_ if isinstance(type_, ast.NamedType) else type_.element
    return named.span.start, Entity(Sort.TYPE, "", named.name)


def of_rule(
    rule: ast.Rule, owner: str, predicates: set[str], patterns: Bodies, parameters: Collection[str] = ()
) -> Iterator[Found]:
    def variable(name: str) -> Entity:
        return Entity(Sort.VARIABLE, owner, name)

    def path(name: str, place: Position) -> list[Found]:
        return of_variable(name, place, owner, rule, patterns)[0]

    def attribute(template: str, name: str) -> Entity:
        return Entity(Sort.ATTRIBUTE, "" if name == TIMESTAMP else template, name)

    timed = set[int]()

    def expression(root: ast.Expression, here: str) -> Iterator[Found]:
        for node in ast.NODES.within(root):
            if isinstance(node, ast.Call):
                if node.name in functions.of_clocks() and node.name not in predicates:
                    timed.update(id(argument) for argument in node.arguments[:1])
                sort = Sort.PREDICATE if node.name in predicates else Sort.FUNCTION
                yield node.span.start, Entity(sort, "", node.name)
            elif isinstance(node, ast.Reference):
                if node.variable is None and (not here or id(node) in timed or node.attribute in parameters):
                    yield node.span.start, variable(node.attribute)  # a set in an aggregate, or an argument of a clock
                elif node.variable is None:
                    yield node.span.start, attribute(here, node.attribute)
                else:
                    names, template = of_variable(node.variable, node.span.start, owner, rule, patterns)
                    if template is None:  # the variable of a used pattern, in an aggregate or a clock
                        yield from path(node.name, node.span.start)
                        continue
                    yield from names
                    end = node.span.end
                    yield Position(end.line, end.column - len(node.attribute)), attribute(template, node.attribute)

    for use in rule.uses:
        yield use.pattern_span.start, Entity(Sort.PATTERN, "", use.pattern)
        yield use.name_span.start, variable(use.name)
        for argument in use.arguments:
            yield from expression(argument, "")
    for pattern in rule.patterns:
        yield pattern.variable_span.start, variable(pattern.variable)
        for alternative in pattern.alternatives:
            yield alternative.span.start, variable(pattern.variable)
        for choice in pattern.choices:
            yield choice.template_span.start, Entity(Sort.TEMPLATE, "", choice.template)
            for condition in choice.conditions:
                yield from expression(condition, choice.template)
    for constraint in rule.constraints:
        yield from path(constraint.subject, constraint.subject_span.start)
        yield from path(constraint.reference, constraint.reference_span.start)
    for condition in rule.having:
        yield from expression(condition, "")
    for emission in rule.emissions:
        yield emission.template_span.start, Entity(Sort.TEMPLATE, "", emission.template)
        yield from expression(emission.at, "")
        for given_ in emission.assignments:
            yield given_.span.start, Entity(Sort.ATTRIBUTE, emission.template, given_.attribute)
            yield from expression(given_.value, "")
        for key in () if emission.once is None else emission.once.keys:
            yield key.span.start, Entity(Sort.ATTRIBUTE, emission.template, key.attribute)


def test_names_of_partelang_are_those_of_the_tree() -> None:
    sorts: Counter[Sort] = Counter()
    for text in (*programs(PARTELANG), *DRAWN):
        lines = Lines(text)
        expected = {(lines.offset_of(place), entity) for place, entity in of_the_tree(parse_source(text))}
        names = Analysis(PARTELANG, text).names.names
        assert {(name.extent.start, name.entity) for name in names} == expected, text
        assert [name.extent.start for name in names] == sorted(start for start, _ in expected)
        sorts.update(entity.sort for _, entity in expected)
    assert min(sorts[sort] for sort in Sort if sort not in (Sort.EVENT, Sort.STREAM)) > 30, sorts


@each_language
def test_a_use_leads_to_a_declaration_of_that_name(support: Support) -> None:
    used: Counter[Sort] = Counter()
    for text in programs(support):
        names = Analysis(support, text).names
        for name in names.names:
            for declaration in names.declarations(name.entity):
                assert text[slice(*declaration.extent)] == name.entity.name == text[slice(*name.extent)]
                assert declaration.declares is not None
                assert declaration.declares.start <= declaration.extent.start
                assert declaration.extent.end <= declaration.declares.end
                used[name.entity.sort] += name.declares is None
            given_ = any(name.entity.name in words for choice, words in names.given_names.items())
            if support.exact:
                assert names.declarations(name.entity) or given_, name
    assert max(used.values()) > 10


def test_every_language_is_served() -> None:
    assert [support.colouring for support in SUPPORTED] == list(colourings())
    assert [support.language.name for support in SUPPORTED] == [language.name for language in languages()]


@given(damaged())
def test_names_of_any_text(given_: tuple[Support, str]) -> None:
    support, text = given_
    names = Analysis(support, text).names
    starts = [name.extent.start for name in names.names]
    assert starts == sorted(set(starts))
    for name in names.names:
        assert text[slice(*name.extent)] == name.entity.name
        assert names.at(name.extent.start) is name
        assert name.declares is None or 0 <= name.declares.start < name.declares.end <= len(text)


@given(st.sampled_from(programs(PARTELANG)) | st.sampled_from(DRAWN), st.data())
def test_a_renamed_program_says_the_same(text: str, data: st.DataObject) -> None:
    offsets = [name.extent.start for name in Analysis(PARTELANG, text).names.names]
    if not offsets:
        return
    offset = data.draw(st.sampled_from(offsets))
    name = renamable(Analysis(PARTELANG, text), offset)
    if name is None:
        return
    anew = _replaced(text, renamed(Analysis(PARTELANG, text), offset, "renamed_"), "renamed_")
    assert Analysis(PARTELANG, anew).program is not None
    again = Analysis(PARTELANG, anew).names
    # An attribute that a variable has in all of its alternatives has an entity for each template.
    entity = next(name.entity for name in again.names if name.entity.name == "renamed_")
    assert _replaced(anew, [name.extent for name in again.of(entity)], name.entity.name) == text


def _replaced(text: str, places: Sequence[Extent], word: str) -> str:
    for start, end in sorted(places, reverse=True):
        text = text[:start] + word + text[end:]
    return text


@pytest.mark.parametrize("word", ["1a", "a b", "", "rule", "minutes", "B", "x" * 129])
def test_what_is_no_name_or_taken_is_refused(word: str) -> None:
    text = "template A { k : Integer }\ntemplate B { k : Integer }\nrule R where a : A { k = 1 }\n"
    with pytest.raises(NotRenamed):
        renamed(Analysis(PARTELANG, text), text.index("A {"), word)


def test_what_is_declared_nowhere_is_not_renamed() -> None:
    with pytest.raises(NotRenamed):
        renamed(Analysis(PARTELANG, "template A { k : Integer }"), 18, "Whole")
