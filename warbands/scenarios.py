"""The scenario a warband carries: one of its system's, by key, or a person's own, as ``own/<number>``."""

from __future__ import annotations

from django.db.models import Q

from accounts.access import clubs_joined_by
from accounts.owner import NOBODY, Owner
from engine.types import Scenario
from rulesdata import registry
from rulesdata.models import Origin, Visibility
from rulesdata.models import Scenario as ScenarioRow

OWN_PREFIX = "own/"


def load_scenario(system_key: str, key: str | None) -> Scenario | None:
    """The scenario of that key, or None. Own ones take one query, whoever wrote them."""
    if not key:
        return None
    if not key.startswith(OWN_PREFIX):
        return registry.load_system(system_key).scenarios.get(key)
    number = key.removeprefix(OWN_PREFIX)
    if not (number.isascii() and number.isdigit() and len(number) < 19):
        return None
    row = ScenarioRow.objects.filter(pk=int(number), origin=Origin.OWN, system__key=system_key).first()
    return _from_row(row, system_key) if row else None


def may_choose(actor: Owner, system_key: str, key: str) -> bool:
    """Whether this actor may give a warband this scenario: the pack's, their own, their clubs' and public ones."""
    if not key.startswith(OWN_PREFIX):
        return key in registry.load_system(system_key).scenarios
    number = key.removeprefix(OWN_PREFIX)
    if not (number.isascii() and number.isdigit() and len(number) < 19):
        return False
    rows = ScenarioRow.objects.filter(own_scenarios_of(actor), pk=int(number), system__key=system_key)
    return rows.exists()


def choices(actor: Owner, system_key: str) -> tuple[tuple[str, str], ...]:
    """(key, name) of every scenario this actor may choose: the pack's in its order, then people's own by name."""
    pack = [(s.key, s.name) for s in registry.load_system(system_key).scenarios.values()]
    rows = ScenarioRow.objects.filter(own_scenarios_of(actor), system__key=system_key).order_by("name", "pk")
    return (*pack, *((f"{OWN_PREFIX}{pk}", name) for pk, name in rows.values_list("pk", "name")[:200]))


def own_scenarios_of(actor: Owner = NOBODY) -> Q:
    """People's own scenarios that this actor may use."""
    found = Q(visibility=Visibility.PUBLIC)
    if actor.is_person:
        found |= Q(author_id=actor.user_id)
        found |= Q(visibility=Visibility.CLUB, club__in=clubs_joined_by(actor).values("pk"))
    return Q(origin=Origin.OWN) & found


def _from_row(row: ScenarioRow, system_key: str) -> Scenario:
    return Scenario(
        key=f"{OWN_PREFIX}{row.pk}",
        name=row.name,
        system=system_key,
        summary=row.summary,
        sides=tuple(row.sides),
        setup=row.setup,
        objectives=row.objectives,
        special_rules=tuple(row.special_rules),
        length=row.length,
        waives=tuple(row.waives),
        source=row.source,
        origin="own",
    )
