"""Imports of level 2: a program in several files is the program as one text; errors name the file in which they are."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import parte
from parte.checker.partelang.check import check
from parte.conformance.partelang.strategies import ProgramShape, programs, traces
from parte.editing.analysis import Analysis
from parte.editing.support import support_of
from parte.languages.partelang import PARTELANG
from parte.semantics.events.event import TraceItem
from parte.semantics.partelang.syntax import ProgramError, ast, core, parse, parse_source
from parte.semantics.partelang.syntax.limits import MAX_IMPORTED_FILES, MAX_NESTED_IMPORTS
from parte.semantics.partelang.syntax.printer import print_program
from parte.semantics.source.limits import MAX_SOURCE_CHARACTERS
from parte.semantics.source.text import TEXT
from tests.guests import is_absent
from tests.parte.examples import Command

SHARED = "level 2\ntemplate A { k : Integer }\n"
PATTERNS = """level 2
import "shared.parte"
pattern P(x : Integer) exports a where a : A { k = x } end
"""
MAIN = """level 2
import "lib/patterns.parte" // and what it needs
import "lib/shared.parte"

rule R where use P(3) as p, b : A when b in p.a [1 ms, 5 ms]
"""
WHOLE = """level 2
template A { k : Integer }
pattern P(x : Integer) exports a where a : A { k = x } end
rule R where use P(3) as p, b : A when b in p.a [1 ms, 5 ms]
"""


def written(folder: Path, files: dict[str, str]) -> str:
    """The path of the first of some files, which are written into a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return str(folder / next(iter(files)))


@pytest.fixture
def main(tmp_path: Path) -> str:
    return written(tmp_path, {"main.parte": MAIN, "lib/patterns.parte": PATTERNS, "lib/shared.parte": SHARED})


def errors(path: str, folder: Path, include: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """The errors of a program: their places, below a folder, and codes."""
    with pytest.raises(ProgramError) as caught:
        parte.load_program(path, include=include)
    assert all(diagnostic.hint and diagnostic.source_line for diagnostic in caught.value.diagnostics)
    places = [diagnostic.render(path).split(": ")[0] for diagnostic in caught.value.diagnostics]
    codes = [diagnostic.code for diagnostic in caught.value.diagnostics]
    return [(place.removeprefix(f"{folder}/"), code) for place, code in zip(places, codes, strict=True)]


def test_a_program_in_files_is_the_program_as_one_text(main: str) -> None:
    program = parte.load_program(main)
    assert program == parse(WHOLE)
    assert program.source.imports == ()
    assert program.warnings == ()


# --- Any program, split at random -------------------------------------------------------------------------------------


@st.composite
def split(draw: st.DrawFn) -> tuple[core.Program, tuple[TraceItem, ...], dict[str, str]]:
    """A program, a trace, and files among which its declarations are distributed, the main file first."""
    program = draw(programs(ProgramShape(level=2)))
    count = draw(st.integers(1, 5))
    names = [f"{draw(st.sampled_from(['', 'x/', 'x/y/', 'z/']))}f{number}.parte" for number in range(count)]
    names[0] = "f0.parte"
    # A file imports later ones only, so there is no cycle; and each later one is imported at least once.
    imported = {(draw(st.integers(0, number - 1)), number) for number in range(1, count)}
    pairs = [(first, second) for first in range(count) for second in range(first + 1, count)]
    imported |= draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    order = draw(st.permutations(program.source.declarations))
    homes = [draw(st.integers(0, count - 1)) for _ in order]
    files = {}
    for number, name in enumerate(names):
        imports = tuple(
            ast.Import(os.path.relpath(names[second], Path(name).parent))
            for first, second in draw(st.permutations(sorted(imported)))
            if first == number
        )
        own = tuple(item for item, home in zip(order, homes, strict=True) if home == number)
        files[name] = print_program(ast.SourceProgram(own, 2, imports))
    return program, draw(traces(program)), files


@settings(max_examples=60, deadline=None)
@given(split())
def test_a_program_split_at_random_means_the_same(
    tmp_path_factory: pytest.TempPathFactory, case: tuple[core.Program, tuple[TraceItem, ...], dict[str, str]]
) -> None:
    program, trace, files = case
    loaded = parte.load_program(written(tmp_path_factory.mktemp("split"), files))
    assert dict(loaded.strata) == dict(program.strata)
    assert {rule.name: rule for rule in loaded.rules} == {rule.name: rule for rule in program.rules}
    assert {item.name: item for item in loaded.templates} == {item.name: item for item in program.templates}
    assert set(parte.execute(loaded, trace).matches) == set(parte.execute(program, trace, model="algebra").matches)


# --- Places and errors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"m": 'level 2\nimport "/etc/a.parte"'}, [("m:2:8", "invalid-import")]),
        ({"m": 'level 2\nimport ""'}, [("m:2:8", "invalid-import")]),
        ({"m": 'level 2\nimport "a\\\\b"'}, [("m:2:8", "invalid-import")]),
        ({"m": 'level 2\nimport "file:a"'}, [("m:2:8", "invalid-import")]),
        ({"m": 'level 2\nimport "a\\u0000"'}, [("m:2:8", "invalid-import")]),
        ({"m": 'level 2\nimport "../a"'}, [("m:2:8", "import-outside")]),
        ({"m": 'level 2\nimport "a/../../a"'}, [("m:2:8", "import-outside")]),
        ({"m": 'level 2\nimport "none"\nimport "."'}, [("m:2:8", "import-not-found"), ("m:3:8", "import-not-found")]),
        ({"m": 'level 2\nimport "m"'}, [("m:2:8", "cyclic-import")]),
        ({"m": 'level 2\nimport "b"', "b": 'level 2\n\n  import "./m"'}, [("b:3:10", "cyclic-import")]),
        ({"m": 'level 2\nimport "b"', "b": "template A {}"}, [("m:2:8", "import-level")]),
        ({"m": 'level 2\nimport "b"', "b": "level 2\nrule ="}, [("b:2:6", "syntax-error")]),
        ({"m": 'level 2\nimport "b"', "b": "level 2\nrule R where a : A"}, [("b:2:18", "unknown-template")]),
        (
            {"m": 'level 2\nimport "b"\nimport "c"', "b": 'level 2\nimport "x"', "c": "level 2 /"},
            [("b:2:8", "import-not-found"), ("c:1:9", "syntax-error")],
        ),
        (
            {"m": 'level 2\nimport "b"\ntemplate A {}\nrule A where a : A', "b": "level 2\n\ntemplate A {}"},
            [("m:3:10", "duplicate-name")],
        ),
        (
            {"m": 'level 2\nimport "b"\ntemplate A {} rule R where a : A', "b": "level 2\nrule R where a : A"},
            [("m:3:20", "duplicate-name")],
        ),
        (
            {"m": 'level 2\nimport "b"', "b": "level 2\ntemplate A { k : Integer } rule R where a : A { a.kk = 1 }"},
            [("b:2:51", "unknown-attribute")],
        ),
    ],
)
def test_errors_have_the_place_of_their_file(
    tmp_path: Path, files: dict[str, str], expected: list[tuple[str, str]]
) -> None:
    assert errors(written(tmp_path, files), tmp_path) == expected


def test_messages_name_the_file_of_another_place(tmp_path: Path) -> None:
    text = 'level 2\nimport "b"\ntemplate T {}\nrule R where use P as p'
    pattern = "level 2\npattern P exports a where a : T, b : T end\ntemplate T {}"
    path = written(tmp_path, {"m": text, "b": pattern})
    with pytest.raises(ProgramError, match=rf"`T` is a template \(line 3 of {tmp_path}/b\) already"):
        parte.load_program(path)
    with pytest.raises(ProgramError, match=rf"/b:2:34: .* \(from `use P as p`, line 3, column 14 of {tmp_path}/m\)"):
        parte.load_program(written(tmp_path, {"m": text.replace("template T {}\n", "")}))


def test_links_are_followed(tmp_path: Path) -> None:
    """A file reached by a link is the same file; a link to a place outside leads outside."""
    path = written(tmp_path / "in", {"m": 'level 2\nimport "b"\nimport "link"\nimport "d/b"', "b": SHARED})
    (tmp_path / "in" / "link").symlink_to("b")
    (tmp_path / "in" / "d").symlink_to(".")
    assert parte.load_program(path).templates == parse(SHARED).templates
    written(tmp_path, {"out/b": SHARED})
    (tmp_path / "in" / "link").unlink()
    (tmp_path / "in" / "link").symlink_to("../out/b")
    assert errors(path, tmp_path / "in") == [("m:3:8", "import-outside")]
    assert errors(path, tmp_path / "in", (str(tmp_path / "in"),)) == [("m:3:8", "import-outside")]
    with pytest.raises(ProgramError, match=rf"\(line 2 of {tmp_path}/in/b\) already"):
        parte.load_program(path, include=["x", str(tmp_path / "out")])


def test_a_program_that_is_a_link_imports_from_the_place_of_its_file(tmp_path: Path) -> None:
    written(tmp_path, {"real/m": 'level 2\nimport "b"', "real/b": "level 2\n="})
    (tmp_path / "m").symlink_to("real/m")
    assert errors(str(tmp_path / "m"), tmp_path) == [("real/b:2:1", "syntax-error")]


@pytest.mark.parametrize(("depth", "fits"), [(MAX_NESTED_IMPORTS, True), (MAX_NESTED_IMPORTS + 1, False)])
def test_the_depth_is_bounded(tmp_path: Path, depth: int, fits: bool) -> None:
    files = {f"f{number}": f'level 2\nimport "f{number + 1}"' for number in range(depth)} | {f"f{depth}": SHARED}
    path = written(tmp_path, files)
    if fits:
        assert parte.load_program(path).templates
    else:
        assert errors(path, tmp_path) == [(f"f{MAX_NESTED_IMPORTS}:2:8", "too-many-imports")]


@pytest.mark.parametrize("order", [(1, 9), (9, 1)])
def test_the_depth_does_not_depend_on_the_order_of_imports(tmp_path: Path, order: tuple[int, int]) -> None:
    """The way through `f1` is too long, that through `f9` is not; most files are on both."""
    last = MAX_NESTED_IMPORTS + 1
    main = "level 2\n" + "\n".join(f'import "f{number}"' for number in order)
    files = {f"f{number}": f'level 2\nimport "f{number + 1}"' for number in range(1, last)} | {f"f{last}": SHARED}
    path = written(tmp_path, {"m": main, **files})
    assert [code for _, code in errors(path, tmp_path)] == ["too-many-imports"]


def test_links_in_a_circle_lead_to_no_file(tmp_path: Path) -> None:
    path = written(tmp_path, {"m": 'level 2\nimport "b"\nimport "loop"', "b": "level 2\n="})
    (tmp_path / "loop").symlink_to("loop")
    assert errors(path, tmp_path, (str(tmp_path / "loop"),)) == [
        ("b:2:1", "syntax-error"),
        ("m:3:8", "import-not-found"),
    ]
    partelang = support_of("", path + ".parte")
    assert partelang is not None
    diagnostics = Analysis(partelang, Path(path).read_text(encoding="utf-8"), path).diagnostics
    assert [diagnostic.code for diagnostic in diagnostics] == ["syntax-error", "import-not-found"]


@pytest.mark.parametrize(("count", "fits"), [(MAX_IMPORTED_FILES, True), (MAX_IMPORTED_FILES + 1, False)])
def test_the_number_of_files_is_bounded(tmp_path: Path, count: int, fits: bool) -> None:
    names = [f"f{number}" for number in range(count)]
    path = written(
        tmp_path,
        {"m": "level 2\n" + "".join(f'import "{name}"\n' for name in names), **dict.fromkeys(names, "level 2")},
    )
    if fits:
        assert [warning.code for warning in parte.load_program(path).warnings] == ["no-rules"]
    else:
        assert errors(path, tmp_path) == [(f"m:{count + 1}:8", "too-many-imports")]


def test_the_size_is_bounded(tmp_path: Path) -> None:
    half = "level 2 //".ljust(MAX_SOURCE_CHARACTERS // 2, "x")
    path = written(tmp_path, {"m": 'level 2\nimport "a"\nimport "b"', "a": half, "b": half})
    assert errors(path, tmp_path) == [("m:3:8", "source-too-large")]
    big = written(tmp_path, {"m": 'level 2\nimport "a"', "a": "x" * (4 * MAX_SOURCE_CHARACTERS + 1)})
    assert errors(big, tmp_path) == [("m:2:8", "import-not-found")]


def test_what_nothing_uses_is_reported_of_the_main_file_only(tmp_path: Path) -> None:
    path = written(tmp_path, {"m": 'level 2\nimport "b"\ntemplate B {}', "b": SHARED})
    warnings = [
        (warning.code, warning.span.file, warning.span.start.line) for warning in parte.load_program(path).warnings
    ]
    assert warnings == [("no-rules", path, 1), ("unused-template", path, 3)]


# --- What reads programs ----------------------------------------------------------------------------------------------


def test_a_text_imports_nothing(main: str) -> None:
    with pytest.raises(ProgramError) as caught:
        parse(MAIN, main)
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["import-without-file"] * 2
    with pytest.raises(ProgramError, match="import-without-file"):
        check(MAIN)


def test_the_layout_is_that_of_one_file() -> None:
    printed = PARTELANG[TEXT].printed(MAIN)
    assert printed.startswith(
        'level 2\n\nimport "lib/patterns.parte"  // and what it needs\nimport "lib/shared.parte"\n\nrule R where\n'
    )
    assert parse_source(printed) == parse_source(MAIN)
    assert parse_source(MAIN.replace("shared", "other")) != parse_source(MAIN)


def test_the_tree_is_that_of_the_whole_program(main: str, command: Command) -> None:
    whole = written(Path(main).parent, {"whole.parte": WHOLE})
    assert command("ast", main).out == command("ast", whole).out


def test_commands_read_imported_files(main: str, command: Command, tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    lines = [f'{{"id":"a{time}","template":"A","timestamp":{time},"attributes":{{"k":{time}}}}}' for time in (3, 4, 9)]
    trace.write_text("\n".join(lines), encoding="utf-8")
    whole = written(Path(main).parent, {"whole.parte": WHOLE})
    for name in ("run", "compare", "explore"):
        run = command(name, main, str(trace))
        assert run.code == 0, run.err
        assert run.out == command(name, whole, str(trace)).out
    refused = command("run", "-", str(trace), stdin=MAIN)
    assert (refused.code, refused.err.count("error[import-without-file]")) == (2, 2)


def test_include_names_directories(main: str, command: Command, tmp_path: Path) -> None:
    elsewhere = written(tmp_path, {"elsewhere/main.parte": MAIN.replace('"lib', '"../lib')})
    refused = command("ast", elsewhere)
    assert (refused.code, refused.err.count("error[import-outside]")) == (2, 2)
    allowed = command("ast", elsewhere, "--include", str(tmp_path / "elsewhere"), "--include", str(tmp_path / "lib"))
    assert (allowed.code, allowed.out) == (0, command("ast", main).out)
    assert "is no directory" in command("ast", elsewhere, "--include", str(tmp_path / "none")).err


def test_findings_name_the_file(tmp_path: Path, command: Command) -> None:
    path = written(tmp_path, {"m": 'level 2\nimport "b"', "b": f"{SHARED}rule R where a : A {{ k = 1, k = 2 }}"})
    result = command("check", path)
    assert f"{tmp_path}/b:3:14: error[unsatisfiable-pattern]" in result.out + result.err
    (finding,) = json.loads(command("check", path, "--json").out)["findings"]
    assert finding["file"] == f"{tmp_path}/b"
    (finding,) = json.loads(command("check", f"{tmp_path}/b", "--json").out)["findings"]
    assert "file" not in finding


def test_places_of_two_files_are_not_mistaken(tmp_path: Path, command: Command) -> None:
    """`k < 3` follows in the case of A only; it stands where in the other file an alternative of that case does."""
    pattern = "level 2\ntemplate A { k : Integer } template B { k : Integer }\npattern P exports v where\n"
    pattern += "either v : A { k = 1                 } or v : B end"
    main = 'level 2\nimport "b"\nrule R where use P as p,\n b : A { k = p.v.k, k < 3 } when b in p.v [0 ms, 5 ms]'
    path = written(tmp_path, {"m": main, "b": pattern})
    assert "implied-condition" not in command("check", path).out
    trace = tmp_path / "trace.jsonl"
    trace.write_text('{"id":"a","template":"A","timestamp":3,"attributes":{"k":1}}\n', encoding="utf-8")
    explained = command("why", path, str(trace), "--bindings", "p.v=a,b=a")
    assert f"  {tmp_path}/b:4:16" in explained.out
    assert f"  {tmp_path}/m:4:10" in explained.out
    assert f'"file": "{tmp_path}/b"' in command("why", path, str(trace), "--bindings", "p.v=a,b=a", "--json").out


@pytest.mark.parametrize("language", [name for name in ("cel", "lead") if not is_absent(name)])
def test_a_translation_is_that_of_the_whole_program(tmp_path: Path, command: Command, language: str) -> None:
    rule = "rule R where a : A { k = 1 }, b : A when b in a [1 ms, 5 ms]\n"
    path = written(tmp_path, {"m": f'level 2\nimport "b"\n{rule}', "b": SHARED, "whole": SHARED + rule})
    translated = command("translate", path, "--to", language)
    assert translated.code == 0
    assert translated.out == command("translate", str(tmp_path / "whole"), "--to", language).out


def test_a_translation_refuses_alternatives_of_the_whole_program(tmp_path: Path, command: Command) -> None:
    rule = "template B { k : Integer }\nrule R where either v : A or v : B\n"
    path = written(tmp_path, {"m": f'level 2\nimport "b"\n{rule}', "b": SHARED})
    for language in [name for name in ("cel", "lead", "etalis") if not is_absent(name)]:
        for options in ((), ("--rule", "R")):
            refused = command("translate", path, "--to", language, *options)
            assert (refused.code, refused.err.count("error[no-counterpart]: alternatives, `either`")) == (2, 1)
            assert f"{path} with its imports:" in refused.err
