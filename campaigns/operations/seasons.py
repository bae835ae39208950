"""The seasons of a club: created, changed and removed by its organisers."""

from dataclasses import asdict, replace

from django.db import transaction

from accounts.errors import Refusal, Stale
from accounts.models import Role
from accounts.operations.clubs import lock_club
from accounts.owner import Owner
from accounts.tokens import is_token
from campaigns.models import ClubEvent
from campaigns.models.leagues import SEASON_EVENTS_MAX, SEASONS_MAX, Season, SeasonCount
from campaigns.operations.event_terms import checked_name
from campaigns.queries.seasons import load_season
from engine.records import Numbers, Texts, frozen_dataclass, is_int_within
from warbands.exchange.document import shown
from warbands.operations import transaction as request_keys

PLACES_MAX = 128
PLACE_POINTS_MAX = 1_000


@frozen_dataclass
class SeasonDraft:
    """What is asked of a season; ``events`` are tokens. The rest is as in `Season`."""

    name: str
    counts: str = SeasonCount.PLACE
    best: int | None = None
    place_points: Numbers = (10, 8, 6, 5, 4, 3, 2, 1)
    events: Texts = ()


def create_season(
    actor: Owner, slug: str, draft: SeasonDraft, *, request_key: str = ""
) -> str:
    """A new season of a club; returns its token.

    Raises NotFound, NotAllowed for those who do not run the club, Refusal naming field and limit.
    """
    draft = _clean(draft)
    with transaction.atomic():
        # The club's lock: of two at once the second counts the first.
        club, _ = lock_club(actor, slug, Role.ORGANISER)
        fingerprint = request_keys.fingerprint("create_season", club.pk, asdict(draft))
        stored = request_keys.stored_answer(actor, request_key, fingerprint)
        if stored is not None:
            return str(stored["token"])
        if Season.objects.filter(club=club).count() >= SEASONS_MAX:
            raise Refusal(f"A club has at most {SEASONS_MAX} seasons.", field="name")
        season = Season(club=club)
        _write(season, draft)
        answer = {"token": season.token}
        request_keys.store_answer(actor, request_key, fingerprint, answer)
        return season.token


def change_season(
    actor: Owner, slug: str, token: str, draft: SeasonDraft, *, expected: int | None = None
) -> None:
    """A season as the draft says. Raises as `create_season`, and Stale."""
    draft = _clean(draft)
    with transaction.atomic():
        season = _lock(actor, slug, token, expected)
        season.version += 1
        _write(season, draft)


def remove_season(
    actor: Owner, slug: str, token: str, *, expected: int | None = None
) -> None:
    """A season away; its events stay. Raises NotFound, NotAllowed, Stale."""
    with transaction.atomic():
        _lock(actor, slug, token, expected).delete()


def _lock(actor: Owner, slug: str, token: str, expected: int | None) -> Season:
    club, _ = lock_club(actor, slug, Role.ORGANISER)
    season = load_season(club.pk, token)
    if expected is not None and expected != season.version:
        raise Stale("season", season.version, expected)
    return season


def _clean(draft: SeasonDraft) -> SeasonDraft:
    """The draft with a clean name; raises Refusal before a lock is taken."""
    name = checked_name(draft.name)
    if draft.counts not in SeasonCount.values:
        choices = ", ".join(SeasonCount.values)
        raise Refusal(f"{shown(draft.counts)} is none of {choices}.", field="counts")
    if draft.best is not None and not is_int_within(draft.best, 1, SEASON_EVENTS_MAX):
        raise Refusal(
            f"The best results must be a whole number from 1 to {SEASON_EVENTS_MAX}, or empty.",
            field="best",
        )
    points = draft.place_points
    if len(points) > PLACES_MAX:
        raise Refusal(f"Give points for at most {PLACES_MAX} places.", field="place_points")
    if not all(is_int_within(worth, 0, PLACE_POINTS_MAX) for worth in points):
        raise Refusal(
            f"The points of a place must be a whole number from 0 to {PLACE_POINTS_MAX:,}.",
            field="place_points",
        )
    if len(draft.events) > SEASON_EVENTS_MAX:
        raise Refusal(
            f"A season counts at most {SEASON_EVENTS_MAX} events.", field="events"
        )
    return replace(draft, name=name)


def _write(season: Season, draft: SeasonDraft) -> None:
    """Store what a season agrees on; raises Refusal for an event of another club."""
    season.name, season.counts, season.best = draft.name, draft.counts, draft.best
    season.place_points = list(draft.place_points)
    tokens = set(filter(is_token, draft.events))
    events = ClubEvent.objects.filter(club_id=season.club_id, token__in=tokens)
    for token in sorted({*draft.events} - {event.token for event in events}):
        raise Refusal(f"The club has no event {shown(token)}.", field="events")
    season.save()
    season.events.set(events)
