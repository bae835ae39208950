"""Setting a battle up: what is checked of its rules, place and time, and its sides, each
locked as it is now.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import date
from itertools import chain

from django.utils import timezone

from accounts.access import is_club_member
from accounts.errors import NotFound, Refusal
from accounts.owner import Owner
from accounts.queries import load_club_choice
from battles.combatants import SIDE_KEYS, build_field, to_locked
from battles.intake import stored_state
from battles.models import (
    CONFIRM_DAYS,
    CONFIRM_DAYS_MAX,
    NOTE_MAX,
    SIDES_LEAST,
    SIDES_MOST,
    Battle,
    BattleCombatant,
    BattleSide,
    BattleVisibility,
)
from battles.operations.log import charge_setup
from battles.operations.ownership import check_visibility, purge_when_due
from battles.operations.sides import (
    BattleTerms,
    LockedSide,
    SideChoice,
    WarbandSide,
    combatant_rows,
    lock_side,
    number_same_names,
    side_columns,
)
from engine.battles.event_fold import fold
from engine.battles.rules import BattleRules
from engine.records import Fields, NamedValues, TextByKey, frozen_dataclass, is_int_within
from engine.roster import EDITION, layered
from engine.types.systems import PART, Scenario, System
from rulesdata import registry
from rulesdata.agreements import checked_rulings
from rulesdata.queries.scenarios import load_carried_scenario, may_choose_scenario
from warbands.exchange.document import clean_text, shown
from warbands.operations import transaction as request_keys

# What is checked of a battle that is set up: its rules, place and time.

EARLIEST = date(1980, 1, 1)


def checked_system(key: str, variant: str | None) -> System:
    """Return a system in the variant asked for. Raises Refusal where there is none."""
    try:
        base = registry.load_base(key)
    except registry.UnknownKey:
        systems = ", ".join(registry.systems())
        raise Refusal(
            f"There is no rule system {shown(key)}; the systems are {systems}.",
            field="system",
        ) from None
    try:
        return registry.load_system(key, variant)
    except registry.UnknownVariant:
        message = f"{base.name} has no versions."
        if base.variants:
            choices = ", ".join(base.variant_keys)
            message = f"Choose a version of {base.name}: {choices}."
        raise Refusal(message, field="variant") from None


def checked_rules(system: System, rules: Mapping[str, bool]) -> dict[str, bool]:
    """House rules of the system, each on or off; Refusal for any other."""
    keys = sorted({rule.key for rule in system.house_rules})
    for key, flag in rules.items():
        if key not in keys:
            hint = f"the house rules are {', '.join(keys)}" if keys else "it has none"
            raise Refusal(
                f"{system.name} has no house rule {shown(key)}; {hint}.",
                field="house_rules",
            )
        if not isinstance(flag, bool):
            raise Refusal(
                f"The house rule {shown(key)} must be true or false.", field="house_rules"
            )
    return dict(rules)


# Places, days and the scenario


def checked_place(field: str, place: int | None, count: int) -> str:
    """Return the key of the side at a place, or ""; Refusal outside."""
    if place is None:
        return ""
    if not is_int_within(place, 0, count - 1):
        raise Refusal(
            f"{field} must be the place of a side, from 0 to {count - 1}, or null.",
            field=field,
        )
    return SIDE_KEYS[place]


def checked_days(days: int) -> int:
    """The days the other side has to answer; Refusal outside 1 to 60."""
    if not is_int_within(days, 1, CONFIRM_DAYS_MAX):
        raise Refusal(
            f"The days to answer must be a whole number from 1 to {CONFIRM_DAYS_MAX}.",
            field="confirm_days",
        )
    return days


def checked_scenario(actor: Owner, system: System, key: str | None) -> TextByKey:
    """Return the columns of a scenario, {} for none; Refusal for an unknown one."""
    if not key:
        return {}
    # A battle is of the whole scenario; a warband alone plays one side of it.
    if PART in key or not may_choose_scenario(actor, system.key, key):
        sentence = (
            f"{system.name} has no scenario {shown(key)}. Choose one of its list, or none."
        )
        raise Refusal(sentence, field="scenario")
    scenario = load_carried_scenario(system.key, key)
    return {"scenario": key, "scenario_name": scenario.name if scenario else ""}


# Setting a battle up: its sides, each locked as it is now.


@frozen_dataclass
class BattleDraft:
    """A battle to be set up, as somebody asks for it.

    ``attacker`` and ``first`` are places in ``sides``; ``fought_date`` None is today.
    ``ruling_choices`` are the rulings of the battle alone.
    """

    system: str
    sides: Sequence[SideChoice]
    variant: str | None = None
    scenario: str | None = None
    attacker: int | None = None
    first: int | None = None
    house_rules: Mapping[str, bool] = field(default_factory=dict)
    ruling_choices: Mapping[str, int] = field(default_factory=dict)
    note: str = ""
    visibility: str = BattleVisibility.LINK
    club_id: int | None = None
    fought_date: date | None = None
    confirm_days: int = CONFIRM_DAYS


def open_battle(
    actor: Owner, draft: BattleDraft, *, request_key: str = "", address: str = ""
) -> Battle:
    """Set up a battle of two to eight sides, each locked as it is now.

    Nobody in particular may set one up too: whoever holds its key looks after it. Raises Refusal
    naming field and limit, NotFound for a warband the actor may not open, FaultyDocument for a
    roster document that cannot be read, KeyReused; ShareUsed and NoRoom, which count for the
    ``address`` that asks. The same ``request_key`` gives the same battle
    (not to nobody, who cannot be told from others).
    """
    sides = draft.sides
    system = checked_system(draft.system, draft.variant)
    try:
        registry.battle_rules(draft.system, draft.variant)
    except registry.NoBattles as error:
        raise Refusal(str(error), field="system") from None
    if not SIDES_LEAST <= len(sides) <= SIDES_MOST:
        raise Refusal(
            f"A battle has {SIDES_LEAST} to {SIDES_MOST} sides, not {len(sides)}.",
            field="sides",
        )
    _check_once(sides)
    columns = _checked_columns(actor, system, draft)
    terms = BattleTerms(columns["ruling_layers"], columns["house_rules"])
    # All who have no session would share their keys, and get battles of others.
    key = "" if actor.is_nobody else request_key
    printed = request_keys.fingerprint(
        "open_battle",
        {**columns, "fought_date": str(draft.fought_date)},
        [repr(side) for side in sides],
    )
    # Before the transaction, for a document may be long and faulty; warbands are read within it.
    locked = {
        place: lock_side(actor, system, place, choice, terms)
        for place, choice in enumerate(sides)
        if not isinstance(choice, WarbandSide)
    }
    # Before anything is counted: old battles may be what fills the site.
    purge_when_due()
    battles: list[Battle] = []

    def make() -> Fields:
        lineups = [
            locked.get(place) or lock_side(actor, system, place, choice, terms)
            for place, choice in enumerate(sides)
        ]
        battle = insert_battle(actor, columns, number_same_names(lineups))
        # Last, for what an address was charged is not given back by a rollback.
        charge_setup(battle, address)
        battles.append(battle)
        return {"token": battle.token}

    answer, is_repeat = request_keys.answer_once(actor, key, printed, make)
    if is_repeat:
        # One query; none of them where the battle is gone.
        battles = list(Battle.objects.filter(token=answer["token"]))
    if not battles:
        raise NotFound("battle")
    return battles[0]


def _checked_columns(actor: Owner, system: System, draft: BattleDraft) -> Fields:
    """Return the columns of the battle's row. Raises Refusal naming field and limit."""
    count, today = len(draft.sides), timezone.localdate()
    day = draft.fought_date or today
    # A day's grace: where the players are it may be tomorrow already.
    if day < EARLIEST or (day - today).days > 1:
        raise Refusal(
            f"The day of the battle must lie between {EARLIEST.isoformat()} and today.",
            field="fought_date",
        )
    columns = {
        "system": system.key,
        "variant": system.variant or "",
        "note": clean_text("note", draft.note, NOTE_MAX, many_lines=True),
        "house_rules": checked_rules(system, draft.house_rules),
        "ruling_layers": layered(
            club=load_club_choice(draft.club_id, "rulings", system.address),
            battle=checked_rulings(system, draft.ruling_choices),
        ),
        "attacker": checked_place("attacker", draft.attacker, count),
        "first": checked_place("first", draft.first, count),
        "fought_date": day,
        "confirm_days": checked_days(draft.confirm_days),
        **checked_scenario(actor, system, draft.scenario),
        "visibility": draft.visibility,
        "club_id": draft.club_id,
    }
    check_visibility(draft.visibility, is_claimed=actor.is_person)
    if draft.club_id is not None and not is_club_member(actor, draft.club_id):
        raise Refusal("Choose one of the clubs you belong to.", field="club_id")
    return columns


def _check_once(sides: Sequence[SideChoice]) -> None:
    """A warband stands on one side only, or its career would count the battle twice."""
    for place, side in enumerate(sides):
        if isinstance(side, WarbandSide) and side in sides[:place]:
            raise Refusal(
                "This warband is already on another side.",
                field=f"sides[{place}].warband",
            )


# Writing


def insert_battle(
    actor: Owner, columns: NamedValues, sides: Sequence[LockedSide]
) -> Battle:
    """The rows of a new battle whose columns were checked already. Call it within a transaction."""
    lineups = [side.lineup for side in sides]
    # People's own scenarios have no rules of their own, so no parts either.
    scenario = registry.load_base(columns["system"]).scenarios.get(
        columns.get("scenario", "")
    )
    if scenario:
        # The part that each plays: the one its warband has chosen, else the next that is left.
        chosen = _chosen_parts(sides, scenario)
        parts = (str(side.get("id", "")) for side in scenario.sides)
        left = iter([part for part in parts if not part or part not in chosen])
        lineups = [
            replace(lineup, part=part or next(left, ""))
            for lineup, part in zip(lineups, chosen, strict=True)
        ]
    columns = {**columns, "rules_edition": EDITION}
    # A system without a recorder has tables for results alone, which is enough to set up.
    rules: BattleRules = registry.rules_of(Battle(**columns))
    state = fold(rules, build_field(lineups), [])
    stored = stored_state(state)
    battle = Battle.objects.create(
        **columns,
        owner_id=actor.user_id,
        owner_key=actor.key,
        locked=to_locked(lineups),
        state=stored,
        turn=state.turn,
        phase=state.phase,
    )
    rows = BattleSide.objects.bulk_create(
        BattleSide(battle=battle, position=place, **side_columns(side))
        for place, side in enumerate(sides)
    )
    BattleCombatant.objects.bulk_create(
        chain.from_iterable(
            combatant_rows(battle, row, lineup, stored)
            for row, lineup in zip(rows, lineups, strict=True)
        )
    )
    return battle


def _chosen_parts(sides: Sequence[LockedSide], scenario: Scenario) -> list[str]:
    """The part that each side's warband has chosen, "" where it is none or another has it."""
    chosen: list[str] = []
    for side in sides:
        choice = (side.roster and side.roster.scenario) or ""
        name, _, part = choice.partition(PART)
        is_free = name == scenario.key and part in scenario.parts and part not in chosen
        chosen.append(part if is_free else "")
    return chosen
