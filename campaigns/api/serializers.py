"""Bodies and answers about clubs' events, their entries and standings."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.fields import empty

from accounts.api.endpoints import token_in_path
from accounts.api.serializers import (
    Answer,
    Body,
    Flag,
    Moment,
    ObjectOf,
    OneOf,
    Text,
    Texts,
    Whole,
    is_whole,
)
from battles.models import (
    CONFIRM_DAYS_MAX,
    NOTE_MAX,
    Confirmation,
)
from campaigns.models import (
    ENTRIES_MAX,
    EVENT_NAME_MAX,
    ROUNDS_MAX,
    TABLES_MAX,
    EntryStatus,
    EventKind,
    EventStatus,
    MissedRound,
    PairingMethod,
)
from campaigns.models.leagues import PLACE_MAX, POINTS_MAX, SCORE_MAX, SCORE_NAME_MAX
from campaigns.operations.messages import MESSAGE_MAX, RECIPIENTS
from engine.records import Fields
from engine.roster import MAX_LIMIT
from engine.tournament.standings import TIE_BREAKS
from warbands.models import KEY_MAX, NAME_MAX

PARTS = (
    token_in_path("token", "The event's id."),
    token_in_path("fixture", "The fixture's id."),
    token_in_path("entry", "The entry's id."),
    token_in_path("warband", "The id of a warband in the campaign."),
    OpenApiParameter(
        "number",
        {"type": "integer", "minimum": 1, "maximum": 32767},
        OpenApiParameter.PATH,
        description="The round's.",
    ),
)
"""What the addresses of events hold."""
STATED: Fields = {"required": False, "refuses_null": True}
OPTIONAL: Fields = {"required": False, "allow_null": True}
TABLE_POINTS: Fields = {
    "required": False,
    "min_value": -POINTS_MAX,
    "max_value": POINTS_MAX,
}


def listed(values: list[str], source: str | None = None) -> Text:
    """Return a text of an answer whose help lists what it may be."""
    return Text(f"{', '.join(values)}.", source=source)


class ScoringBody(Body):
    """Points for each kind of result. What is left out stays."""

    win = Whole(**TABLE_POINTS)
    draw = Whole(**TABLE_POINTS)
    loss = Whole(**TABLE_POINTS)
    bye = Whole(**TABLE_POINTS)
    unplayed = Whole(**TABLE_POINTS)

    def run_validation(self, data: Any = empty) -> Any:
        """Return the points; one sentence tells of whatever is wrong in them."""
        if data is empty:
            return super().run_validation(data)
        if not isinstance(data, dict) or not all(map(is_whole, data.values())):
            raise ValidationError(["scoring must be an object of whole numbers."])
        if not set(data) <= set(self.fields):
            raise ValidationError(
                [f"scoring has the keys {', '.join(self.fields)}, no other."]
            )
        return data


class EventBody(Body):
    """An event to make. Any other key is refused."""

    club: Any = Text("Address (slug) of a club that the caller runs.")
    name = Text(refuses_null=True, max_length=EVENT_NAME_MAX)
    kind = OneOf(
        "What the page presets for a kind is not preset here.",
        refuses_null=True,
        choices=EventKind.values,
    )
    method = OneOf(refuses_null=True, choices=PairingMethod.values)
    system = Text("Key of a rule system.", refuses_null=True, max_length=KEY_MAX)
    description = Text(**STATED, max_length=NOTE_MAX)
    place = Text(**STATED, max_length=PLACE_MAX)
    # These two are checked by the operation, whose sentence names what there is.
    odd = Text("bye or three: what becomes of whoever is left over.", **STATED)
    visibility = Text("club, link or public.", **STATED)
    variant = Text("Needed where the system has some.", **OPTIONAL, max_length=KEY_MAX)
    points_limit = Whole(**OPTIONAL, min_value=0, max_value=MAX_LIMIT)
    legs = Whole("Of a round robin.", required=False, min_value=1, max_value=2)
    rounds_planned = Whole(
        "0 is open-ended.", required=False, min_value=0, max_value=ROUNDS_MAX
    )
    tables = Whole(
        "0 is as many as are needed.",
        required=False,
        min_value=0,
        max_value=TABLES_MAX,
    )
    starts_at = Moment(**OPTIONAL)
    capacity = Whole(
        "Players who find a place; null takes everyone.",
        **OPTIONAL,
        min_value=1,
        max_value=ENTRIES_MAX,
    )
    entries_close_at = Moment(**OPTIONAL)
    lists_due_at = Moment("Of every round without a deadline of its own.", **OPTIONAL)
    score_name = Text(
        "What points scored in a game are called; empty counts none.",
        **STATED,
        max_length=SCORE_NAME_MAX,
    )
    score_max = Whole(
        "The most that a side can score in a game.",
        **OPTIONAL,
        min_value=1,
        max_value=SCORE_MAX,
    )
    player_score_name = Text(
        "What points given to a player are called; empty gives none.",
        **STATED,
        max_length=SCORE_NAME_MAX,
    )
    missed_round = Text(
        "nothing or draw: what a late player gets for each round missed.",
        **STATED,
    )
    confirm_days = Whole(required=False, min_value=1, max_value=CONFIRM_DAYS_MAX)
    confirmation = Text(
        "Who confirms a reported result: players, organiser or reports (nobody).",
        **STATED,
    )
    needs_list = Flag(required=False)
    is_secret = Flag("Lists are shown to others once they are published.", required=False)
    has_one_list = Flag(
        "One list is handed in for the whole event, with the first round.",
        required=False,
    )
    has_core = Flag(
        "No warrior of the last list may be missing from the next.",
        required=False,
    )
    shows_treasury = Flag(
        "Standings of a growing campaign also show the currencies that are spent.",
        required=False,
    )
    scenarios = Texts(
        "Keys that fixtures draw from.",
        child=Text(max_length=KEY_MAX),
        required=False,
    )
    tie_breaks = Texts(
        "buchholz and sonneborn_berger sum points of opponents; a bye adds nothing.",
        child=OneOf(choices=list(TIE_BREAKS)),
        required=False,
    )
    house_rules = ObjectOf("Switches of the system, by key.", child=Flag(), required=False)
    rulings = ObjectOf(
        "Rulings played otherwise, by ref: 1 for the first alternative, 0 for the text.",
        child=Whole(min_value=0, max_value=9),
        required=False,
        source="ruling_layers",
    )
    levels = ObjectOf(
        "A guideline's code to error, warning, note or off.",
        child=Text(),
        required=False,
    )
    scoring = ScoringBody(required=False)


class EventChange(EventBody):
    """What an event agrees on. Any other key is refused, and what is left out stays as it is."""

    club = None


class CopyBody(Body):
    """A copy of an event. Any other key is refused."""

    name = Text(refuses_null=True, max_length=EVENT_NAME_MAX)
    starts_at = Moment("Deadlines move with it.", **OPTIONAL)
    players = Flag(
        "Adds the guests, and the players who are still members of the club.",
        required=False,
    )


class EventRowAnswer(Answer):
    """An event in a list."""

    id = Text(source="token")
    name = Text()
    club = Text(source="club_slug")
    kind = OneOf(choices=EventKind.values)
    status = listed(EventStatus.values)
    points_limit = Whole(allow_null=True)
    visibility = Text()
    entries = Whole("Those who have not dropped out.")
    round = Whole("The latest that is published, 0 before any is.")
    is_archived = Flag()
    is_mine = Flag("The caller is entered.")
    may_organise = Flag()
    updated_at = Moment()


class EventAnswer(Answer):
    """What an event agrees on."""

    id = Text(source="token")
    club = Text(source="club_slug")
    version = Whole("Also in the header ETag.")
    name = Text()
    description = Text()
    place = Text()
    kind = OneOf(choices=EventKind.values)
    method = Text()
    system = Text()
    variant = Text(allow_null=True)
    odd = Text()
    visibility = Text()
    status = listed(EventStatus.values)
    points_limit = Whole(allow_null=True)
    legs = Whole()
    rounds_planned = Whole()
    tables = Whole()
    starts_at = Moment(allow_null=True)
    capacity = Whole(allow_null=True)
    entries_close_at = Moment(allow_null=True)
    lists_due_at = Moment(allow_null=True)
    score_name = Text()
    score_max = Whole(allow_null=True)
    player_score_name = Text()
    missed_round = listed(MissedRound.values)
    confirm_days = Whole()
    confirmation = listed(Confirmation.values)
    needs_list = Flag()
    is_secret = Flag()
    has_core = Flag()
    has_one_list = Flag()
    shows_treasury = Flag()
    is_archived = Flag()
    may_organise = Flag()
    scenarios = Texts()
    house_rules = ObjectOf(child=Flag())
    rulings = ObjectOf(child=Whole(), source="held_rulings")
    ruling_sources = ObjectOf("On whose word each is played.", child=Text())
    levels = ObjectOf(child=Text())
    scoring = ObjectOf(child=Whole())
    tie_breaks = Texts()
    entry = Text("The caller's own entry.", source="mine", allow_null=True)
    updated_at = Moment()


class EventStepAnswer(EventAnswer):
    """An event after a step of it, with what it leaves open where it is finished."""

    unsettled = Texts("Results not confirmed, and rolls and choices still owed.")


class EntryBody(Body):
    """Somebody to enter: a guest by name, or with ``me`` the caller. Any other key is refused."""

    name = Text(required=False, max_length=NAME_MAX)
    me = Flag(
        "Enters the caller; a name may be left out then.",
        default=False,
    )
    warband = Text("The id of what they mean to bring.", required=False)


class EntryChange(Body):
    """What changes of an entry; what is not named stays. Any other key is refused."""

    name = Text(required=False, max_length=NAME_MAX)
    warband = Text("An id; empty for no warband.", required=False)
    play_off = Whole(
        "The place in a play-off, by organisers; null for none.",
        required=False,
        allow_null=True,
    )
    is_paid = Flag("By organisers.", required=False)
    player_score = Whole(
        "Such as for painting, by organisers; null for none.",
        required=False,
        allow_null=True,
        min_value=0,
        max_value=SCORE_MAX,
    )


class MessageBody(Body):
    """What organisers write to players. Any other key is refused."""

    to = OneOf(
        "All players, those of a round, or those who have handed in no list for it.",
        refuses_null=True,
        choices=list(RECIPIENTS),
    )
    text = Text(refuses_null=True, max_length=MESSAGE_MAX)
    round = Whole(
        "Left out: the latest that is published; for lists the first that is not closed.",
        **OPTIONAL,
        min_value=1,
        max_value=ROUNDS_MAX,
    )


class MessageAnswer(Answer):
    """How far a message went."""

    recipients = Whole("Players with an account, the sender aside.")


class GuestsBody(Body):
    """Guests to enter by their names. Any other key is refused."""

    names = Texts(child=Text(max_length=NAME_MAX), max_length=ENTRIES_MAX)


class EntryAnswer(Answer):
    """Somebody in an event."""

    id = Text(source="token")
    name = Text()
    is_guest = Flag()
    is_mine = Flag()
    status = OneOf(choices=EntryStatus.values)
    is_dropped = Flag()
    is_paid = Flag("For organisers and the player; null for others.", allow_null=True)
    joined = Whole("The round they are paired from; 0 until they have a place.")
    dropped = Whole("The first round they are not paired in.", allow_null=True)
    warband = Text(
        "What they mean to bring, where the caller may open it.", allow_null=True
    )
    army = Text("Empty while lists are secret.", source="army_name")
    player_score = Whole("What organisers gave, null for none.", allow_null=True)


class GuestsAnswer(Answer):
    """Who was entered, in the order of their names."""

    results = EntryAnswer(many=True)


class EntryNameAnswer(Answer):
    """An entry, by id and name."""

    id = Text(source="token")
    name = Text()


class StandingWarbandAnswer(Answer):
    """What the warband of a player holds in a campaign whose warbands grow."""

    rating = Whole()
    territories = Texts()
    closed_round = Whole(
        "While lists are secret, the round at whose close they were stored.",
        allow_null=True,
    )


class StandingRowAnswer(Answer):
    """One line of a table."""

    place = Whole("Those who are level in everything share one.", source="standing.place")
    moved = Whole("Places risen since the round before.", allow_null=True)
    entry = EntryNameAnswer()
    points = Whole(source="standing.points")
    played = Whole(source="standing.played")
    won = Whole(source="standing.won")
    drawn = Whole(source="standing.drawn")
    lost = Whole(source="standing.lost")
    byes = Whole(source="standing.byes")
    unplayed = Whole(source="standing.unplayed")
    put_out = Whole(
        "Models of opponents; three-player games count in models_lost alone.",
        source="standing.put_out",
    )
    models_lost = Whole(source="standing.models_lost")
    points_destroyed = Whole(source="standing.points_destroyed")
    score = Whole("Points scored in all games.", source="standing.score")
    player_score = Whole(
        "What organisers gave.", source="entry.player_score", allow_null=True
    )
    ties = Texts("What each tie-break comes to, in their order.", source="standing.ties")
    explained = Text(
        "Why this line stands where it does.",
        source="standing.explained",
    )
    warband = StandingWarbandAnswer(
        allow_null=True,
        help_text="In a campaign whose warbands grow, once one is founded; else null.",
    )


class StandingsAnswer(Answer):
    """The table as it is now."""

    event = Text(source="event.token")
    round = Whole("The latest that counts, 0 before any does.")
    tie_breaks = Texts(source="event.tie_breaks")
    results: Any = StandingRowAnswer(  # type: ignore[call-arg]  # it is the list's
        source="rows", many=True, max_length=ENTRIES_MAX
    )
