"""Builds the page of the playground: `python -m playground.build [DIRECTORY]`, or `make playground`.

What comes of it is a folder that needs nothing from elsewhere. Node and npm are needed here only: they bring Python for
browsers and the editor, as package-lock.json pins them; wheels.lock pins the packages that Python needs there.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator, Sequence
from gzip import compress
from hashlib import sha256
from pathlib import Path

from parte.drawing.stepper.page import draw_steps
from parte.playground.serving import POLICY
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.syntax.elaborate import parse
from playground.contents import contents

SOURCES = Path(__file__).parent
ROOT = SOURCES.parent
BUILT = ROOT / "build" / "playground"
MODULES = SOURCES / "node_modules"
WHEELS = ROOT / "build" / "playground-wheels"

PLATFORM = "pyemscripten_2026_0_wasm32"
"""What wheels for the Python of the pinned pyodide are tagged with."""
PYTHON = "3.14"
OLDEST_NODE = 18
OF_PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
SOLVER = "z3"
"""How the name of the wheel begins that is not loaded before somebody asks for it."""


def main() -> None:
    """Build the page, and say how large it is."""
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else BUILT
    build(out)
    first, later = (sum(sizes) for sizes in zip(*_sizes(out), strict=True))
    print(f"{out}: {first / 1e6:.2f} MB gzipped, and {later / 1e6:.2f} MB for the solver when it is asked for")


def build(out: Path) -> None:
    """Build the page into a directory, which is replaced."""
    _install()
    draft = out.with_name(f"{out.name}.new")
    shutil.rmtree(draft, ignore_errors=True)
    for folder in ("pyodide", "wheels"):
        (draft / folder).mkdir(parents=True)
    policy = " ".join(_policy())
    (draft / POLICY).write_text(f"{policy}\n", encoding="utf-8")
    page = (SOURCES / "page" / "index.html").read_text(encoding="utf-8")
    (draft / "index.html").write_text(page.replace("{policy}", policy), encoding="utf-8")
    for name in ("style.css", "worker.js"):
        shutil.copyfile(SOURCES / "page" / name, draft / name)
    for name in OF_PYODIDE:
        shutil.copyfile(MODULES / "pyodide" / name, draft / "pyodide" / name)
    for wheel in (*_wheels(), _own(draft)):
        if wheel.parent != draft / "wheels":
            shutil.copyfile(wheel, draft / "wheels" / wheel.name)
    listed = sorted(path.name for path in (draft / "wheels").iterdir())
    wheels = {
        "first": [name for name in listed if not name.startswith(SOLVER)],
        "solver": [name for name in listed if name.startswith(SOLVER)],
    }
    (draft / "wheels.json").write_text(json.dumps(wheels), encoding="utf-8")
    (draft / "contents.json").write_text(contents(), encoding="utf-8")
    (draft / "licences.txt").write_text("\n".join(_licences()), encoding="utf-8")
    _run("node_modules/.bin/esbuild", "page/main.js", f"--outfile={draft / 'page.js'}", *_BUNDLED)
    shutil.rmtree(out, ignore_errors=True)
    draft.rename(out)


_BUNDLED = ("--bundle", "--minify", "--format=iife", "--target=es2022", "--charset=utf8", "--log-level=warning")


def _policy() -> Iterator[str]:
    """What the page, its worker and the frame of the stepper may load: files from where they are.

    The stepper's styles and its script stand in its page; they are the same in each, and known by their hashes.
    """
    steps = draw_steps(Scenario.of(parse("template A {} rule R where a : A"), (), {})).html
    scripts, styles = (
        " ".join(f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in sorted({*elements}))
        for elements in (re.findall(rf"<{name}>(.*?)</{name}>", steps, re.DOTALL) for name in ("script", "style"))
    )
    yield "default-src 'none';"
    yield f"script-src 'self' 'wasm-unsafe-eval' {scripts};"
    yield "worker-src 'self'; connect-src 'self';"
    yield f"style-src 'self' {styles};"
    yield "img-src blob: data:; frame-src 'self'; base-uri 'none'; form-action 'none'"


def _install() -> None:
    """What package-lock.json pins, unless it is there."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        sys.exit("error: the playground is built with Node and npm, and 'npm' is not found: make playground-setup")
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.removeprefix("v").partition(".")[0]) < OLDEST_NODE:
        sys.exit(f"error: the playground is built with Node {OLDEST_NODE} or later, and this is {version.strip()}")
    stamp = MODULES / ".installed"
    wanted = sha256((SOURCES / "package-lock.json").read_bytes()).hexdigest()
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        _run("npm", "ci", "--silent")
        stamp.write_text(wanted, encoding="utf-8")


def _wheels() -> list[Path]:
    """The wheels that wheels.lock pins, downloaded unless they are there."""
    pinned = set(re.findall(r"sha256:([0-9a-f]{64})", (SOURCES / "wheels.lock").read_text(encoding="utf-8")))
    WHEELS.mkdir(parents=True, exist_ok=True)
    for path in WHEELS.iterdir():
        if sha256(path.read_bytes()).hexdigest() not in pinned:
            path.unlink()
    if len([*WHEELS.iterdir()]) < len(pinned):
        where = ("--only-binary", ":all:", "--platform", PLATFORM, "--platform", "any", "--python-version", PYTHON)
        _pip("download", "--no-deps", "--require-hashes", *where, "--dest", str(WHEELS), "-r", "wheels.lock")
    return sorted(WHEELS.iterdir())


def _own(draft: Path) -> Path:
    """The wheel of this project as it is here."""
    shutil.rmtree(ROOT / "build" / "lib", ignore_errors=True)  # else what is no longer there would be in it
    _pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(draft / "wheels"), str(ROOT))
    (built,) = (draft / "wheels").glob("parte-*.whl")
    return built


def _licences() -> Iterator[str]:
    """What comes with the page, each with its licence."""
    for path in sorted(MODULES.glob("**/package.json")):
        package = json.loads(path.read_text(encoding="utf-8"))
        text = next(path.parent.glob("LICENSE*"), None)
        if text is not None or package.get("name") == "pyodide":
            yield f"--- {package['name']} {package['version']}: {package['license']}\n"
            yield text.read_text(encoding="utf-8") if text is not None else ""
    for path in sorted(WHEELS.iterdir()):
        yield f"--- {path.name}: its licence is in the file\n"


def _sizes(out: Path) -> Iterator[tuple[int, int]]:
    """Of each file, gzipped: what the page loads of it at first, and when the solver is asked for."""
    for path in out.rglob("*"):
        if path.is_file() and path.name != "licences.txt":
            size = len(compress(path.read_bytes()))
            later = path.name.startswith(SOLVER)
            yield (0, size) if later else (size, 0)


def _pip(*arguments: str) -> None:
    _run(sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments)


def _run(*command: str) -> None:
    finished: subprocess.CompletedProcess[str] = subprocess.run(
        command, cwd=SOURCES, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if finished.returncode:
        sys.exit(f"error: '{_told(command)}' failed\n{finished.stdout}")


def _told(command: Sequence[str]) -> str:
    return " ".join(command[:4])


if __name__ == "__main__":
    main()
