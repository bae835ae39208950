"""Who gets what of the pages of events: every route, by every one of the cast, with events of each
visibility.

Each event is of the club that the organiser runs; the owner and the mate are entered and belong to
it. A kind ends in "change" where only a button sends there.
"""

from itertools import product

import pytest
from django.urls import reverse

from tests.guards.cast import CAST, EVENT_WORD, PEOPLE, RUN, World
from tests.guards.kinds import METHODS, SAFE, SENT, ask, kind_of, of_kind, url_of
from tests.guards.routes import named, routes
from tests.guards.watching import statements_that_write, taken_back

pytestmark = pytest.mark.django_db

MEMBERS = {"owner", "mate", "organiser"}
READERS = {"club": MEMBERS, "link": set(CAST), "public": set(CAST)}
ENTERED = {"owner", "mate"}
# Whose each kind is among those who may read; what is the owner's own is the organiser's to change
# as well.
FOR = {
    "read event": set(CAST),
    "read and run event": {"organiser"},
    "run event": {"organiser"},
    "own event": {"owner", "organiser"},
    "enter event": set(CAST),
    "hand in event": set(CAST),
    "fixture event": {"owner", "organiser"},
    "play event": ENTERED,
    "missing event": set(),  # nothing of the kind is there, for nobody
}
SHOWN, DONE, WRONG = {200}, {302}, {302, 400, 422}


def expected(who: str, method: str, kind: str, visibility: str) -> set[int]:
    """The statuses this may have. A page is opened and its form sent; a change is only sent."""
    is_change = kind.endswith(" change")
    for_whom = FOR[kind.removesuffix(" change").removesuffix(" form")]
    takes = (
        {"POST"}
        if is_change
        else {"GET", "HEAD"}
        if kind in ("read event", "missing event")
        else {"GET", "HEAD", "POST"}
    )
    if method not in takes:
        return {405}
    if who not in READERS[visibility] or for_whom == set():
        return {404}
    if kind == "hand in event form" and who not in ENTERED:
        return DONE
    if kind.startswith("fixture event") and who == "mate":
        return (
            {403} | WRONG | SHOWN
        )  # as the draw has it, they are the owner's opponent or not
    if kind == "enter event":
        return (
            DONE
            if who in ENTERED or (method == "POST" and who not in PEOPLE)
            else WRONG | SHOWN
        )
    if method in SAFE and kind == "read and run event":
        return SHOWN
    if who not in for_whom:
        return {403}
    return WRONG if method == "POST" else SHOWN


@pytest.mark.parametrize("who", CAST)
def test_pages_of_events_answer_those_they_are_for(world, share, who):
    """The plain run takes one case of seventeen, for each person others."""
    actor, asked, faults = world.cast[who], 0, []
    kinds = [f"{kind}{end}" for kind in FOR for end in ("", " form", " change")]
    for route, method, visibility in share(
        list(product(of_kind(*kinds), METHODS, RUN)), 17, CAST.index(who)
    ):
        with taken_back(), statements_that_write() as written:
            answer = ask(
                actor, method, url_of(route, world, visibility), SENT.get(route.name)
            )
        case = f"{who} {method} {route.name} of the {visibility} one: {answer.status_code}"
        if answer.status_code not in expected(who, method, kind_of(route), visibility):
            faults.append(case)
        if written and (method in SAFE or answer.status_code >= 400):
            faults.append(f"{case}, and wrote {written[0][:80]}")
        if (
            answer.status_code in (403, 404)
            and EVENT_WORD.format(visibility) in answer.content.decode()
        ):
            faults.append(f"{case}, and told its name")
        asked += 1
    assert asked > 8 * len(METHODS)
    assert faults == []


def test_every_page_under_an_event_is_in_the_tables() -> None:
    kinds = {
        kind_of(route) for route in routes() if route.template.startswith("leagues/{token}")
    }
    assert {
        kind.removesuffix(" change").removesuffix(" form") for kind in kinds
    } <= FOR.keys()


@pytest.mark.parametrize("who", ["nobody", "stranger", "staff"])
def test_lists_name_only_what_is_shown_to_everybody(world: World, who: str) -> None:
    for address in (
        reverse("event-list"),
        f"{reverse('event-list')}?show=clubs",
        reverse("event-public"),
    ):
        page = world.cast[who].client().get(address).content.decode()
        assert [name for name in RUN if EVENT_WORD.format(name) in page] == (
            ["public"] if "public" in address else []
        )


@pytest.mark.parametrize("who", CAST)
def test_new_events_are_made_by_organisers(world: World, who: str) -> None:
    url, client = named("event-new").url({}), world.cast[who].client()
    sent = {
        "kind": "night",
        "method": "present",
        "system": "warhammer-skirmish",
        "club": world.club.slug,
        "name": "N",
    }
    points = {f"points_{name}": "1" for name in ("win", "draw", "loss", "bye", "unplayed")}
    with taken_back(), statements_that_write() as written:
        answer = client.post(
            url, {**sent, **points, "visibility": "club", "confirm_days": "3"}
        )
    if who not in PEOPLE:
        assert (answer.status_code, answer["Location"].partition("?")[0], written) == (
            302, reverse("account_login"), [],
        )  # fmt: skip
    elif who == "organiser":
        assert (answer.status_code, bool(written)) == (302, True)
    else:
        assert (answer.status_code, written) == (404, [])
