"""Who asks and for what: the cast, and an object of each visibility.

Every name of an object holds a word found nowhere else (`WORD`), so that a page that leaks it is seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from accounts.models import Club, Role, User
from accounts.operations import add_member, create_club, make_link
from accounts.owner import Owner
from accounts.owners import SESSION_NAME
from rulesdata.operations import Draft, Side, archive_scenario, create_scenario, load_packs
from tests.factories import SYSTEM, make_person
from warbands import operations
from warbands.models import Warband, Warrior

PASSWORD = "halberd-and-lantern"
WORD = "Qxz{}wolf"
VISIBILITIES = ("private", "link", "club", "public", "archived")
KEPT = (*VISIBILITIES, "unclaimed")
CAST = ("nobody", "guest", "stranger", "mate", "owner", "organiser", "staff")
PEOPLE = CAST[2:]


@dataclass(frozen=True, slots=True)
class Actor:
    """One of the cast, with the session of their browser."""

    name: str
    session: str = ""
    user: User | None = None

    def client(self, **kwargs: Any) -> Client:
        """A browser of theirs. A new one each time: what one request does to its cookies no other one feels."""
        client = Client(**{"raise_request_exception": False, **kwargs})
        if self.session:
            client.cookies[settings.SESSION_COOKIE_NAME] = self.session
        return client


@dataclass(slots=True)
class World:
    """The cast and what is theirs. Everything that says nothing else is the owner's."""

    cast: dict[str, Actor] = field(default_factory=dict)
    warbands: dict[str, Warband] = field(default_factory=dict)
    warriors: dict[str, Warrior] = field(default_factory=dict)
    scenarios: dict[str, str] = field(default_factory=dict)
    club: Club = field(default_factory=Club)
    link: str = ""

    def arguments(self, of: str = "public") -> dict[str, object]:
        """A value for each argument a pattern of the site's own may take, for the objects of one visibility."""
        warrior = self.warriors[of]
        return {
            "system": SYSTEM,
            "army": "the-empire",
            "unit": "captain",
            "key": "border-skirmish",
            "token": self.warbands[of].token,
            "warrior_id": warrior.pk,
            "slug": self.club.slug,
            "app_label": "warbands",
            "uidb36": "1",
            "url": "nothing-here",
        }

    def warrior_ids(self, of: str = "public") -> list[int]:
        return list(Warrior.objects.filter(warband=self.warbands[of]).order_by("position").values_list("pk", flat=True))

    def scenario_arguments(self, of: str = "public") -> dict[str, object]:
        return {"system": SYSTEM, "token": self.scenarios[of]}


def build_world() -> World:
    """Everything, through the real operations and the real door."""
    load_packs()
    world = World()
    users = {name: _user(name, is_staff=name == "staff", is_superuser=name == "staff") for name in PEOPLE}
    world.club = create_club(name="The Quay", owner_id=_user("founder").pk)
    for name, role in {"owner": Role.MEMBER, "mate": Role.MEMBER, "organiser": Role.ORGANISER}.items():
        add_member(world.club.pk, users[name].pk, role)
    world.cast = {name: Actor(name, _sign_in(user), user) for name, user in users.items()}
    world.cast["nobody"] = Actor("nobody")
    guest, key = _guest()
    world.cast["guest"] = guest
    for name in VISIBILITIES:
        _warband(world, name, Owner(user_id=users["owner"].pk))
        _scenario(world, name, make_person(user=users["owner"]))
    _warband(world, "unclaimed", Owner(key=key))
    Group.objects.create(name="Helpers")
    world.link = make_link(users["stranger"].pk)
    return world


def _user(name: str, **extra: Any) -> User:
    email = f"{name}@example.org"
    user = User.objects.create_user(email, PASSWORD, name=name.title(), **extra)
    EmailAddress.objects.create(user=user, email=email, primary=True, verified=True)
    return user


def _sign_in(user: User) -> str:
    """The session of somebody who has just typed their password twice, so that no page asks again."""
    client = Client()
    assert client.post(reverse("account_login"), {"login": user.email, "password": PASSWORD}).status_code == 302
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    client.get(reverse("account_profile"))  # reads the greeting, or some page would show it
    return str(client.cookies[settings.SESSION_COOKIE_NAME].value)


def _guest() -> tuple[Actor, str]:
    """Somebody without an account who has made a warband, and the key their session holds."""
    client = Client()
    sent = {"system": SYSTEM, "army": "the-empire", "limit": "150", "name": "First"}
    assert client.post(reverse("warband-new"), sent).status_code == 302
    return Actor("guest", str(client.cookies[settings.SESSION_COOKIE_NAME].value)), str(client.session[SESSION_NAME])


# Somebody of every sort a page draws in its own way, and something to find fault with.
WARRIORS: list[dict[str, Any]] = [
    {"profile": "captain", "name": "Ostwin", "leader": True, "options": ["halberd", "light-armour"], "note": "Limps."},
    {"profile": "halberdiers", "name": "Jost, Hein", "count": 4, "options": ["shields"]},
    {"profile": "battle-wizard", "name": "Alda", "lore": "Lore of Fire"},
    {"profile": "wizard-lord"},
    {"profile": "crossbowmen", "count": 3, "options": ["no-such-option"]},
    {"profile": "no-such-profile"},
]


def _warband(world: World, name: str, actor: Owner) -> None:
    word = WORD.format(name)
    document = {
        "format": "muster-roll/1",
        "system": SYSTEM,
        "army": "the-empire",
        "name": f"Band {word}",
        "note": f"Note {word}",
        "points_limit": 150,
        "warriors": WARRIORS,
    }
    token = operations.import_document(actor, document).token
    if name not in ("private", "unclaimed"):
        club = {"club_id": world.club.pk} if name == "club" else {}
        operations.change_warband(actor, token, visibility="public" if name == "archived" else name, **club)
    operations.add_warrior(actor, token, "archers")
    if name == "archived":
        operations.archive_warband(actor, token)
    world.warbands[name] = Warband.objects.get(token=token)
    world.warriors[name] = Warrior.objects.get(warband__token=token, position=1)


def _scenario(world: World, name: str, author: Owner) -> None:
    draft = Draft(
        name=f"Tale {WORD.format(name)}",
        summary=f"Plot {WORD.format(name)}",
        sides=(Side("Attacker", 150), Side("Defender", None, "Holds the bridge")),
        setup="Six feet by four.",
        visibility="public" if name == "archived" else name,
        club=world.club.pk if name == "club" else None,
    )
    world.scenarios[name] = create_scenario(author, SYSTEM, draft)
    if name == "archived":
        archive_scenario(author, SYSTEM, world.scenarios[name])


def words_of(names: Mapping[str, object] | tuple[str, ...] = KEPT) -> dict[str, str]:
    """Visibility to the word that betrays its objects."""
    return {name: WORD.format(name) for name in names}
