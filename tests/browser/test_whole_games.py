"""A whole game of each text on two phones: every line of ``tests/vectors/games`` by what is written
on the recorder. What the text forbids is refused or not offered, what it demands is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, expect
from playwright.sync_api import Error as PlaywrightError
from pytest_django.live_server_helper import LiveServer

from accounts.owner import NOBODY
from battles.combatants import LockedCombatant, SideLineup, build_field, to_locked
from battles.intake import stored_state
from battles.models import Battle
from battles.operations.setup import BattleDraft, open_battle
from battles.operations.sides import QuickSide
from engine.battles.event_fold import fold
from engine.battles.types import Combatant
from engine.records import copy_fields
from tests.browser.recorders import Recorder, hold_key
from tests.vectors.whole_games import WHY, Game, Step, games

pytestmark = [
    pytest.mark.browser, pytest.mark.soak, pytest.mark.django_db(transaction=True),
]  # fmt: skip
SIGHT = """() => [document.querySelector("h1").innerText,
  ...[...document.querySelectorAll(".cb, .side-name")].map((one) => one.innerText)].join(" | ")"""


def open_game(game: Game) -> Battle:
    quick = [QuickSide(side.name, len(side.combatants), 7) for side in game.field.sides]
    battle = open_battle(
        NOBODY,
        BattleDraft(game.system, quick, variant=game.variant, ruling_choices=game.rulings),
    )
    lineups = [
        SideLineup(
            side.id, side.name, tuple(locked(fighter) for fighter in side.combatants)
        )
        for side in game.field.sides
    ]
    state = fold(game.rules, build_field(lineups), [])
    Battle.objects.filter(token=battle.token).update(
        locked=to_locked(lineups), state=stored_state(state)
    )
    return battle


def locked(fighter: Combatant) -> LockedCombatant:
    return copy_fields(LockedCombatant, fighter, title=fighter.name)


class Phone(Recorder):
    """A phone at the table, on which the acts of a game are tapped."""

    game: Game

    def do(self, step: Step) -> None:
        """Record an act; one that is against the rules is refused, or not even offered."""
        if not self.attempt(step):
            assert step.refusal, f"{step.line}: not offered"
            return
        forcing = self.page.locator("#forcing")
        if not step.refusal:
            expect(forcing).to_have_count(0)
            return
        # Of a step that is none the screen names the ways there are.
        says = re.compile(
            f"{re.escape(step.refusal)}|The rules have no step|lasts for the rest"
        )
        expect(forcing).to_contain_text(says)
        if not step.is_forced:
            forcing.get_by_role("button", name="Cancel").click()
            return
        forcing.get_by_label("Reason").fill(WHY)
        forcing.get_by_role("button", name="Record anyway").click()

    def attempt(self, step: Step) -> bool:
        payload = step.payload
        match step.kind:
            case "" if "combatant" not in payload and "side" not in payload:
                return False
            case "turn":
                self.go_to_turn(payload)
            case "phase":
                if not step.refusal:
                    self.go_to_phase(payload["phase"])
                    return True
                # The large button leads past a phase that is closed.
                self.page.locator("[data-do=menu]").click()
                self.page.locator("[data-do=turn-sheet]").click()
                self.page.locator(
                    f"[data-do=set-phase][data-phase={payload['phase']}]"
                ).click()
            case "end":
                self.end(payload)
            case _:
                return self.attempt_act(payload)
        return True

    def attempt_act(self, payload: dict[str, object]) -> bool:
        key = str(payload.get("combatant") or payload["side"])
        self.choose_dock(key)
        if "test" in payload:
            return self.take_test(payload)
        if "mark" in payload:
            return self.tap_one(f"#dock [data-do=mark][data-mark={payload['mark']}]")
        if "counter" in payload:
            return self.step_to(
                f"[data-do=counter][data-counter={payload['counter']}]", payload
            )
        if str(payload["to"]).isdigit():
            return self.step_to("[data-do=wounds]", payload)
        if not self.tap_one(f"#dock [data-do=state][data-to={payload['to']}]"):
            return False
        if "by" in payload:
            self.page.locator("#dock select").select_option(str(payload["by"]))
        return True

    def tap_one(self, selector: str) -> bool:
        button = self.page.locator(selector)
        if not button.count():
            return False
        button.first.click()
        return True

    def choose_dock(self, key: str) -> None:
        """Open the dock of a combatant or a side, with all that it has."""
        opener = f"#tile-{key} .cb-name" if key[1:] else f"#side-{key} .side-name"
        name = self.page.locator(opener)
        if name.get_attribute("aria-pressed") != "true":
            self.fold_dock()
            self.scroll_to(name)
            name.click()
        more = self.page.locator("#dock [data-do=more]")
        if (
            more.count()
            and more.is_visible()
            and more.get_attribute("aria-expanded") == "false"
        ):
            more.click()

    def scroll_to(self, button: Locator) -> None:
        """Bring it between what sticks to the top and the dock below."""
        button.evaluate("one => scrollBy(0, one.getBoundingClientRect().top - 200)")

    def fold_dock(self) -> None:
        """What is open in the dock lies over the board and the prompts."""
        self.tap_one("#dock [data-do=more][aria-expanded=true]")

    def step_to(self, selector: str, payload: dict[str, object]) -> bool:
        """Press plus or minus until the number is there; a leap cannot be tapped."""
        step = self.page.locator(f"#dock .step:has({selector})")
        wanted = int(str(payload["to"]))
        for _ in range(30):
            now = int(step.locator("output").inner_text().split("/")[0])
            if now == wanted:
                return True
            faces = step.locator("button")
            (faces.last if wanted > now else faces.first).click()
            if self.page.locator("#forcing").count():
                return True
            expect(step.locator("output")).not_to_have_text(re.compile(rf"^{now}(/|$)"))
        return False

    def take_test(self, payload: dict[str, object]) -> bool:
        test = payload["test"]
        if not self.tap_one(f"#dock .chips [data-do=test][data-test={test}]"):
            return False
        if self.page.locator("#forcing").count():
            return True
        sheet = self.page.locator("dialog[open], [role=dialog]").first
        for key in ("cause", "lent_by"):
            if key in payload:
                sheet.locator(f"[data-to={payload[key]}]").first.click()
        dice = list(payload["dice"])
        for _ in range(-int(str(payload.get("modifier", 0)))):
            sheet.locator(".step:has([data-key=lost]) button").last.click()
        pads = sheet.locator(".pad, input[data-change=die]")
        while pads.count() < len(dice):
            sheet.locator(".step:has([data-key=extra]) button").last.click()
        for place, face in enumerate(dice):
            typed = sheet.locator(f"input[data-place='{place}']")
            if typed.count():
                typed.fill(str(face))
                typed.blur()
            else:
                sheet.locator(
                    f"[data-do=die][data-place='{place}'][data-to='{face}']"
                ).click()
        sheet.locator("[data-do=record-taking]").click()
        return True

    def title(self) -> str:
        return " ".join(self.page.locator("h1").inner_text().split())

    def go_to_turn(self, payload: dict[str, object]) -> None:
        side = payload.get("side")
        name = next((one.name for one in self.game.field.sides if one.id == side), "")
        number = f"{self.game.rules.turn_name} {payload['number']}"
        for _ in range(10):
            begin = self.page.locator("#banner [data-do=begin]")
            if begin.count():
                which = f"[data-side={side}]" if side else ":not([data-side])"
                self.page.locator(f"#banner [data-do=begin]{which}").click()
            else:
                self.next()
            self.page.wait_for_timeout(50)
            if number in self.title() and (not name or f"{name}’" in self.title()):
                return
        raise AssertionError(f"no {number} of {name}: {self.title()}")

    def go_to_phase(self, phase: str) -> None:
        name = next(one.name for one in self.game.rules.phases if one.id == phase).lower()
        for _ in range(6):
            if name in self.title().lower():
                return
            self.next()
            self.page.wait_for_timeout(50)
        raise AssertionError(f"no {name}: {self.title()}")

    def end(self, payload: dict[str, object]) -> None:
        likely = self.page.locator("#banner [data-do=likely-end]")
        if likely.count():
            likely.click()
            return
        self.page.locator("[data-do=menu]").click()
        self.page.locator("[data-do=end-sheet]").click()
        self.page.locator(f"[data-do=ending][data-how={payload['how']}]").click()
        self.page.locator(f"[data-do=ending][data-winner={payload['winner']}]").click()
        self.page.locator("form[data-do=do-end] button[type=submit]").click()

    def asks(self, step: Step) -> None:
        self.fold_dock()
        banner = self.page.locator("#banner")
        head = banner.locator(".todo-head")
        if head.count():
            self.scroll_to(head)
            if head.get_attribute("aria-expanded") == "false":
                head.click()
        more = banner.get_by_role("button", name=re.compile(r"^\d+ more$"))
        if more.count():
            self.scroll_to(more)
            more.click()
        line = banner.locator("li").filter(has=self.page.locator("p", has_text=step.prompt))
        if step.line.endswith("::"):
            expect(line).to_have_count(0)
            return
        if step.prompt.startswith("Rout test"):
            for side in step.who:
                expect(self.page.locator(f"#rout-{side}")).to_be_visible()
            return
        who = line.get_by_role("button", name=re.compile(r"^Who \(\d+\)$"))
        if who.count():
            self.scroll_to(who)
            who.click()
        names = {
            one.id: one.name for side in self.game.field.sides for one in side.combatants
        }
        names |= {side.id: side.name for side in self.game.field.sides}
        expect(line).to_have_count(1)
        chips = [chip for chip in self.chips(line) if chip != "All"]
        assert sorted(chips) == sorted(names[key] for key in step.who), step.line

    def chips(self, line: Locator) -> list[str]:
        return [text.strip() for text in line.locator(".chip").all_inner_texts()]


@pytest.fixture
def phones(browser: Browser, live_server: LiveServer) -> Iterator[list[Phone]]:
    contexts = [
        browser.new_context(viewport={"width": 390, "height": 844}, service_workers="block")
        for _ in range(2)
    ]
    yield [Phone(context.new_page(), live_server.url, "") for context in contexts]
    for context in contexts:
        context.close()


@pytest.mark.parametrize("game", list(games()), ids=lambda game: game.name)
def test_game_is_played_on_two_phones(game, phones, live_server):
    battle = open_game(game)
    for phone in phones:
        hold_key(phone.page.context, live_server.url, battle)
        phone.game = game
        phone.url = f"{live_server.url}/battles/{battle.token}/record/"
        phone.open()
    faults: list[str] = []
    last = phones[0]
    for step in game.steps:
        last = phones["AB".index(step.phone)] if step.phone else last
        try:
            play(step, last, phones)
        except (AssertionError, PlaywrightError) as fault:
            faults.append(f"{step.line}: {str(fault).splitlines()[0]}")
    assert not faults, "\n".join(faults)
    first, second = (phone.page.evaluate(SIGHT) for phone in phones)
    assert first == second


def play(step: Step, phone: Phone, phones: list[Phone]) -> None:
    """Do what a line says on its phone, and see it on the other."""
    if step.line.startswith("="):
        name = phone.game.rules.states[step.prompt].name.lower()
        phone.shows({step.who[0]: name})
    elif step.line.startswith("?"):
        phone.asks(step)
    else:
        phone.do(step)
        agree(phones, phone, step)


def agree(phones: list[Phone], last: Phone, step: Step) -> None:
    if step.refusal and not step.is_forced:
        return
    last.sent()
    wanted = last.page.evaluate(SIGHT)
    for phone in phones:
        phone.hurry()
        phone.page.wait_for_function(f"wanted => ({SIGHT})() === wanted", arg=wanted)
