"""The campaigns about ETALIS."""

from __future__ import annotations

from typing import Any

from tests.campaigns.running import Campaign
from tests.languages.etalis.campaigns.etalis import Etalis
from tests.languages.etalis.campaigns.rules import Rules

CAMPAIGNS: tuple[Campaign[Any], ...] = (Etalis(), Rules())
