"""How every change of a battle is made: lock it, look who asks, add what is new, work the totals
out anew.
"""

from collections.abc import Mapping
from typing import Any, cast

from django.db.models import Case, Exists, F, OuterRef, Value, When
from django.utils import timezone

from accounts.access import may_organise_club, owned_by, owns
from accounts.errors import NotAllowed, NotFound
from accounts.tokens import is_token
from battles import access
from battles.access import BattleCall
from battles.models import AUTHOR_MAX, Battle, BattleCombatant, BattleSide
from battles.replay import changed_totals, stored_state
from engine.battles.types import BattleState
from warbands.exchange.document import clean_text


def lock_battle(call: BattleCall) -> Battle:
    """The row, locked until the transaction ends, for those who may read it; raises NotFound for
    everybody else.

    One query, and two about a club for those whom nothing else lets in. ``is_side``: one of its
    sides is the actor's.
    """
    rows = (
        Battle.objects.select_for_update(of=("self",)).filter(token=call.token).order_by()
    )
    if not call.actor.is_nobody:
        own = BattleSide.objects.filter(owned_by(call.actor), battle=OuterRef("pk"))
        rows = rows.annotate(is_side=Exists(own))
    battle = next(iter(rows), None) if is_token(call.token) else None
    if battle is None:
        raise NotFound("battle")
    is_open = may_record(call, battle) or access.is_open_to(call.actor, battle)
    if not is_open and not may_organise_club(call.actor, battle.club_id):
        raise NotFound("battle")
    return battle


def lock_recordable_battle(call: BattleCall) -> Battle:
    """The row as above, for those who may record it; raises NotAllowed for those who may only read."""
    battle = lock_battle(call)
    if not may_record(call, battle):
        raise NotAllowed(
            "Only the players of this battle, and people with its code, can record it."
        )
    return battle


def may_record(call: BattleCall, battle: Battle) -> bool:
    """Whether whoever locked this row with ``lock_battle`` takes part, or holds the key."""
    return (
        access.holds_key(battle, call.key)
        or owns(call.actor, battle)
        or getattr(battle, "is_side", False)
    )


def write_totals(battle: Battle, state: BattleState, **columns: Any) -> None:
    """What the events come to now, and other columns of the battle with it: at most two statements."""
    new = stored_state(state)
    write_combatants(battle.pk, changed_totals(battle.state, new))
    ended_at = (battle.ended_at or timezone.now()) if state.end else None
    write_battle(
        battle, state=new, turn=state.turn, phase=state.phase, ended_at=ended_at, **columns
    )


def write_battle(battle: Battle, **columns: Any) -> None:
    """Columns of the battle, and its next version. One statement."""
    columns |= {"version": battle.version + 1, "updated_at": timezone.now()}
    # The row in hand keeps step, for whoever goes on with it in this transaction.
    for column, value in columns.items():
        setattr(battle, column, value)
    Battle.objects.filter(pk=battle.pk).update(**columns)


def write_combatants(battle_id: int, totals: Mapping[str, Mapping[str, Any]]) -> None:
    """The totals of those who have others than before, all of them in one statement."""
    if not totals:
        return
    columns = next(iter(totals.values()))
    BattleCombatant.objects.filter(battle_id=battle_id, key__in=list(totals)).update(
        **{
            column: Case(
                *(
                    When(key=key, then=Value(values[column]))
                    for key, values in totals.items()
                ),
                default=F(column),
                output_field=cast(Any, BattleCombatant._meta.get_field(column)),
            )
            for column in columns
        }
    )


def clean_author(name: str) -> str:
    """What somebody without an account is called. Raises Refusal for what cannot be shown."""
    return clean_text("author", name, AUTHOR_MAX)
