"""The desk of an event: who has paid, who is here, and scores of players."""

from collections.abc import Mapping

from accounts.errors import Refusal, WrongState
from campaigns.models import SCORE_MAX, ClubEvent, Entry, Round, RoundStatus
from campaigns.operations.log import ChangeRequest, LockedEvent, organised_event
from campaigns.operations.rows import (
    check_playing,
    check_running,
    find_entries,
    plan_first_round,
    update_row,
    write_presence,
)
from engine.records import is_int_within, quantity


def tick_players(
    request: ChangeRequest, *, paid: Mapping[str, bool], here: Mapping[str, bool]
) -> None:
    """Tick who has paid, and who is here for the first round that is not closed; who is not named
    stays as they are.

    By organisers. Before any round is added the first is planned. Each tick stands for itself.
    Raises Refusal for who has no place, WrongState with all rounds closed, NotFound, NotAllowed.
    """
    with organised_event(request) as change:
        event = change.event
        check_running(event)
        rows = find_entries(event, {*paid, *here})
        for token in here:
            check_playing(rows[token], "here")
        write_paid(change, {rows[token]: is_paid for token, is_paid in paid.items()})
        if not here:
            return
        rounds = Round.objects.filter(event=event).order_by("number")
        row = rounds.exclude(status=RoundStatus.CLOSED).first()
        if row is None and rounds.exists():
            raise WrongState(
                "Every round is closed. Add the next one, then tick who is here."
            )
        row = row or plan_first_round(change)
        write_presence(row, {rows[token]: is_here for token, is_here in here.items()})


def write_paid(change: LockedEvent, ticks: Mapping[Entry, bool]) -> None:
    """Write who has paid, in one line of the log that organisers alone read."""
    changed = {
        entry: is_paid for entry, is_paid in ticks.items() if entry.is_paid != is_paid
    }
    phrases = []
    for is_paid, phrase in ((True, "Paid"), (False, "Not paid")):
        entries = [entry for entry, value in changed.items() if value == is_paid]
        if entries:
            Entry.objects.filter(pk__in=[row.pk for row in entries]).update(is_paid=is_paid)
            phrases.append(f"{phrase}: {', '.join(entry.name for entry in entries)}.")
    if phrases:
        changes = {entry.token: [not value, value] for entry, value in changed.items()}
        change.log("mark_paid", " ".join(phrases), changes=changes)


def score_players(request: ChangeRequest, scores: Mapping[str, int | None]) -> int:
    """Give players their scores, by the entry's token, None for none yet; by organisers.

    Returns how many are others. Raises Refusal naming the entry as the field, NotFound, NotAllowed.
    """
    with organised_event(request) as change:
        entries = find_entries(change.event, scores)
        changes = {}
        for token, score in scores.items():
            row = entries[token]
            if score != row.player_score:
                checked = checked_score(change.event, score, token)
                changes[token] = [row.player_score, checked]
                update_row(row, player_score=checked)
        if changes:
            count = quantity(len(changes), "player")
            sentence = f"{change.event.player_score_name}: scores of {count}."
            change.write("score_players", sentence, changes=changes)
        return len(changes)


def checked_score(
    event: ClubEvent, score: int | None, field: str = "player_score"
) -> int | None:
    """Return the score of a player; raises Refusal for another number, and where none is given."""
    name = event.player_score_name
    if score is None:
        return None
    if not name:
        raise Refusal("This event counts no score of players.", field=field)
    if not is_int_within(score, 0, SCORE_MAX):
        raise Refusal(
            f"{name} must be a whole number from 0 to {SCORE_MAX:,}, or empty.", field=field
        )
    return score
