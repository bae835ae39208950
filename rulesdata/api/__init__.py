"""The rule books for programs: read-only, paged, no account needed; and campaign rules."""

from rulesdata.api import catalogue, mechanics

urlpatterns = [*catalogue.urlpatterns, *mechanics.urlpatterns]
