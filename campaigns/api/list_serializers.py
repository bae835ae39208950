"""Bodies and answers about the lists of a round, and what is waived in them."""

from accounts.api.serializers import (
    Answer,
    AnyObject,
    Body,
    Flag,
    Moment,
    OneOf,
    Text,
    Whole,
)
from battles.models import (
    REASON_MAX,
    WORD_MAX,
)
from campaigns.models import (
    ListCheck,
)


class HandInBody(Body):
    """What is handed in. Any other key is refused."""

    warband = Text(refuses_null=True, help_text="The id of the warband.")
    entry = Text(
        required=False,
        help_text="Id of the entry, for organisers; left out, it is the caller's own.",
    )


class HandedInAnswer(Answer):
    """A list as it was taken."""

    entry = Text(source="entry.token")
    points = Whole()
    errors = Whole()  # type: ignore[assignment]  # a key of ours, not the framework's attribute
    warnings = Whole()


class ListFindingAnswer(Answer):
    """What the event's policy finds in a list."""

    code = Text()
    level = OneOf(choices=["error", "warning", "note"])
    message = Text()
    waived_by = Text(allow_null=True, help_text="Who waived it.")


class ListRowAnswer(Answer):
    """The list of one entry; what is in it is empty where the caller may not open it."""

    entry = Text()
    name = Text(help_text="The player's.")
    is_mine = Flag()
    has_list = Flag()
    is_unlocked = Flag(help_text="Another can be handed in after the deadline.")
    check = OneOf(
        choices=ListCheck.values,
        help_text="What an organiser made of it; none for all but them and its player.",
    )
    check_reason = Text(help_text="Why it was sent back, for the same readers.")
    is_open = Flag(help_text="The caller may open it.")
    handed_in_at = Moment(allow_null=True)
    warband = Text(source="warband_name", help_text="Its name.")
    army = Text(source="army_name")
    points = Whole()
    errors = Whole()  # type: ignore[assignment]  # a key of ours, not the framework's attribute
    warnings = Whole()
    findings = ListFindingAnswer(many=True)


class ListCheckBody(Body):
    """What an organiser makes of a list. Any other key is refused."""

    check = OneOf(refuses_null=True, choices=ListCheck.values)
    check_reason = Text(
        required=False,
        max_length=REASON_MAX,
        help_text="What to change, needed to send it back; its player reads it.",
    )


class ListAnswer(Answer):
    """A list as it was handed in."""

    entry = Text()
    roster = AnyObject(help_text="The roster document muster-roll/1.")


class WaiverBody(Body):
    """What is waived for an entry, and why. Any other key is refused."""

    code = Text(refuses_null=True, max_length=WORD_MAX, help_text="Of a guideline.")
    reason = Text(
        refuses_null=True, max_length=REASON_MAX, help_text="All players can read it."
    )


class WaiverAnswer(Answer):
    """A waiver."""

    code = Text()
    title = Text()
    reason = Text()
    by = Text(help_text="Who waived it.")
    at = Moment()
    revoked_at = Moment(allow_null=True, help_text="Null while it holds.")
