"""The roster document as the API declares it, and what checking one answers."""

from typing import Any

from accounts.api.serializers import (
    Answer,
    AnyObject,
    Body,
    Flag,
    ListOf,
    ObjectOf,
    OneOf,
    Text,
    Texts,
    Whole,
)
from engine.roster import MAX_COUNT, MAX_ENTRIES, MAX_LIMIT
from warbands.exchange.document import FORMAT
from warbands.models import KEY_MAX, NAME_MAX, NOTE_MAX
from warbands.roster_fields import DOCUMENT_FIELDS, MAX_OPTIONS, EntryField


def optional_text(limit: int) -> Text:
    """A text that may be empty or left out."""
    return Text(required=False, allow_blank=True, max_length=limit, default="")


class WarriorDocument(Body):
    """One entry of a roster document. Any other key is refused."""

    profile = Text(max_length=KEY_MAX, help_text="Key of a profile of the army.")
    count = Whole(
        required=False,
        min_value=1,
        max_value=MAX_COUNT,
        default=1,
        help_text="Miniatures alike; a leader is one.",
    )
    options = Texts(
        child=Text(max_length=KEY_MAX, allow_blank=True),
        required=False,
        max_length=MAX_OPTIONS,
        default=list,
        help_text="What is bought beyond the profile: option keys, champion, musician, "
        "standard-bearer, magic/<key>; "
        "one sold by the piece stands here once for each piece.",
    )

    growth = AnyObject(
        required=False,
        allow_null=True,
        default=None,
        help_text="What a campaign made of the entry, as an export of its warband tells it; "
        "sheets, checks and odds count it, importing turns it into a note.",
    )

    def get_fields(self) -> dict[str, Any]:
        """The keys of `DOCUMENT_FIELDS` in their order: as above, else a plain flag or text."""
        declared = super().get_fields()
        others = {
            key: _plain(one) for key, one in DOCUMENT_FIELDS.items() if key not in declared
        }
        return {key: (declared | others)[key] for key in DOCUMENT_FIELDS}


def _plain(one: EntryField) -> Flag | Text:
    """A key that may be left out; raises ValueError for a form that is to be declared by hand."""
    if one.form == "flag":
        return Flag(required=False, default=False)
    if one.form in ("text", "lines"):
        return optional_text(one.limit)
    raise ValueError(f"{one.field} needs a declaration in WarriorDocument")


class RosterDocument(Body):
    """The roster document muster-roll/1. Any other key is refused."""

    format = OneOf(choices=[FORMAT])
    system = Text(max_length=KEY_MAX, help_text="Key of a rule system.")
    variant = Text(
        required=False,
        allow_null=True,
        default=None,
        help_text="Of the rule system; null where it has none, and needed where it has some.",
    )
    tags = Texts(
        child=Text(max_length=KEY_MAX),
        required=False,
        default=list,
        help_text="Tags of the system.",
    )
    army = Text(max_length=KEY_MAX, help_text="Key of an army list that the system fields.")
    name = optional_text(NAME_MAX)
    points_limit = Whole(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=MAX_LIMIT,
        default=None,
        help_text="Null where none was agreed.",
    )
    scenario = Text(
        required=False,
        allow_null=True,
        default=None,
        help_text="Key of a scenario of the system.",
    )
    house_rules = ObjectOf(
        child=Flag(),
        required=False,
        default=dict,
        help_text="Switches of the system, by key.",
    )
    rulings = ObjectOf(
        child=Whole(min_value=0, max_value=9),
        required=False,
        default=dict,
        help_text="Rulings played otherwise, by ref: 1 for the first alternative, 0 for the text.",
    )
    warriors = ListOf(child=WarriorDocument(), max_length=MAX_ENTRIES)
    note = optional_text(NOTE_MAX)
    growth = AnyObject(
        required=False,
        allow_null=True,
        default=None,
        help_text="What a campaign made of the warband, as its export tells it.",
    )


class FindingAnswer(Answer):
    """One finding."""

    code = Text()
    level = OneOf(choices=["error", "warning", "note"])
    message = Text()
    warriors = Texts(child=Whole(), help_text="Indexes into warriors, from 0.")
    acknowledged_by = Text(
        allow_null=True,
        help_text="Who has acknowledged the uncertain figures, and when; a note since then.",
    )
    source = Text()  # type: ignore[assignment]  # a key of ours, not the framework's attribute


class CheckedWarriorAnswer(Answer):
    """What one entry comes to."""

    points = Whole(help_text="Of all miniatures of the entry.")
    armour_save = Whole(allow_null=True, help_text="5 for 5+, before situational bonuses.")
    leadership = Whole(
        allow_null=True, help_text="Its own, or its champion's; never the mount's."
    )


class CheckAnswer(Answer):
    """The roster's price and findings; warriors stand in the order of the document."""

    points = Whole(help_text="Of the whole roster.")
    models = Whole(help_text="Miniatures on the table.")
    findings = FindingAnswer(many=True, source="told_findings")
    findings_left = Whole(help_text="How many more there are; an answer holds 1,000.")
    warriors = CheckedWarriorAnswer(many=True)
