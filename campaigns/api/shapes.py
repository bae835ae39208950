"""The shapes of the battles' API, for its document: what a body holds and what an answer tells."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, inline_serializer
from rest_framework import serializers

from campaigns.incoming import BATCH_MAX
from campaigns.models import (
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
from engine.battles.types import KINDS
from warbands.api import RosterDocument
from warbands.models import KEY_MAX, NAME_MAX

TEXT, WHOLE, YES = serializers.CharField, serializers.IntegerField, serializers.BooleanField
ANY = serializers.JSONField
KEY_HELP = "The battle's key; or in the header X-Battle-Key, or as Authorization: Bearer."
PLACE_HELP = "The place of a side in sides, from 0."


class QuickSideDocument(serializers.Serializer[Any]):
    """A side without a roster."""

    name = TEXT(max_length=NAME_MAX)
    models = WHOLE(min_value=1, max_value=QUICK_MODELS_MAX)
    leadership = WHOLE(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=QUICK_LEADERSHIP_MAX,
        help_text="Its leader's.",
    )


class SideDocument(serializers.Serializer[Any]):
    """One side: exactly one of the three."""

    roster = RosterDocument(required=False)
    warband = TEXT(required=False, help_text="The id of a warband that the caller may open.")
    quick = QuickSideDocument(required=False)


class BattleDocument(serializers.Serializer[Any]):
    """A battle to set up. Any other key is refused."""

    system = TEXT(max_length=KEY_MAX, help_text="Key of a rule system.")
    variant = TEXT(
        required=False,
        allow_null=True,
        max_length=KEY_MAX,
        help_text="Needed where the system has some.",
    )
    scenario = TEXT(
        required=False,
        allow_null=True,
        max_length=KEY_MAX,
        help_text="Key of a scenario of the system.",
    )
    sides = serializers.ListField(
        child=SideDocument(), min_length=SIDES_LEAST, max_length=SIDES_MOST
    )
    attacker = WHOLE(
        required=False, allow_null=True, min_value=0, max_value=SIDES_MOST - 1, help_text=PLACE_HELP
    )
    first = WHOLE(
        required=False, allow_null=True, min_value=0, max_value=SIDES_MOST - 1, help_text=PLACE_HELP
    )
    house_rules = serializers.DictField(
        child=YES(), required=False, help_text="Switches of the system, by key."
    )
    note = TEXT(
        required=False, allow_blank=True, max_length=NOTE_MAX, help_text="What else was agreed."
    )
    visibility = serializers.ChoiceField(
        choices=BattleVisibility.values, required=False, default=BattleVisibility.LINK.value
    )
    fought_date = serializers.DateField(required=False, help_text="Today if left out.")
    confirm_days = WHOLE(
        required=False,
        min_value=1,
        max_value=CONFIRM_DAYS_MAX,
        default=CONFIRM_DAYS,
        help_text="Days the other side has to answer a result before silence confirms it.",
    )


class CombatantAnswer(serializers.Serializer[Any]):
    """One miniature, or one regiment."""

    id = TEXT()
    name = TEXT()
    profile = TEXT(allow_blank=True, help_text="Key of its profile; empty on a quick side.")


class OpenedSideAnswer(serializers.Serializer[Any]):
    """A side with everybody in it."""

    id = TEXT()
    name = TEXT()
    combatants = CombatantAnswer(many=True)


class OpenedAnswer(serializers.Serializer[Any]):
    """A battle that was set up."""

    id = TEXT()
    key = TEXT(help_text="Lets its holder record.")
    sides = OpenedSideAnswer(many=True)


class EventsDocument(serializers.Serializer[Any]):
    """A batch of events."""

    events = serializers.ListField(
        child=serializers.DictField(),
        help_text=f"The first {BATCH_MAX} are looked at, each by itself. An event: id (a UUID of its own), device, seq "
        "(one more than the highest seen), at (what its clock said), kind "
        f"({', '.join(KINDS)}) and payload (an object by its kind, at most 4,096 bytes).",
    )
    key = TEXT(required=False, help_text=KEY_HELP)
    author = TEXT(
        required=False,
        allow_blank=True,
        max_length=AUTHOR_MAX,
        help_text="What a key's holder is called.",
    )


class EventAnswer(serializers.Serializer[Any]):
    """What became of one event."""

    id = TEXT(allow_blank=True)
    status = serializers.ChoiceField(choices=["accepted", "duplicate", "refused"])
    reason = TEXT(allow_blank=True, help_text="Why it was refused, with field and limit.")
    stored = YES(
        help_text="Whether it is kept; a refused one that is kept has no effect where it stands."
    )


class EventsAnswer(serializers.Serializer[Any]):
    """What became of each event, in their order."""

    events = EventAnswer(many=True)
    position = WHOLE(help_text="How many events the battle holds now.")


STORED_EVENT = inline_serializer(
    "StoredEvent",
    {
        **{name: TEXT() for name in ("id", "device", "at", "kind")},
        "seq": WHOLE(),
        "payload": ANY(),
        "position": WHOLE(help_text="Its place in the order of arrival."),
        "author": TEXT(allow_blank=True),
    },
    many=True,
)
LATER_EVENTS = inline_serializer("LaterEvents", {"events": STORED_EVENT, "position": WHOLE()})


class ResultDocument(serializers.Serializer[Any]):
    """What is said of the result; each step takes what it needs of it."""

    winner = TEXT(
        required=False, allow_null=True, help_text="The id of the side that won; null for nobody."
    )
    how = TEXT(
        required=False,
        help_text="rout, objective, wiped_out, conceded, time or drawn. Left out: as the events say.",
    )
    side = TEXT(
        required=False,
        help_text="The id of the side somebody speaks for, where they may speak for several.",
    )
    reason = TEXT(
        required=False,
        allow_blank=True,
        max_length=REASON_MAX,
        help_text="Needed to dispute, correct and make void.",
    )
    events = serializers.ListField(
        child=serializers.DictField(),
        required=False,
        help_text="To propose and to correct: events to record with it, all of them or none.",
    )
    number = WHOLE(
        required=False,
        allow_null=True,
        help_text="How many steps the caller has seen; another number is a 409.",
    )
    key = TEXT(required=False, help_text=KEY_HELP)
    author = TEXT(
        required=False,
        allow_blank=True,
        max_length=AUTHOR_MAX,
        help_text="What a key's holder is called.",
    )


class ResultStepAnswer(serializers.Serializer[Any]):
    """One step of the history."""

    number = WHOLE()
    verb = serializers.ChoiceField(choices=ResultVerb.values)
    side = TEXT(allow_null=True)
    winner = TEXT(allow_null=True)
    how = TEXT(allow_blank=True)
    reason = TEXT(allow_blank=True)
    figures = ANY(help_text="What the events came to then.")
    is_silent = YES(help_text="Nobody objected in time.")
    author = TEXT(allow_blank=True)
    at = serializers.DateTimeField()


class ResultAnswer(serializers.Serializer[Any]):
    """The result as it is now."""

    status = serializers.ChoiceField(choices=BattleStatus.values)
    winner = TEXT(allow_null=True)
    how = TEXT(allow_blank=True)
    confirm_by = serializers.DateTimeField(allow_null=True, help_text="When silence confirms it.")
    number = WHOLE()
    steps = ResultStepAnswer(many=True)


TALLY = {name: WHOLE() for name in ("battles", "won", "drawn", "lost", "kills", "out")}


def _change(name: str, extra: dict[str, Any]) -> Any:
    fields = {"side": TEXT(), "name": TEXT(), **extra}
    before, after = (
        inline_serializer(f"{name}{moment}", dict(TALLY)) for moment in ("Before", "After")
    )
    return inline_serializer(name, {**fields, "before": before, "after": after}, many=True)


PREVIEW = inline_serializer(
    "Preview",
    {
        "preview": YES(),
        "sentences": serializers.ListField(child=TEXT(), help_text="Every consequence in words."),
        "before": ANY(help_text="status, winner and how."),
        "after": ANY(),
        "warbands": _change("WarbandChange", {}),
        "warriors": _change("WarriorChange", {"warrior": WHOLE(allow_null=True)}),
        "standings": serializers.ListField(
            child=ANY(), help_text="Of tables this battle counts in."
        ),
        "later": inline_serializer(
            "LaterBattle",
            {"side": TEXT(), "id": TEXT(), "title": TEXT(), "fought_date": serializers.DateField()},
            many=True,
        ),
    },
)

DECIDED = PolymorphicProxySerializer(
    "Decided", [ResultAnswer, PREVIEW], resource_type_field_name=None
)
STATE = inline_serializer(
    "StateAnswer",
    {
        "turn": WHOLE(),
        "side": TEXT(allow_null=True, help_text="Whose turn it is; null while it is everybody's."),
        "phase": TEXT(allow_blank=True),
        "combatants": ANY(
            help_text="By id: state, is_out, wounds (left; null where none are kept), marks, counters, kills, "
            "put_out_by, asks (the test it must take next)."
        ),
        "sides": ANY(
            help_text="By id: out, size, counters, has_routed, and rout: due, now, leadership (what it is taken on), "
            "taken_on (the id of whose it is), why, out_from, may_ask, taken, passed."
        ),
        "end": ANY(help_text="null while it goes on; then winner, how, side and event."),
    },
)
BUNDLE = inline_serializer(
    "BattleAnswer",
    {
        **{name: TEXT() for name in ("id", "title", "system", "scenario_name")},
        **{name: TEXT(allow_null=True) for name in ("variant", "scenario", "attacker", "first")},
        "rules": ANY(help_text="The tables the events are folded by."),
        "phases": ANY(help_text="id, name and summary of each."),
        "states": ANY(help_text="id, name, summary, pose and is_out of each."),
        "sides": ANY(help_text="id, name, size, leadership and combatants of each."),
        "house_rules": serializers.DictField(child=YES()),
        "events": STORED_EVENT,
        "position": WHOLE(),
        "result": ResultAnswer(),
        "may_record": YES(),
    },
)
