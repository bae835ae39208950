"""Keys of calendar addresses: one for each person and event, for a calendar cannot sign in.

A key is worked out and not stored, so that reading a page writes nothing. What is stored is how often
it was renewed.
"""

from django.db.models import Q
from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.models import User
from accounts.owner import NOBODY, Owner
from campaigns.models import CalendarEdition
from campaigns.queries.events import load_event
from campaigns.queries.records import ClubEventRecord

_SALT = "campaigns.calendars"  # not the module's name: addresses handed out hold it
PERSON_DIGITS = 9


def load_calendar_key(event: ClubEventRecord, user_id: int) -> str:
    """Return what this person's calendar shows for the event's feed. One query."""
    rows = CalendarEdition.objects.filter(Q(user=user_id) | Q(user=None), event=event.id)
    numbers: dict[int | None, int] = dict(rows.values_list("user_id", "number"))
    parts = (event.token, user_id, numbers.get(None, 0), numbers.get(user_id, 0))
    text = "/".join(str(part) for part in parts)
    return salted_hmac(_SALT, text, algorithm="sha256").hexdigest()[:32]


def load_calendar_reader(token: str, person: str, key: str) -> Owner:
    """Return whose calendar asks, as a key shows; nobody where it shows nothing.

    A key shows nothing any more once it was renewed, and once its person may not read the event or
    sign in. Four queries at most.
    """
    if not (person.isascii() and person.isdigit() and len(person) <= PERSON_DIGITS and key):
        return NOBODY
    user_id = int(person)
    reader = Owner(user_id=user_id)
    event = load_event(reader, token)
    is_active = User.objects.filter(pk=user_id, is_active=True).exists()
    if event is None or not is_active:
        return NOBODY
    is_right = constant_time_compare(load_calendar_key(event, user_id), key)
    return reader if is_right else NOBODY
