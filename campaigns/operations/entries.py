"""Who is in an event: entering, being entered, dropping out, coming back, and what is brought."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from django.db.models import Max, Q
from django.utils import timezone

from accounts.errors import NotAllowed, Refusal, WrongState
from accounts.models import Membership, User
from accounts.tokens import get_row, is_token
from battles.models import REASON_MAX
from campaigns import access
from campaigns.models import (
    ENTRIES_MAX,
    SHOWN,
    CampaignWarband,
    ClubEvent,
    Entry,
    EntryStatus,
    EventKind,
    EventStatus,
    Fixture,
    FixtureStatus,
    Round,
    RoundStatus,
)
from campaigns.operations.desk import checked_score, write_paid
from campaigns.operations.log import (
    ChangeRequest,
    LockedEvent,
    changes_between,
    check_organises,
    organised_event,
    readable_event,
    round_area,
    write_event,
)
from campaigns.operations.notify import tell
from campaigns.operations.rows import (
    changed_columns,
    check_running,
    own_entry,
    update_row,
)
from campaigns.queries.events import count_places
from engine.errors import refused_at
from engine.records import Fields, is_int_within, named_values
from rulesdata import registry
from warbands.exchange.document import clean_text
from warbands.models import NAME_MAX, Warband
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import find_warband

OVER: Final = "This event is finished and takes no new players. An organiser can reopen it."
OF_A_CAMPAIGN = (
    "This roster grows in a campaign and stays there. Bring its original or a copy."
)
PLAY_OFF_MAX = ENTRIES_MAX


def withdraw_from_fixtures(entry: Entry) -> None:
    """Out of every draft, where who was to meet them has a bye; what is published and not played
    says what happened.
    """
    games = Q(one=entry) | Q(other=entry) | Q(third=entry)
    for row in Fixture.objects.filter(games, battle=None).select_related("round"):
        # A planned round is worked out anew when it is drawn, and a closed one is history.
        if row.round.status == RoundStatus.PUBLISHED and row.status == FixtureStatus.OPEN:
            reason = f"{row.reason} {entry.name} dropped out before this was played."
            update_row(row, reason=reason.strip()[:REASON_MAX])
        if row.round.status != RoundStatus.DRAFT:
            continue
        remaining = [pk for pk in row.ids if pk != entry.pk]
        if len(remaining) == 2:
            is_attacked = row.attacker_id in remaining
            update_row(
                row,
                one_id=remaining[0],
                other_id=remaining[1],
                third_id=None,
                attacker_id=row.attacker_id if is_attacked else remaining[0],
                reason=f"{entry.name} dropped out.",
            )
        elif remaining:
            update_row(
                row,
                one_id=remaining[0],
                other=None,
                attacker=None,
                table=None,
                scenario="",
                scenario_name="",
                is_rematch=False,
                reason=f"Bye: {entry.name} dropped out. Pair again to change the pairings.",
            )
        else:
            row.delete()


def enter_event(request: ChangeRequest, *, warband: str = "", name: str = "") -> str:
    """Enter oneself.

    Returns the entry's token, the same for who is in already; who dropped out is back.

    Members of the club enter; with its link anybody with an account. A league that is running, and
    an event whose time to enter is over, take entries from organisers alone. Who comes when all
    places are taken waits for one. Raises Refusal naming the field, NotFound, NotAllowed.
    """
    with readable_event(request) as change:
        event = change.event
        if request.actor.user_id is None:
            raise NotAllowed(
                "Sign in to join. We then tell you when and against whom you play."
            )
        # Who is in already gets the same entry, so a form sent twice enters nobody twice.
        if (entry := own_entry(change)) is not None:
            return _rejoin(change, entry)
        _check_open(event)
        runs = access.may_organise(request.actor, event)
        is_running = event.status == EventStatus.RUNNING
        if is_running and event.kind == EventKind.LEAGUE and not runs:
            raise NotAllowed(
                "This event has started. Ask an organiser of the club to add you."
            )
        closes_at = event.entries_close_at
        if closes_at and closes_at <= timezone.now() and not runs:
            moment = timezone.localtime(closes_at)
            raise NotAllowed(
                f"Sign-up closed on {moment:%-d %B %Y, %H:%M}. Ask an organiser to add you."
            )
        user = User.objects.get(pk=request.actor.user_id)
        entry = _insert(change, user, name, warband)
        _log_entry(change, entry, "enter", f"{entry.name} entered")
        return entry.token


def add_entry(request: ChangeRequest, **fields: Any) -> str:
    """Enter a member of the club, or a guest by name; by organisers. Returns the entry's token.

    Without ``name`` a member is called as they call themselves. Who comes late is paired from the
    first round on that is not published; a draft can be drawn again with them. Raises Refusal
    naming the field, NotFound, NotAllowed.
    """
    with organised_event(request) as change:
        return insert_entry(change, **fields)


def insert_entry(
    change: LockedEvent, *, name: str = "", user_id: int | None = None, warband: str = ""
) -> str:
    """The same within the lock of the event, whose organiser asks."""
    event, user = change.event, None
    _check_open(event)
    if user_id is not None:
        # A larger number than the column holds is an error of the database.
        is_id = is_int_within(user_id, 1, 2**63 - 1)
        members = Membership.objects.filter(club_id=event.club_id)
        if not is_id or not members.filter(user_id=user_id).exists():
            raise Refusal(
                "Choose a member of the club, or enter the name of a guest.",
                field="user_id",
            )
        user = User.objects.get(pk=user_id)
    if user and Entry.objects.filter(event=event, user=user).exists():
        raise Refusal(f"{user.display_name} is already a player.", field="user_id")
    entry = _insert(change, user, name, warband)
    _log_entry(change, entry, "add", f"{entry.name} joined")
    is_waiting = entry.status == EntryStatus.WAITING
    where = f"the waiting list of {event.name}" if is_waiting else event.name
    sentence = f"An organiser added you to {where} as {entry.name}."
    tell(change, [entry.user_id], "entered", sentence)
    return entry.token


def add_entries(
    request: ChangeRequest, *, members: Sequence[int] = (), names: Sequence[str] = ()
) -> list[str]:
    """Several members, and guests by their names, at once, all of them or none; by organisers.

    Returns their tokens in that order.

    Raises Refusal naming the field ("members", "names") and whom it is about, NotFound,
    NotAllowed.
    """
    if len(names) > ENTRIES_MAX:
        sentence = f"Enter at most {ENTRIES_MAX} names, not {len(names)}."
        raise Refusal(sentence, field="names")
    with organised_event(request) as change:
        tokens = []
        for user_id in dict.fromkeys(members):
            with refused_at("members"):
                tokens.append(insert_entry(change, user_id=user_id))
        for name in names:
            with refused_at("names"):
                tokens.append(insert_entry(change, name=name))
        return tokens


def change_entry(request: ChangeRequest, entry: str, **changes: Any) -> None:
    """The ``name`` of an entry and the ``warband`` it brings, by whose it is or an organiser; its
    ``play_off`` place, ``player_score`` and whether it ``is_paid`` by organisers.

    What is left out stays; an empty warband and None take these away. Raises Refusal naming the
    field, NotFound, NotAllowed.
    """
    with readable_event(request) as change:
        row = own_or_organised_entry(change, entry)
        columns: dict[str, Any] = {}
        name = changes.get("name", row.name)
        # A name that is not changed is not checked: it may be older than a limit of today.
        if name.strip(" ") != row.name:
            columns["name"] = _checked_name(change.event, name, but=row)
        if "warband" in changes:
            columns["warband"] = _warband(change, row.user_id, changes["warband"])
        if changes.keys() & {"play_off", "player_score"}:
            check_organises(change)
        if "play_off" in changes:
            place = columns["play_off"] = changes["play_off"]
            if place is not None and not is_int_within(place, 1, PLAY_OFF_MAX):
                raise Refusal(
                    f"The place in the play-off must be from 1 to {PLAY_OFF_MAX}, or empty.",
                    field="play_off",
                )
        if "player_score" in changes:
            columns["player_score"] = checked_score(change.event, changes["player_score"])
        if "is_paid" in changes:
            check_organises(change)
            write_paid(change, {row: changes["is_paid"]})
        changed = changed_columns(row, columns)
        if not changed:
            return
        lines = changes_between(named_values(row, *changed), changed)
        update_row(row, **changed)
        names = " and ".join(key.replace("_", "-") for key in changed)
        sentence = f"Changed {names} of {row.name}."
        change.write("change_entry", sentence, subject=row.token, changes=lines)


def drop_entry(request: ChangeRequest, entry: str) -> None:
    """Paired no more, from the first round on that is not published; what they played stays.

    By whose entry it is or an organiser. Drafts lose them, and a fixture not played yet says so.
    Raises Refusal for odd text, NotFound, NotAllowed.
    """
    with readable_event(request) as change:
        row = own_or_organised_entry(change, entry)
        if row.status == EntryStatus.DROPPED:
            return
        update_row(row, status=EntryStatus.DROPPED, dropped=next_round(change.event))
        withdraw_from_fixtures(row)
        # The round that is drawn and not published, whose pairs change with who is in.
        draft = Round.objects.filter(event=change.event, status=RoundStatus.DRAFT).first()
        change = replace(change, area=round_area(draft.number) if draft else "")
        is_waiting = row.status == EntryStatus.WAITING
        act = "left the waiting list" if is_waiting else "dropped out"
        change.write("drop", f"{row.name} {act}.", subject=row.token)
        sentence = f"An organiser removed you from {change.event.name}. {change.why}"
        tell(change, [row.user_id], "dropped", sentence.strip())
        fill_places(change)


def fill_places(change: LockedEvent) -> None:
    """Who waits longest gets each place that is free, before anything is drawn."""
    event = change.event
    rounds = Round.objects.filter(event=event).exclude(status=RoundStatus.PLANNED)
    if event.is_over or rounds.exists():
        return
    waiting = Entry.objects.filter(event=event, status=EntryStatus.WAITING)
    for entry in waiting.order_by("created_at", "pk"):
        if not count_places(event).has_free:
            break
        _place(change, entry)


def admit_entry(request: ChangeRequest, entry: str) -> None:
    """Give somebody who waits a place that is free, also after a draw; by organisers.

    Paired from the next round on. Raises WrongState without a free place, NotFound, NotAllowed.
    """
    with organised_event(request) as change:
        row = get_row(Entry.objects.filter(event=change.event), entry, "entry")
        if row.status != EntryStatus.WAITING:
            return
        check_running(change.event)
        if not count_places(change.event).has_free:
            raise WrongState(_full_words(change.event))
        _place(change, row)


def _place(change: LockedEvent, entry: Entry) -> None:
    joined = next_round(change.event)
    update_row(entry, status=EntryStatus.ACTIVE, joined=joined)
    change.write("admit", f"{entry.name} has a place.", subject=entry.token)
    sentence = f"{change.event.name}: a place is free, and you are playing."
    tell(change, [entry.user_id], "placed", sentence)


def _full_words(event: ClubEvent) -> str:
    return (
        f"All {event.capacity} places are taken. An organiser can add some in the settings."
    )


def rejoin_entry(request: ChangeRequest, entry: str) -> None:
    """Back in, paired again from the next round that is drawn.

    By whose entry it is or an organiser.

    Raises Refusal for an event that is over, NotFound, NotAllowed.
    """
    with readable_event(request) as change:
        _rejoin(change, own_or_organised_entry(change, entry))


def own_or_organised_entry(change: LockedEvent, entry: str) -> Entry:
    """One of the event's entries, for whose it is and for organisers.

    Raises NotFound for an entry there is not, NotAllowed for everybody else.
    """
    rows = Entry.objects.filter(event=change.event).select_related("warband")
    row = get_row(rows, entry, "entry")
    is_own = change.actor.is_person and row.user_id == change.actor.user_id
    if not is_own and not access.may_organise(change.actor, change.event):
        raise NotAllowed("Only the player and organisers of the club can change this.")
    return row


def next_round(event: ClubEvent) -> int:
    """The number of the first round that is not published: where who comes late is paired from.

    One query.
    """
    published = Round.objects.filter(event=event, status__in=SHOWN)
    return int(published.aggregate(last=Max("number"))["last"] or 0) + 1


def _check_open(event: ClubEvent) -> None:
    """Raise WrongState for an event that is over or archived, Refusal when full.

    Those who dropped out count as players. One query.
    """
    if event.status == EventStatus.FINISHED:
        raise WrongState(OVER)
    if event.archived_at is not None:
        raise WrongState("This event is archived. Restore it first.")
    if Entry.objects.filter(event=event).count() >= ENTRIES_MAX:
        raise Refusal(
            f"An event has at most {ENTRIES_MAX} players, including those who dropped out.",
            field="name",
        )


def _checked_name(event: ClubEvent, name: str, *, but: Entry | None = None) -> str:
    """Return the cleaned name; raises Refusal for no name or one taken.

    Upper and lower case count as the same. ``but`` is the entry that is renamed. One query.
    """
    cleaned = clean_text("name", name, NAME_MAX)
    if not any(sign.isalnum() for sign in cleaned):
        raise Refusal("Enter a name with at least one letter or digit.", field="name")
    if cleaned.casefold() in _used_names(event, but=but):
        raise Refusal(
            f"There is already a player {cleaned}. Choose a different name.",
            field="name",
        )
    return cleaned


def _used_names(event: ClubEvent, *, but: Entry | None = None) -> set[str]:
    rows = Entry.objects.filter(event=event).exclude(pk=but.pk if but else 0)
    return {name.casefold() for name in rows.values_list("name", flat=True)}


def _warband(change: LockedEvent, user_id: int | None, token: str) -> Warband | None:
    """What an entry means to bring: a warband of its person, for a guest one the actor may open;
    None for "".
    """
    if not token:
        return None
    event = change.event
    row = find_warband(change.actor, token) if is_token(token) else None
    if row is None:
        raise Refusal(
            "There is no such warband, or it is not shared with you.", field="warband"
        )
    # An organiser may bring any warband they can open for a guest, who has none of their own.
    if user_id is not None and row.owner_id != user_id:
        raise Refusal("Choose one of the player’s own warbands.", field="warband")
    if row.archived_at is not None:
        raise Refusal("This warband is archived. Restore it first.", field="warband")
    check_brought(event, row)
    if (row.system, row.variant) != (event.system, event.variant):
        system = registry.system_of(event).full_name
        raise Refusal(
            f"This warband is not for {system}, the rules of this event.", field="warband"
        )
    return row


def check_brought(event: ClubEvent, roster: Warband | WarbandRecord) -> None:
    """Raise Refusal for the copy that another event has of a roster. One query, none for others."""
    if not roster.is_grown:
        return
    copies = CampaignWarband.objects.filter(warband_id=roster.id)
    if not copies.filter(entry__event=event).exists():
        raise Refusal(OF_A_CAMPAIGN, field="warband")


def _insert(change: LockedEvent, user: User | None, name: str, warband: str) -> Entry:
    """A new entry; without ``name`` a person is called as they call themselves."""
    event = change.event
    if user and not name.strip():
        used = _used_names(event)
        # The bracket with its number takes at most eight signs.
        number, free = 2, user.display_name
        while free.casefold() in used:
            number, free = number + 1, f"{user.display_name[: NAME_MAX - 8]} ({number})"
        name = free
    else:
        name = _checked_name(event, name)
    roster = _warband(change, user.pk if user else None, warband)
    place: Fields = {"joined": next_round(event)}
    if count_places(event).is_full:
        place = {"joined": 0, "status": EntryStatus.WAITING}
    entry = Entry.objects.create(event=event, user=user, name=name, warband=roster, **place)
    write_event(event)
    return entry


def _rejoin(change: LockedEvent, row: Entry) -> str:
    """Who dropped out is in again; nothing for who never left."""
    if row.status == EntryStatus.DROPPED:
        if change.event.status == EventStatus.FINISHED:
            raise WrongState(OVER)
        columns: Fields = {"status": EntryStatus.ACTIVE, "dropped": None}
        sentence = f"{row.name} rejoined."
        if count_places(change.event).is_full:
            games = Q(one=row) | Q(other=row) | Q(third=row)
            if Fixture.objects.filter(games).exists():
                # Who has games stands in the table, and nobody there waits for a place.
                raise WrongState(_full_words(change.event))
            columns |= {"status": EntryStatus.WAITING, "joined": 0}
            columns["created_at"] = timezone.now()
            sentence = f"{row.name} joined the waiting list."
        elif not row.joined:
            columns["joined"] = next_round(change.event)
        update_row(row, **columns)
        change.write("rejoin", sentence, subject=row.token)
    return row.token


def _log_entry(change: LockedEvent, entry: Entry, verb: str, sentence: str) -> None:
    since = f" from round {entry.joined}" if entry.joined > 1 else ""
    if not entry.joined:
        since = " on the waiting list"
    change.log(verb, f"{sentence}{since}.", subject=entry.token)
