"""Things to test with, made through the real operations.

Keyword arguments only; what a test does not say is dull.
"""

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any
from uuid import uuid4

from accounts.models import Club, User
from accounts.operations.clubs import add_member, create_club
from accounts.owner import Owner
from accounts.tokens import new_secret
from battles.models import Battle
from battles.operations.setup import BattleDraft, open_battle
from battles.operations.sides import QuickSide, SideChoice, WarbandSide
from battles.queries.battles import load_battle
from battles.queries.index import BattleRecord
from engine.roster import Roster, RosterEntry
from engine.types.lists import Army
from rulesdata import registry
from warbands.models import Warband, Warrior
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import create_warband
from warbands.operations.warriors import WarriorDraft, add_warrior, set_leader
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import load_warband
from warbands.sheet.structure import RosterSheet

SYSTEM = "warhammer-skirmish"
EMPIRE = "the-empire"
_numbers = count(1)


def make_user(
    *, email: str = "", name: str = "", password: str | None = None, **extra: Any
) -> User:
    """A person who may sign in; without a password only through `force_login`."""
    return User.objects.create_user(
        email or f"player{next(_numbers)}@example.org", password, name=name, **extra
    )


def make_person(*, user: User | None = None) -> Owner:
    return Owner(user_id=(user or make_user()).pk)


def make_owner() -> Owner:
    """Somebody without an account: the holder of a session's anonymous key."""
    return Owner(key=new_secret())


def make_club(
    *, owner: Owner | None = None, members: Sequence[Owner] = (), name: str = "Club"
) -> Club:
    club = create_club(name=name, owner_id=(owner or make_person()).user_id or 0)
    for member in members:
        add_member(club.pk, member.user_id or 0)
    return club


def make_warband(
    *,
    actor: Owner | None = None,
    system: str = SYSTEM,
    army: str = EMPIRE,
    key: str = "",
    **fields: Any,
) -> Warband:
    """An empty warband of the Empire, its maker's alone."""
    sharing = {
        name: fields.pop(name) for name in ("visibility", "club_id") if name in fields
    }
    if "points_limit" not in fields:
        limit = registry.printed_army(system, army).default_limit
        rules = registry.load_system(system, fields.get("variant"))
        fields["points_limit"] = rules.usual_limit(limit)
    roster = Roster(system, army, **fields)
    done = create_warband(WriteContext(actor or make_owner(), key=key), roster)
    if sharing:
        Warband.objects.filter(token=done.token).update(**sharing)
    return Warband.objects.get(token=done.token)


def owner_of(warband: Warband) -> Owner:
    return (
        Owner(user_id=warband.owner_id)
        if warband.owner_id
        else Owner(key=warband.owner_key)
    )


def make_warrior(
    *,
    warband: Warband,
    profile: str = "halberdiers",
    is_leader: bool = False,
    joins: bool = False,
    key: str = "",
    **fields: Any,
) -> Warrior:
    """An entry of the warband; `fields` as for `WarriorDraft`, ``key`` is the request's."""
    context = WriteContext(owner_of(warband), warband.token, key=key)
    done = add_warrior(context, WarriorDraft(profile, **fields), joins=joins)
    if is_leader:
        done = set_leader(WriteContext(owner_of(warband), warband.token), done.warrior_id)
    return Warrior.objects.get(pk=done.warrior_id)


def make_legal_warband(*, actor: Owner | None = None, **fields: Any) -> Warband:
    """A captain who leads, four halberdiers and three crossbowmen: some points left, no error, no
    warning.
    """
    warband = make_warband(actor=actor, **fields)
    make_warrior(warband=warband, profile="captain", options=["halberd"], is_leader=True)
    make_warrior(warband=warband, count=4)
    make_warrior(warband=warband, profile="crossbowmen", count=3)
    warband.refresh_from_db()
    return warband


def record_of(warband: Warband, *, actor: Owner | None = None) -> WarbandRecord:
    record = load_warband(actor or owner_of(warband), warband.token)
    assert record is not None
    return record


def make_entry(
    *, profile: str = "halberdiers", options: Sequence[str] = (), **fields: Any
) -> RosterEntry:
    return RosterEntry(profile, options=tuple(options), **fields)


def make_roster(
    *, warriors: Sequence[RosterEntry] = (), army: str = EMPIRE, **fields: Any
) -> Roster:
    return Roster(system=SYSTEM, army=army, warriors=tuple(warriors), **fields)


# Battles


def make_battle(
    *,
    actor: Owner | None = None,
    sides: Sequence[SideChoice] | None = None,
    system: str = SYSTEM,
    **fields: Any,
) -> Battle:
    """A battle of the maker's legal warband against a quick side of eight; `fields` as in a
    `BattleDraft`.
    """
    actor = actor or make_person()
    if sides is None:
        sides = (
            WarbandSide(make_legal_warband(actor=actor).token),
            QuickSide("Night Watch", 8, 7),
        )
    done = open_battle(actor, BattleDraft(system, sides, **fields))
    return Battle.objects.get(token=done.token)


def make_duel(
    *, ada: Owner | None = None, ben: Owner | None = None, **fields: Any
) -> Battle:
    ada, ben = ada or make_person(), ben or make_person()
    mine = make_legal_warband(actor=ada, name="The Ferrymen", visibility="link")
    theirs = make_legal_warband(actor=ben, name="Night Watch", visibility="link")
    return make_battle(
        actor=ada, sides=(WarbandSide(mine.token), WarbandSide(theirs.token)), **fields
    )


def make_event(
    kind: str = "note", *, seq: int = 1, device: str = "phone", **payload: Any
) -> dict[str, Any]:
    """An event as a device sends it. An id of its own each time; `id` and `at` may be given."""
    own = {name: payload.pop(name) for name in ("id", "at") if name in payload}
    if kind == "note" and not payload:
        payload = {"text": "Rain."}
    event = {"id": str(uuid4()), "device": device, "seq": seq, "at": "2025-05-01T18:30:00Z"}
    return {**event, **own, "kind": kind, "payload": payload}


def battle_owner(battle: Battle) -> Owner:
    return (
        Owner(user_id=battle.owner_id) if battle.owner_id else Owner(key=battle.owner_key)
    )


def battle_record(
    battle: Battle, *, actor: Owner | None = None, key: str = ""
) -> BattleRecord:
    """The battle as whoever set it up (or `actor`) reads it."""
    record = load_battle(actor or battle_owner(battle), battle.token, key)
    assert record is not None
    return record


def as_words(draw: Callable[[RosterSheet, Army], str], sheet: RosterSheet) -> str:
    variant = registry.load_base(sheet.system_key).default_variant or None
    return draw(sheet, registry.load_army(sheet.system_key, sheet.army_key, variant))
