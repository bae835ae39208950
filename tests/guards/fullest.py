"""The largest battle, event and lists of a club that the limits allow."""

import json
from uuid import uuid4

from django.utils import timezone

from accounts.models import Club
from accounts.owner import Owner
from battles.models import EVENTS_MAX, Battle, BattleEvent
from battles.operations.log import BattleCall, append_events
from campaigns.models import ENTRIES_MAX, ClubEvent, Entry, Fixture, Round
from engine.types.lists import OWN_UNITS_MAX
from rulesdata.models import NAME_MAX as UNIT_NAME_MAX
from rulesdata.operations.own_lists import LISTS_MAX, NAME_MAX, upload_list
from tests.factories import SYSTEM, make_event
from tests.rulesdata.own_lists import COLLECTION, make_list, unit_record
from warbands.models import NAME_MAX as PERSON_MAX


def fill_log(owner: Owner, battle: Battle, text: str) -> None:
    rows = [
        BattleEvent(
            battle=battle,
            position=seq,
            uuid=uuid4(),
            device="phone",
            seq=seq,
            at=timezone.now(),
            kind="note",
            payload={"text": text},
        )
        for seq in range(1, EVENTS_MAX)
    ]
    BattleEvent.objects.bulk_create(rows, batch_size=500)
    Battle.objects.filter(pk=battle.pk).update(events_count=len(rows))
    call = BattleCall(owner, battle.token, battle.key)
    last = make_event("note", seq=EVENTS_MAX, text="Dusk fell.")
    assert append_events(call, [last]).answers[0].stored


def fill_event(club: Club, rounds: int) -> str:
    event = ClubEvent.objects.create(
        club=club, name="W" * 80, kind="league", method="swiss", system=SYSTEM
    )
    entries = Entry.objects.bulk_create(
        Entry(event=event, name=f"{place}".ljust(PERSON_MAX, "'"))
        for place in range(ENTRIES_MAX)
    )
    numbered = [
        Round(event=event, number=number, status="closed", name="R" * 80)
        for number in range(1, rounds + 1)
    ]
    for row in Round.objects.bulk_create(numbered):
        around = entries[1:]
        turn = row.number % len(around)
        order = [entries[0], *around[turn:], *around[:turn]]
        half = len(order) // 2
        pairs = zip(order[:half], reversed(order[half:]), strict=True)
        Fixture.objects.bulk_create(
            Fixture(
                round=row,
                position=place,
                table=place + 1,
                one=one,
                other=other,
                winner=(one, other, None)[(place + row.number) % 3],
                reason="Both on 7 points. First meeting.",
                status="final",
                how="conceded",
                out_one=place % 8,
                out_other=row.number % 8,
            )
            for place, (one, other) in enumerate(pairs)
        )
    return str(event.token)


def fill_lists(club: Club, owner: Owner) -> str:
    """As many lists as a club may keep, one of them as full as it may be; returns its token."""
    for place in range(LISTS_MAX - 1):
        make_list(club=club, actor=owner, name=f"{place}".ljust(NAME_MAX, "'"))
    units = [
        {
            "id": f"u{place}",
            **unit_record(
                name=f"{place}".ljust(UNIT_NAME_MAX, "'"),
                special_rules=[f"{n}".ljust(120, "'") for n in range(7)],
            ),
        }
        for place in range(OWN_UNITS_MAX)
    ]
    file = {
        "army": "own-list",
        "name": "W" * NAME_MAX,
        "edition": 6,
        "collection": COLLECTION,
        "units": units,
    }
    return upload_list(owner, club.slug, json.dumps(file)).token
