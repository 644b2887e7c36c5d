"""TOML within limits: what is too large or too deep is refused before it is parsed."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

from parte.checker.environment.deployment import DeploymentError, read_deployment
from parte.semantics.events.records import BadRecord, read_records
from parte.semantics.events.stricttoml import MAX_CHARACTERS, MAX_DEPTH, MalformedToml, decode

ROOT = Path(__file__).resolve().parents[3]

LARGE = {
    "a dotted key": ("a." * 30_000 + "b = 1", "a key has more than 64 parts (at line 1, column 129)"),
    "a quoted key": ('x = 1\n"a".' + "'a' . " * 30_000 + "b = 1", "a key has more than 64 parts (at line 2"),
    "a table": ("[" + "a." * 30_000 + "b]", "a key has more than 64 parts (at line 1"),
    "a key in a table": ("a = {" + "a." * 30_000 + "b = 1}", "a key has more than 64 parts (at line 1"),
    "lists": ("a = " + "[" * 65 + "]" * 65, "more than 64 brackets are open at once (at line 1, column 69)"),
    "tables": ("a = " + "{b = " * 65 + "1" + "}" * 65, "more than 64 brackets are open at once"),
    "a text": ("#" * (MAX_CHARACTERS + 1), "it has more than 1,048,576 characters"),
}


@pytest.mark.parametrize("name", LARGE)
def test_what_is_beyond_the_limits_is_not_parsed(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text, message = LARGE[name]
    parsed: list[str] = []
    monkeypatch.setattr(tomllib, "loads", parsed.append)
    with pytest.raises(MalformedToml) as raised:
        decode(text)
    assert message in str(raised.value)
    with pytest.raises(DeploymentError, match="not usable TOML"):
        read_deployment(text)
    path = tmp_path / "records.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadRecord, match="not usable TOML"):
        read_records(path, "mutant", object)
    assert parsed == []


@pytest.mark.parametrize(
    "text",
    [
        ".".join(["a"] * MAX_DEPTH) + " = 1",
        "a = " + "[" * MAX_DEPTH + "]" * MAX_DEPTH,
        'a = "' + "a." * 1000 + '"',
        'a = """' + "[{a.\n" * 1000 + '"""',
        "a = '''" + '[{"a.\n' * 1000 + "'''",
        "a = '" + "a." * 1000 + "'",
        'a = "' + '\\"[' * 1000 + '"',
        "# " + "a." * 1000 + "[" * 1000,
        "a = [" + "1.5, " * 1000 + "]",
        "a = 1\n" + "\n".join(f"a{number}.b = [[1.0], {{c.d = 2}}]" for number in range(1000)),
    ],
)
def test_what_is_within_them_is_read_as_it_is(text: str) -> None:
    assert decode(text) == tomllib.loads(text)


def test_every_reader_of_the_product_keeps_to_the_limits() -> None:
    """Whatever is read from outside goes through `stricttoml`; data of a package of its own need not."""
    own = {
        "parte/semantics/events/stricttoml.py",
        "parte/semantics/source/diagnostics.py",
        "parte/semantics/source/parts.py",
        "parte/proofs/certificates/forms.py",  # imports nothing of ours
    }
    readers = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "parte").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import) and any(alias.name == "tomllib" for alias in node.names)
    }
    own |= {name for name in readers if re.fullmatch(r"parte/languages/\w+/experiments/\w+\.py", name)}
    assert readers == own
    for name in own - {"parte/semantics/events/stricttoml.py"}:
        text = (ROOT / name).read_text(encoding="utf-8")
        assert any(reader in text for reader in ("resources.files(", "files(__package__)", "data_file("))
