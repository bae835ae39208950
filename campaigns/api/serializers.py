"""Bodies and answers about clubs' events, rounds and fixtures."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.fields import empty

from accounts.api.endpoints import token_in_path
from accounts.api.serializers import (
    Answer,
    AnyObject,
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
from battles.models import CONFIRM_DAYS_MAX, NOTE_MAX, REASON_MAX
from campaigns.models import (
    ENTRIES_MAX,
    EVENT_NAME_MAX,
    ROUNDS_MAX,
    SEED_MAX,
    TABLES_MAX,
    EventKind,
    EventStatus,
    FixtureStatus,
    PairingMethod,
    RoundStatus,
)
from campaigns.models.leagues import PLACE_MAX, POINTS_MAX
from campaigns.queries.schedule import ScheduledFixture
from engine.records import Fields
from engine.roster import MAX_LIMIT
from engine.tournament.standings import TIE_BREAKS
from warbands.models import KEY_MAX, NAME_MAX

EVENT = token_in_path("token", "The event's id.")
FIXTURE = token_in_path("fixture", "The fixture's id.")
NUMBER = OpenApiParameter(
    "number",
    {"type": "integer", "minimum": 1, "maximum": 32767},
    OpenApiParameter.PATH,
    description="The round's.",
)
STATED: Fields = {"required": False, "refuses_null": True}
OPTIONAL: Fields = {"required": False, "allow_null": True}
TABLE_POINTS: Fields = {
    "required": False,
    "min_value": -POINTS_MAX,
    "max_value": POINTS_MAX,
}


def _listed(values: list[str], source: str | None = None) -> Text:
    """Return a text of an answer whose help lists what it may be."""
    return Text(source=source, help_text=f"{', '.join(values)}.")


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
    """A league, club night or campaign to make. Any other key is refused."""

    club: Any = Text(help_text="Address (slug) of a club that the caller runs.")
    name = Text(refuses_null=True, max_length=EVENT_NAME_MAX)
    kind = OneOf(refuses_null=True, choices=EventKind.values)
    method = OneOf(refuses_null=True, choices=PairingMethod.values)
    system = Text(refuses_null=True, max_length=KEY_MAX, help_text="Key of a rule system.")
    description = Text(**STATED, allow_blank=True, max_length=NOTE_MAX)
    place = Text(**STATED, allow_blank=True, max_length=PLACE_MAX)
    # These two are checked by the operation, whose sentence names what there is.
    odd = Text(**STATED, help_text="bye or three: what becomes of whoever is left over.")
    visibility = Text(**STATED, help_text="club, link or public.")
    variant = Text(
        **OPTIONAL, max_length=KEY_MAX, help_text="Needed where the system has some."
    )
    points_limit = Whole(**OPTIONAL, min_value=0, max_value=MAX_LIMIT)
    legs = Whole(required=False, min_value=1, max_value=2, help_text="Of a round robin.")
    rounds_planned = Whole(
        required=False, min_value=0, max_value=ROUNDS_MAX, help_text="0 is open-ended."
    )
    tables = Whole(
        required=False,
        min_value=0,
        max_value=TABLES_MAX,
        help_text="0 is as many as are needed.",
    )
    confirm_days = Whole(required=False, min_value=1, max_value=CONFIRM_DAYS_MAX)
    needs_list = Flag(required=False)
    is_secret = Flag(
        required=False, help_text="Lists are shown to others once they are published."
    )
    has_core = Flag(
        required=False,
        help_text="No warrior of the last list may be missing from the next.",
    )
    scenarios = Texts(
        child=Text(max_length=KEY_MAX),
        required=False,
        help_text="Keys that fixtures draw from.",
    )
    tie_breaks = Texts(child=OneOf(choices=list(TIE_BREAKS)), required=False)
    house_rules = ObjectOf(
        child=Flag(), required=False, help_text="Switches of the system, by key."
    )
    levels = ObjectOf(
        child=Text(),
        required=False,
        help_text="A guideline's code to error, warning, note or off.",
    )
    scoring = ScoringBody(required=False)


class EventChange(EventBody):
    """What an event agrees on. Any other key is refused, and what is left out stays as it is."""

    club = None


class EventRowAnswer(Answer):
    """An event in a list."""

    id = Text(source="token")
    name = Text()
    club = Text(source="club_slug")
    kind = OneOf(choices=EventKind.values)
    status = _listed(EventStatus.values)
    points_limit = Whole(allow_null=True)
    visibility = Text()
    entries = Whole(help_text="Those who have not dropped out.")
    round = Whole(help_text="The latest that is published, 0 before any is.")
    is_archived = Flag()
    is_mine = Flag(help_text="The caller is entered.")
    may_organise = Flag()
    updated_at = Moment()


class EventAnswer(Answer):
    """What a league, club night or campaign agrees on."""

    id = Text(source="token")
    club = Text(source="club_slug")
    version = Whole(help_text="Also in the header ETag.")
    name = Text(allow_blank=True)
    description = Text(allow_blank=True)
    place = Text(allow_blank=True)
    kind = OneOf(choices=EventKind.values)
    method = Text()
    system = Text()
    variant = Text(allow_null=True)
    odd = Text()
    visibility = Text()
    status = _listed(EventStatus.values)
    points_limit = Whole(allow_null=True)
    legs = Whole()
    rounds_planned = Whole()
    tables = Whole()
    confirm_days = Whole()
    needs_list = Flag()
    is_secret = Flag()
    has_core = Flag()
    is_archived = Flag()
    may_organise = Flag()
    scenarios = Texts()
    house_rules = ObjectOf(child=Flag())
    levels = ObjectOf(child=Text())
    scoring = ObjectOf(child=Whole())
    tie_breaks = Texts()
    entry = Text(source="mine", allow_null=True, help_text="The caller's own entry.")
    updated_at = Moment()


class EntryBody(Body):
    """Somebody to enter: a guest by name, or with ``me`` the caller. Any other key is refused."""

    name = Text(required=False, allow_blank=True, max_length=NAME_MAX)
    me = Flag(
        required=False,
        default=False,
        help_text="Enters the caller; a name may be left out then.",
    )
    warband = Text(
        required=False, allow_blank=True, help_text="The id of what they mean to bring."
    )


class EntryAnswer(Answer):
    """Somebody in an event."""

    id = Text(source="token")
    name = Text()
    is_guest = Flag()
    is_mine = Flag()
    is_dropped = Flag()
    joined = Whole(help_text="The round they are paired from.")
    dropped = Whole(allow_null=True, help_text="The first round they are not paired in.")
    warband = Text(
        allow_null=True, help_text="What they mean to bring, where the caller may open it."
    )
    army = Text(source="army_name", allow_blank=True)


class RoundBody(Body):
    """A round to plan. Any other key is refused."""

    name = Text(required=False, allow_blank=True, max_length=NAME_MAX)
    points_limit = Whole(
        **OPTIONAL, min_value=0, max_value=MAX_LIMIT, help_text="Null is as the event says."
    )
    scenarios = Texts(
        child=Text(max_length=KEY_MAX),
        required=False,
        help_text="Empty is as the event says.",
    )
    starts_at = Moment(**OPTIONAL)
    lists_due_at = Moment(**OPTIONAL)


class RoundStepBody(Body):
    """What a step of a round takes. Any other key is refused."""

    seed = Text(
        required=False,
        allow_blank=True,
        max_length=SEED_MAX,
        help_text="To draw: the same seed, the same pairs.",
    )

    def get_fields(self) -> Fields:
        """Return what this step takes: only a draw has a seed."""
        # A seed with another step is an unknown key, and refused like one.
        fields: Fields = super().get_fields()
        return fields if self.context.get("step", "draw") == "draw" else {}


class EntryNameAnswer(Answer):
    """An entry, by id and name."""

    id = Text(source="token")
    name = Text()


class RoundFixtureAnswer(Answer):
    """Who meets whom, where and over what, and what it came to."""

    id = Text(source="record.token")
    version = Whole(
        source="record.version", help_text="Also in the header ETag of the fixture."
    )
    round = Whole(source="round.number")
    table = Whole(source="record.table", allow_null=True)
    entries = EntryNameAnswer(
        source="sides", many=True, help_text="Who meets whom; one alone has a bye."
    )
    attacker = Text(source="attacker.token", allow_null=True, help_text="Id of an entry.")
    scenario = Text(source="record.scenario", allow_null=True)
    scenario_name = Text(source="record.scenario_name", allow_blank=True)
    reason = Text(
        source="record.reason", allow_blank=True, help_text="Why they were paired."
    )
    status = _listed(FixtureStatus.values, source="record.status")
    decision = Text(
        source="record.decision",
        allow_null=True,
        help_text="unplayed or walkover, where an organiser decided it.",
    )
    winner = Text(
        source="winner.token",
        allow_null=True,
        help_text="Id of an entry; null in a final one is a draw.",
    )
    how = Text(source="record.how", allow_blank=True)
    figures = AnyObject(help_text="By entry: out (models lost), destroyed (points).")
    is_friendly = Flag(source="record.is_friendly", help_text="It does not count.")
    is_rematch = Flag(source="record.is_rematch")
    plays_at = Moment(allow_null=True)
    played_at = Moment(source="record.played_at", allow_null=True)
    confirm_by = Moment(
        source="record.waits_until", allow_null=True, help_text="When silence confirms it."
    )
    battle = Text(
        source="record.battle_token",
        allow_null=True,
        help_text="The id of the battle that holds its result.",
    )

    def get_figures(self, fixture: ScheduledFixture) -> dict[str, dict[str, int]]:
        """Return what each of the first two sides lost and destroyed."""
        record = fixture.record
        one = {"out": record.out_one, "destroyed": record.destroyed_one}
        other = {"out": record.out_other, "destroyed": record.destroyed_other}
        figures = zip(
            fixture.sides, (one, other), strict=False
        )  # a bye has one side, a table three
        return {side.token: lost for side, lost in figures}


class FixtureAnswer(RoundFixtureAnswer):
    """A fixture with the event it belongs to."""

    event = Text(source="event.token")


class RoundRowAnswer(Answer):
    """A round without its fixtures."""

    number = Whole()
    name = Text(source="title")
    status = _listed(RoundStatus.values)
    points_limit = Whole(allow_null=True)
    scenarios = Texts()
    starts_at = Moment(allow_null=True)
    lists_due_at = Moment(allow_null=True)
    published_at = Moment(allow_null=True)
    seed = Text(allow_blank=True, help_text="For organisers.")


class RoundAnswer(RoundRowAnswer):
    """A round with its fixtures."""

    fixtures = RoundFixtureAnswer(many=True)


class FiguresBody(Body):
    """What one entry lost and destroyed."""

    out = Whole(**OPTIONAL, min_value=0)
    destroyed = Whole(**OPTIONAL, min_value=0)


class Figures(ObjectOf):
    """What entries lost and destroyed, by their ids."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, dict) or not all(map(_is_figures, data.values())):
            raise ValidationError(
                [
                    (
                        "figures must be an object of ids, each with out and destroyed as whole "
                        "numbers or null."
                    )
                ]
            )
        return data


def _is_figures(value: Any) -> bool:
    if not isinstance(value, dict) or not set(value) <= {"out", "destroyed"}:
        return False
    return all(figure is None or is_whole(figure) for figure in value.values())


class ReportBody(Body):
    """How a fixture ended. Any other key is refused."""

    winner = Text(**OPTIONAL, help_text="Id of an entry; null for nobody.")
    how = Text(
        help_text="An ending of the system, such as rout, objective, conceded, time or drawn."
    )
    figures = Figures(
        child=FiguresBody(),
        required=False,
        help_text="By entry; they count where nobody recorded who went out.",
    )
    reason = Text(
        required=False,
        allow_blank=True,
        max_length=REASON_MAX,
        help_text="Needed to correct.",
    )


class ReportAnswer(Answer):
    """How a report stands."""

    battle = Text()
    status = Text()
    number = Whole(help_text="How many steps the result has.")


class StandingRowAnswer(Answer):
    """One line of a table."""

    place = Whole(
        source="standing.place", help_text="Those who are level in everything share one."
    )
    moved = Whole(allow_null=True, help_text="Places risen since the round before.")
    entry = EntryNameAnswer()
    points = Whole(source="standing.points")
    played = Whole(source="standing.played")
    won = Whole(source="standing.won")
    drawn = Whole(source="standing.drawn")
    lost = Whole(source="standing.lost")
    byes = Whole(source="standing.byes")
    unplayed = Whole(source="standing.unplayed")
    put_out = Whole(source="standing.put_out")
    models_lost = Whole(source="standing.models_lost")
    points_destroyed = Whole(source="standing.points_destroyed")
    ties = Texts(
        source="standing.ties", help_text="What each tie-break comes to, in their order."
    )
    explained = Text(
        source="standing.explained",
        allow_blank=True,
        help_text="Why this line stands where it does.",
    )


class StandingsAnswer(Answer):
    """The table as it is now."""

    event = Text(source="event.token")
    round = Whole(help_text="The latest that counts, 0 before any does.")
    tie_breaks = Texts(source="event.tie_breaks")
    results: Any = StandingRowAnswer(  # type: ignore[call-arg]  # it is the list's
        source="rows", many=True, max_length=ENTRIES_MAX
    )
