"""The campaigns about CEL."""

from __future__ import annotations

from typing import Any

from tests.campaigns.running import Campaign
from tests.languages.cel.campaigns.cel import Cel
from tests.languages.cel.campaigns.queries import Queries

CAMPAIGNS: tuple[Campaign[Any], ...] = (Cel(), Queries())
