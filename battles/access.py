"""Who may see a battle, record it, and speak for a side.

Each rule is a filter of rows and a yes or no that agree.

A battle of an event is closed to all who may not read the event, whatever its own visibility is:
but for those who take part, the organisers of its club, and whoever holds its key.

The key of a battle lets its holder read and record it. A side is spoken for by whoever owns its
warband; a side that nobody owns (a quick one, one typed in as a document) by whoever set the battle
up and by the holders of the key.
"""

from collections.abc import Iterable, Sequence

from django.db.models import Exists, OuterRef, Q
from django.utils.crypto import constant_time_compare

from accounts.access import (
    NONE,
    Owned,
    may_organise_club,
    organised_club_ids,
    owned_by,
    owns,
)
from accounts.errors import StaleResult
from accounts.owner import Owner
from battles.hooks import battle_follower
from battles.models import BATTLE_KEY_LENGTH, Battle, BattleSide, BattleVisibility
from engine.records import Texts, frozen_dataclass

OPENED = (BattleVisibility.LINK, BattleVisibility.PUBLIC)


@frozen_dataclass
class BattleCall:
    """Who asks for a change of which battle.

    ``key`` is the battle's key where they hold it; ``expected`` how many steps of its result they
    have seen, None where they did not say; ``author`` what somebody without an account is called.
    ``address`` is where the call comes from, "" from the site's own commands.
    """

    actor: Owner
    token: str
    key: str = ""
    expected: int | None = None
    request_key: str = ""
    author: str = ""
    address: str = ""

    @property
    def asker(self) -> Owner:
        """Whose request keys they are; those who hold nothing but a battle's key share them."""
        return Owner(key=f"battle:{self.token}") if self.actor.is_nobody else self.actor

    def check_seen(self, battle: Battle) -> None:
        """Raise StaleResult where the result has other steps by now than were seen."""
        if self.expected not in (None, battle.results_count):
            raise StaleResult(battle.results_count, self.expected)


# Filters


def taken_part_by(actor: Owner) -> Q:
    """The battles this actor set up, or whose side is their warband's."""
    if actor.is_nobody:
        return NONE
    sides = BattleSide.objects.filter(owned_by(actor), battle=OuterRef("pk"))
    return owned_by(actor) | Q(Exists(sides))


def opened_to(actor: Owner, visibilities: Sequence[str] = OPENED) -> Q:
    """The battles of these visibilities, but those whose event is kept from this actor."""
    return Q(visibility__in=visibilities) & ~battle_follower().closed_to(actor)


def keyed_by(key: str) -> Q:
    """The battles that this key is for; none for what cannot be one."""
    return Q(key=key) if is_key(key) else NONE


def readable_by(actor: Owner, key: str = "") -> Q:
    """The battles this actor may open when they know the address."""
    organised = Q(club__in=organised_club_ids(actor))
    return opened_to(actor) | taken_part_by(actor) | organised | keyed_by(key)


def listed_to(actor: Owner) -> Q:
    """The battles that lists may show this actor: those they take part in, and the public ones."""
    return taken_part_by(actor) | opened_to(actor, [BattleVisibility.PUBLIC])


# Yes or no


def is_key(key: str) -> bool:
    """Whether this can be the key of a battle at all."""
    return len(key) == BATTLE_KEY_LENGTH and key.isascii() and key.isalnum()


def holds_key(battle: Battle, key: str) -> bool:
    """Whether ``keyed_by`` holds the battle."""
    return is_key(key) and constant_time_compare(key, battle.key)


def is_owned(row: Owned) -> bool:
    """Whether it is anybody's."""
    return row.owner_id is not None or bool(row.owner_key)


def takes_part(actor: Owner, battle: Battle, sides: Iterable[Owned]) -> bool:
    """Whether ``taken_part_by`` holds the battle."""
    return owns(actor, battle) or any(owns(actor, side) for side in sides)


def may_record(actor: Owner, battle: Battle, sides: Iterable[Owned], key: str = "") -> bool:
    """Whether this actor may record the battle: they take part in it or hold its key."""
    return holds_key(battle, key) or takes_part(actor, battle, sides)


def is_open_to(actor: Owner, battle: Battle) -> bool:
    """Whether ``opened_to`` holds the battle. One query for one of a club: others have no event."""
    if battle.visibility not in OPENED or battle.club_id is None:
        return battle.visibility in OPENED
    return Battle.objects.filter(opened_to(actor), pk=battle.pk).exists()


def may_see(actor: Owner, battle: Battle, sides: Iterable[Owned], key: str = "") -> bool:
    """Whether ``readable_by`` holds the battle. Asks the database only about a club."""
    if may_record(actor, battle, sides, key) or is_open_to(actor, battle):
        return True
    return may_organise_club(actor, battle.club_id)


def is_listed(actor: Owner, battle: Battle, sides: Iterable[Owned]) -> bool:
    """Whether ``listed_to`` holds a battle that the actor may see."""
    return battle.visibility == BattleVisibility.PUBLIC or takes_part(actor, battle, sides)


def is_keeper(actor: Owner, battle: Battle, key: str = "") -> bool:
    """Whether the battle is theirs to share: whoever set it up; where nobody can be named, the
    holders of its key.
    """
    return owns(actor, battle) if is_owned(battle) else holds_key(battle, key)


def may_organise(actor: Owner, battle: Battle, key: str = "") -> bool:
    """Who decides once a result stands: an organiser of the battle's club, or without a club
    whoever set it up.
    """
    if battle.club_id is not None:
        return may_organise_club(actor, battle.club_id)
    return is_keeper(actor, battle, key)


def sides_spoken_for(
    actor: Owner, battle: Battle, sides: Iterable[BattleSide], key: str = ""
) -> Texts:
    """The keys of the sides this actor may speak for: their own first, then those that nobody owns."""
    sides = tuple(sides)
    keys = [side.key for side in sides if owns(actor, side)]
    if is_keeper(actor, battle, key) or holds_key(battle, key):
        keys += [side.key for side in sides if not is_owned(side)]
    return tuple(keys)
