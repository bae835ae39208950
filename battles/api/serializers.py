"""Bodies and answers about battles: set up, recorded, settled."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.fields import empty

from accounts.api.serializers import (
    Answer,
    Anything,
    Body,
    Day,
    DeclaredField,
    Flag,
    ListOf,
    Moment,
    ObjectOf,
    OneOf,
    Text,
    Texts,
    Whole,
    path_of,
)
from battles.intake import BATCH_MAX
from battles.models import (
    AUTHOR_MAX,
    CONFIRM_DAYS,
    CONFIRM_DAYS_MAX,
    NOTE_MAX,
    QUICK_LEADERSHIP_MAX,
    QUICK_MODELS_MAX,
    REASON_MAX,
    SIDES_LEAST,
    SIDES_MOST,
    BattleStatus,
    BattleVisibility,
    ResultVerb,
)
from battles.operations.sides import QuickSide, RosterSide, WarbandSide
from battles.result_rules import TAKES_EVENTS
from engine.battles.types import KINDS
from engine.records import JsonObject
from warbands.api.rosters import RosterDocument
from warbands.models import KEY_MAX, NAME_MAX

KEY: JsonObject = {
    "required": False,
    "help_text": "The battle's key; or in the header X-Battle-Key, or as Authorization: Bearer.",
}
AUTHOR: JsonObject = {
    "required": False,
    "max_length": AUTHOR_MAX,
    "help_text": "What a key's holder is called.",
}
PLACE_HELP = "The place of a side in sides, from 0."
OPTIONAL: JsonObject = {"required": False, "allow_null": True}
TAKES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(TAKES_EVENTS, ("winner", "how", "events")),
    ResultVerb.DISPUTE: ("winner", "how"),
}


@extend_schema_field(
    {"type": "array", "items": {"$ref": "#/components/schemas/EventToRecord"}}
)
class EventList(DeclaredField, serializers.ListField):
    """A list of events, each of which is read by itself later."""

    child = serializers.DictField()
    default_error_messages = dict.fromkeys(
        ("invalid", "null"), "{name} must be a list of events."
    )

    def to_internal_value(self, data: Any) -> list[Any]:
        if not isinstance(data, list):
            self.fail("invalid")
        return data


class QuickSideBody(Body):
    """A side without a roster."""

    name = Text(max_length=NAME_MAX)
    models = Whole(min_value=1, max_value=QUICK_MODELS_MAX)
    leadership = Whole(
        "Its leader's.", **OPTIONAL, min_value=1, max_value=QUICK_LEADERSHIP_MAX
    )

    def run_validation(self, data: Any = empty) -> Any:
        """Return the side; its figures are checked where it is made."""
        path, keys = path_of(self), ", ".join(self.fields)
        if not isinstance(data, Mapping):
            raise ValidationError([f"{path} must be an object with the keys {keys}."])
        if not set(data) <= set(self.fields):
            raise ValidationError([f"{path} has another key; its keys are {keys}."])
        for key in ("name", "models"):
            if key not in data:
                raise ValidationError({key: [f"{path}.{key} is missing."]})
        if not isinstance(data["name"], str):
            raise ValidationError({"name": [f"{path}.name must be a text."]})
        return QuickSide(data["name"], data["models"], data.get("leadership"))


class SideBody(Body):
    """One side: exactly one of the three."""

    roster = RosterDocument(required=False)
    warband = Text("The id of a warband that the caller may open.", required=False)
    quick = QuickSideBody(required=False)

    def run_validation(self, data: Any = empty) -> Any:
        """Return the side; a roster document is read where it is locked."""
        path, forms = path_of(self), tuple(self.fields)
        if not isinstance(data, Mapping) or len(data) != 1 or not set(data) <= set(forms):
            raise ValidationError(
                [f"{path} must be an object with one of the keys {', '.join(forms)}."]
            )
        (form,) = data
        field, value = self.fields[form], data[form]
        if form == "roster":
            return RosterSide(value)
        if form == "warband":
            if not isinstance(value, str):
                sentence = f"{path}.warband must be the id of a warband, a text."
                raise ValidationError({"warband": [sentence]})
            return WarbandSide(field.run_validation(value))
        try:
            return field.run_validation(value)
        except ValidationError as error:
            raise ValidationError({"quick": error.detail}) from None


class Sides(ListOf):
    """The sides of a battle."""

    child = SideBody()
    default_error_messages = dict.fromkeys(
        ("invalid", "null"), f"sides must be a list of {SIDES_LEAST} to {SIDES_MOST} sides."
    )

    def to_internal_value(self, data: Any) -> list[Any]:
        if not isinstance(data, list) or not SIDES_LEAST <= len(data) <= SIDES_MOST:
            self.fail("invalid")
        return self.run_child_validation(data)


class BattleBody(Body):
    """A battle to set up. Any other key is refused."""

    system = Text("Key of a rule system.", max_length=KEY_MAX)
    variant = Text("Needed where the system has some.", **OPTIONAL, max_length=KEY_MAX)
    scenario = Text("Key of a scenario of the system.", **OPTIONAL, max_length=KEY_MAX)
    sides = Sides(min_length=SIDES_LEAST, max_length=SIDES_MOST)
    attacker = Whole(PLACE_HELP, **OPTIONAL, min_value=0, max_value=SIDES_MOST - 1)
    first = Whole(PLACE_HELP, **OPTIONAL, min_value=0, max_value=SIDES_MOST - 1)
    house_rules = ObjectOf(
        "Switches of the system, by key.",
        child=Flag(),
        is_strict=False,
        required=False,
    )
    rulings = ObjectOf(
        "Rulings played otherwise, by ref: 1 for the first alternative, 0 for the text.",
        child=Whole(min_value=0, max_value=9),
        is_strict=False,
        required=False,
        source="ruling_choices",
    )
    note = Text(
        "What else was agreed.",
        required=False,
        refuses_null=True,
        max_length=NOTE_MAX,
    )
    visibility = OneOf(
        choices=BattleVisibility.values,
        refuses_null=True,
        default=BattleVisibility.LINK.value,
    )
    fought_date = Day("Today if left out.", required=False)
    confirm_days = Whole(
        "Days the other side has to answer a result before silence confirms it.",
        min_value=1,
        max_value=CONFIRM_DAYS_MAX,
        default=CONFIRM_DAYS,
    )


class CombatantAnswer(Answer):
    """One miniature, or one regiment."""

    id = Text()
    name = Text()
    profile = Text("Key of its profile; empty on a quick side.")


class OpenedSideAnswer(Answer):
    """A side with everybody in it."""

    id = Text(source="key")
    name = Text()
    combatants = CombatantAnswer(source="fighters", many=True)


class RowSideAnswer(Answer):
    """A side of a battle in a list."""

    id = Text(source="key")
    name = Text()
    army = Text("Its name.", source="army_name")
    player = Text(source="owner_name")
    is_quick = Flag()
    size = Whole("Models, or regiments.")
    out = Whole()
    points = Whole(allow_null=True)
    is_mine = Flag()
    is_winner = Flag("By the result as it is now.")


class BattleRowAnswer(Answer):
    """A battle in a list."""

    id = Text(source="token")
    title = Text()
    system = Text()
    scenario_name = Text()
    visibility = OneOf(choices=BattleVisibility.values)
    club_name = Text()
    fought_date = Day()
    status = OneOf(choices=BattleStatus.values)
    winner = Text("The id of the side that won.", allow_null=True)
    how = Text()
    events = Whole("How many it holds.")
    sides = RowSideAnswer(many=True)
    is_mine = Flag("The caller takes part.")
    waits_for_me = Flag("A result waits for the caller's answer.")
    confirm_by = Moment("When silence confirms it.", allow_null=True)
    updated_at = Moment()


class OpenedBattleAnswer(Answer):
    """A battle that was set up."""

    id = Text(source="token")
    key = Text("Lets its holder record.")
    sides = OpenedSideAnswer(many=True)


class EventsBody(Body):
    """A batch of events."""

    events = EventList(
        f"At most {BATCH_MAX}, each looked at by itself. An event: id (a UUID of its "
        "own), device, seq (one more than the highest seen), at (what its clock said), kind "
        f"({', '.join(KINDS)}) and payload (an object by its kind, at most 4,096 bytes)."
    )
    key = Text(**KEY)
    author = Text(**AUTHOR)


class TakenEventAnswer(Answer):
    """What became of one event."""

    id = Text()
    status = OneOf(source="outcome", choices=["accepted", "duplicate", "refused"])
    reason = Text("Why it was refused, with field and limit.")
    stored = Flag(
        "Whether it is kept; a refused one that is kept has no effect where it stands."
    )


class TakenEventsAnswer(Answer):
    """What became of each event, in their order."""

    events = TakenEventAnswer(source="answers", many=True)
    position = Whole("How many events the battle holds now.")


class StoredEventAnswer(Answer):
    """An event as it was stored."""

    id = Text()
    device = Text()
    at = Text()
    kind = Text()
    seq = Whole()
    payload = Anything()
    position = Whole("Its place in the order of arrival.")
    author = Text()


class LaterEventsAnswer(Answer):
    """Events that arrived after a position."""

    events = StoredEventAnswer(many=True)
    position = Whole("How far these events go: the next `after`.")
    more = Flag("Whether there are later events already.")


class ResultBody(Body):
    """What is said of the result; each step takes what it needs of it."""

    winner = Text("The id of the side that won; null for nobody.", **OPTIONAL)
    how = Text(
        "rout, objective, wiped_out, conceded, time or drawn. Left out: as the events say.",
        required=False,
    )
    side = Text(
        "The id of the side somebody speaks for, where they may speak for several.",
        required=False,
    )
    reason = Text(
        "Needed to dispute, correct and make void.",
        required=False,
        max_length=REASON_MAX,
    )
    events = EventList(
        "To propose and to correct: events to record with it, all of them or none.",
        required=False,
    )
    number = Whole(
        "How many steps the caller has seen; another number is a 409.", **OPTIONAL
    )
    key = Text(**KEY)
    author = Text(**AUTHOR)

    def get_fields(self) -> JsonObject:
        """Return the fields; what this step does not take may be anything."""
        fields: JsonObject = super().get_fields()
        if "verb" not in self.context:
            return fields
        takes = TAKES.get(self.context["verb"], ())
        left = {"winner", "how", "events"} - set(takes)
        return fields | {name: Anything(**OPTIONAL) for name in left}


class ResultStepAnswer(Answer):
    """One step of the history."""

    number = Whole()
    verb = OneOf(choices=ResultVerb.values)
    side = Text(allow_null=True)
    winner = Text(allow_null=True)
    how = Text()
    reason = Text()
    figures = Anything("What the events came to then.")
    is_silent = Flag("Nobody objected in time.")
    author = Text()
    at = Moment()


class ResultAnswer(Answer):
    """The result as it is now, with its history."""

    status = OneOf(choices=BattleStatus.values)
    winner = Text(allow_null=True)
    how = Text()
    confirm_by = Moment("When silence confirms it.", allow_null=True)
    number = Whole()
    steps = ResultStepAnswer(many=True)


class CareerTotalsAnswer(Answer):
    """What a warband or a warrior has come to in its battles."""

    battles = Whole()
    won = Whole()
    drawn = Whole()
    lost = Whole()
    kills = Whole()
    out = Whole()


class WarbandChangeAnswer(Answer):
    """What a step would make of a warband's record."""

    side = Text()
    name = Text()
    before = CareerTotalsAnswer()
    after = CareerTotalsAnswer()


class WarriorChangeAnswer(WarbandChangeAnswer):
    """What a step would make of a warrior's record."""

    warrior = Whole(source="warrior_id", allow_null=True)


class LaterBattleAnswer(Answer):
    """A later battle of one of the warbands."""

    side = Text()
    id = Text(source="token")
    title = Text()
    fought_date = Day()


class PreviewAnswer(Answer):
    """Everything a step would change."""

    preview = Flag()  # always true, by which a preview is told from a result
    sentences = Texts("Every consequence in words.")
    before = Anything("status, winner and how.")
    after = Anything()
    warbands = WarbandChangeAnswer(many=True)
    warriors = WarriorChangeAnswer(many=True)
    standings = serializers.ListField(
        child=Anything(), help_text="Of tables this battle counts in."
    )
    growth = Anything(
        "What moves in a campaign whose warbands grow, else null.",
        source="growth.answer",
    )
    later = LaterBattleAnswer(many=True)

    def get_standings(self, changes: JsonObject) -> list[Any]:
        """Return nothing yet; pages alone show what moves in a table."""
        return []


DECIDED = PolymorphicProxySerializer(
    "DecidedAnswer", [ResultAnswer, PreviewAnswer], resource_type_field_name=None
)


class StateAnswer(Answer):
    """What the events come to."""

    turn = Whole()
    side = Text("Whose turn it is; null while it is everybody's.", allow_null=True)
    phase = Text()
    combatants = Anything(
        "By id: state, is_out, wounds (left; null where none are kept), marks, counters, "
        "kills, put_out_by, asks (the test it must take next)."
    )
    sides = Anything(
        "By id: out, size, counters, has_routed, and rout: due, now, leadership (what it is "
        "taken on), taken_on (the id of whose it is), why, out_from, may_ask, taken, passed."
    )
    end = Anything("null while it goes on; then winner, how, side and event.")


class BattleAnswer(Answer):
    """A whole battle, as a recorder goes on with it."""

    id = Text()
    title = Text()
    system = Text()
    variant = Text(allow_null=True)
    rules = Anything("The tables the events are folded by.")
    phases = Anything("id, name and summary of each.")
    states = Anything("id, name, summary, pose and is_out of each.")
    sides = Anything("id, name, size, leadership and combatants of each.")
    scenario = Text(allow_null=True)
    scenario_name = Text()
    house_rules = ObjectOf(child=Flag())
    rulings = ObjectOf(child=Whole())
    ruling_sources = ObjectOf("On whose word each is played.", child=Text())
    attacker = Text(allow_null=True)
    first = Text(allow_null=True)
    events = StoredEventAnswer(many=True)
    position = Whole("How far these events go: the next `after`.")
    more = Flag("Whether there are later events already.")
    result = ResultAnswer()
    may_record = Flag()
