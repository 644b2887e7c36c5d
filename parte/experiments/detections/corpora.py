"""The public corpora: which files of a folder belong to each, and the commit of the folder."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

from parte.experiments.parameters import ParametersError
from parte.semantics.events.files import read_text

PANTHER, SIGMA, ELASTIC, EQLLIB = "panther", "sigma", "elastic", "eqllib"

_COMMIT: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REFERENCE: Final = re.compile(r"ref: (refs/[\w./-]+)")
_MAX_REFERENCES: Final = 2**24


@dataclass(frozen=True, slots=True)
class Corpus:
    """A public repository: `folders` of it have the files that are called as one of `names`, both as patterns.

    A folder without such folders has the files itself. One unit of the experiment reads `part` files.
    """

    address: str
    folders: tuple[str, ...]
    names: tuple[str, ...]
    part: int


CORPORA: Final[Mapping[str, Corpus]] = {
    PANTHER: Corpus("github.com/panther-labs/panther-analysis", ("correlation_rules",), ("*.yml", "*.yaml"), 60),
    SIGMA: Corpus("github.com/SigmaHQ/sigma", ("rules", "rules-*"), ("*.yml", "*.yaml"), 60),
    ELASTIC: Corpus("github.com/elastic/detection-rules", ("rules",), ("*.toml",), 600),
    EQLLIB: Corpus("github.com/endgameinc/eqllib", ("data",), ("normalized-*.json.gz",), 1),
}
"""The corpora by the names of their parameters and options."""


def files_of(name: str, folder: str, most: int) -> list[str]:
    """Return the files of a corpus in a folder, in the order of their paths; of more than `most`, as many, evenly.

    Raise ParametersError if there are none.
    """
    corpus = CORPORA[name]
    if not os.path.isdir(folder):
        raise ParametersError(f"{name}: there is no folder {folder}; clone {corpus.address}, and name the clone")
    root = Path(folder)
    tops = [top for pattern in corpus.folders for top in root.glob(pattern) if top.is_dir()] or [root]
    files = sorted({path for top in tops for path in _below(top, corpus.names)})
    if not files:
        raise ParametersError(
            f"{name}: {folder} has no files {' or '.join(corpus.names)}; clone {corpus.address}, and name the clone"
        )
    return [files[place * len(files) // most] for place in range(most)] if len(files) > most else files


def _below(top: Path, names: tuple[str, ...]) -> Iterator[str]:
    for place, folders, files in os.walk(top):
        folders[:] = [folder for folder in folders if not folder.startswith(".")]
        yield from (os.path.join(place, file) for file in files if any(fnmatch(file, name) for name in names))


def commit_of(folder: str) -> str:
    """Return the commit that is checked out in a folder; an empty text if it is no clone, or its commit is not found.

    Git itself is not run: in a folder of somebody else, its settings may name programs that git runs.
    """
    git = Path(folder) / ".git"
    try:
        head = read_text(git / "HEAD", _MAX_REFERENCES).strip()
        if _COMMIT.fullmatch(head):
            return head
        reference = _REFERENCE.fullmatch(head)
        if reference is None or ".." in reference[1]:
            return ""
        if (git / reference[1]).exists():
            text = read_text(git / reference[1], _MAX_REFERENCES).strip()
            return text if _COMMIT.fullmatch(text) else ""
        for line in read_text(git / "packed-refs", _MAX_REFERENCES).splitlines():
            commit, _, packed = line.partition(" ")
            if packed == reference[1] and _COMMIT.fullmatch(commit):
                return commit
    except OSError:
        pass  # it is no clone
    return ""
