"""The campaigns about EQL."""

from __future__ import annotations

import os
from typing import Any

from parte.languages.eql.conformance.engines.python.adapter import VARIABLE
from tests.campaigns.running import Campaign
from tests.languages.eql.campaigns.eql import Eql
from tests.languages.eql.campaigns.python_eql import PythonEql

CAMPAIGNS: tuple[Campaign[Any], ...] = (Eql(), *((PythonEql(),) if VARIABLE in os.environ else ()))
