"""Who may see and change a person's own scenario and a club's own lists.

Each rule is a filter of rows; its yes or no asks the same filter.
"""

from django.db.models import Q

from accounts.access import NONE, joined_club_ids, organised_club_ids
from accounts.owner import Owner
from rulesdata.models import Army, Origin, Scenario, ScenarioVisibility

OWN = Q(origin=Origin.OWN)


def changeable_by(actor: Owner) -> Q:
    """The scenarios this person wrote; a visitor without an account writes none."""
    # A filter that holds nothing, not an empty one, which would hold every row.
    return OWN & Q(author_id=actor.user_id) if actor.is_person else NONE


def readable_by(actor: Owner) -> Q:
    """The scenarios this actor may open when they know the address."""
    return _shown_to(actor, ScenarioVisibility.LINK, ScenarioVisibility.PUBLIC)


def listed_to(actor: Owner) -> Q:
    """The scenarios that lists and search may show this actor: their own, their clubs' and the
    public ones.
    """
    return _shown_to(actor, ScenarioVisibility.PUBLIC)


def _shown_to(actor: Owner, *visibilities: str) -> Q:
    """Those of these visibilities, those of the actor's clubs, and the actor's own."""
    of_clubs = Q(visibility=ScenarioVisibility.CLUB, club__in=joined_club_ids(actor))
    return OWN & (Q(visibility__in=visibilities) | of_clubs) | changeable_by(actor)


def may_change(actor: Owner, scenario: Scenario) -> bool:
    """Whether `changeable_by` holds the scenario; asks the database nothing."""
    return (
        scenario.origin == Origin.OWN
        and actor.is_person
        and scenario.author_id == actor.user_id
    )


def lists_read_by(actor: Owner) -> Q:
    """The lists of the clubs this person is in: their members read them and muster warbands from
    them.
    """
    return Q(token__isnull=False, club__in=joined_club_ids(actor))


def lists_written_by(actor: Owner) -> Q:
    """The lists of the clubs this person runs."""
    return Q(token__isnull=False, club__in=organised_club_ids(actor))


def may_write_list(actor: Owner, army: Army) -> bool:
    """Whether `lists_written_by` holds the list."""
    return Army.objects.filter(lists_written_by(actor), pk=army.pk).exists()
