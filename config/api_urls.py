"""The API, version 1: every app's `api.urlpatterns`, and the schema."""

from importlib import import_module
from importlib.util import find_spec

from django.urls import URLPattern, URLResolver, path
from drf_spectacular.views import SpectacularAPIView


def _app(module: str) -> list[URLPattern | URLResolver]:
    return list(import_module(module).urlpatterns) if find_spec(module) else []


urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="schema-read"),
    *_app("rulesdata.api"),
    *_app("warbands.api"),
]
