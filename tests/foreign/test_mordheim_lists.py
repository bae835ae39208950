"""Lists of Mordheim in the forms of other apps: matched by id, and by name where ids are strange."""

import re
from collections import Counter
from uuid import uuid4

import pytest

from engine.roster import Roster
from rulesdata import registry
from tests.rulesdata.test_mordheim import RULINGS
from tests.rulesdata.test_mordheim_warbands import COLLECTION
from warbands.exchange.foreign.export import OutgoingRoster, write_roster
from warbands.exchange.foreign.matches import Aliases, ArmyIndex
from warbands.exchange.foreign.preview import build_preview
from warbands.exchange.foreign.reader import read_list
from warbands.queries.lists import starter

IDS = re.compile(r'("?\b(?:entryId|typeId|id)\b"?[=:] ?)"[^"]*"')


def count_entries(roster: Roster) -> Counter[tuple[str, str]]:
    """The units and what each of them has, as often as the roster has them."""
    pairs = [
        (entry.profile, key) for entry in roster.warriors for key in ("", *entry.options)
    ]
    return Counter(pairs)


def with_strange_ids(text: str) -> str:
    return IDS.sub(lambda id_: f'{id_[1]}"{uuid4()}"', text)


@pytest.mark.django_db
@pytest.mark.parametrize("form", ["ros", "newrecruit-json"])
def test_starters_are_matched_by_id_and_nearly_all_by_name(form: str) -> None:
    sent, by_id, by_name = 0, 0, 0
    for key in registry.collection_file(COLLECTION).armies:
        ready = starter(f"{RULINGS}.A--{key}")
        assert ready is not None
        system, army = registry.load_ruleset(ready.roster)
        written = write_roster(OutgoingRoster(ready.roster, system, army, Aliases()), form)
        strange = with_strange_ids(written.write().decode()).encode()
        index, entries = ArmyIndex(army, Aliases()), count_entries(ready.roster)
        read, read_by_name = (
            build_preview(read_list("x", data), system, index).roster
            for data in (written.write(), strange)
        )
        sent += entries.total()
        by_id += (count_entries(read) & entries).total()
        by_name += (count_entries(read_by_name) & entries).total()
    assert by_id == sent
    assert by_name >= 0.95 * sent
