"""Tokens of programs: made once, kept as a hash, narrowed, out of date, revoked; and the page where
they are made.
"""

from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from accounts.api_tokens.operations import (
    LIVE_MAX,
    load_caller,
    load_tokens,
    make_token,
    note_use,
    revoke_token,
)
from accounts.errors import NotFound
from accounts.models import ApiToken, User
from engine.errors import Refusal

pytestmark = pytest.mark.django_db

PAGE = "/accounts/tokens/"


def test_token_is_known_again_and_its_secret_is_nowhere(ada: User) -> None:
    made = make_token(
        ada.pk, name=" Score  board ", scopes=["events:write", "battles:write"]
    )
    row = ApiToken.objects.get()
    prefix, _, secret = made.text.partition("_")
    assert (made.name, made.scopes) == ("Score board", ["battles:write", "events:write"])
    assert (len(prefix), len(secret), row.prefix) == (10, 32, prefix)
    assert secret not in str(vars(row))
    caller = load_caller(made.text)
    assert caller is not None
    assert (caller.owner.user_id, caller.scopes) == (
        ada.pk,
        {"battles:write", "events:write"},
    )
    assert row.expires_at - row.created_at == pytest.approx(
        timedelta(days=90), abs=timedelta(seconds=5)
    )


def test_nothing_else_opens_the_account(ada: User, ben: User) -> None:
    mine, other = make_token(ada.pk, name="One").text, make_token(ben.pk, name="Two").text
    (prefix, secret), (other_prefix, _) = mine.split("_"), other.split("_")
    wrong = [
        "",
        mine[:-1],
        f"{mine}a",
        mine.upper(),
        f" {mine}",
        f"{other_prefix}_{secret}",
        f"{prefix}_{'a' * 32}",
    ]
    assert [load_caller(text) for text in [*wrong, "mr\ud800", "x" * 5000]] == [None] * 9
    revoke_token(ada.pk, ApiToken.objects.get(prefix=prefix).pk)
    assert load_caller(mine) is None
    User.objects.filter(pk=ben.pk).update(is_active=False)
    assert load_caller(other) is None


def test_token_ends_when_it_says(ada: User) -> None:
    made = make_token(ada.pk, name="One", days=1)
    with time_machine.travel(timezone.now() + timedelta(hours=23, minutes=59)):
        assert load_caller(made.text) is not None
    with time_machine.travel(timezone.now() + timedelta(hours=24, minutes=1)):
        assert load_caller(made.text) is None
        assert [row.is_live for row in load_tokens(ada.pk)] == [False]


def test_use_is_noted_once_an_hour(ada: User) -> None:
    made, other = make_token(ada.pk, name="One"), make_token(ada.pk, name="Two")
    first = timezone.now()

    def noted(at: datetime) -> datetime | None:
        note_use(ApiToken.objects.get(pk=made.id), at)
        assert ApiToken.objects.get(pk=other.id).last_used_at is None
        return ApiToken.objects.get(pk=made.id).last_used_at

    assert noted(first) == first
    assert noted(first + timedelta(minutes=59)) == first
    assert noted(first + timedelta(minutes=61)) == first + timedelta(minutes=61)


@pytest.mark.parametrize("wrong", [
    {"name": ""}, {"name": "\u202eevil"}, {"name": "x" * 61}, {"scopes": ["admin"]},
    {"days": 0}, {"days": 366}, {"days": True}, {"request_key": "x" * 41},
])  # fmt: skip
def test_what_cannot_be_is_refused(ada: User, wrong: dict[str, Any]) -> None:
    with pytest.raises(Refusal):
        make_token(ada.pk, **{"name": "One", **wrong})
    assert not ApiToken.objects.exists()


def test_unknown_scope_is_named_by_its_first_forty_signs(ada: User) -> None:
    with pytest.raises(Refusal, match=r"There is no scope x{40};"):
        make_token(ada.pk, name="One", scopes=["x" * 60])


def test_there_are_so_many_and_no_more_until_one_ends(ada: User) -> None:
    rows = [
        ApiToken(user=ada, name="Old", prefix=f"mr{n:08}", secret_hash="-")
        for n in range(LIVE_MAX)
    ]
    for row in rows:
        row.expires_at = timezone.now() + timedelta(days=1)
    ApiToken.objects.bulk_create(rows)
    with pytest.raises(Refusal, match="20 tokens"):
        make_token(ada.pk, name="One more")
    revoke_token(ada.pk, load_tokens(ada.pk)[0].id)
    assert make_token(ada.pk, name="One more").text


def test_a_token_that_is_ended_twice_keeps_its_end(ada: User) -> None:
    token = make_token(ada.pk, name="One")
    revoke_token(ada.pk, token.id)
    ended = ApiToken.objects.get().revoked_at
    assert revoke_token(ada.pk, token.id) == "One"
    assert ApiToken.objects.get().revoked_at == ended


def test_ended_tokens_are_kept_for_ninety_days(ada: User) -> None:
    kept, gone, expired = (make_token(ada.pk, name=name).id for name in "abc")
    now = timezone.now()
    for pk, days in ((kept, 89), (gone, 91)):
        ApiToken.objects.filter(pk=pk).update(revoked_at=now - timedelta(days=days))
    ApiToken.objects.filter(pk=expired).update(expires_at=now - timedelta(days=91))
    new = make_token(ada.pk, name="New").id
    assert set(ApiToken.objects.values_list("pk", flat=True)) == {kept, new}


def test_form_sent_twice_makes_one_token_and_the_second_answer_works(ada: User) -> None:
    first, second = (make_token(ada.pk, name="One", request_key="k") for _ in range(2))
    assert ApiToken.objects.count() == 1
    assert load_caller(first.text) is None
    assert load_caller(second.text) is not None
    note_use(ApiToken.objects.get(pk=second.id), timezone.now())
    with pytest.raises(Refusal, match="already"):
        make_token(ada.pk, name="One", request_key="k")


def test_tokens_that_work_come_first_and_scopes_of_old_releases_are_left_out(ada, ben):
    ids = [make_token(ada.pk, name=name, scopes=["events:write"]).id for name in "abc"]
    make_token(ben.pk, name="Another's")
    revoke_token(ada.pk, ids[2])
    ApiToken.objects.filter(pk=ids[0]).update(scopes=["gone:write", "events:write"])
    rows = load_tokens(ada.pk)
    assert [(row.id, row.is_live) for row in rows] == [
        (ids[1], True),
        (ids[0], True),
        (ids[2], False),
    ]
    assert [row.changes for row in rows] == [["Events"]] * 3


def test_tokens_are_counted_under_a_lock_of_their_person(ada, locked_tables):
    make_token(ada.pk, name="One")
    assert locked_tables == [User._meta.db_table]


def test_nobody_revokes_anothers(ada: User, ben: User, as_ada: Client) -> None:
    made = make_token(ben.pk, name="Bens")
    with pytest.raises(NotFound):
        revoke_token(ada.pk, made.id)
    assert as_ada.post(f"{PAGE}{made.id}/revoke/").status_code == 404
    assert load_caller(made.text) is not None


def test_page_shows_a_token_once(as_ada: Client) -> None:
    sent = {"name": "Score", "scopes": ["events:write"], "days": "30", "key": "a"}
    answer = as_ada.post(PAGE, sent)
    text = answer.context["made"].text
    assert text in answer.content.decode()
    assert "no-store" in answer.headers["Cache-Control"]
    assert load_caller(text) is not None
    later = as_ada.get(PAGE).content.decode()
    assert text not in later
    assert text.partition("_")[0] in later
    revoked = as_ada.post(
        f"{PAGE}{answer.context['made'].id}/revoke/", follow=True
    ).content.decode()
    assert "is revoked. It no longer works." in revoked
    assert load_caller(text) is None


def test_page_says_what_is_wrong_and_keeps_what_was_typed(as_ada: Client) -> None:
    answer = as_ada.post(PAGE, {"name": "", "scopes": ["clubs:write"], "days": "30"})
    assert answer.status_code == 422
    assert answer.context["form"]["scopes"].value() == ["clubs:write"]
    assert as_ada.post(PAGE, {"name": "One", "days": "4000"}).status_code == 422
    assert not ApiToken.objects.exists()


def test_page_takes_as_many_queries_for_three(ada, as_ada, django_assert_num_queries):
    as_ada.get(PAGE)  # the number of notices is kept from now on
    for many in (1, 2):
        for _ in range(many):
            make_token(ada.pk, name="One")
        with django_assert_num_queries(5):
            as_ada.get(PAGE)


def test_page_asks_for_the_password_again(client: Client, ada: User, password: str) -> None:
    client.post("/accounts/login/", {"login": ada.email, "password": password})
    with time_machine.travel(timezone.now() + timedelta(hours=1)):
        assert client.get(PAGE).headers["Location"].startswith("/accounts/reauthenticate/")
