"""Records of a club's list, one at a time: profiles, weapons, armour; kept, put away, brought back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from accounts.owner import Owner
from engine.refusal import Refusal
from rulesdata.errors import StaleRecord
from rulesdata.keys import free_key
from rulesdata.operations.own_lists import Data, change_own_list
from rulesdata.own_lists import digest
from rulesdata.queries.shelf import NotInRuleBook

PARTS = {"units": "profile", "weapons": "weapon", "armour": "armour"}
"""Parts of a list's file that are written record by record, and what one of each is called."""


def save_record(
    actor: Owner,
    token: str,
    part: str,
    record: Mapping[str, Any],
    *,
    key: str = "",
    seen: str | None = None,
) -> str:
    """Put one record of the pack format into a list, in the place of the one of that ``key``; returns its key.

    Without a key it is new and gets one from its name, unless it brings an ``id``: that of a record of the army it
    corrects. ``seen`` is the digest of the record as the form was opened with it, empty where there was none.
    Raises FaultyList, StaleRecord, Refusal, NotAllowed, NotInTheBook.
    """
    new = dict(record)

    def work(data: Data, away: Data) -> None:
        records: list[Data] = data.setdefault(part, [])
        wanted = key or new.get("id") or _key(new, part, data, away)
        new["id"] = wanted
        place = next((i for i, one in enumerate(records) if one["id"] == wanted), None)
        had = records[place] if place is not None else None
        if seen is not None and seen != (digest(had) if had else ""):
            raise StaleRecord
        if place is None:
            records.append({"id": wanted, **new})
        else:
            records[place] = {"id": wanted, **new}

    change_own_list(actor, token, work)
    return str(new["id"])


def put_away(actor: Owner, token: str, part: str, key: str) -> None:
    """Offer a record no more. A correction goes, and the army's own record is back; what rosters hold they keep.

    Raises FaultyList where something else of the list still needs it, NotInTheBook, NotAllowed.
    """

    def work(data: Data, away: Data) -> None:
        records: list[Data] = data.get(part, [])
        kept = [record for record in records if record["id"] != key]
        if len(kept) == len(records):
            raise NotInRuleBook(f"This list has no {PARTS[part]} '{key[:60]}'.")
        data[part] = kept

    change_own_list(actor, token, work)


def bring_back(actor: Owner, token: str, part: str, key: str) -> None:
    """Offer again what was put away. Raises FaultyList, NotInTheBook, NotAllowed."""

    def work(data: Data, away: Data) -> None:
        found = next((record for record in away.get(part, []) if record["id"] == key), None)
        if found is None:
            raise NotInRuleBook(f"This list has put away no {PARTS[part]} '{key[:60]}'.")
        data.setdefault(part, []).append(found)

    change_own_list(actor, token, work)


def _key(record: Data, part: str, data: Data, away: Data) -> str:
    """A key made of the record's name that nothing of the list has; sent twice, the second is refused."""
    name = str(record.get("name", ""))
    if any(one.get("name") == name for one in data.get(part, [])):
        raise Refusal(
            f"Name: this list has a {PARTS[part]} “{name}” already. Change that one.", field="name"
        )
    return free_key(
        name,
        {one["id"] for source in (data, away) for one in source.get(part, [])},
        instead="record",
    )
