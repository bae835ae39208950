"""Who is here for a round, who meets whom, where and over what."""

import secrets
from collections import Counter
from collections.abc import Mapping, Sequence

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
    Round,
    RoundStatus,
)
from campaigns.models.rounds import round_scenarios
from campaigns.operations.log import ChangeRequest
from campaigns.operations.notify import notify_fixtures
from campaigns.operations.round_robin import active_entries, is_planned, write_schedule
from campaigns.operations.rows import (
    assign_tables,
    check_playing,
    check_running,
    insert_pairings,
    join_from_round,
    last_table,
    list_fixtures,
    organised_round,
    update_row,
    write_presence,
)
from campaigns.queries.fixtures import load_fixtures, load_ticks
from campaigns.queries.pairing import draw_basis, load_players
from engine.records import frozen_dataclass, quantity
from engine.tournament.pairing import (
    club_night,
    scenario_for,
    swiss,
)
from engine.tournament.types import Pairing, Player
from warbands.exchange.document import clean_text, shown

# Who is here for a round: written tick by tick, or all at once by whoever draws it.

FIELD = "present"


def check_present(present: Sequence[str]) -> None:
    """Raise Refusal for more entries than an event holds, before anything is locked."""
    if len(present) > ENTRIES_MAX:
        raise Refusal(
            f"{FIELD} names at most {ENTRIES_MAX} entries, not {len(present)}.", field=FIELD
        )


def _tick(
    event: ClubEvent, row: Round, present: Sequence[str], *, others_away: bool
) -> None:
    """Tick these entries as here, and with ``others_away`` everybody else who plays on as away.

    Raises Refusal naming the first who is not in the event, or dropped out.
    """
    entries = {entry.token: entry for entry in Entry.objects.filter(event=event)}
    ticks: dict[Entry, bool] = {}
    if others_away:
        playing = [e for e in entries.values() if e.status == EntryStatus.ACTIVE]
        ticks = dict.fromkeys(playing, False)
    for token in present:
        entry = entries.get(token)
        if entry is None:
            raise Refusal(f"{shown(token)} is not a player of this event.", field=FIELD)
        check_playing(entry, FIELD)
        ticks[entry] = True
    write_presence(row, ticks)


# Drawing a round. It is a draft, which organisers see, until it is published.

Entries = Mapping[int, Entry]


@frozen_dataclass
class RoundDraw:
    """How many play, sit out and meet again in a round that was drawn."""

    pairs: int
    byes: int
    rematches: int


def draw_round(
    request: ChangeRequest,
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
    with organised_round(request, number) as (change, row):
        event = change.event
        _check_drawable(event, row)
        if present is not None:
            _tick(event, row, present, others_away=True)
        # The seed is stored with the round, so that the same pairs can be made again.
        seed = clean_text("seed", seed, SEED_MAX) or secrets.token_hex(4)
        # The results a round is drawn by; other ways than Swiss look at none.
        basis: dict[str, str] = {}
        if event.method == PairingMethod.ROBIN:
            _draw_planned_games(event, row, seed)
        else:
            _draw_pairs(event, row, seed)
        if event.method == PairingMethod.SWISS:
            basis = draw_basis(load_fixtures(event.pk), number)
        update_row(row, status=RoundStatus.DRAFT, seed=seed, basis=basis)
        again = " again" if row.status == RoundStatus.DRAFT else ""
        draw = _count_games(row)
        games = quantity(draw.pairs, "game")
        message = f"Paired round {number}{again}: {games}, random seed {seed}."
        change.write("draw", message, changes={"seed": seed})
        return draw


def pair_late(
    request: ChangeRequest, number: int, *, present: Sequence[str] = ()
) -> RoundDraw:
    """Pair those who are here and in no game of a published round; the others stay as they are.

    ``present`` are entries who have come since, and are ticked as here first.

    With an odd number of them somebody who sits out and has not gone home is paired too. Raises
    Refusal where nobody is left to pair, NotFound, NotAllowed, Stale.
    """
    check_present(present)
    with organised_round(request, number) as (change, row):
        event = change.event
        check_running(event)
        if event.method in (PairingMethod.ROBIN, PairingMethod.CHALLENGE):
            raise Refusal(
                "Latecomers cannot be paired automatically in this event. Add a game.",
                field="method",
            )
        if row.status == RoundStatus.CLOSED:
            raise WrongState(f"{row} is closed. Reopen it, then pair latecomers.")
        if row.status != RoundStatus.PUBLISHED:
            raise WrongState(f"{row} is not published yet. Pair all players again.")
        if present:
            _tick(event, row, present, others_away=False)
        fixtures = list_fixtures(row)
        entries = _entries_to_pair(event, row)
        busy = {pk for game in fixtures for pk in game.ids}
        late = [entry for pk, entry in entries.items() if pk not in busy]
        if not late:
            raise Refusal(
                "All players present are already paired. "
                "Tick who came, then press “Pair latecomers”.",
                field="entries",
            )
        created = _insert_late_games(event, row, late, entries, fixtures)
        notify_fixtures(change, row, [game.pk for game in created])
        join_from_round(late, number)
        names = ", ".join(entry.name for entry in late)
        change.write("pair_late", f"Paired latecomers in round {number}: {names}.")
        return _count_games(row)


def _insert_late_games(
    event: ClubEvent,
    row: Round,
    late: Sequence[Entry],
    entries: Entries,
    fixtures: Sequence[Fixture],
) -> list[Fixture]:
    """Pair the late ones behind these games of the round."""
    to_pair = [*late]
    # With an odd number of late ones, one who sits out and is here gets a game after all.
    byes = [game for game in fixtures if game.other_id is None]
    bye = next((game for game in byes if game.one_id in entries), None)
    if bye and len(late) % 2:
        to_pair.append(bye.one)
        Fixture.objects.filter(pk=bye.pk).delete()
    # Players are weighed by what they played in other rounds, as the others were.
    players = load_players(event, row.number, to_pair)
    pairings = _draw_rest(event, row, players, secrets.token_hex(4), [])
    created = _insert_at_free_tables(event, row, pairings, entries, fixtures)
    # Byes of a round that is published count at once.
    new_byes = [game.pk for game in created if game.other_id is None]
    Fixture.objects.filter(pk__in=new_byes).update(status=FixtureStatus.FINAL)
    return created


def _check_drawable(event: ClubEvent, row: Round) -> None:
    """Raise WrongState or Refusal for a round that cannot be paired now."""
    check_running(event)
    if event.method == PairingMethod.CHALLENGE:
        raise Refusal(
            "In this event players challenge each other. Add a game, or choose another pairing "
            "method in the settings.",
            field="method",
        )
    if row.status in SHOWN:
        raise WrongState(
            f"{row} is published. Unpublish it to pair again, or change single games."
        )
    # A Swiss pairing needs every round before it; other ways only need no draft before them.
    rounds = Round.objects.filter(event=event, number__lt=row.number)
    rounds = rounds.exclude(status__in=SHOWN)
    if event.method != PairingMethod.SWISS:
        rounds = rounds.filter(status=RoundStatus.DRAFT)
    first = rounds.order_by("number").first()
    if first is not None:
        raise WrongState(f"{first} comes first. Publish it, then pair {row}.")


def _entries_to_pair(event: ClubEvent, row: Round) -> dict[int, Entry]:
    """Whoever plays in this round: on a club night who was ticked, else all but those who sent
    word.
    """
    ticks = load_ticks(row.pk)
    default = event.method != PairingMethod.PRESENT
    return {
        entry.pk: entry for entry in active_entries(event) if ticks.get(entry.pk, default)
    }


def _check_enough(event: ClubEvent, entries: Entries) -> None:
    """Raise Refusal where fewer than two players can be paired."""
    if len(entries) >= 2:
        return
    count = "No players are here"
    if entries:
        count = f"Only {next(iter(entries.values())).name} is here"
    if event.method == PairingMethod.PRESENT:
        way_on = f"{count}. Tick at least two, then press “Pair players”."
    elif not Entry.objects.filter(event=event).exists():
        way_on = "No players yet. Add at least two players first."
    else:
        way_on = (
            f"{count}. The other players dropped out or are away. Let one rejoin, or finish "
            "the event."
        )
    raise Refusal(way_on, field="entries")


def _draw_pairs(event: ClubEvent, row: Round, seed: str) -> None:
    """Pair a Swiss round, or the players present."""
    entries = _entries_to_pair(event, row)
    _check_enough(event, entries)
    # Games of a draft that were locked or swapped by hand stay while all in them are here.
    kept_games = [
        game
        for game in list_fixtures(row)
        if (game.is_kept or game.is_begun) and entries.keys() >= set(game.ids)
    ]
    # A friendly leaves its players free for another game.
    busy = {pk for game in kept_games if not game.is_friendly for pk in game.ids}
    # A bye given by hand holds while everybody else can be paired.
    if (len(entries) - len(busy)) % 2:
        kept_games = [game for game in kept_games if game.other_id is not None]
    Fixture.objects.filter(round=row).exclude(
        pk__in=[game.pk for game in kept_games]
    ).delete()
    players = load_players(event, row.number, tuple(entries.values()))
    pairings = _draw_rest(event, row, players, seed, kept_games)
    _insert_at_free_tables(event, row, pairings, entries, kept_games)


def _draw_rest(
    event: ClubEvent,
    row: Round,
    players: Sequence[Player],
    seed: str,
    games: Sequence[Fixture],
) -> Sequence[Pairing]:
    """The pairs the engine makes of those who are in none of these games, friendlies aside."""
    scenarios = round_scenarios(row, event)
    busy = {str(pk) for game in games if not game.is_friendly for pk in game.ids}
    free = [player for player in players if player.id not in busy]
    if event.method == PairingMethod.SWISS:
        return swiss(free, seed=seed, match=max_weight_matching, scenarios=scenarios)
    odd = "three" if event.odd == OddNumber.THREE_PLAYER_TABLE else "bye"
    return club_night(
        free, seed=seed, match=max_weight_matching, scenarios=scenarios, odd=odd
    )


def _insert_at_free_tables(
    event: ClubEvent,
    row: Round,
    pairings: Sequence[Pairing],
    entries: Entries,
    games: Sequence[Fixture],
) -> list[Fixture]:
    """Add fixtures behind these games of the round, at the tables that they leave free."""
    used = [game.table for game in games]
    last = max((game.position for game in games), default=0)
    seated = assign_tables(pairings, used, last_table(event))
    return insert_pairings(event, row, seated, entries, last + 1)


def _draw_planned_games(event: ClubEvent, row: Round, seed: str) -> None:
    """The planned games of a round, with byes where somebody has gone, scenarios, and tables as far
    as there are any.
    """
    # A draft is drawn anew with this seed; a plan that is out of date is made again.
    if row.status == RoundStatus.DRAFT or not is_planned(event):
        write_schedule(event, seed)
    entries = _entries_to_pair(event, row)
    _check_enough(event, entries)
    if not Fixture.objects.filter(round=row).exists():
        raise WrongState("All players have met. Add a game, or finish the event.")
    players = load_players(event, row.number, tuple(entries.values()))
    games, byes = _plan_games(event, row, seed, players)
    paired = {player_id for pairing in (*games, *byes) for player_id in pairing.ids}
    byes += [
        Pairing(player.id, None, reason="Bye: no opponent is left.")
        for player in players
        if player.id not in paired
    ]
    Fixture.objects.filter(round=row).delete()
    _insert_at_free_tables(event, row, [*games, *byes], entries, ())


def _plan_games(
    event: ClubEvent, row: Round, seed: str, players: Sequence[Player]
) -> tuple[list[Pairing], list[Pairing]]:
    """The planned games of those who are here, and the byes of whoever was to meet somebody else."""
    pool = {int(player.id): player for player in players}
    scenarios = round_scenarios(row, event)
    used: Counter[str] = Counter()
    games, byes = [], []
    for game in list_fixtures(row):
        table = [pool[pk] for pk in game.ids if pk in pool]
        if len(table) == 2:
            games.append(
                Pairing(
                    table[0].id,
                    table[1].id,
                    attacker=str(game.attacker_id) if game.attacker_id else None,
                    scenario=scenario_for(table, scenarios, seed, used),
                    reason=game.reason,
                )
            )
        elif table:
            is_bye = game.other_id is None
            reason = game.reason if is_bye else "Bye: the scheduled opponent is away."
            byes.append(Pairing(table[0].id, None, reason=reason))
    return games, byes


def _count_games(row: Round) -> RoundDraw:
    """Return how many games, byes and rematches a round has. One query."""
    fixtures = list_fixtures(row)
    games = [game for game in fixtures if game.other_id is not None]
    rematches = sum(game.is_rematch for game in games)
    return RoundDraw(len(games), len(fixtures) - len(games), rematches)
