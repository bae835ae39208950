"""The API, version 1: every app's `api.urlpatterns`, the schema, and the page to read about it."""

from django.urls import path

import campaigns.api
import rulesdata.api
import rulesdata.api_odds
import warbands.api
import warbands.api_warbands
from config import api_docs, api_schema

urlpatterns = [
    path("schema/", api_schema.SchemaView.as_view(), name="schema-read"),
    path("docs/", api_docs.read_api, name="docs-read"),
    *rulesdata.api.urlpatterns,
    *rulesdata.api_odds.urlpatterns,
    *warbands.api.urlpatterns,
    *warbands.api_warbands.urlpatterns,
    *campaigns.api.urlpatterns,
]
