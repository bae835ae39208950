"""The rule books for programs: read-only, paged, no account needed; and campaign rules."""

from rulesdata.api import campaign_rules, catalogue, mechanics

urlpatterns = [
    *catalogue.urlpatterns,
    *mechanics.urlpatterns,
    *campaign_rules.urlpatterns,
]
