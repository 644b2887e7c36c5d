"""The parser that a table drives, beside that of lark on the same grammar."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark, exceptions
from lark.lexer import Token as TokenOfLark

from docs.tables import tables
from parte.semantics.source import automaton
from parte.semantics.source.automaton import Automaton, UnexpectedToken, tables_of
from parte.semantics.source.tables import computed
from parte.semantics.source.tokens import Token

FILES = [path.relative_to(Path(__file__).parents[3]).parent for path in tables()]


class Builder:
    """Each rule becomes its name with its children."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not name.islower():
            raise AttributeError(name)
        return lambda children: (name, [str(child) if isinstance(child, str) else child for child in children])


def of_lark(package: str) -> Lark:
    text = Path(*package.split("."), "grammar.lark").read_text(encoding="utf-8")
    builder: Any = Builder()
    return Lark(
        text,
        parser="lalr",
        start=list(automaton.tables_of(package, starts_of(package)).starts),
        transformer=builder,
        keep_all_tokens=True,
        maybe_placeholders=False,
    )


def starts_of(package: str) -> list[str]:
    for value in vars(import_module(f"{package}.parser")).values():
        grammar = getattr(value, "grammar", value)
        if hasattr(grammar, "starts"):
            return list(grammar.starts)
    raise AssertionError(f"{package} has no grammar")


@pytest.mark.parametrize("folder", FILES, ids=str)
def test_parses_as_lark_does(folder: Path) -> None:
    package = ".".join(folder.parts)
    lark = of_lark(package)
    table = tables_of(package, starts_of(package))
    kinds = sorted({kind for row in table.states for kind in row if kind.isupper()} - {automaton.END})

    @given(st.data())
    def agrees(data: st.DataObject) -> None:
        start = data.draw(st.sampled_from(sorted(table.starts)))
        ours = Automaton(table, Builder()).parser(start)
        theirs: Any = lark.parse_interactive(start=start)
        for number in range(data.draw(st.integers(0, 25))):
            accepted = ours.accepts()
            assert accepted == theirs.accepts()
            fitting = sorted(accepted - {automaton.END})
            kind: str = data.draw(st.sampled_from(fitting if fitting and data.draw(st.integers(0, 20)) > 0 else kinds))
            try:
                theirs.feed_token(TokenOfLark(kind, f"{number}"))
            except exceptions.UnexpectedToken:
                with pytest.raises(UnexpectedToken):
                    ours.feed_token(Token(kind, f"{number}"))
                return
            ours.feed_token(Token(kind, f"{number}"))
        if automaton.END in ours.accepts():
            assert ours.feed_eof() == theirs.feed_eof()
        else:
            with pytest.raises(UnexpectedToken):
                ours.feed_eof()

    agrees()


def test_a_table_of_another_text_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = "parte.languages.etalis.semantics.syntax"
    grammar = Path(*package.split("."), "grammar.lark").read_text(encoding="utf-8")
    (tmp_path / "grammar.lark").write_text(f"{grammar}\n// other", encoding="utf-8")
    (tmp_path / "grammar.tables.json").write_text(computed(grammar, ["rule"]).to_json(), encoding="utf-8")
    monkeypatch.setattr(automaton, "data_file", lambda _, name: tmp_path / name)
    assert tables_of(package, ["rule"]) == computed(f"{grammar}\n// other", ["rule"])
