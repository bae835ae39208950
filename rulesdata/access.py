"""Who may see and change a person's own scenario. Each rule is a filter of rows; its yes or no asks the same filter."""

from __future__ import annotations

from django.db.models import Q

from accounts.access import clubs_joined_by
from accounts.owner import Owner
from rulesdata.models import Origin, Scenario, Visibility

OWN = Q(origin=Origin.OWN)


def changeable_by(actor: Owner) -> Q:
    """The scenarios this person wrote; a visitor without an account writes none."""
    return OWN & Q(author_id=actor.user_id) if actor.is_person else Q(pk__in=[])


def readable_by(actor: Owner) -> Q:
    """The scenarios this actor may open when they know the address."""
    return OWN & (Q(visibility__in=[Visibility.LINK, Visibility.PUBLIC]) | _of_clubs(actor)) | changeable_by(actor)


def listed_to(actor: Owner) -> Q:
    """The scenarios that lists and search may show this actor: their own, their clubs' and the public ones."""
    return OWN & (Q(visibility=Visibility.PUBLIC) | _of_clubs(actor)) | changeable_by(actor)


def may_change(actor: Owner, scenario: Scenario) -> bool:
    """Whether `changeable_by` holds the scenario; asks the database nothing."""
    return scenario.origin == Origin.OWN and actor.is_person and scenario.author_id == actor.user_id


def _of_clubs(actor: Owner) -> Q:
    if not actor.is_person:
        return Q(pk__in=[])
    return Q(visibility=Visibility.CLUB, club__in=clubs_joined_by(actor).values("pk"))
