"""The API, version 1: every app's `api.urlpatterns`, the schema, and the page to read about it."""

from django.urls import path

import battles.api
import campaigns.api
import clubs.api
import odds.api
import rulesdata.api
import warbands.api
from config.api import docs, schema

urlpatterns = [
    path("schema/", schema.SchemaView.as_view(), name="schema-read"),
    path("docs/", docs.read_api, name="docs-read"),
    *rulesdata.api.urlpatterns,
    *odds.api.urlpatterns,
    *warbands.api.urlpatterns,
    *battles.api.urlpatterns,
    *clubs.api.urlpatterns,
    *campaigns.api.urlpatterns,
]
