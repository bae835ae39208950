"""Single records of a club's own list: written, put away, brought back, and the keys they get."""

from accounts.errors import Stale
from accounts.owner import Owner
from engine.errors import Refusal
from engine.records import NamedValues
from rulesdata.errors import STALE_RECORD
from rulesdata.keys import free_key
from rulesdata.operations.own_lists import Data, change_own_list
from rulesdata.own_lists import digest
from rulesdata.queries.drafts import RecordPlace
from rulesdata.queries.lookup import NotInRuleBook

PARTS = {
    "units": "profile",
    "weapons": "weapon",
    "armour": "armour",
    "equipment": "equipment list",
}
"""Parts of a list's file that are written record by record, and what one of each is called."""


def save_record(
    actor: Owner, place: RecordPlace, record: NamedValues, seen: str | None = None
) -> str:
    """Put one record of the pack format into a list, at its place; returns its key.

    Without a key it is new and gets one from its name, unless it brings an ``id``: that of a record
    of the army it corrects. ``seen`` is the digest of the record as the form was opened with it,
    empty where there was none. Raises FaultyList, Stale, Refusal, NotAllowed, NotInTheBook.
    """
    new = dict(record)

    def work(data: Data, away: Data) -> None:
        """Put the record in at its key, or at the end; Stale where it changed meanwhile."""
        records: list[Data] = data.setdefault(place.part, [])
        wanted = place.key or new.get("id") or _new_key(new, place.part, data, away)
        new["id"] = wanted
        at = next((i for i, one in enumerate(records) if one["id"] == wanted), len(records))
        had = records[at : at + 1]
        current = digest(had[0]) if had else ""
        if seen is not None and seen != current:
            raise Stale("record", current, seen, STALE_RECORD)
        # The key comes first, as a file has it; an empty slice at the end adds the record.
        records[at : at + 1] = [{"id": wanted, **new}]

    change_own_list(actor, place.token, work)
    return str(new["id"])


def put_away(actor: Owner, place: RecordPlace) -> None:
    """Offer a record no more.

    A correction goes, and the army's own record is back; what rosters hold they keep.

    Raises FaultyList where something else of the list still needs it, NotInTheBook, NotAllowed.
    """

    def work(data: Data, away: Data) -> None:
        """Take the record out of the list; raise NotInRuleBook where it is not there."""
        records: list[Data] = data.get(place.part, [])
        kept = [record for record in records if record["id"] != place.key]
        if len(kept) == len(records):
            raise NotInRuleBook(f"This list has no {PARTS[place.part]} '{place.key[:60]}'.")
        data[place.part] = kept

    change_own_list(actor, place.token, work)


def bring_back(actor: Owner, place: RecordPlace) -> None:
    """Offer again what was put away. Raises FaultyList, NotInTheBook, NotAllowed."""

    def work(data: Data, away: Data) -> None:
        """Put an archived record back into the list; NotInRuleBook where there is none."""
        records: list[Data] = away.get(place.part, [])
        found = next((record for record in records if record["id"] == place.key), None)
        if found is None:
            message = f"This list has no archived {PARTS[place.part]} '{place.key[:60]}'."
            raise NotInRuleBook(message)
        data.setdefault(place.part, []).append(found)

    change_own_list(actor, place.token, work)


def _new_key(record: Data, part: str, data: Data, away: Data) -> str:
    """A key made of the record's name that nothing of the list has; sent twice, the second is
    refused.
    """
    name, records = str(record.get("name", "")), data.get(part, [])
    if any(one.get("name") == name for one in records):
        what = "an equipment list" if part == "equipment" else f"a {PARTS[part]}"
        message = f"Name: this list has {what} “{name}” already. Change that one."
        raise Refusal(message, field="name")
    known = {one["id"] for one in (*records, *away.get(part, []))}
    return free_key(name, known, instead="record")
