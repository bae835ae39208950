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

    warband = Text("The id of the warband.", refuses_null=True)
    entry = Text(
        "Id of the entry, for organisers; left out, it is the caller's own.",
        required=False,
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
    waived_by = Text("Who waived it.", allow_null=True)


class ListRowAnswer(Answer):
    """The list of one entry; what is in it is empty where the caller may not open it."""

    entry = Text(source="entry.token")
    name = Text("The player's.", source="entry.name")
    is_mine = Flag()
    has_list = Flag()
    is_unlocked = Flag("Another can be handed in after the deadline.")
    check = OneOf(
        "What an organiser made of it; none for all but them and its player.",
        choices=ListCheck.values,
        source="check_state",
    )
    check_reason = Text("Why it was sent back, for the same readers.")
    is_open = Flag("The caller may open it.")
    handed_in_at = Moment(allow_null=True)
    warband = Text("Its name.", source="warband_name")
    army = Text(source="army_name")
    points = Whole()
    errors = Whole()  # type: ignore[assignment]  # a key of ours, not the framework's attribute
    warnings = Whole()
    findings = ListFindingAnswer(many=True)


class ListCheckBody(Body):
    """What an organiser makes of a list. Any other key is refused."""

    check = OneOf(refuses_null=True, choices=ListCheck.values)
    check_reason = Text(
        "What to change, needed to send it back; its player reads it.",
        required=False,
        max_length=REASON_MAX,
    )


class ListAnswer(Answer):
    """A list as it was handed in."""

    entry = Text()
    roster = AnyObject("The roster document muster-roll/1.")


class WaiverBody(Body):
    """What is waived for an entry, and why. Any other key is refused."""

    code = Text("Of a guideline.", refuses_null=True, max_length=WORD_MAX)
    reason = Text("All players can read it.", refuses_null=True, max_length=REASON_MAX)


class WaiverAnswer(Answer):
    """A waiver."""

    code = Text()
    title = Text()
    reason = Text()
    by = Text("Who waived it.")
    at = Moment()
    revoked_at = Moment("Null while it holds.", allow_null=True)
