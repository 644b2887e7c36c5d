"""Mappings: what is wrong in one is named, with its place, and the schema takes what the reader takes."""

from __future__ import annotations

import pytest

from parte.logs.mapping import MappingError, parts_of, read_mapping

WHOLE = '[timestamp]\npath = "t"\n[[template]]\nname = "A"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[timestamp", "not TOML"),
        ('[timestamp]\npath = "t"', '$: the key "template" is missing'),
        (WHOLE.replace('path = "t"', "path = 7"), "$.timestamp.path: expected a string, found the integer 7"),
        (WHOLE + "extra = 1\n", 'the key "extra" is unknown'),
        (WHOLE.replace('"A"', '"a-b"'), "template a-b: a name has letters, digits and _"),
        (WHOLE.replace('"A"', '"a-b"'), "hint: as ab"),
        (WHOLE + 'attributes.k = { type = "Number" }\n', 'template A, attribute k: there is no type "Number"'),
        (WHOLE + 'attributes.k = { type = "Number" }\n', "hint: there are: Boolean, Float, Integer, String"),
        (WHOLE + 'attributes.k = { type = "string" }\n', "did you mean String?"),
        (WHOLE + 'attributes.k = { pth = "p", type = "String" }\n', "did you mean path?"),
        (WHOLE + 'attribute.k = { type = "String" }\n', "did you mean attributes?"),
        (
            WHOLE.replace('"t"', '"t"\nform = ["iso"]'),
            'timestamp: the key "form" is unknown\n  hint: did you mean forms?',
        ),
        ("ids = 1\n" + WHOLE, "did you mean id?"),
        (WHOLE + 'attributes.k = { type = "Integer", default = "x" }\n', "default: expected Integer, found 'x'"),
        (WHOLE + 'attributes.k = { type = "Integer", default = true }\n', "default: expected Integer, found True"),
        (WHOLE + 'attributes.k = { type = "Float", constant = 1, path = "p" }\n', "neither path nor default"),
        (WHOLE + 'attributes.k = { type = "Float", default = 1, optional = true }\n', "is never missing"),
        (WHOLE + 'attributes.k = { type = "Float", path = "a..b" }\n', "found 'a..b'"),
        (WHOLE.replace('"t"', '"t"\nzone = "Europe/Berlim"'), "no time zone is called 'Europe/Berlim'"),
        (WHOLE.replace('"t"', '"t"\nforms = ["isso"]'), "'isso' is neither a form nor a format"),
        (WHOLE + '[[template]]\nname = "A"\n', "A is described more than once"),
    ],
)
def test_what_is_wrong_is_named(text: str, message: str) -> None:
    with pytest.raises(MappingError) as raised:
        read_mapping(text, filename="m.toml")
    assert message in str(raised.value)
    assert "m.toml" in str(raised.value)


def test_hints_name_what_was_meant() -> None:
    text = WHOLE.replace('"t"', '"t"\nzone = "Europe/Berlim"\nforms = ["isso"]')
    with pytest.raises(MappingError, match=r"did you mean Europe/Berlin\?(.|\n)*did you mean iso\?"):
        read_mapping(text)


def test_a_hint_on_types_stands_where_types_are_wrong() -> None:
    with pytest.raises(MappingError) as raised:
        read_mapping("[timestamp")
    assert "Integer" not in str(raised.value)
    assert "`parte log --suggest RAW` writes a mapping" in str(raised.value)


def test_parts_of_paths() -> None:
    assert parts_of('a."b.c".@d-e') == ("a", "b.c", "@d-e")
    for path in ("", ".", "a.", ".a", "a b", '"a', "a/b", "a..b"):
        with pytest.raises(ValueError, match="separated by dots"):
            parts_of(path)
