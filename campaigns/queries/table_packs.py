"""What is printed for a round: its tables in their order, and each one's papers, loaded one after
the other.
"""

from dataclasses import replace

from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from accounts.owner import Owner
from battles.keys import join_address
from battles.models import Snapshot
from battles.pdf import BY_CODE, PackSide, TablePack, battle_pack, ways_to_win
from battles.queries.battles import load_battle, load_locked_sheet, load_sheets
from campaigns import access
from campaigns.list_checks import is_of_system
from campaigns.models import (
    ClubEvent,
    Entry,
    Fixture,
    FixtureStatus,
    ListLock,
    Round,
    RoundStatus,
)
from campaigns.models.rounds import play_moment
from engine.records import Texts, frozen_dataclass
from engine.types.systems import System
from rulesdata import registry
from rulesdata.agreements import ruling_sentences
from rulesdata.queries.scenarios import load_carried_scenario
from warbands.models import Warband
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import load_warband, sheet_of


@frozen_dataclass
class RoundPacks:
    """The tables of a round that are printed: the tokens of their fixtures, in their order."""

    title: str
    round: str
    fixtures: Texts


def load_round_packs(actor: Owner, token: str, number: int) -> RoundPacks | None:
    """The tables of a drawn round, for its organisers; None for everybody else and without the
    round. Two queries.
    """
    events = ClubEvent.objects.filter(access.organised_by(actor), token=token)
    rounds = Round.objects.filter(event__in=events, number=number)
    drawn = rounds.exclude(status=RoundStatus.PLANNED)
    row = drawn.select_related("event").order_by().first()
    if row is None:
        return None
    games = Fixture.objects.filter(round=row, other__isnull=False)
    games = games.exclude(status__in=(FixtureStatus.ASKED, FixtureStatus.VOID))
    # Those without a table come last.
    by_table = games.order_by(F("table").asc(nulls_last=True), "position")
    title = f"{row.event.name}, {row}: table packs"
    return RoundPacks(title, str(row), tuple(by_table.values_list("token", flat=True)))


def load_pack(token: str, site: str) -> TablePack | None:
    """The papers of one table; None where the fixture is gone.

    Four queries, and those of its battle or warbands.

    ``site`` is what addresses on paper begin with. Asked for nobody in particular: who may print is
    asked before.
    """
    # A bye has no table and nothing to print.
    games = Fixture.objects.filter(token=token, other__isnull=False).order_by()
    row = games.select_related(
        "round__event",
        "one__warband",
        "other__warband",
        "third__warband",
        "attacker",
        "battle",
    ).first()
    if row is None:
        return None
    if row.battle is not None:
        # The battle is opened as its owner, with its key: both sides are on the papers.
        organiser = Owner(row.battle.owner_id, row.battle.owner_key)
        record = load_battle(organiser, row.battle.token, row.battle.key, shows_lists=True)
        if record is not None:
            pack = battle_pack(
                record,
                load_sheets(record),
                join_url=f"{site}{join_address(record)}",
                place=_describe_place(row),
                table=str(row.table or ""),
            )
            players = zip(pack.sides, row.sides, strict=False)
            sides = tuple(replace(side, player=entry.name) for side, entry in players)
            return replace(pack, title=row.title, sides=sides)
    # Nobody has begun: each side's list is printed, else its warband as it is now.
    event = row.round.event
    system, rules = registry.system_of(event), registry.rules_of(event)
    lists = load_lists(row)
    result = reverse("fixture-result", args=[event.token, row.token])
    moment = play_moment(row, row.round)
    return TablePack(
        title=row.title,
        place=_describe_place(row),
        table=str(row.table or ""),
        system_name=system.full_name,
        scenario_name=row.scenario_name,
        scenario=load_carried_scenario(event.system, row.scenario or None),
        agreed=_describe_terms(row, system),
        day=timezone.localtime(moment).date() if moment else None,
        sides=tuple(_pack_side(event, entry, lists.get(entry.pk)) for entry in row.sides),
        has_rout=rules.rout is not None,
        endings=ways_to_win(rules),
        code=f"{site}{result}",
        foot=f"{BY_CODE}, or hand this slip to an organiser.",
    )


def _pack_side(event: ClubEvent, entry: Entry, snapshot: Snapshot | None) -> PackSide:
    """The side of a list, else of the warband that somebody means to bring."""
    sheet = load_locked_sheet(snapshot.sheet) if snapshot else None
    if sheet is None and entry.warband is not None:
        warband = load_brought_warband(event, entry.warband)
        sheet = sheet_of(warband) if warband else None
    return PackSide(entry.name, sheet.models if sheet else None, sheet, entry.name)


def _describe_place(fixture: Fixture) -> str:
    """Where and when it is played: "Table 3, Autumn league, Round 2"."""
    table = f"Table {fixture.table}" if fixture.table else ""
    return ", ".join(filter(None, (table, fixture.round.event.name, str(fixture.round))))


def _describe_terms(fixture: Fixture, system: System) -> Texts:
    """Who attacks, which house rules hold and which rulings are played, in sentences."""
    event = fixture.round.event
    # An event stores only the rules that differ from the usual.
    rules = system.house_rules_in(event.house_rules)
    rulings = ruling_sentences(system, event.ruling_layers)
    sentences = (
        f"{fixture.attacker.name} attacks." if fixture.attacker else "",
        f"House rules: {', '.join(rules)}." if rules else "",
        f"Rulings: {' '.join(rulings)}" if rulings else "",
    )
    return tuple(filter(None, sentences))


def load_lists(fixture: Fixture) -> dict[int, Snapshot]:
    """Entry id to the list it handed in last, for this round or one before. One query."""
    rows = ListLock.objects.filter(
        entry__in=fixture.sides,
        round__number__lte=fixture.round.number,
        snapshot__isnull=False,
    ).select_related("snapshot")
    # A later round overwrites an earlier one, so the last list remains.
    return {
        row.entry_id: row.snapshot for row in rows.order_by("round__number") if row.snapshot
    }


def load_brought_warband(event: ClubEvent, row: Warband) -> WarbandRecord | None:
    """What somebody means to bring, if it can be fielded in this event.

    Others may not read it, but it was entered, so its owner lets it be read at the table.
    """
    if row.archived_at is not None or not is_of_system(row, event):
        return None
    record = load_warband(Owner(row.owner_id, row.owner_key), row.token)
    return record if record and record.roster.warriors else None
