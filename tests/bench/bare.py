"""The floor of a page: the same rows, one query for each table, a plain template, Django's standard
middleware.
"""

from typing import Any

from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template import Context, Engine
from django.test import override_settings
from django.urls import path

from rulesdata.models import Profile
from warbands.models import Warband, Warrior, WarriorOption

STANDARD = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

STATS = ("M", "WS", "BS", "S", "T", "W", "I", "A", "Ld")
PAGE = Engine().from_string(
    """<!doctype html><html lang="en"><head><title>{{ warband.name }}</title></head><body>
<h1>{{ warband.name }}</h1><p>{{ warband.points }} of {{ warband.points_limit }} points, {{ user }}</p>
<table><tr><th>Number</th><th>Name</th>{% for stat in stats %}<th>{{ stat }}</th>{% endfor %}<th>Options</th>
<th>Points</th><th>Note</th></tr>{% for w in warriors %}<tr><td>{{ w.count }}</td><td>{{ w.unit.name }} {{ w.name }}
{% if w.is_leader %}Leader{% endif %}</td>{% for cell in w.cells %}<td>{{ cell }}</td>{% endfor %}
<td>{% for o in w.options %}{{ o.key }} {% endfor %}</td><td>{{ w.paid_each }}</td>
<td>{{ w.note }}</td></tr>{% endfor %}</table></body></html>"""
)


def bare_page(request: HttpRequest, token: str) -> HttpResponse:
    """Fifteen rows as a first draft would draw them: who asks, the warband, its warriors, their
    options, stat lines.

    No price is worked out, no rule is checked, no weapon and no armour save is looked up.
    """
    warband = get_object_or_404(Warband, token=token)
    warriors: list[Any] = list(Warrior.objects.filter(warband=warband).order_by("position"))
    options: dict[int, list[WarriorOption]] = {}
    for option in WarriorOption.objects.filter(warrior__warband=warband).order_by(
        "position"
    ):
        options.setdefault(option.warrior_id, []).append(option)
    wanted = {warrior.profile for warrior in warriors}
    units = {
        unit.key: unit
        for unit in Profile.objects.filter(army__key=warband.army, key__in=wanted)
    }
    for warrior in warriors:
        warrior.options = options.get(warrior.pk, [])
        warrior.unit = units[warrior.profile]
        line = warrior.unit.data["profiles"][0]
        warrior.cells = [line.get(stat) for stat in STATS]
    context = Context(
        {"warband": warband, "warriors": warriors, "stats": STATS, "user": request.user}
    )
    return HttpResponse(PAGE.render(context))


def one_query(request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(Warband.objects.values_list("name", flat=True).first()))


urlpatterns = [path("", one_query), path("<str:token>/", bare_page)]


class _Here:
    """Sends every request to this file's addresses."""

    def __init__(self, get_response: Any) -> None:
        self.get_response = get_response

    def __call__(self, request: Any) -> HttpResponse:
        request.urlconf = __name__
        answer: HttpResponse = self.get_response(request)
        return answer


def handler(middleware: list[str] | None = None) -> WSGIHandler:
    """A handler that serves the bare page behind Django's standard middleware, or behind another
    list.
    """
    with override_settings(MIDDLEWARE=[f"{__name__}._Here", *(middleware or STANDARD)]):
        return WSGIHandler()
