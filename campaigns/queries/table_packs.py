"""What is printed for a round: its tables in their order, and each one's papers, loaded one after
the other.
"""

from dataclasses import replace

from django.urls import reverse
from django.utils import timezone

from accounts.owner import Owner
from battles.keys import join_address
from battles.models import Snapshot
from battles.pdf import BY_CODE, PackSide, TablePack, battle_pack, ways_to_win
from battles.queries.battles import load_battle, load_locked_sheet, load_sheets
from campaigns import access
from campaigns.models import (
    ClubEvent,
    Entry,
    Fixture,
    FixtureStatus,
    ListLock,
    Round,
    RoundStatus,
)
from campaigns.models.rounds import moment_of
from engine.records import Texts, frozen_dataclass
from engine.types.systems import System
from rulesdata import registry
from rulesdata.agreements import ruling_sentences
from warbands import rulebook
from warbands.queries.warbands import load_warband, sheet_of
from warbands.sheet.structure import RosterSheet

PRINTED = (RoundStatus.DRAFT, RoundStatus.PUBLISHED, RoundStatus.CLOSED)
NOT_PRINTED = (FixtureStatus.ASKED, FixtureStatus.VOID)
NO_BATTLE = f"{BY_CODE}, or hand this slip to an organiser."


@frozen_dataclass
class RoundPacks:
    """The tables of a round that are printed.

    ``fixtures`` are their tokens in the order of the tables.
    """

    event: str
    event_name: str
    number: int
    round_name: str
    fixtures: Texts

    @property
    def title(self) -> str:
        return f"{self.event_name}, {self.round_name}: table packs"


def round_packs(actor: Owner, token: str, number: int) -> RoundPacks | None:
    """The tables of a drawn round, for its organisers; None for everybody else and without the
    round. Two queries.
    """
    run = ClubEvent.objects.filter(access.organised_by(actor), token=token)
    rounds = Round.objects.filter(event__in=run, number=number, status__in=PRINTED)
    row = rounds.select_related("event").order_by().first()
    if row is None:
        return None
    rows = Fixture.objects.filter(round=row, other__isnull=False).exclude(
        status__in=NOT_PRINTED
    )
    # Those without a table come last.
    placed = sorted(
        rows.values_list("table", "position", "token"),
        key=lambda one: (one[0] is None, *one[:2]),
    )
    tokens = tuple(token for *_, token in placed)
    return RoundPacks(token, row.event.name, number, str(row), tokens)


def load_pack(token: str, site: str) -> TablePack | None:
    """The papers of one table; None where the fixture is gone.

    Four queries, and those of its battle or warbands.

    ``site`` is what addresses on paper begin with. Asked for nobody in particular: who may print is
    asked before.
    """
    # A bye has no table and nothing to print.
    asked = Fixture.objects.filter(token=token, other__isnull=False).order_by()
    row = asked.select_related(
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
            url = f"{site}{join_address(record)}"
            pack = battle_pack(
                record,
                load_sheets(record),
                join_url=url,
                place=place_of(row),
                table=_table(row),
            )
            players = zip(pack.sides, row.sides, strict=False)
            sides = tuple(replace(side, player=entry.name) for side, entry in players)
            return replace(pack, title=row.title, sides=sides)
    return _pack(row, site)


def _table(fixture: Fixture) -> str:
    return str(fixture.table or "")


def place_of(fixture: Fixture) -> str:
    """Where and when it is played: "Table 3, Autumn league, Round 2"."""
    table = f"Table {fixture.table}" if fixture.table else ""
    return ", ".join(
        part for part in (table, fixture.round.event.name, str(fixture.round)) if part
    )


def _pack(fixture: Fixture, site: str) -> TablePack:
    """The papers of a fixture that nobody has begun: each side's list, else its warband as it is
    now.
    """
    event = fixture.round.event
    system, rules = registry.system_of(event), registry.rules_of(event)
    lists = load_lists_of(fixture)
    result = reverse("fixture-result", args=[event.token, fixture.token])
    moment = moment_of(fixture, fixture.round)
    return TablePack(
        title=fixture.title,
        place=place_of(fixture),
        table=_table(fixture),
        system_name=system.full_name,
        scenario_name=fixture.scenario_name,
        scenario=rulebook.load_scenario(event.system, fixture.scenario or None),
        agreed=_agreed(fixture, system),
        day=timezone.localtime(moment).date() if moment else None,
        sides=tuple(_side(event, entry, lists.get(entry.pk)) for entry in fixture.sides),
        has_rout=rules.rout is not None,
        endings=ways_to_win(rules),
        code=f"{site}{result}",
        foot=NO_BATTLE,
    )


def _agreed(fixture: Fixture, system: System) -> Texts:
    """Who attacks, which house rules hold and which rulings are played, in sentences."""
    # An event stores only the rules that differ from the usual.
    rules = system.house_rules_in(fixture.round.event.house_rules)
    attacks = f"{fixture.attacker.name} attacks." if fixture.attacker else ""
    told = f"House rules: {', '.join(rules)}." if rules else ""
    rulings = ruling_sentences(system, fixture.round.event.ruling_layers)
    agreed = f"Rulings: {' '.join(rulings)}" if rulings else ""
    return tuple(filter(None, (attacks, told, agreed)))


def _side(event: ClubEvent, entry: Entry, snapshot: Snapshot | None) -> PackSide:
    handed_in = load_locked_sheet(snapshot.sheet) if snapshot else None
    sheet = handed_in or _sheet(event, entry)
    return PackSide(entry.name, sheet.models if sheet else None, sheet, entry.name)


def load_lists_of(fixture: Fixture) -> dict[int, Snapshot]:
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


def _sheet(event: ClubEvent, entry: Entry) -> RosterSheet | None:
    """What somebody means to bring, where it can be fielded here.

    It was entered, so its own owner lets it be read.
    """
    warband = entry.warband
    if warband is None or warband.archived_at is not None:
        return None
    if (warband.system, warband.variant) != (event.system, event.variant):
        return None
    # The organiser may not read it, but its owner brings it to this table.
    record = load_warband(Owner(warband.owner_id, warband.owner_key), warband.token)
    return sheet_of(record) if record is not None and record.roster.warriors else None
