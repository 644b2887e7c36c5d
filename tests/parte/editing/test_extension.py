"""The extension for VS Code beside its colours: when it starts the server, and what it says when it cannot."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from parte.editing.support import colourings
from parte.languages.registry import missing

ROOT = Path(__file__).parents[3]
EXTENSION = ROOT / "editors" / "vscode"
LANGUAGES = [
    entry["id"]
    for entry in json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))["contributes"]["languages"]
]
DOCS = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_it_starts_the_server_or_says_once_that_there_is_none(tmp_path: Path) -> None:
    command = tmp_path / "parte"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m parte "$@"\n', encoding="utf-8")
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho 'error: this needs the package pygls' >&2\nexit 2\n", encoding="utf-8")
    for script in (command, broken):
        script.chmod(0o755)
    commands = ["no-such-parte", "no-such-parte", str(command), str(broken)]
    run = subprocess.run(
        ["node", Path(__file__).with_name("extension.cjs"), EXTENSION, *commands],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    missing, started, stopped, failed = json.loads(run.stdout)
    assert missing[0] == "told"
    assert "no command 'no-such-parte': pip install 'parte[lsp]', or set parte.command" in missing[1]
    assert started == ["start", "parte", ["lsp"], LANGUAGES]
    assert stopped == ["stop"]
    assert failed[0] == "told"
    assert "does not start: error: this needs the package pygls" in failed[1]


def test_what_it_needs_is_pinned_and_no_workspace_chooses_what_it_runs() -> None:
    package = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    lock = json.loads((EXTENSION / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert lock[""]["dependencies"] == package["dependencies"]
    for name, pinned in lock.items():
        if name:
            assert "resolved" not in pinned
            assert pinned["integrity"].startswith("sha512-")
            assert pinned["license"] in {"MIT", "ISC", "BlueOak-1.0.0"}
    assert package["contributes"]["configuration"]["properties"]["parte.command"]["scope"] == "machine"


def test_configurations_of_editors_have_every_language() -> None:
    for editor in ("neovim", "emacs", "helix"):
        block = re.search(rf"<!-- {editor} -->\n```\w+\n(.*?)```", DOCS, re.DOTALL)
        assert block is not None
        for colouring in colourings():
            assert colouring.ending.removeprefix(".") in block[1]
        if editor == "helix":
            (language,) = tomllib.loads(block[1])["language"]
            endings = [colouring.ending.removeprefix(".") for colouring in colourings()]
            assert language["file-types"] == endings or (missing() and set(endings) < set(language["file-types"]))
