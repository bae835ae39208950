"""Every rule system on a phone: a warband built by hand, checked, mended, printed and shown to
another visitor.

What is built is looked up in the packs: the starter of the system's first army tells whom to hire,
the engine which options do no harm and whose entry alone is found fault with.
"""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pypdf import PdfReader
from pytest_django.live_server_helper import LiveServer

from accounts.owner import Owner
from engine.findings.case import Finding
from engine.findings.checks import check
from engine.option_rules import first_count
from engine.roster import Roster, RosterEntry
from engine.types.lists import Army, Option
from engine.types.systems import System
from rulesdata import registry
from tests.browser.looks import USUAL, with_soak
from tests.factories import make_person, make_user
from warbands.models import Warrior
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import create_from_starter
from warbands.queries.lists import Starter, starters

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NAME = "The Long Way Round"
SYSTEMS = {
    system.key: system for system in reversed(registry.rulesets())
}  # of several texts the first


@dataclass(frozen=True)
class Plan:
    """Whom to hire, in this order, the option to buy for one of them, and what its rules say of the
    first alone.
    """

    system: System
    army: Army
    entries: tuple[RosterEntry, ...]
    buyer: RosterEntry
    option: Option
    fault: Finding

    @property
    def counts_points(self) -> bool:
        return self.system.default_limit is not None or not self.system.are_points_optional


def troubles(system: System, army: Army, entries: tuple[RosterEntry, ...]) -> set[str]:
    """The codes of the errors and warnings of a roster."""
    return {f.code for f in found(system, army, entries) if f.level in ("error", "warning")}


def found(system, army, entries) -> tuple[Finding, ...]:
    roster = Roster(
        system.key,
        army.key,
        variant=system.variant,
        warriors=entries,
        points_limit=system.default_limit,
    )
    return check(roster, system, army)


def harmless(system, army, entries) -> Iterator[tuple[RosterEntry, Option]]:
    """Options with something to carry that bring no error and no warning."""
    for place, entry in enumerate(entries):
        for option in army.profiles[entry.profile].options:
            bought = replace(entry, options=(*entry.options, option.key))
            roster = (*entries[:place], bought, *entries[place + 1 :])
            if (
                option.items
                and not option.is_default
                and not troubles(system, army, roster)
            ):
                yield entry, option


def plan_of(system: System) -> Plan:
    """A plan that ends without errors and warnings, whose first entry is found fault with and can
    be mended.
    """
    return next(
        plan
        for one in starters(system.address)
        if (plan := plan_from(one, system)) is not None
    )


def plan_from(starter: Starter, system: System) -> Plan | None:
    """Three of a starter's entries; before them one to find fault with, where none of the three is."""
    army = registry.load_army(system.key, starter.sheet.army_key, system.variant)
    hired = sorted(starter.roster.warriors, key=lambda entry: not entry.is_leader)[:3]
    entries = [
        as_hired(entry.profile, system, army, is_leader=entry.is_leader) for entry in hired
    ]
    others = (key for key, profile in army.profiles.items() if profile.is_offered)
    for key in (*(entry.profile for entry in entries), *others):
        alone = as_hired(key, system, army)
        fault = next(
            (f for f in found(system, army, (alone,)) if f.fixes and 0 in f.warriors), None
        )
        if fault is None:
            continue
        if fault.fixes[0].action == "add_option":
            alone = replace(alone, options=(fault.fixes[0].option,))
        first = [entry for entry in entries if entry.profile == key] or [alone]
        roster = (*first, *(entry for entry in entries if entry.profile != key))
        chosen = (
            None
            if troubles(system, army, roster)
            else next(harmless(system, army, roster), None)
        )
        if chosen is not None:
            return Plan(system, army, roster, *chosen, fault)
    return None


def as_hired(profile, system, army, *, is_leader=False) -> RosterEntry:
    return RosterEntry(
        profile,
        count=first_count(army.profiles[profile], army, system),
        is_leader=is_leader,
    )


def show(page: Page, pane: str) -> None:
    tab = page.locator(f".panes a[data-shows={pane}]")
    tab.click()
    expect(tab).to_have_attribute("aria-current", "true")


def row(page: Page, entry: RosterEntry) -> Any:
    return page.locator(f".roll > li[data-profile={entry.profile}]")


def create(page: Page, live_server: LiveServer, plan: Plan) -> None:
    wishes = f"?system={plan.system.key}&army={plan.army.key}"
    page.goto(f"{live_server.url}/warbands/new/{wishes}")
    if plan.system.variant:
        page.get_by_label("Version").select_option(plan.system.variant)
    page.get_by_label("Army").select_option(label=plan.army.name)
    page.get_by_label("Name").fill(NAME)
    limits = page.get_by_role("group", name=re.compile("limit", re.IGNORECASE))
    assert limits.is_visible() is plan.army.has_points
    page.get_by_role("button", name="Create warband").click()
    expect(page.locator(".empty")).to_be_visible()


def hire(page: Page, plan: Plan, entry: RosterEntry) -> None:
    profile, before = plan.army.profiles[entry.profile], page.locator(".roll > li").count()
    show(page, "army")
    page.get_by_label("Find a unit").fill(profile.name)
    button = page.locator(f"#add-{entry.profile}")
    prices = plan.army.currency.name
    assert (prices in (button.get_attribute("aria-label") or "")) is plan.counts_points
    price = page.locator(f".army > li:has(#add-{entry.profile}) > b")
    expect(price).to_have_count(1 if plan.counts_points else 0)
    button.click()
    expect(page.locator(".roll > li")).to_have_count(before + 1)
    show(page, "roster")


def mend(page: Page, plan: Plan) -> None:
    """The first finding says what is wrong with the first entry; its button puts it right.

    Where somebody must lead, the first character does.
    """
    line = page.locator(f"#findings [data-code='{plan.fault.code}']")
    if plan.system.leader_name:
        expect(page.locator(".roll .lead")).to_have_count(1)
        expect(line).to_have_count(0)
        return
    expect(line).to_contain_text(plan.fault.title)
    line.get_by_role("button").first.click()
    expect(line).to_have_count(0)


def lead(page: Page, plan: Plan) -> None:
    """Whoever is to lead leads, if not yet; where nobody leads, nothing offers it."""
    button = page.locator(".roll > li .opts").get_by_role("button", name="Make ")
    for entry in plan.entries:
        if not entry.is_leader or row(page, entry).get_by_label("Leader:").count():
            continue
        row(page, entry).get_by_role("link", name="Options for").click()
        button.click()
    leaders = page.locator(".roll .lead")
    expect(leaders).to_have_count(1 if plan.system.leader_name else 0)


def buy(page: Page, plan: Plan) -> None:
    line = row(page, plan.buyer)
    line.get_by_role("link", name="Options for").click()
    line.locator(f".opt input[value={plan.option.key}]").check()
    expect(line.locator(".gear")).to_contain_text(plan.option.name, ignore_case=True)


def pdf_words(page: Page, live_server: LiveServer) -> str:
    page.locator("summary", has_text="PDF").click()
    address = page.get_by_role("link", name="A4", exact=True).get_attribute("href")
    answer = page.request.get(f"{live_server.url}{address}")
    assert answer.ok
    return " ".join(
        sheet.extract_text() for sheet in PdfReader(io.BytesIO(answer.body())).pages
    )


def share(page: Page) -> str:
    page.get_by_role("link", name="Share").click()
    page.get_by_label("Anyone with the link").check()
    page.get_by_role("button", name="Save").click()
    return page.locator("#share-link").input_value()


def test_systems_were_found() -> None:
    assert set(SYSTEMS) == set(registry.systems())
    assert len(SYSTEMS) >= 5
    assert {bool(system.leader_name) for system in SYSTEMS.values()} == {True, False}


@pytest.mark.parametrize("key", with_soak([*SYSTEMS]))
def test_builds_checks_prints_and_shares_one_warband_in_each_of_the_five_systems(
    page, browser, live_server, sign_in, key
):
    plan = plan_of(SYSTEMS[key])
    sign_in(make_user(name="Hanna"))
    create(page, live_server, plan)
    hire(page, plan, plan.entries[0])
    mend(page, plan)
    for entry in plan.entries[1:]:
        hire(page, plan, entry)
    lead(page, plan)
    buy(page, plan)
    bar = page.locator("#points")
    assert (
        not page.locator("#findings")
        .locator("[data-level=error], [data-level=warning]")
        .count()
    )
    unit = plan.army.currency.short
    expect(bar).to_contain_text(f"{unit} available" if plan.counts_points else "models")
    assert (unit in bar.inner_text()) is plan.counts_points

    page.get_by_role("link", name="Sheet", exact=True).click()
    expect(page.get_by_role("heading", name=NAME)).to_be_visible()
    expect(page.locator(".ros thead th").first).to_have_text(plan.system.words.entry)
    expect(page.locator(".ros .ln1:not(.more)")).to_have_count(len(plan.entries))
    page.get_by_role("link", name="Quick reference").click()
    for part in (*(note.section for note in plan.system.notes[:1]), "States"):
        expect(page.locator(".quick h2", has_text=part).first).to_be_visible()
    page.get_by_role("link", name="Roster", exact=True).first.click()
    printed = pdf_words(page, live_server)
    for word in (NAME, plan.system.name, plan.option.name.split()[0], "Quick Reference"):
        assert word.lower() in printed.lower()

    address = share(page)
    visitor = browser.new_page()
    visitor.goto(address)
    expect(visitor.get_by_role("heading", name=NAME)).to_be_visible()
    expect(visitor.locator(".roll > li")).to_have_count(len(plan.entries))
    expect(visitor.get_by_role("button", name="Make my own copy")).to_be_visible()
    expect(visitor.get_by_role("link", name="Options for")).to_have_count(0)
    visitor.close()


def army_of(system: System) -> Army:
    return registry.load_army(
        system.key, registry.list_army_keys(system.key)[0], system.variant
    )


def rule_pages(system: System) -> list[str]:
    """The rule book's pages of a system, its first list and two of its units among them, the first
    chart lit.
    """
    root, army = f"/rules/{system.address}/", army_of(system)
    chart = next(iter(system.charts.values()))
    lit = (
        f"charts/?chart={chart.key}&row={next(iter(chart.rows))}&column={chart.columns[-1]}"
    )
    units = [
        f"armies/{army.key}/units/{key}/"
        for key in (*list(army.profiles)[:1], *list(army.profiles)[-1:])
    ]
    scenarios = [
        f"/rules/{system.key}/scenarios/{key}/" for key in list(system.scenarios)[:1]
    ]
    parts = ["", lit, "weapons/", "armour/", "armies/", f"armies/{army.key}/", *units]
    return [*(root + part for part in parts), f"/rules/{system.key}/scenarios/", *scenarios]


def warband_pages(system: System, actor: Owner) -> list[str]:
    """The ways to a warband, and every page of a starter: its builder with options open, its
    sheets.
    """
    starter = next(one for one in starters(system.address) if one.sheet.models)
    done = create_from_starter(WriteContext(actor), starter.key)
    warriors = Warrior.objects.filter(warband__token=done.token).order_by("position")
    root = f"/warbands/{done.token}/"
    own = [
        "",
        "?pane=army",
        "details/",
        "share/",
        *(f"warrior/{warrior.pk}/" for warrior in (warriors[0], warriors[1])),
    ]
    sheets = [
        f"sheet/{part}" for part in ("", "reference/", "cards/", "opponent/", "blank/")
    ]
    ways = [
        f"/warbands/new/?system={system.address}",
        f"/warbands/starters/?system={system.address}&army={starter.sheet.army_key}",
    ]
    return [
        *ways,
        *(root + part for part in (*own, *sheets)),
        f"/odds/?a=w:{done.token}:{warriors[0].pk}",
    ]


def looks_of(place: int, *, is_large: bool) -> list[tuple[str, int]]:
    if is_large:
        return [] if place % 4 else USUAL
    return [] if place % 20 else [USUAL[place // 20 % 2]]


@pytest.mark.parametrize("key", with_soak([*SYSTEMS][::-1]))
def test_axe_finds_nothing_on_the_pages_of_each_system(
    page, live_server, sign_in, faults, soak, key
):
    """Every twentieth page, by turns light and small, dark and wide, each system beginning
    elsewhere; --soak: every fourth in both, because test_axe.py looks at most of them too.
    """
    user, system = make_user(name="Hanna"), SYSTEMS[key]
    sign_in(user)
    wrong = []
    urls = [*rule_pages(system), *warband_pages(system, make_person(user=user))]
    for place, url in enumerate(urls, list(SYSTEMS).index(key)):
        for scheme, width in looks_of(place, is_large=bool(soak(0, 1))):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            page.set_viewport_size({"width": width, "height": 844})
            page.goto(live_server.url + url)
            wrong += [f"{scheme} {width} {fault}" for fault in faults(page)]
            page.set_viewport_size({"width": 320, "height": 844})
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                wrong.append(f"{url} is wider than 320")
    assert len(urls) > 20
    assert wrong == []
