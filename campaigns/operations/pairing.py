"""Drawing a round: who is here for it, and who meets whom, where and over what."""

import secrets
from collections import Counter
from collections.abc import Mapping, Sequence

from django.utils import timezone

from accounts.errors import Refusal, WrongState
from campaigns.matching import max_weight_matching
from campaigns.models import (
    ENTRIES_MAX,
    SEED_MAX,
    SHOWN,
    ClubEvent,
    Entry,
    EntryStatus,
    Fixture,
    FixtureStatus,
    OddNumber,
    PairingMethod,
    Presence,
    Round,
    RoundStatus,
)
from campaigns.models.rounds import scenarios_of
from campaigns.operations import schedule
from campaigns.operations.log import ChangeRequest, organised_event, round_area
from campaigns.operations.notify import notify_fixtures
from campaigns.operations.rows import (
    assign_tables,
    check_running,
    find_round,
    fixtures_of,
    insert_pairings,
    join_from_round,
    kept_pairing,
    last_table,
    update_row,
)
from campaigns.queries.fixtures import load_fixture_records
from campaigns.queries.pairing import draw_basis, load_players
from engine.records import frozen_dataclass
from engine.tournament.pairing import club_night, scenario_for, swiss
from engine.tournament.types import Pairing, Player
from warbands.exchange.document import clean_text, shown

# Who is here for a round: written tick by tick, or said all at once by whoever draws it.

FIELD = "present"


def check_present(present: Sequence[str]) -> None:
    """Raise Refusal for more entries than an event holds; asked before anything is locked."""
    if len(present) > ENTRIES_MAX:
        raise Refusal(
            f"{FIELD} names at most {ENTRIES_MAX} entries, not {len(present)}.", field=FIELD
        )


def tick_present(event: ClubEvent, row: Round, present: Sequence[str]) -> None:
    """Tick those who are named as here, and everybody else who plays on as away.

    Raises Refusal naming the first who is not in the event, or dropped out.
    """
    here = _found(event, present)
    # Who dropped out is neither here nor away.
    playing = Entry.objects.filter(event=event, status=EntryStatus.ACTIVE)
    write_presence(row, {entry: entry in here for entry in playing})


def tick_late(event: ClubEvent, row: Round, present: Sequence[str]) -> None:
    """Tick those who are named as here; the others stay as they are. Raises the same Refusal."""
    if present:
        write_presence(row, dict.fromkeys(_found(event, present), True))


def _found(event: ClubEvent, present: Sequence[str]) -> set[Entry]:
    """Return these entries; raises Refusal for unknown ones and dropouts.

    One query.
    """
    entries = {entry.token: entry for entry in Entry.objects.filter(event=event)}
    for token in present:
        if token not in entries:
            raise Refusal(f"{shown(token)} is not a player of this event.", field=FIELD)
        if entries[token].status == EntryStatus.DROPPED:
            raise Refusal(
                f"{entries[token].name} dropped out. Let them rejoin first, then pair them.",
                field=FIELD,
            )
    return {entries[token] for token in present}


def write_presence(row: Round, wanted: Mapping[Entry, bool]) -> None:
    """The ticks that are not so already, in one statement.

    No line of the log and no new version: a tick stands for itself and makes nobody's page stale.
    """
    known = dict(Presence.objects.filter(round=row).values_list("entry_id", "is_here"))
    changed = {
        entry: is_here
        for entry, is_here in wanted.items()
        if known.get(entry.pk) != is_here
    }
    if not changed:
        return
    now = timezone.now()
    Presence.objects.bulk_create(
        [
            Presence(round=row, entry=entry, is_here=is_here, at=now)
            for entry, is_here in changed.items()
        ],
        update_conflicts=True,
        unique_fields=["round", "entry"],
        update_fields=["is_here", "at"],
    )


# Drawing a round: who meets whom, where and over what.
#
# A draft, which organisers see, until it is published.

Entries = Mapping[int, Entry]
CHALLENGES = (
    "In this event players challenge each other. Add a game, or choose another pairing method in "
    "the settings."
)


@frozen_dataclass
class RoundDraw:
    """How many play, sit out and meet again in a round that was drawn."""

    pairs: int
    byes: int
    rematches: int


def draw_round(
    asked: ChangeRequest,
    number: int,
    *,
    seed: str = "",
    present: Sequence[str] | None = None,
) -> RoundDraw:
    """Pair a round that is not published: in Swiss all players, else the players present; a round
    robin as it is planned.

    ``present`` are the entries who are here, everybody else is away; None leaves the ticks as they
    are. Pairs that are kept stay while both are there. The same ``seed`` gives the same round;
    without one a new one is taken. Raises Refusal with what to do, NotFound, NotAllowed, Stale.
    """
    check_present(present or ())
    with organised_event(asked, round_area(number)) as change:
        event = change.event
        row = _drawable(event, number)
        if present is not None:
            tick_present(event, row, present)
        # The seed is stored with the round, so that the same pairs can be made again.
        seed = clean_text("seed", seed, SEED_MAX) or secrets.token_hex(4)
        draw = _draw_planned if event.method == PairingMethod.ROBIN else _draw_pairs
        draw(event, row, seed)
        again = " again" if row.status == RoundStatus.DRAFT else ""
        # The results a round is drawn by; other ways than Swiss look at none.
        if event.method != PairingMethod.SWISS:
            basis = {}
        else:
            basis = draw_basis(load_fixture_records(event.pk, timezone.now()), number)
        update_row(row, status=RoundStatus.DRAFT, seed=seed, basis=basis)
        drawn = _round_draw(row)
        plural = "" if drawn.pairs == 1 else "s"
        told = (
            f"Paired round {number}{again}: {drawn.pairs} game{plural}, random seed {seed}."
        )
        change.write("draw", told, changes={"seed": seed})
        return drawn


def pair_late(
    asked: ChangeRequest, number: int, *, present: Sequence[str] = ()
) -> RoundDraw:
    """Pair those who are here and in no game of a published round; the others stay as they are.

    ``present`` are entries who have come since, and are ticked as here first.

    With an odd number of them somebody who sits out and has not gone home is paired too. Raises
    Refusal where nobody is left to pair, NotFound, NotAllowed, Stale.
    """
    check_present(present)
    with organised_event(asked, round_area(number)) as change:
        event = change.event
        row = _late_round(event, number)
        tick_late(event, row, present)
        fixtures = fixtures_of(row)
        here = _entries_to_pair(event, row)
        late, resting = _late_and_resting(here, fixtures)
        if not late:
            raise Refusal(
                "All players present are already paired. "
                "Tick who came, then press “Pair latecomers”.",
                field="entries",
            )
        # With an odd number of late ones, one who sits out gets a game after all.
        freed = resting[: len(late) % 2]
        more = [fixture.one for fixture in freed]
        Fixture.objects.filter(pk__in=[fixture.pk for fixture in freed]).delete()
        # Players are weighed by what they played in other rounds, as the others were.
        players = load_players(event, number, [*late, *more], timezone.now())
        fresh = _draw_rest(event, row, players, secrets.token_hex(4), [])
        placed = assign_tables(fresh, [one.table for one in fixtures], last_table(event))
        made = insert_pairings(event, row, placed, here, _last_position(fixtures) + 1)
        # Byes of a round that is published count at once.
        byes = [one.pk for one in made if one.other_id is None]
        Fixture.objects.filter(pk__in=byes).update(status=FixtureStatus.FINAL)
        notify_fixtures(change, row, [one.pk for one in made])
        join_from_round(late, number)
        names = ", ".join(entry.name for entry in late)
        change.write("pair_late", f"Paired latecomers in round {number}: {names}.")
        return _round_draw(row)


def _late_and_resting(
    here: Entries, fixtures: Sequence[Fixture]
) -> tuple[list[Entry], list[Fixture]]:
    """Those who are here and in no fixture, and the byes of those who have not gone home."""
    resting = [one for one in fixtures if one.other_id is None and one.one_id in here]
    busy = {one.one_id for one in resting}
    for fixture in fixtures:
        if fixture.other_id is not None:
            busy.update(fixture.side_ids)
    return [entry for pk, entry in here.items() if pk not in busy], resting


# Which round, and who


def _drawable(event: ClubEvent, number: int) -> Round:
    """Return the round that can be paired now; raises WrongState or Refusal."""
    check_running(event)
    row = find_round(event, number)
    if event.method == PairingMethod.CHALLENGE:
        raise Refusal(CHALLENGES, field="method")
    if row.status in SHOWN:
        sentence = (
            f"{row} is published. Unpublish it to pair again, or change single games."
        )
        raise WrongState(sentence)
    # A Swiss pairing needs every round before it; other ways only need no draft before them.
    earlier = Round.objects.filter(event=event, number__lt=number).exclude(status__in=SHOWN)
    blocking = (
        earlier
        if event.method == PairingMethod.SWISS
        else earlier.filter(status=RoundStatus.DRAFT)
    )
    before = blocking.order_by("number").first()
    if before is not None:
        raise WrongState(f"{before} comes first. Publish it, then pair {row}.")
    return row


def _late_round(event: ClubEvent, number: int) -> Round:
    """Return the published round for latecomers; raises WrongState or Refusal."""
    check_running(event)
    row = find_round(event, number)
    if event.method in (PairingMethod.ROBIN, PairingMethod.CHALLENGE):
        raise Refusal(
            "Latecomers cannot be paired automatically in this event. Add a game.",
            field="method",
        )
    if row.status == RoundStatus.CLOSED:
        raise WrongState(f"{row} is closed. Reopen it, then pair latecomers.")
    if row.status != RoundStatus.PUBLISHED:
        raise WrongState(f"{row} is not published yet. Pair all players again.")
    return row


def _entries_to_pair(event: ClubEvent, row: Round) -> dict[int, Entry]:
    """Whoever plays in this round: on a club night who was ticked, else all but those who sent
    word.
    """
    active = {
        entry.pk: entry
        for entry in Entry.objects.filter(event=event, status=EntryStatus.ACTIVE).order_by(
            "pk"
        )
    }
    ticks = dict(Presence.objects.filter(round=row).values_list("entry_id", "is_here"))
    default = event.method != PairingMethod.PRESENT
    return {pk: entry for pk, entry in active.items() if ticks.get(pk, default)}


def _check_enough(event: ClubEvent, here: Entries) -> None:
    """Raise Refusal where fewer than two players can be paired."""
    if len(here) >= 2:
        return
    only = (
        f"Only {next(iter(here.values())).name} is here" if here else "No players are here"
    )
    if event.method == PairingMethod.PRESENT:
        raise Refusal(
            f"{only}. Tick at least two, then press “Pair players”.", field="entries"
        )
    if not Entry.objects.filter(event=event).exists():
        raise Refusal("No players yet. Add at least two players first.", field="entries")
    raise Refusal(
        (
            f"{only}. The other players dropped out or are away. Let one rejoin, or finish "
            "the event."
        ),
        field="entries",
    )


# Pairing


def _draw_pairs(event: ClubEvent, row: Round, seed: str) -> None:
    """Pair a Swiss round, or the players present."""
    here = _entries_to_pair(event, row)
    _check_enough(event, here)
    kept = _kept_fixtures(row, here)
    Fixture.objects.filter(round=row).exclude(pk__in=[one.pk for one in kept]).delete()
    players = load_players(event, row.number, here.values(), timezone.now())
    # Friendlies are besides: who plays one is paired all the same.
    fresh = _draw_rest(
        event,
        row,
        players,
        seed,
        [kept_pairing(one) for one in kept if not one.is_friendly],
    )
    taken = [one.table for one in kept]
    insert_pairings(
        event,
        row,
        assign_tables(fresh, taken, last_table(event)),
        here,
        _last_position(kept) + 1,
    )


def _kept_fixtures(row: Round, here: Entries) -> list[Fixture]:
    """Those of a draft that stay: locked or swapped by hand, while all in them are here."""
    locked = [one for one in fixtures_of(row) if one.is_kept or one.is_begun]
    kept = [one for one in locked if here.keys() >= set(one.side_ids)]
    # A bye given by hand holds while everybody else can be paired.
    # Those who have a game or a bye; a friendly leaves them free for another.
    busy: set[int] = set()
    for one in kept:
        if not one.is_friendly:
            busy.update(one.side_ids)
    if (len(here) - len(busy)) % 2:
        return [one for one in kept if one.other_id is not None]
    return kept


def _draw_rest(
    event: ClubEvent,
    row: Round,
    players: Sequence[Player],
    seed: str,
    kept: Sequence[Pairing],
) -> list[Pairing]:
    """The pairs the engine makes of those no kept pair holds."""
    scenarios = scenarios_of(row, event)
    taken = {pk for one in kept for pk in one.ids}
    free = [player for player in players if player.id not in taken]
    if event.method == PairingMethod.SWISS:
        return list(swiss(free, seed=seed, match=max_weight_matching, scenarios=scenarios))
    odd = "three" if event.odd == OddNumber.THREE_PLAYER_TABLE else "bye"
    return list(
        club_night(free, seed=seed, match=max_weight_matching, scenarios=scenarios, odd=odd)
    )


def _draw_planned(event: ClubEvent, row: Round, seed: str) -> None:
    """The planned games of a round, with byes where somebody has gone, scenarios, and tables as far
    as there are any.

    A draft is drawn from the schedule again, which is planned anew where it no longer is what is
    left to play.
    """
    # A draft is drawn anew with this seed; a plan that is out of date is made again.
    if row.status == RoundStatus.DRAFT or not schedule.is_planned(event):
        schedule.write_schedule(event, seed)
    here = _entries_to_pair(event, row)
    _check_enough(event, here)
    planned = fixtures_of(row)
    if not planned:
        raise WrongState("All players have met. Add a game, or finish the event.")
    players = load_players(event, row.number, here.values(), timezone.now())
    pool = {player.id: player for player in players}
    pairings = _with_byes([kept_pairing(one) for one in planned], here, pool)
    scenarios = scenarios_of(row, event)
    used: Counter[str] = Counter()
    fresh = [
        Pairing(
            one.one,
            one.other,
            attacker=one.attacker,
            reason=one.reason,
            scenario=scenario_for([pool[pk] for pk in one.ids], scenarios, seed, used)
            if one.other
            else None,
        )
        for one in pairings
    ]
    Fixture.objects.filter(round=row).delete()
    insert_pairings(event, row, assign_tables(fresh, [], last_table(event)), here)


def _with_byes(
    planned: Sequence[Pairing], here: Entries, pool: Mapping[str, Player]
) -> list[Pairing]:
    """The games of those who are here, then the byes of whoever was to meet somebody who is not."""
    games, byes = [], []
    for one in planned:
        stay = pool.keys() & set(one.ids)
        if len(stay) == 2:
            games.append(one)
        elif stay:
            reason = one.reason if one.is_bye else "Bye: the scheduled opponent is away."
            byes.append(Pairing(stay.pop(), None, reason=reason))
    known = {pk for one in (*games, *byes) for pk in one.ids}
    left = [str(pk) for pk in here if str(pk) not in known]
    byes += [Pairing(pk, None, reason="Bye: no opponent is left.") for pk in left]
    return [*games, *byes]


def _last_position(fixtures: Sequence[Fixture]) -> int:
    return max((one.position for one in fixtures), default=0)


def _round_draw(row: Round) -> RoundDraw:
    """Return how many games, byes and rematches a round has. One query."""
    rows = fixtures_of(row)
    games = [one for one in rows if one.other_id is not None]
    rematches = sum(one.is_rematch for one in games)
    return RoundDraw(len(games), len(rows) - len(games), rematches)
