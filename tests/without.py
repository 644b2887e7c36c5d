"""The tree without a guest: `python -m tests.without GUEST [ARGUMENTS OF PYTEST...]`.

What belongs to a guest lies in folders of its name below a folder `languages` (docs/architecture.md). The command
copies the tree without them to a temporary folder. There it runs ruff, mypy, the import rules and the collection of all
tests; then the tests that are not exhaustive, or those that the arguments name.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path, PurePath

ROOT = Path(__file__).resolve().parents[1]
GUESTS = sorted(path.parent.name for path in (ROOT / "parte" / "languages").glob("*/semantics"))
"""The languages beside PARTElang, by their folders."""

RUFF = str(Path(sys.executable).with_name("ruff"))
COLLECT = ("-m", "pytest", "-q", "-n", "0", "--collect-only", "--no-header", "-p", "no:cacheprovider")
QUICK = ("-m", "not exhaustive", "--hypothesis-profile=ci")


def belongs_to(guest: str, path: PurePath) -> bool:
    """Return whether a file lies below a folder `languages/GUEST`, or `GUEST` somewhere in `languages/translations`."""
    above = f"/{path.parent.as_posix()}/"
    _, _, translations = above.partition("/languages/translations")
    return f"/languages/{guest}/" in above or f"/{guest}/" in translations


def copy_without(guest: str, folder: Path) -> Path:
    """Copy the files of the tree that git lists, but those of the guest, to `folder`/tree; return that folder.

    The cache of mypy is copied too. `folder`/python is an environment with the packages of this one, in which `parte`
    is the copy.
    """
    tree = folder / "tree"
    listed = subprocess.check_output(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, text=True)
    for name in listed.split("\0"):
        if name and os.path.lexists(ROOT / name) and not belongs_to(guest, PurePath(name)):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name, follow_symlinks=False)
    subprocess.run(["git", "init", "--quiet"], cwd=tree, check=True)  # tests list the files of their tree
    if (ROOT / ".mypy_cache").is_dir():
        shutil.copytree(ROOT / ".mypy_cache", tree / ".mypy_cache")
    venv.create(folder / "python", symlinks=True)
    # Python does not read the `.pth` files of a folder that is named in one: an installation in place stays out.
    packages = next((folder / "python" / "lib").glob("*/site-packages"))
    (packages / "copy.pth").write_text(f"{tree}\n{sysconfig.get_paths()['purelib']}\n", encoding="utf-8")
    return tree


def run(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the Python of a copy in it."""
    return subprocess.run(
        [str(_python(tree)), *arguments], cwd=tree, capture_output=True, text=True, check=False, env=_environment(tree)
    )


def checked(tree: Path) -> list[subprocess.CompletedProcess[str]]:
    """Run ruff, mypy and the import rules, and collect all tests."""
    lint = "import sys; from importlinter.cli import lint_imports_command as run; run()"
    ruff = subprocess.run(
        [RUFF, "check", "--output-format=concise"], cwd=tree, capture_output=True, text=True, check=False
    )
    return [ruff, run(tree, "-m", "mypy"), run(tree, "-c", lint, "--no-cache"), run(tree, *COLLECT)]


def _python(tree: Path) -> Path:
    return tree.parent / "python" / "bin" / "python"


def _environment(tree: Path) -> dict[str, str]:
    return {**os.environ, "PATH": f"{_python(tree).parent}{os.pathsep}{os.environ['PATH']}"}


def main(arguments: Sequence[str]) -> int:
    """1 if anything fails."""
    if not arguments or arguments[0] not in GUESTS:
        print(f"usage: python -m tests.without {{{','.join(GUESTS)}}} [ARGUMENTS OF PYTEST...]", file=sys.stderr)
        return 2
    guest, *chosen = arguments
    with tempfile.TemporaryDirectory() as folder:
        tree = copy_without(guest, Path(folder))
        results = checked(tree)
        for result in results:
            print(result.stdout[-20_000:] + result.stderr, flush=True)
        run(tree, "-m", "docs.generate")  # these pages are about all languages
        tests = subprocess.run(
            [str(_python(tree)), "-m", "pytest", *QUICK, *(chosen or ("-n", "auto"))],
            cwd=tree,
            check=False,
            env=_environment(tree),
        )
        return int(any(code != 0 for code in (tests.returncode, *(result.returncode for result in results))))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
