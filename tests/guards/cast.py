"""Who asks and for what: the cast, and an object of each visibility.

Every name of an object holds a word found nowhere else (`WORD`), so that a page that leaks it is
seen.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import Group
from django.db.models import Q
from django.test import Client
from django.test.client import ClientHandler
from django.urls import reverse
from django.utils import timezone

from accounts.api_tokens.operations import make_token
from accounts.models import Club, Membership, Role, User
from accounts.operations.clubs import add_member, create_club
from accounts.operations.people import make_link
from accounts.owner import Owner
from accounts.requests import SESSION_NAME
from battles.models import Battle
from battles.operations.setup import BattleDraft, open_battle
from battles.operations.sides import QuickSide, WarbandSide
from campaigns.growth.operations.setup import (
    FoundingDraft,
    RulesDraft,
    found_warband,
    set_growth_rules,
)
from campaigns.models import ClubEvent, Entry, Fixture
from campaigns.operations.entries import add_entries
from campaigns.operations.events import create_event
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import draw_round
from campaigns.operations.round_lists import hand_in_list, show_lists, waive
from campaigns.operations.rounds import RoundDraft, add_round, publish_round
from campaigns.operations.screens import step_screen
from campaigns.operations.seasons import SeasonDraft, create_season
from campaigns.queries.records import EventTerms
from jobs.queue import JobDraft, enqueue
from jobs.runner import run_job
from rulesdata.campaign_documents import packed_rules
from rulesdata.models import Army, SentCatalogue
from rulesdata.operations.campaign_rules import begin_draft, write_campaign_rules
from rulesdata.operations.own_lists import RecordPlace, archive_record, save_record
from rulesdata.operations.scenarios import archive_scenario, create_scenario
from rulesdata.queries.sent_catalogues import CatalogueDraft, read_draft
from tests.campaigns.growing import RULES, roster
from tests.factories import EMPIRE, SYSTEM, make_legal_warband, make_person
from tests.foreign.lantern_gangs import CATALOGUE_FILES, MADE
from tests.rulebooks import load_books
from tests.rulesdata.own_lists import COLLECTION, make_list, make_profile
from tests.rulesdata.scenarios import draft as draft_scenario
from tests.rulesdata.scenarios import side
from warbands.models import Warband, Warrior
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import archive_warband, change_warband, import_document
from warbands.operations.warriors import WarriorDraft, add_warrior

PASSWORD = "halberd-and-lantern"
WORD = "Qxz{}wolf"
BATTLE_WORD = "Vyk{}crow"  # of the quick side in a battle
VISIBILITIES = ("private", "link", "club", "public", "archived")
KEPT = (*VISIBILITIES, "unclaimed")
FOUGHT = ("private", "link", "public")  # the visibilities of battles
CONTENT_WORD = "Wpf{}heron"  # of what the club has written
EVENT_WORD = "Zwj{}finch"  # in the name of an event, and of its guest
RUN = ("club", "link", "public")  # the visibilities of events
CAST = ("nobody", "guest", "stranger", "mate", "owner", "organiser", "staff")
PEOPLE = CAST[2:]
READERS_OF_CLUB = ("mate", "owner", "organiser")


@dataclass(frozen=True, slots=True)
class Actor:
    """One of the cast, with the session of their browser."""

    name: str
    session: str = ""
    user: User | None = None

    def client(self, **kwargs: Any) -> Client:
        """A browser of theirs.

        A new one each time: what one request does to its cookies no other one feels.
        """
        client = Client(**{"raise_request_exception": False, **kwargs})
        client.handler._middleware_chain = middleware_chain()
        if self.session:
            client.cookies[settings.SESSION_COOKIE_NAME] = self.session
        return client


@cache
def middleware_chain() -> Any:
    """The site's middleware, made ready once and not by each browser."""
    handler = ClientHandler()
    handler.load_middleware()
    return handler._middleware_chain


@dataclass(slots=True)
class World:
    """The cast and what is theirs. Everything that says nothing else is the owner's."""

    cast: dict[str, Actor] = field(default_factory=dict)
    warbands: dict[str, Warband] = field(default_factory=dict)
    warriors: dict[str, Warrior] = field(default_factory=dict)
    scenarios: dict[str, str] = field(default_factory=dict)
    battles: dict[str, Battle] = field(default_factory=dict)
    events: dict[str, ClubEvent] = field(default_factory=dict)
    played: dict[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # the owner's entry, their game of each round
    club: Club = field(default_factory=Club)
    own: dict[str, str] = field(
        default_factory=dict
    )  # the club's list: its token, a record of each part, one put away
    member: int = 0  # the mate's place in the club
    link: str = ""
    job: str = ""  # one of the owner's, which failed
    program: int = 0  # the token of a program of the owner's

    def arguments(self, of: str = "public") -> dict[str, object]:
        """A value for each argument a pattern of the site's own may take, for the objects of one
        visibility.
        """
        warrior = self.warriors[of]
        return {
            "system": SYSTEM,
            "army": "the-empire",
            "family": "mordheim",
            "collection": "whfb6",
            "unit": "captain",
            "key": "border-skirmish",
            "token": self.warbands[of].token,
            "warrior_id": warrior.pk,
            "token_id": self.program,
            "notice_id": 1,
            "slug": self.club.slug,
            "form": "ros",
            "code": self.club.code,
            "member_id": self.member,
            "member": self.member,
            "app_label": "warbands",
            "uidb36": "1",
            "url": "nothing-here",
            "verb": "void",
            "kind": "json",
            "rules": "muster-campaign",
            "section": "head",
            "warband": "x" * 16,
            "sent": self.own.get("sent", ""),
            "season": self.own.get("season", ""),
            "screen": self.own.get("screen", ""),
            "entry": self.played["public"][0] if "public" in self.played else "",
        }

    def warrior_ids(self, of: str = "public") -> list[int]:
        return list(
            Warrior.objects.filter(warband=self.warbands[of])
            .order_by("position")
            .values_list("pk", flat=True)
        )

    def battle_arguments(self, of: str = "public") -> dict[str, object]:
        return {**self.arguments(), "token": self.battles[of].token}

    def event_arguments(self, of: str = "public", number: int = 1) -> dict[str, object]:
        """The same for the routes of an event: the owner's entry, a round (the second is a draft),
        their game in it.
        """
        entry, *games = self.played[of]
        tokens = {
            "token": self.events[of].token,
            "entry": entry,
            "fixture": games[number - 1],
        }
        return {
            **self.arguments(),
            **tokens,
            "number": number,
            "step": "draw",
            "what": "standings",
            "answer": "accept",
            "guideline": "type.cavalry",
            "move": "finish",
            "lock": "unlock",
        }

    def content_arguments(self, route: str = "", part: str = "") -> dict[str, object]:
        """The same for the routes of what the club has written."""
        parts = {"gear": "weapons", "equipment": "equipment"}
        named_part = (value for name, value in parts.items() if name in route)
        part = part or next(named_part, "units")
        key = self.own["away" if "restore" in route else part]
        named = {name: value for name, value in RULES_OF.items() if name in route}
        token = self.own[next(iter(named.values()), "token")]
        return {**self.arguments(), "token": token, "part": part, "key": key}

    def scenario_arguments(self, of: str = "public") -> dict[str, object]:
        return {"system": SYSTEM, "token": self.scenarios[of]}


# Which token the routes of campaign rules take; the first name that a route holds counts.
RULES_OF = {
    "rules-draft": "draft", "rules-save": "draft", "rules-discard": "draft",
    "rules-section": "draft", "rules-set": "rules", "rules-file": "rules",
    "rules-edit": "rules", "rules-archive": "rules", "rules-restore": "rules",
    "campaign-own": "rules",
}  # fmt: skip


def build_world() -> World:
    """Everything, through the real operations and the real door."""
    load_books()
    world = World()
    users = {
        name: _user(name, is_staff=name == "staff", is_superuser=name == "staff")
        for name in PEOPLE
    }
    world.club = create_club(name="The Quay", owner_id=_user("founder").pk)
    for name, role in {
        "owner": Role.MEMBER,
        "mate": Role.MEMBER,
        "organiser": Role.ORGANISER,
    }.items():
        add_member(world.club.pk, users[name].pk, role)
    world.member = Membership.objects.get(club=world.club, user=users["mate"]).pk
    world.cast = {name: Actor(name, _sign_in(user), user) for name, user in users.items()}
    world.cast["nobody"] = Actor("nobody")
    guest, key = _guest()
    world.cast["guest"] = guest
    for name in VISIBILITIES:
        _warband(world, name, Owner(user_id=users["owner"].pk))
        _scenario(world, name, make_person(user=users["owner"]))
    _warband(world, "unclaimed", Owner(key=key))
    for name in FOUGHT:
        _battle(
            world, name, make_person(user=users["owner"]), make_person(user=users["mate"])
        )
    _content(world, make_person(user=users["organiser"]))
    organiser = make_person(user=users["organiser"])
    for name in RUN:
        _event(world, name, organiser)
    world.own["season"] = create_season(
        organiser,
        world.club.slug,
        SeasonDraft("The year", events=tuple(row.token for row in world.events.values())),
    )
    for name in ("club", "public"):  # forms are looked for in the club's
        world.own["screen"] = step_screen(
            ChangeRequest(organiser, world.events[name].token), "on"
        )
    Group.objects.create(name="Helpers")
    world.link = make_link(users["stranger"].pk)
    world.job = _job(make_person(user=users["owner"]))
    world.program = make_token(users["owner"].pk, name="Scoreboard").id
    return world


def _job(owner: Owner) -> str:
    """The owner's, of a kind that nobody does any more."""
    draft = JobDraft(
        "print-all", "Table packs", back=reverse("event-list"), back_label="Leagues"
    )
    token = enqueue(owner, draft)
    run_job(token)
    return token


def _user(name: str, **extra: Any) -> User:
    email = f"{name}@example.org"
    user = User.objects.create_user(email, PASSWORD, name=name.title(), **extra)
    EmailAddress.objects.create(user=user, email=email, primary=True, verified=True)
    return user


def _sign_in(user: User) -> str:
    """The session of somebody who has just typed their password twice, so that no page asks again."""
    client = Client()
    assert (
        client.post(
            reverse("account_login"), {"login": user.email, "password": PASSWORD}
        ).status_code
        == 302
    )
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    client.get(reverse("account_profile"))  # reads the greeting, or some page would show it
    return str(client.cookies[settings.SESSION_COOKIE_NAME].value)


def _guest() -> tuple[Actor, str]:
    """Somebody without an account who has made a warband, and the key their session holds."""
    client = Client()
    sent = {"system": SYSTEM, "army": "the-empire", "limit": "150", "name": "First"}
    assert client.post(reverse("warband-new"), sent).status_code == 302
    return Actor("guest", str(client.cookies[settings.SESSION_COOKIE_NAME].value)), str(
        client.session[SESSION_NAME]
    )


# Somebody of every sort a page draws in its own way, and something to find fault with.
WARRIORS: list[dict[str, Any]] = [
    {
        "profile": "captain",
        "name": "Ostwin",
        "leader": True,
        "options": ["halberd", "light-armour"],
        "note": "Limps.",
    },
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
    token = import_document(WriteContext(actor), document).token
    if name not in ("private", "unclaimed"):
        club = {"club_id": world.club.pk} if name == "club" else {}
        change_warband(
            WriteContext(actor, token),
            visibility="public" if name == "archived" else name,
            **club,
        )
    add_warrior(WriteContext(actor, token), WarriorDraft("archers"))
    if name == "archived":
        archive_warband(WriteContext(actor, token))
    world.warbands[name] = Warband.objects.get(token=token)
    world.warriors[name] = Warrior.objects.get(warband__token=token, position=1)


def _battle(world: World, name: str, owner: Owner, mate: Owner) -> None:
    """The owner's public warband against the mate's, and a quick side; in the club, whose organiser
    decides.
    """
    theirs = make_legal_warband(actor=mate, name="Mates")
    sides = (
        WarbandSide(world.warbands["public"].token),
        WarbandSide(theirs.token),
        QuickSide(f"Foes {BATTLE_WORD.format(name)}", 5, 7),
    )
    change_warband(WriteContext(mate, theirs.token), visibility="link")
    draft = BattleDraft(SYSTEM, sides, visibility=name, club_id=world.club.pk)
    done = open_battle(owner, draft)
    world.battles[name] = Battle.objects.get(token=done.token)


def _content(world: World, organiser: Owner) -> None:
    """The club's list over the Empire, with a profile, a weapon, a piece of armour, and a profile
    put away.
    """
    word = CONTENT_WORD.format("own")
    own = make_list(club=world.club, actor=organiser, name=f"List {word}")
    token = str(own.token)
    gear = {"name": f"Gaff {word}", "sources": ["first"]}
    world.own = {
        "token": token,
        "units": make_profile(own=own, actor=organiser, name=f"Boatman {word}"),
        "weapons": save_record(organiser, RecordPlace(token, "weapons"), {**gear, "type":
            "melee", "strength": "+1"}),
        "armour": save_record(organiser, RecordPlace(token, "armour"), {**gear, "save": 6}),
        "equipment": save_record(organiser, RecordPlace(token, "equipment"), {"name":
            f"Stores {word}", "options": []}),
        "away": make_profile(own=own, actor=organiser, name=f"Raftsman {word}"),
    }  # fmt: skip
    archive_record(organiser, RecordPlace(token, "units", world.own["away"]))
    _catalogues(world, organiser, own)
    _campaign_rules(world, organiser, word)


def _catalogues(world: World, organiser: Owner, own: Army) -> None:
    """Files that came to a report, and those that the list was made of."""
    word = CONTENT_WORD.format("own")
    files = tuple((name, (MADE / name).read_bytes()) for name in CATALOGUE_FILES)
    reading = read_draft(CatalogueDraft(files, COLLECTION, base=EMPIRE))
    wishes = {"collection": COLLECTION, "base": EMPIRE, "token": "", "catalogue": ""}
    row: dict[str, Any] = {
        "club": world.club,
        "author_id": organiser.user_id,
        "wishes": {**wishes, "also": [], "price_type": ""},
        "outcome": {"report": {**reading.report, "list": f"Wardens {word}"}},
    }
    sent = SentCatalogue.objects.create(**row, document=reading.document)
    SentCatalogue.objects.create(**row, army=own, taken_at=timezone.now())
    world.own["sent"] = sent.token


def _campaign_rules(world: World, organiser: Owner, word: str) -> None:
    document = packed_rules()["muster-campaign"].document
    own = {**document, "id": "own-rules", "name": f"Rules {word}"}
    written = write_campaign_rules(organiser, world.club.slug, own)
    world.own["rules"] = written.id.removeprefix("own/")
    start = "muster-campaign"
    draft = begin_draft(organiser, world.club.slug, name=f"Draft {word}", start=start)
    world.own["draft"] = draft


def _event(world: World, name: str, organiser: Owner) -> None:
    """A growing campaign in Swiss rounds of the owner, the mate and a guest: the first round
    published, the second a draft.

    Their list is shown to everybody, and something was let pass for it.
    """
    word = EVENT_WORD.format(name)
    draft = EventTerms(
        name=f"Cup {word}",
        kind="campaign",
        method="swiss",
        system=SYSTEM,
        visibility=name,
        score_name="Victory points",
        player_score_name="Painting",
    )
    token = create_event(organiser, world.club.slug, draft)
    members = [user.pk for who in ("owner", "mate") if (user := world.cast[who].user)]
    add_entries(
        ChangeRequest(organiser, token), members=members, names=[f"Guest {word}", "Spare"]
    )
    _grow(world, token, organiser)
    number = add_round(ChangeRequest(organiser, token), RoundDraft())
    draw_round(ChangeRequest(organiser, token), number, seed="guards")
    publish_round(ChangeRequest(organiser, token), number)
    owner = make_person(user=world.cast["owner"].user)
    entry = hand_in_list(
        ChangeRequest(owner, token), number, world.warbands["public"].token
    ).entry.token
    show_lists(ChangeRequest(organiser, token), number)
    waive(ChangeRequest(organiser, token, reason=f"Reason {word}"), entry, "type.cavalry")
    draw_round(
        ChangeRequest(organiser, token),
        add_round(ChangeRequest(organiser, token), RoundDraft()),
        seed="guards",
    )
    world.events[name] = ClubEvent.objects.get(token=token)
    games = Fixture.objects.filter(Q(one__token=entry) | Q(other__token=entry)).order_by(
        "round__number"
    )
    world.played[name] = (entry, *games.values_list("token", flat=True))


def _grow(world: World, token: str, organiser: Owner) -> None:
    asked = ChangeRequest(organiser, token)
    set_growth_rules(asked, RulesDraft(RULES))
    owner = world.cast["owner"].user
    assert owner
    entry = Entry.objects.get(event__token=token, user=owner)
    found_warband(asked, FoundingDraft(entry.token, roster(name="Grown")))


def _scenario(world: World, name: str, author: Owner) -> None:
    draft = draft_scenario(
        name=f"Tale {WORD.format(name)}",
        summary=f"Plot {WORD.format(name)}",
        sides=(side("Attacker", 150), side("Defender", None, "Holds the bridge")),
        setup="Six feet by four.",
        visibility="public" if name == "archived" else name,
        club=world.club.pk if name == "club" else None,
    )
    world.scenarios[name] = create_scenario(author, SYSTEM, draft)
    if name == "archived":
        archive_scenario(author, SYSTEM, world.scenarios[name])


def words_of(names: Mapping[str, object] | tuple[str, ...] = KEPT) -> dict[str, str]:
    return {name: WORD.format(name) for name in names}
