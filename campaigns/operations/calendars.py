"""Renewing the calendar addresses of an event: one's own, or everybody's."""

from django.db.models import F

from campaigns.models import CalendarEdition, ClubEvent
from campaigns.operations.log import ChangeRequest, organised_event, readable_event


def renew_own_calendar(asked: ChangeRequest, user_id: int) -> None:
    """End the address of the person who asks; another one takes its place. Raises NotFound."""
    with readable_event(asked) as change:
        _renew(change.event, user_id)


def renew_calendars(asked: ChangeRequest) -> None:
    """End every calendar address of the event. Raises NotFound, NotAllowed, Stale."""
    with organised_event(asked) as change:
        _renew(change.event, None)
        change.write("renew_calendars", "Renewed every calendar address.")


def _renew(event: ClubEvent, user_id: int | None) -> None:
    row, _ = CalendarEdition.objects.get_or_create(event=event, user_id=user_id)  # type: ignore[misc]
    CalendarEdition.objects.filter(pk=row.pk).update(number=F("number") + 1)
