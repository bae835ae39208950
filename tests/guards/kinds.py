"""Which kind of thing each route is, who may read and write what, and how the cast asks for it.

Nothing here is decided by looking at the site's own rules: `READERS` and `WRITERS` say in words who
may what.
"""

from django.http import HttpResponse
from django.test import Client

from tests.guards.cast import CAST, FOUGHT, RUN, VISIBILITIES, Actor, World
from tests.guards.routes import Route, routes

WEBHOOK = "https://discord.com/api/webhooks/1234567890/Abc-_1234567890"
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
SAFE = ("GET", "HEAD", "OPTIONS")
EVERYBODY = frozenset(CAST)

# Who may read and who may change what has this visibility. An archived one is the owner's public
# one, put away.
READERS = {
    "private": {"owner"},
    "link": EVERYBODY,
    "club": {"owner", "mate", "organiser"},
    "public": EVERYBODY,
    "archived": EVERYBODY,
    "unclaimed": {"guest"},
}
WRITERS = {**{name: {"owner"} for name in VISIBILITIES}, "unclaimed": {"guest"}}
# What the archive keeps shut, for its owner too, until it is taken out again.
SHUT_WHEN_ARCHIVED = {"warband-change", "warband-share", "warrior-read"}

# Whom a list may name in each visibility.
LISTED = {**READERS, "link": {"owner"}, "archived": {"owner"}}
SHOWN_TO_ALL = "public"

KINDS: dict[str, str] = {
    # A page about the site itself or the rule books.
    **dict.fromkeys(["rulebook", "campaign-list", "campaign-read", "campaign-pdf", "search",
        "unit-compare", "family-detail", "system-detail", "collection-detail",
        "chart-list", "weapon-list", "armour-list",
        "army-list", "army-detail", "magic-item-list", "unit-detail", "scenario-list",
        "scenario-detail", "warband-list", "warband-public", "starter-list", "home",
        "robots-read", "sitemap", "imprint", "privacy", "docs-read", "odds-read", "odds-choose",
        "match-up-read", "test-read", "recorder-shell", "site-worker", "offline-read", "battle-list",
        "battle-public", "club-list", "event-list", "event-public", "screen-read"], "open"),
    # A club's pages: for those who are in it, who run it, for its owners; joining is for whoever
    # has the code.
    **dict.fromkeys(["club-read", "club-members", "season-list", "season-read",
        "player-record"], "club"),
    "club-leave": "club form",
    "club-invite": "run club",
    **dict.fromkeys(["club-edit", "club-rulings", "member-remove", "season-new",
        "season-edit"], "run club form"),
    **dict.fromkeys(["club-renew", "season-remove"], "run club change"),
    "member-hand-over": "own club form",
    "member-role": "own club change",
    "club-join": "club door",
    "club-find": "form",
    "report-new": "form",
    "club-new": "person's form",
    "health-check": "probe",
    "ready-check": "probe",
    # A page or file of one warband, for those who may see it.
    **dict.fromkeys(["warband-read", "sheet-read", "sheet-reference", "sheet-cards",
        "sheet-opponent", "sheet-blank", "sheet-pdf", "blank-pdf", "roster-text",
        "roster-markdown", "roster-compact", "roster-discord", "roster-json",
        "warband-preview", "list-export", "list-export-file", "warband-career"], "read"),
    # Its owner's own pages, with a form or without.
    "warrior-read": "own",
    "unit-about": "own",
    "profile-legal": "own",
    "warband-history": "own",
    **dict.fromkeys(["warband-change", "warband-share", "warband-delete"], "own form"),
    # Its owner's changes.
    **dict.fromkeys(["warrior-add", "warrior-count", "warrior-change", "warrior-options",
        "warrior-swap", "warrior-lead", "warrior-move", "warrior-duplicate",
        "warrior-split", "warrior-remove", "roster-sort", "finding-fix",
        "figures-acknowledge", "figures-withdraw", "change-undo", "version-restore", "warband-archive",
        "warband-restore"], "change"),
    "warband-duplicate": "copy",
    # Whoever comes makes something of their own.
    "warband-new": "form",
    "warband-import": "form",
    "starter-use": "make",
    # What they throw is kept in their own session.
    "dice-read": "form",
    "dice-clear": "make",
    # People's scenarios, written by people with an account.
    "scenario-own": "read scenario",
    "scenario-create": "person's form",
    "scenario-edit": "own scenario form",
    "scenario-archive": "own scenario change",
    "scenario-restore": "own scenario change",
    # What a club has written: its members read, its organisers write.
    **dict.fromkeys(["content-list", "own-list", "own-list-file", "own-profile",
        "rules-shelf", "rules-set", "rules-file", "campaign-own", "campaign-own-pdf"],
        "content"),
    "levels-edit": "content levels",
    **dict.fromkeys(["own-list-new", "rules-new", "rules-upload", "rules-draft-upload",
        "rules-draft", "own-list-upload", "own-list-catalogue", "own-list-newer",
        "own-list-edit", "own-list-replace", "own-profile-new", "own-profile-edit",
        "own-gear-new", "own-gear-edit", "own-equipment-new", "own-equipment-edit",
        "content-prices"], "content form"),
    **dict.fromkeys(["own-list-retire", "own-list-restore", "own-record-retire",
        "own-record-restore", "catalogue-take", "rules-edit", "rules-archive",
        "rules-restore", "rules-save", "rules-discard"], "content step"),
    **dict.fromkeys(["rules-section", "rules-draft-file", "catalogue-read",
        "own-list-report"], "content draft"),
    # One's own account: whoever is not signed in is sent to the door.
    **dict.fromkeys(["account_profile", "account_tokens", "notice-list", "notice-open",
        "notice-read-all", "notice-mail", "job-personal-data", "job-read", "job-file",
        "job-stop", "job-retry", "account_token_revoke", "account_close", "account_email",
        "account_change_password", "account_set_password", "account_reauthenticate",
        "mfa_index", "mfa_activate_totp", "mfa_deactivate_totp", "mfa_reauthenticate",
        "mfa_view_recovery_codes", "mfa_generate_recovery_codes",
        "mfa_download_recovery_codes", "usersessions_list"], "account"),
    # The door itself.
    **dict.fromkeys(["account_login", "account_signup", "account_logout",
        "account_inactive", "account_link", "notice-stop", "account_confirm_email",
        "account_confirm_login_code", "account_email_verification_sent",
        "account_reset_password", "account_reset_password_done",
        "account_reset_password_from_key", "account_reset_password_from_key_done",
        "mfa_authenticate"], "door"),
    # Programs: no account, no session, nothing stored.
    **dict.fromkeys(["schema-read", "api-site", "api-system-list", "api-system-read",
        "api-army-list", "api-profile-list", "api-weapon-list", "api-armour-list",
        "api-scenario-list", "api-magic-item-list", "api-ruling-list", "api-guideline-list",
        "api-chart-list", "api-campaign-rules", "api-campaign-rules-read"], "api reading"),
    "api-roster-check": "api document",
    "api-list-read": "api document",
    "api-list-write": "api document",
    "api-sheet-print": "api document",
    "api-odds-ask": "api document",
    "api-roll": "api document",
    "api-campaign-rules-check": "api document",
    # A battle's pages: for those who may see it, for those who take part, for whoever set it up.
    **dict.fromkeys(["battle-read", "battle-record", "battle-report", "battle-export",
        "battle-table-pack"], "read battle"),
    "battle-enter": "own battle form",
    "battle-result": "battle step",
    "battle-share": "battle change",
    "battle-side": "battle part",
    "battle-join": "battle door",
    "battle-find": "form",
    "battle-new": "form",
    # An event's pages: for those who may read it, for its players, for the organisers of its club.
    **dict.fromkeys(["event-calendar", "event-summary", "event-preview", "event-export",
        "event-files"],
        "read event"),
    **dict.fromkeys(["event-entries"], "read and run event"),
    "event-enter": "enter event",
    "event-edit": "run event",
    "event-rules": "run event form",
    "event-copy": "run event",
    **dict.fromkeys(["event-desk", "event-messages"], "run event form"),
    "entry-admit": "run event change",
    **dict.fromkeys(["event-archive", "event-restore", "event-finish", "event-reopen"],
        "run event change"),
    "entry-edit": "own event form",
    **dict.fromkeys(["round-list", "round-read", "round-seats", "round-slips"],
        "read event"),
    **dict.fromkeys(["round-new", "round-edit", "fixture-new", "fixture-change",
        "event-scores"], "run event form"),
    **dict.fromkeys(["rounds-plan", "round-remove", "round-draw", "round-late",
        "round-publish"], "run event change"),
    **dict.fromkeys(["round-close", "round-reopen", "round-withdraw", "round-present",
        "round-accept"], "run event change"),
    **dict.fromkeys(["round-guest", "fixture-swap", "fixture-remove", "fixture-keep"],
        "run event change"),
    "round-print": "run event change",
    "calendar-renew-all": "run event change",
    "calendar-renew": "read event change",
    "round-check-in": "play event change",
    # Its lists, one entry's page, and what only campaigns have.
    **dict.fromkeys(["event-lists", "entry-read", "list-read", "list-pdf"], "read event"),
    "list-hand-in": "hand in event form",
    "list-hand-in-for": "own event form",
    **dict.fromkeys(["list-publish", "list-withdraw", "list-unlock", "list-remind",
        "list-check"], "run event change"),
    **dict.fromkeys(["waiver-new", "waiver-revoke"], "run event"),
    **dict.fromkeys(["challenge-new", "challenge-answer"], "missing event change"),
    **dict.fromkeys(["entry-drop", "entry-rejoin"], "own event change"),
    # Growing campaigns: their rules, the warbands of players, and what comes after a battle.
    "growth-rules": "run event form",
    "growth-remind": "run event change",
    **dict.fromkeys(["growth-book", "fixture-after", "campaign-warband", "warband-ledger"],
        "read event"),
    # Which units there are is the campaign's: its own tests read their pages.
    "campaign-unit": "missing event",
    "fixture-field": "fixture event form",
    **dict.fromkeys(["after-answer", "after-objectives"], "fixture event change"),
    **dict.fromkeys(["warband-found", "warband-trade"], "own event form"),
    "growth-take-back": "own event change",
    "event-new": "new event",
    # Its table and log; a fixture is told of by those who play it and by organisers.
    **dict.fromkeys(["event-read", "standings-read", "event-log", "fixture-read",
        "fixture-slip"], "read event"),
    **dict.fromkeys(["event-screen", "event-discord"], "run event form"),
    "fixture-open": "fixture event change",
    "fixture-result": "fixture event form",
    "fixture-decide": "run event form",
    **dict.fromkeys(["fixture-accept", "fixture-undo"], "run event change"),
    "round-results": "run event form",
    # A battle: its key, and the session of a browser, say who asks.
    "api-battle-open": "api battles",
    "api-battle-read": "api battle",
    "api-battle-state": "api battle",
    "api-battle-events": "api battle",
    "api-battle-result": "api battle",
    # For programs with a token, and browsers signed in: what is one's own, and what one may read or
    # change.
    **dict.fromkeys(["api-warbands", "api-clubs", "api-events"], "api own list"),
    "api-warband": "api warband",
    "api-warband-figures": "api figures",
    "api-club": "api club",
    **dict.fromkeys(["api-club-members", "api-club-member"], "api club member"),
    **dict.fromkeys(["api-club-seasons", "api-club-season", "api-club-player"],
        "api club season"),
    **dict.fromkeys(["api-own-lists", "api-own-list"], "api club content"),
    "api-club-code": "api run club",
    "api-own-rules": "api club writing",
    **dict.fromkeys(["api-catalogues", "api-own-list-catalogue"], "api content writing"),
    "api-club-join": "api club door",
    **dict.fromkeys(["api-job", "api-job-file"], "api job"),
    **dict.fromkeys(["api-event", "api-event-copy", "api-event-entries", "api-event-entry",
        "api-event-entry-step", "api-event-guests", "api-event-messages", "api-event-screen", "api-event-discord",
        "api-event-standings", "api-event-rounds",
        "api-event-round", "api-event-round-step", "api-event-round-print", "api-fixture",
        "api-event-round-results", "api-fixture-result", "api-fixture-accept", "api-fixture-swap", "api-event-step",
        "api-event-rounds-plan", "api-event-round-fixtures", "api-event-lists",
        "api-event-all-lists", "api-event-list-check", "api-event-list",
         "api-event-list-lock", "api-event-waivers", "api-event-waiver",
        "api-event-challenges", "api-event-challenge-answer", "api-fixture-remove",
        "api-fixture-decide", "api-fixture-battle", "api-fixture-field"], "api event"),
    # What warbands have become in a campaign; the events of the cast are none in which they grow.
    **dict.fromkeys(["api-growth", "api-growth-warbands", "api-growth-warband",
        "api-growth-dues", "api-growth-ledger", "api-growth-answers", "api-growth-acts",
        "api-growth-take-back"], "api growth event"),
}  # fmt: skip

QUICK_SIDE = {"kind": "quick", "quick_name": "Foes", "quick_models": "3"}
# What each change is sent, so that nothing but the permission can refuse it.
SENT: dict[str, dict[str, str]] = {
    "warrior-add": {"profile": "halberdiers"},
    "warrior-count": {"count": "3"},
    "warrior-change": {"name": "Mine"},
    "warrior-options": {"take": "shields"},
    "warrior-swap": {"swap": "a b"},
    "warrior-move": {"to": "up"},
    "version-restore": {"to": "1"},
    "finding-fix": {"action": "lead"},
    "warband-change": {"name": "Mine", "limit": "150"},
    "warband-share": {"visibility": "public"},
    "warband-delete": {"typed_name": "Mine"},
    "warband-new": {"system": "warhammer-skirmish", "army": "the-empire", "limit": "150"},
    "starter-use": {"starter": "warhammer-skirmish--the-empire"},
    "dice-read": {"dice": "D6", "times": "2"},
    "battle-new": {
        "system": "warhammer-skirmish",
        "visibility": "link",
        **{
            f"side{place}-{name}": value
            for place in (0, 1)
            for name, value in QUICK_SIDE.items()
        },
    },
    "battle-enter": {"turns": "2", "out-a1": "on"},
    "battle-share": {"visibility": "link"},
    "battle-side": {"side": "a", "warband": "x"},
    "battle-result": {"reason": "Never fought.", "go": "1"},
    "club-edit": {"name": "The Long Quay"},
    "club-new": {"name": "The Mole"},
    "season-new": {"name": "Next year", "counts": "points"},
    "season-edit": {"name": "The year", "counts": "points"},
    "member-role": {"role": "organiser"},
    "event-entries": {"guests": "Newcomer"},
    "entry-edit": {"name": "Renamed"},
    "round-guest": {"name": "Walker"},
    "event-screen": {"step": "on"},
    "event-discord": {"step": "set", "address": WEBHOOK},
}


def kind_of(route: Route) -> str:
    """A route's kind; the administration is the staff's, whatever it holds."""
    return "staff" if route.template.startswith("admin/") else KINDS.get(route.name, "")


def of_kind(*kinds: str) -> list[Route]:
    return [route for route in routes() if kind_of(route) in kinds]


def url_of(route: Route, world: World, visibility: str = "public") -> str:
    if "content" in kind_of(route):
        return route.url(world.content_arguments(route.name))
    if "scenario" in kind_of(route):
        return route.url(world.scenario_arguments(visibility))
    if "battle" in kind_of(route) and visibility in FOUGHT:
        return route.url(world.battle_arguments(visibility))
    if "event" in kind_of(route) and visibility in RUN:
        steps = {"api-event-entry-step": {"step": "withdraw"}}
        return route.url({**world.event_arguments(visibility), **steps.get(route.name, {})})
    return route.url(
        {**world.arguments(visibility), "token": "x"}
        if visibility == ""
        else world.arguments(visibility)
    )


def ask(
    actor: Actor, method: str, url: str, sent: dict[str, str] | None = None
) -> HttpResponse:
    client: Client = actor.client()
    if method in ("GET", "HEAD", "OPTIONS"):
        return getattr(client, method.lower())(url)
    if method == "POST":
        return client.post(url, sent or {})
    return getattr(client, method.lower())(
        url, "a=1", content_type="application/x-www-form-urlencoded"
    )
