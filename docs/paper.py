"""The paper as PDF: `python -m docs.paper` compiles `paper/parte.typ` with the values that the artefact found.

It needs the package of the group `paper`, which contains the compiler; `make paper` installs it in an environment of
its own. The compiler fetches nothing: the layout is `paper/layout.typ`, and the fonts are its own.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
FOUND: Final = ROOT / "build" / "artefact" / "found.json"
PDF: Final = ROOT / "build" / "paper" / "parte.pdf"


def compile_paper(root: Path = ROOT, values: Path = FOUND, pdf: Path = PDF) -> None:
    """Write the paper of the repository at `root` with the values in `values`, a file below it. Raise RuntimeError if a
    value is missing."""
    import typst

    pdf.parent.mkdir(parents=True, exist_ok=True)
    typst.compile(
        str(root / "paper" / "parte.typ"),
        output=str(pdf),
        root=str(root),
        sys_inputs={"found": f"/{values.relative_to(root).as_posix()}"},
        ignore_system_fonts=True,
    )


def main(arguments: list[str], values: Path = FOUND) -> int:
    """Compile the paper, and return the exit code. With `--needs` print the packages that this needs instead; with
    `--check` only check that the artefact was run."""
    if "--needs" in arguments:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        print(*project["optional-dependencies"]["paper"])
        return 0
    if not values.is_file():
        print(f"error: {values} is missing; 'make artefact' writes it", file=sys.stderr)
        return 1
    if "--check" in arguments:
        return 0
    try:
        compile_paper()
    except RuntimeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(PDF)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
