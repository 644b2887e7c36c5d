"""The schemas of files and messages."""

from __future__ import annotations

import json
from pathlib import Path

from jsonschema import Draft202012Validator

from parte import conformance


def schema_validator(name: str) -> Draft202012Validator:
    """The validator of `parte/fixture`, `protocol` or `report`."""
    folder = Path(str(conformance.__file__)).parent
    return Draft202012Validator(json.loads((folder / f"{name}.schema.json").read_text(encoding="utf-8")))
