"""What the site keeps of the battles that a person has a part in, for their download."""

import json
from collections.abc import Iterator

from django.db.models import Q

from accounts.owner import Owner
from battles.exports import as_json
from battles.models import Battle
from battles.queries.battles import load_battle
from jobs.personal_data import DataFile


def battle_files(user_id: int) -> Iterator[DataFile]:
    """Each battle they set up or fought, with its events, as `export.json` has it."""
    owner = Owner(user_id=user_id)
    theirs = Q(owner=user_id) | Q(sides__owner=user_id)
    tokens = Battle.objects.filter(theirs).order_by("pk").distinct()
    for token in list(tokens.values_list("token", flat=True)):
        record = load_battle(owner, token)
        if record is not None:
            yield f"battles/{token}", json.loads(as_json(record))
