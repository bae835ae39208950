"""Fixtures that are played: setting up the battle of one, and saying how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.db import transaction

from accounts.owner import Owner
from campaigns import event_access
from campaigns.errors import NotAllowed, NotFound, Refusal, StaleEvent
from campaigns.fixture_totals import SIDES
from campaigns.models import (
    MODELS_MAX,
    Battle,
    BattleSide,
    BattleStatus,
    ClubEvent,
    Decision,
    Entry,
    Fixture,
    FixtureStatus,
    RoundStatus,
)
from campaigns.operations.deciding import StepOutcome, correct_result, propose_result
from campaigns.operations.events.counting import PAIR, refresh_fixture
from campaigns.operations.events.ledger import lock_event
from campaigns.operations.events.seating import create_fixture_battle
from campaigns.queries.rows import is_token
from warbands.exchange.limits import shown
from warbands.operations import keys

__all__ = ["ReportedResult", "lock_fixture", "open_fixture", "refresh_fixture", "report_result"]

DESTROYED_MAX = 100_000
SHOWN = (RoundStatus.PUBLISHED, RoundStatus.CLOSED)


@dataclass(frozen=True, slots=True)
class ReportedResult:
    """What a report came to: the ``battle`` that holds the result, its status, and how many steps there are."""

    battle: str
    status: str
    number: int
    is_repeat: bool = False


def open_fixture(
    actor: Owner, token: str, fixture: str, *, sizes: Mapping[str, int] | None = None
) -> str:
    """The battle of a fixture, set up if there is none yet; returns its token.

    Each side is the list handed in for the round, else the warband as it is now, else a quick side of so many models
    (``sizes``, by the entry's token). By those who play it and by organisers. Raises NotFound, NotAllowed, Refusal.
    """
    with transaction.atomic():
        event, row = lock_fixture(actor, token, fixture)
        return ensure_battle(actor, event, row, sizes or {}).token


def report_result(
    actor: Owner,
    token: str,
    fixture: str,
    *,
    winner: str = "",
    how: str,
    figures: Mapping[str, Mapping[str, int | None]] | None = None,
    reason: str = "",
    expected: int | None = None,
    request_key: str = "",
) -> ReportedResult:
    """How a fixture ended. ``winner`` is an entry's token, "" for nobody; ``how`` an ending of its battle's rules.

    ``figures`` maps an entry's token to the models it lost ("out") and the points it destroyed ("destroyed"), which
    count where nobody recorded who went out. A player's report waits for the other side, an organiser's who does not
    play in it is final. A second report corrects the first, for a ``reason``. ``expected`` is the fixture's version.
    Raises NotFound, NotAllowed, Refusal naming the field, StaleEvent, KeyReused.
    """
    printed = keys.fingerprint(
        "report_result", token, fixture, winner, how, figures, reason, expected
    )
    with transaction.atomic():
        event, row = lock_fixture(actor, token, fixture)
        if (earlier := keys.stored_answer(actor, request_key, printed)) is not None:
            return ReportedResult(**earlier, is_repeat=True)
        if expected is not None and expected != row.version:
            raise StaleEvent(row.version, expected)
        side = _side_of(row, winner)
        battle = ensure_battle(actor, event, row, {})
        _write_typed_figures(row, battle, figures or {})
        done = _report(actor, battle, side, how, reason)
        answer = ReportedResult(battle.token, done.status, done.number)
        kept = asdict(answer)
        del kept["is_repeat"]
        keys.store_answer(actor, request_key, printed, kept)
    return answer


def _report(actor: Owner, battle: Battle, side: str, how: str, reason: str) -> StepOutcome:
    if battle.status == BattleStatus.OPEN:
        return propose_result(actor, battle.token, winner=side or None, how=how, reason=reason)
    return correct_result(actor, battle.token, winner=side or None, how=how, reason=reason)


def lock_fixture(actor: Owner, token: str, fixture: str) -> tuple[ClubEvent, Fixture]:
    """The event, locked, and one of its fixtures, for those who play it and for organisers.

    Raises NotFound for what the actor cannot read (drafts are the organisers'), NotAllowed for everybody else.
    """
    event = lock_event(actor, token)
    rows = Fixture.objects.filter(token=fixture, round__event=event).select_related(
        *PAIR, "one__warband"
    )
    rows = rows.select_related("other__warband", "third__warband", "battle")
    row = rows.order_by().first() if is_token(fixture) else None
    is_organiser = event_access.may_organise(actor, event)
    if row is None or (row.round.status not in SHOWN and not is_organiser):
        raise NotFound("fixture")
    if not is_organiser and not any(_is_theirs(actor, entry) for entry in entries_of(row)):
        raise NotAllowed("Those who play it tell how it ended, and the organisers of the club.")
    return event, row


def entries_of(fixture: Fixture) -> tuple[Entry, ...]:
    """Who meets whom, in the order of the sides."""
    return tuple(
        entry for entry in (fixture.one, fixture.other, fixture.third) if entry is not None
    )


def _is_theirs(actor: Owner, entry: Entry) -> bool:
    return actor.is_person and entry.user_id == actor.user_id


def ensure_battle(
    actor: Owner, event: ClubEvent, fixture: Fixture, sizes: Mapping[str, int]
) -> Battle:
    """The battle of a fixture that was locked with its event. Raises Refusal where it cannot be played."""
    _check_playable(event, fixture)
    if fixture.battle is not None:
        return fixture.battle
    battle = create_fixture_battle(actor, event, fixture, sizes)
    Fixture.objects.filter(pk=fixture.pk).update(battle=battle)
    fixture.battle = battle
    return battle


def _check_playable(event: ClubEvent, fixture: Fixture) -> None:
    number = fixture.round.number
    if event.archived_at is not None:
        raise Refusal("This is in the archive. Take it out first.", field="status")
    if fixture.round.status not in SHOWN:
        raise Refusal(
            f"Round {number} is not published yet. Publish it, then it can be played.",
            field="status",
        )
    if fixture.other is None:
        raise Refusal(
            "A bye is not played; it counts from the moment the round is published.", field="status"
        )
    if fixture.status == FixtureStatus.ASKED:
        raise Refusal(
            "This challenge was not answered yet. Once it is accepted it can be played.",
            field="status",
        )
    if fixture.decision:
        said = str(Decision(fixture.decision).label).lower()
        sentence = f"An organiser has decided this one: {said}. Take the decision back first."
        raise Refusal(sentence, field="status")
    is_told = fixture.battle is not None and fixture.battle.status != BattleStatus.OPEN
    gone = [
        entry
        for entry in entries_of(fixture)
        if entry.dropped is not None and entry.dropped <= number
    ]
    if gone and not is_told:
        raise Refusal(
            f"{gone[0].name} dropped out before this was played. An organiser decides what it counts as, "
            f"or takes {gone[0].name} back in first.",
            field="status",
        )


def _side_of(fixture: Fixture, winner: str) -> str:
    if not winner:
        return ""
    found = {entry.token: key for key, entry in zip(SIDES, entries_of(fixture), strict=False)}
    if winner not in found:
        raise Refusal(f"{shown(winner)} does not play in this fixture.", field="winner")
    return found[winner]


# Figures that were typed in


def _write_typed_figures(
    fixture: Fixture, battle: Battle, figures: Mapping[str, Mapping[str, int | None]]
) -> None:
    """Keep what was typed in, beside what was before. Raises Refusal naming the field and its limit."""
    if not figures:
        return
    names = {
        entry.token: (key, entry) for key, entry in zip(SIDES, entries_of(fixture), strict=False)
    }
    sides = {side.key: side for side in BattleSide.objects.filter(battle=battle)}
    told: dict[str, Any] = {key: dict(value) for key, value in fixture.told.items()}
    for token, typed in figures.items():
        if token not in names:
            raise Refusal(f"{shown(token)} does not play in this fixture.", field="figures")
        key, entry = names[token]
        told[key] = {**told.get(key, {}), **_checked_figures(entry, key, sides, typed)}
    Fixture.objects.filter(pk=fixture.pk).update(told=told)
    fixture.told = told


def _checked_figures(
    entry: Entry, key: str, sides: Mapping[str, BattleSide], typed: Mapping[str, int | None]
) -> dict[str, int | None]:
    mine, others = sides[key], [side for other, side in sides.items() if other != key]
    points = [side.points for side in others]
    priced = (
        sum(point or 0 for point in points)
        if all(point is not None for point in points)
        else DESTROYED_MAX
    )
    most = {"out": MODELS_MAX if mine.is_quick else mine.size, "destroyed": priced}
    words = {
        "out": f"The models {entry.name} lost",
        "destroyed": f"The points {entry.name} destroyed",
    }
    found: dict[str, int | None] = {}
    for name, value in typed.items():
        if name not in most:
            raise Refusal(f"The figures are out and destroyed, not {shown(name)}.", field="figures")
        is_whole = (
            isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most[name]
        )
        if value is not None and not is_whole:
            sentence = f"{words[name]} must be a whole number from 0 to {most[name]:,}."
            raise Refusal(sentence, field=f"{name}_{key}")
        found[name] = value
    return found
