"""The campaigns about LEAD."""

from __future__ import annotations

from typing import Any

from tests.campaigns.running import Campaign
from tests.languages.lead.campaigns.lead import Lead
from tests.languages.lead.campaigns.lead_claims import LeadClaims

CAMPAIGNS: tuple[Campaign[Any], ...] = (Lead(), LeadClaims())
