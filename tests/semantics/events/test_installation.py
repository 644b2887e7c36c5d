"""The command that installs an extra is for where PARTE came from, as pip wrote it down."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

import pytest

from parte.semantics.events.installation import install_command, requirements, version
from parte.semantics.source.packages import PackageMissing


class Installed(metadata.Distribution):
    """A distribution with what pip wrote down about its origin."""

    def __init__(self, origin: str | None) -> None:
        self.origin = origin

    def read_text(self, filename: str) -> str | None:
        needs = "Requires-Dist: z3-solver>=4.13; extra == 'z3'\nRequires-Dist: a b; extra == 'two'\n"
        return {"direct_url.json": self.origin, "METADATA": f"Name: parte\nVersion: 1\n{needs}"}.get(filename)

    def locate_file(self, path: object) -> Path:
        raise NotImplementedError


def installed(monkeypatch: pytest.MonkeyPatch, *origins: object) -> None:
    texts = [origin if origin is None or isinstance(origin, str) else json.dumps(origin) for origin in origins]
    monkeypatch.setattr(metadata, "distributions", lambda **_: map(Installed, texts))


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, "pip install 'parte[z3]'"),
        ("not JSON", "pip install 'parte[z3]'"),
        ([], "pip install 'parte[z3]'"),
        (
            {"url": "https://example.org/p.whl", "archive_info": {}},
            "pip install 'parte[z3] @ https://example.org/p.whl'",
        ),
        (
            {"url": "https://example.org/p.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            "pip install 'parte[z3] @ git+https://example.org/p.git@abc'",
        ),
        ({"url": "file:///gone/p.whl", "archive_info": {}}, "pip install 'z3-solver>=4.13'"),
        ({"url": "file:///gone", "dir_info": {"editable": True}}, "pip install 'z3-solver>=4.13'"),
    ],
)
def test_what_is_no_file_here(monkeypatch: pytest.MonkeyPatch, origin: object, command: str) -> None:
    installed(monkeypatch, origin)
    assert install_command("z3") == command
    assert PackageMissing("z3", "z3").hint == command


def test_a_checkout_and_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    wheel = folder / "parte-1-py3-none-any.whl"
    wheel.touch()
    installed(monkeypatch, {"url": wheel.as_uri(), "archive_info": {}})
    assert install_command("z3") == f"pip install '{wheel}[z3]'"
    installed(monkeypatch, {"url": folder.as_uri(), "dir_info": {"editable": True}})
    assert install_command("z3") == f"pip install -e '{folder}[z3]'"
    installed(monkeypatch, {"url": folder.as_uri(), "dir_info": {}})
    assert install_command("z3") == f"pip install '{folder}[z3]'"
    monkeypatch.chdir(folder)
    assert install_command("z3") == "pip install '.[z3]'"
    # `python -m parte` finds the metadata beside the sources first, which do not tell where the package is from.
    installed(monkeypatch, None, {"url": folder.as_uri(), "dir_info": {"editable": True}})
    assert install_command("z3") == "pip install -e '.[z3]'"


def test_sources_that_nobody_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str) -> metadata.Distribution:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", none)
    installed(monkeypatch)
    root = Path(__file__).resolve().parents[3]
    assert install_command("z3") in (f"pip install '{root}[z3]'", f"pip install {root}[z3]")
    assert version() == "0+unknown"


def test_the_requirements_of_an_extra() -> None:
    assert ("z3", "z3-solver>=4.13") in set(requirements())
    assert list(requirements(Installed(None))) == [("z3", "z3-solver>=4.13"), ("two", "a b")]
