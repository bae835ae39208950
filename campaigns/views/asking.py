"""What every battle view takes from its request: who asks, with which key, which battle."""

from __future__ import annotations

from django.http import Http404, HttpRequest

from accounts.owner import Owner
from accounts.owners import owner_of
from campaigns import queries
from campaigns.holding import key_of
from campaigns.queries import BattleRecord


def battle_for(request: HttpRequest, token: str) -> tuple[Owner, str, BattleRecord]:
    """Who asks, the key they hold, and the battle they may see; raises Http404 for everybody else."""
    owner, key = owner_of(request), key_of(request, token)
    record = queries.load_battle(owner, token, key)
    if record is None:
        raise Http404
    return owner, key, record
