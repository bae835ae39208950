"""Only what differs is written, in the order of the roster; what is read is of one version."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.owner import Owner
from tests.factories import (
    make_club,
    make_legal_warband,
    make_owner,
    make_person,
    make_warband,
    owner_of,
    record_of,
)
from tests.warbands.conftest import assert_totals_match, entries
from warbands.exchange.document import to_document
from warbands.models import Warband
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import (
    change_warband,
    delete_warband,
    duplicate_warband,
    replace_roster,
    undo_last_change,
)
from warbands.operations.warriors import (
    WarriorDraft,
    add_warrior,
    change_warrior,
    duplicate_warrior,
    move_warrior,
    remove_warrior,
    sort_warriors,
)
from warbands.queries import warbands
from warbands.queries.records import NO_NAME
from warbands.queries.warbands import (
    build_roster,
    last_change,
    load_warband,
    read_warband,
    sheet_of,
)

pytestmark = pytest.mark.django_db

KINDS = [
    "halberdiers",
    "archers",
    "swordsmen",
    "crossbowmen",
    "spearmen",
    "handgunners",
    "free-company",
]


def of(count: int) -> Warband:
    """A warband of so many entries, each named after its place."""
    warband = make_warband()
    for place in range(count):
        add_warrior(
            WriteContext(owner_of(warband), warband.token),
            WarriorDraft(KINDS[place % len(KINDS)], name=str(place)),
        )
    warband.refresh_from_db()
    return warband


def ids(warband: Warband) -> list[int]:
    return [entry.id or 0 for entry in entries(warband)]


def names(warband: Warband) -> str:
    return "".join(entry.name for entry in entries(warband))


def warrior_statements(change: Callable[[], object]) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        change()
    sent = [
        query["sql"]
        for query in captured.captured_queries
        if '"warbands_warrior" ' in f"{query['sql'][:60]} "
    ]
    return [sql.split()[0] for sql in sent if not sql.startswith("SELECT")]


def test_removing_and_putting_back_writes_no_other_row() -> None:
    warband = of(9)
    actor, gone = owner_of(warband), ids(warband)[3]
    assert warrior_statements(
        lambda: remove_warrior(WriteContext(actor, warband.token), gone)
    ) == ["DELETE"]
    assert names(warband) == "01245678"
    assert warrior_statements(
        lambda: undo_last_change(WriteContext(actor, warband.token))
    ) == ["INSERT"]
    assert names(warband) == "012345678"
    assert ids(warband)[3] == gone


@pytest.mark.parametrize(
    "to, expected", [("up", "0132456"), ("down", "0124356"), (0, "3012456"), (6, "0124563")]
)
def test_moving_takes_two_statements(to: int, expected: str) -> None:
    warband = of(7)
    actor, warrior = owner_of(warband), ids(warband)[3]
    assert warrior_statements(
        lambda: move_warrior(WriteContext(actor, warband.token), warrior, to)
    ) == ["UPDATE", "UPDATE"]
    assert names(warband) == expected


def test_a_copy_in_the_middle_moves_the_rest_in_one_statement() -> None:
    warband = of(8)
    actor, warrior = owner_of(warband), ids(warband)[2]
    assert warrior_statements(
        lambda: duplicate_warrior(WriteContext(actor, warband.token), warrior)
    ) == ["INSERT", "UPDATE"]
    assert names(warband) == "01234567"
    assert [entry.name for entry in entries(warband)][2:5] == ["2", "", "3"]


def test_sorting_writes_one_statement() -> None:
    warband = make_warband()
    actor = owner_of(warband)
    for profile in (
        "archers",
        "captain",
        "swordsmen",
        "captain",
        "archers",
        "captain",
        "halberdiers",
    ):
        add_warrior(WriteContext(actor, warband.token), WarriorDraft(profile))
    assert warrior_statements(
        lambda: sort_warriors(WriteContext(actor, warband.token))
    ) == ["UPDATE"]
    assert [entry.profile for entry in entries(warband)][:4] == [
        "captain",
        "captain",
        "captain",
        "archers",
    ]


def test_many_changed_at_once_are_written_as_they_are() -> None:
    warband = of(12)
    actor = owner_of(warband)
    data = to_document(record_of(warband).roster)
    changed = [
        {**w, "name": f"N{i}", "count": i + 1, "note": "x" * i}
        for i, w in enumerate(data["warriors"])
    ]  # type: ignore[call-overload]
    replace_roster(
        WriteContext(actor, warband.token), {**data, "warriors": list(reversed(changed))}
    )
    assert [(e.name, e.count, len(e.note)) for e in entries(warband)] == [
        (f"N{i}", i + 1, i) for i in range(11, -1, -1)
    ]
    assert_totals_match(Warband.objects.get(pk=warband.pk))
    undo_last_change(WriteContext(actor, warband.token))
    assert names(warband) == "01234567891011"


@pytest.mark.parametrize("seed", range(4))
def test_rows_keep_the_order_of_the_roster(
    seed: int, soak: Callable[[int, int], int]
) -> None:
    """Any sequence of changes leaves what the same sequence leaves of a plain list."""
    chance = random.Random(seed)
    warband = of(5)
    actor, token = owner_of(warband), warband.token
    expected, before = ids(warband), [ids(warband)]
    for _ in range(soak(15, 300)):
        kind = (
            chance.choice(["add", "remove", "move", "copy", "undo"])
            if len(expected) > 1
            else "add"
        )
        place = chance.randrange(len(expected)) if expected else 0
        if kind == "undo" and len(before) > 1:
            undo_last_change(WriteContext(actor, token))
            expected = before.pop()
            assert ids(warband) == expected
            continue
        before.append(list(expected))
        if kind in ("add", "undo"):
            expected.append(
                add_warrior(
                    WriteContext(actor, token), WarriorDraft("archers", name="x")
                ).warrior_id
                or 0
            )
        elif kind == "remove":
            remove_warrior(WriteContext(actor, token), expected.pop(place))
        elif kind == "copy":
            expected.insert(
                place + 1,
                duplicate_warrior(WriteContext(actor, token), expected[place]).warrior_id
                or 0,
            )
        else:
            target = chance.randrange(len(expected))
            moved = move_warrior(WriteContext(actor, token), expected[place], target)
            expected.insert(target, expected.pop(place))
            if not moved.changed:
                before.pop()
        assert ids(warband) == expected
    places = list(warband.warriors.order_by("position").values_list("position", flat=True))
    assert len(set(places)) == len(places)


# What is read
# ---------------------------------------------------------------------------------------------------------


def between(monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> None:
    """Let a change be stored after the next reader has read the warband and before it reads its
    warriors.
    """
    load_rows, done = warbands.load_rows, []

    def changed_meanwhile(warband_id: int) -> warbands.WarriorRows:
        if not done:
            done.append(True)
            change()
        return load_rows(warband_id)

    monkeypatch.setattr(warbands, "load_rows", changed_meanwhile)


CHANGES: list[Callable[[Owner, str, int], object]] = [
    lambda actor, token, first: change_warrior(WriteContext(actor, token), first, count=9),
    lambda actor, token, first: remove_warrior(WriteContext(actor, token), first),
    lambda actor, token, _: change_warband(
        WriteContext(actor, token), name="Other", points_limit=77
    ),
]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("count", [1, 4])
def test_a_change_between_two_statements_is_read_whole_or_not_at_all(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[Owner, str, int], object], count: int
) -> None:
    warband = of(count)
    actor, first = owner_of(warband), ids(warband)[0]
    between(monkeypatch, lambda: change(actor, warband.token, first))
    record = record_of(warband)
    stored = Warband.objects.get(pk=warband.pk)
    assert (record.version, record.roster.name, record.roster.points_limit) == (
        stored.version,
        stored.name,
        stored.points_limit,
    )
    assert record.version == warband.version + 1
    assert (
        record.models
        == sum(entry.count for entry in record.roster.warriors)
        == stored.miniatures
    )
    assert sheet_of(record).points == record.points


def test_a_roster_to_reckon_with_and_a_copy_are_read_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    warband = of(3)
    actor, first = owner_of(warband), ids(warband)[0]
    between(
        monkeypatch,
        lambda: change_warband(WriteContext(actor, warband.token), name="Other"),
    )
    seen = read_warband(actor, warband.token)
    assert seen is not None
    assert (seen[0].name, len(build_roster(*seen).warriors)) == ("Other", 3)
    between(monkeypatch, lambda: remove_warrior(WriteContext(actor, warband.token), first))
    copy = Warband.objects.get(
        token=duplicate_warband(WriteContext(actor, warband.token)).token
    )
    assert copy.warriors.count() == 2


def test_what_is_deleted_or_hidden_while_it_is_read_is_not_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    owner, stranger = make_person(), make_person()
    warband = make_legal_warband(actor=owner, visibility="link")
    between(
        monkeypatch,
        lambda: change_warband(WriteContext(owner, warband.token), visibility="private"),
    )
    assert load_warband(stranger, warband.token) is None
    between(
        monkeypatch, lambda: delete_warband(WriteContext(owner, warband.token), NO_NAME)
    )
    assert load_warband(owner, warband.token) is None


def test_reading_asks_about_a_club_only_where_it_matters() -> None:
    owner, mate = make_person(), make_person()
    club = make_club(owner=owner, members=[mate])
    warband = make_legal_warband(actor=owner, visibility="club", club_id=club.pk)

    def statements(actor: Owner) -> int:
        with CaptureQueriesContext(connection) as captured:
            load_warband(actor, warband.token)
        return len(captured)

    assert [statements(actor) for actor in (owner, mate, make_person(), make_owner())] == [
        3,
        4,
        2,
        1,
    ]


def test_undo_is_told_as_of_the_version_that_is_shown() -> None:
    warband = of(2)
    actor = owner_of(warband)
    record = record_of(warband)
    sort_warriors(WriteContext(actor, warband.token))
    change_warrior(WriteContext(actor, warband.token), ids(warband)[0], name="Later")
    assert last_change(record) == "Added Archer 1"
