"""What becomes of the fixtures of somebody who drops out."""

from __future__ import annotations

from django.db.models import F, Q

from campaigns.models import REASON_MAX, ClubEvent, Entry, Fixture, FixtureStatus, RoundStatus


def withdraw_from_fixtures(event: ClubEvent, entry: Entry) -> None:
    """Out of every draft, where who was to meet them has a bye; what is published and not played says what happened."""
    mine = Q(one=entry) | Q(other=entry) | Q(third=entry)
    rows = Fixture.objects.filter(
        mine, round__event=event, battle=None, decision=""
    ).select_related("round")
    for row in rows:
        if row.round.status == RoundStatus.DRAFT:
            _leave_draft(row, entry)
        elif (
            row.round.status == RoundStatus.PUBLISHED
            and row.other_id
            and row.status == FixtureStatus.OPEN
        ):
            _notify_players(row, entry)


def _leave_draft(row: Fixture, entry: Entry) -> None:
    stay = [one for one in (row.one_id, row.other_id, row.third_id) if one not in (None, entry.pk)]
    if not stay:
        row.delete()
        return
    if row.third_id is not None:
        Fixture.objects.filter(pk=row.pk).update(
            one_id=stay[0],
            other_id=stay[1],
            third_id=None,
            attacker_id=row.attacker_id if row.attacker_id in stay else stay[0],
            reason=f"{entry.name} dropped out.",
            version=F("version") + 1,
        )
        return
    Fixture.objects.filter(pk=row.pk).update(
        one_id=stay[0],
        other=None,
        attacker=None,
        table=None,
        scenario="",
        scenario_name="",
        is_rematch=False,
        reason=f"A bye: {entry.name} dropped out. Draw again for other pairs.",
        version=F("version") + 1,
    )


def _notify_players(row: Fixture, entry: Entry) -> None:
    reason = f"{row.reason} {entry.name} dropped out before this was played.".strip()
    Fixture.objects.filter(pk=row.pk).update(reason=reason[:REASON_MAX], version=F("version") + 1)
