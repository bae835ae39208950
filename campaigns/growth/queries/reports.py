"""A campaign in the JSON of the API, and what a change of it would move, in words and as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from accounts.errors import NotAllowed, NotFound
from accounts.owner import Owner
from battles.results import GrowthChange
from campaigns.growth.queries.ledger import (
    closed_round,
    load_campaign_warbands,
    load_ledger,
    visible_keys,
    visible_records,
    without_secrets,
)
from campaigns.growth.queries.presenter import CampaignPresenter
from campaigns.models import CampaignWarband, GrowthRow
from campaigns.queries.events import load_event
from campaigns.queries.records import ClubEventRecord
from engine.growth.campaign import OUTSIDE, WENT_OUT_WOUNDED
from engine.growth.differences import GrowthDifference, WarbandChange
from engine.growth.dues import DueKey
from engine.growth.effects import LASTING
from engine.records import JsonObject, NumberByKey, Texts, frozen_dataclass

LINES_MOST = 60
NOTES = {
    OUTSIDE: "{who} fought in {game}, but is not in the warband by then: earns nothing",
    WENT_OUT_WOUNDED: "{who} fought in {game}, though the old wound said no",
}
"""The notes of a state, with ids for programs."""


class GrowthReport(CampaignPresenter):
    """A campaign as this reader may know it, in the JSON of the API."""

    def find(self, token: str) -> CampaignWarband:
        """Return a warband that was founded by then. Raises NotFound."""
        if token not in self.rows:
            raise NotFound("warband")
        return self.rows[token]

    def is_hidden(self, row: CampaignWarband) -> bool:
        """Return whether the reader is told no more of a warband than its name."""
        return bool(self.event.hides(row.entry.token))

    def warband_json(self, row: CampaignWarband) -> JsonObject:
        """Return the state of a warband as the API tells it."""
        answer = {
            "id": row.token,
            "entry": row.entry.token,
            "name": row.entry.name,
            "position": self.state.position,
            **self.state.warbands[row.token].to_json(),
        }
        if self.is_hidden(row):
            number = closed_round(self.event, row) or None
            answer["closed_round"] = number
            answer["rating"] = answer["rating"] if number else None
        return answer

    def dues(self, *, warband: str = "", fixture: str = "") -> list[JsonObject]:
        """Return what is open, of one warband or after one game where it is named.

        Of one warband also what it may throw and need not. What a due lacks is null.
        """
        return [
            {
                "due": due.key,
                "warband": due.warband,
                "kind": due.kind,
                "warrior": due.warrior or None,
                "fixture": due.fixture or None,
                "round": self.rounds.get(due.fixture),
                "dice": due.dice or None,
                "faces": list(due.faces) or None,
                "choices": [{"id": key, "name": name} for key, name in due.choices],
                "words": due.words,
                "is_offer": due in self.state.offers,
            }
            for due in (*self.state.open, *(self.state.offers if warband else ()))
            if warband in ("", due.warband) and fixture in ("", due.fixture)
        ]

    def superseded(self) -> list[JsonObject]:
        """Return what nothing asks for now, and the acts that cannot be where they stand."""
        why = "It is no longer called for."
        rows: list[tuple[object, ...]] = []
        for key in self.state.superseded:
            faces = list(self.ledger.answers[key].faces) or None
            rows.append((*key, None, faces, why))
        acts = self.state.superseded_acts
        rows += [(act.warband, None, act.number, None, act.why) for act in acts]
        columns = ("warband", "due", "act", "faces", "why")
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def to_json(self) -> JsonObject:
        """Return the whole campaign."""
        rules, version = self.ledger.rules_name
        notes = []
        for note in self.state.notes:
            who = f"{note.warband}/{note.warrior}"
            notes.append(NOTES[note.why].format(who=who, game=note.fixture))
        return {
            "position": self.ledger.position,
            "rules": {"id": rules, "version": version},
            "warbands": [self.warband_json(row) for row in self.rows.values()],
            "open": self.dues(),
            "aside": self.superseded(),
            "notes": notes,
        }

    def act_json(self, number: int) -> JsonObject:
        """Return what an act came to."""
        act, outcome = self.ledger.log.find_act(number), self.state.acts.get(number)
        joiner = getattr(act, "joiner", None)
        is_found = outcome is None or outcome.is_found
        text = outcome.why if outcome else "Taken back."
        return {
            "position": self.ledger.position,
            "act": number,
            "words": text if is_found else "Nothing was found.",
            "paid": outcome.paid if outcome else None,
            "warrior": joiner.key if joiner and is_found else None,
            "faces": list(getattr(act, "faces", ())) or None,
        }

    def ledger_rows(self, row: CampaignWarband) -> list[GrowthRow]:
        """Return the rows of a warband's log with who wrote them, the latest first. One query.

        Reasons are for those who take part. Nothing is told of a hidden warband.
        """
        if self.is_hidden(row):
            return []
        rows = GrowthRow.objects.filter(warband=row).select_related("author")
        latest = list(rows.order_by("-position"))
        for written in latest:
            self.event.hide_reason(written)
        return latest

    def answers_json(self, row: CampaignWarband, dues: Iterable[str]) -> list[JsonObject]:
        """Return what became of some answers of a warband."""
        rows = GrowthRow.objects.filter(
            warband=row, due__in=list(dues), kind="answer", is_typed=True
        )
        # A choice that came later repeats the faces of a roll, typed or not.
        typed = set(rows.values_list("due", flat=True))
        results = []
        for due in dues:
            key = row.token, due
            if key in self.ledger.answers:
                rolled = self.state.rolled.get(key)
                result = {
                    "due": due,
                    "faces": list(self.ledger.answers[key].faces) or None,
                    "is_typed": due in typed,
                    "row": rolled.least if rolled else None,
                    "words": rolled.name if rolled else "",
                    "state": self.state.answers[key],
                }
                results.append(result)
        return results

    # What a change would move

    def change(self, moved: GrowthDifference) -> GrowthChange:
        """Return what a change would move, as this reader may know it."""
        return GrowthChange(self.preview(moved).lines, self.change_json(moved))

    def preview(self, moved: GrowthDifference) -> GrowthPreview:
        """Return what a change would move in words: by warbands, then its rolls and acts."""
        moved = self._without_hidden(moved)
        # Figures first: they are what most readers look for. A warband that is about to be founded
        # has no row yet.
        lines = [
            f"{self.warband(change.warband) or 'New warband'}: {text}."
            for change in moved.warbands
            for text in change_phrases(self, change)
        ]
        opened: list[DueKey] = [(due.warband, due.key) for due in moved.opened]
        for head, keys in (
            ("To roll or choose", opened),
            ("No longer called for", moved.superseded),
            ("Counts again", moved.counts_again),
        ):
            lines += [
                f"{head}: {self.due_words(*key)} ({self.warband(key[0])})." for key in keys
            ]
        for acts, text in (
            (moved.superseded_acts, "can no longer be, and no longer counts"),
            (moved.acts_again, "counts again"),
        ):
            count = len(acts)
            what = "purchase or other act" if count == 1 else "purchases or other acts"
            if count:
                lines.append(f"{count} {what} {text}.")
        return GrowthPreview(tuple(lines[:LINES_MOST]), len(lines[LINES_MOST:]))

    def change_json(self, moved: GrowthDifference) -> JsonObject:
        """Return what a change would move as plain JSON."""
        return difference_json(self._without_hidden(moved))

    def _without_hidden(self, moved: GrowthDifference) -> GrowthDifference:
        """Return what a change would move, without what it would of hidden warbands."""
        hidden = {token for token, row in self.rows.items() if self.is_hidden(row)}
        if not hidden:
            return moved
        # The reader's state has no acts of others.
        acts = self.state.acts
        return replace(
            moved,
            warbands=visible_records(moved.warbands, hidden),
            opened=visible_records(moved.opened, hidden),
            closed=visible_records(moved.closed, hidden),
            superseded=visible_keys(moved.superseded, hidden),
            counts_again=visible_keys(moved.counts_again, hidden),
            superseded_acts=tuple(
                number for number in moved.superseded_acts if number in acts
            ),
            acts_again=tuple(number for number in moved.acts_again if number in acts),
        )


# Loading


def load_growth(actor: Owner, token: str, *, at: int | None = None) -> GrowthReport:
    """Return the campaign of an event as this person may read it, also as it was at a position.

    At most five queries. Raises NotFound, NotAllowed for the past of somebody else's secrets.
    """
    event = load_event(actor, token)
    # A past position of a campaign is folded anew, which gives strangers nothing here.
    if at is not None and event.hides_lists and not event.mine:
        message = "Lists are secret: only players and organisers read an earlier position."
        raise NotAllowed(message)
    return load_report(event, at=at)


def load_report(event: ClubEventRecord, *, at: int | None = None) -> GrowthReport:
    """Return the campaign of an event as its reader may know it. Three queries. Raises NotFound."""
    ledger = load_ledger(event, upto=at)
    founded = ledger.state.warbands
    rows = [row for row in load_campaign_warbands(event.id) if row.token in founded]
    return GrowthReport(without_secrets(event, ledger, rows), event, rows)


def load_preview(event: ClubEventRecord, moved: GrowthDifference) -> GrowthPreview:
    """Return what a change would move, as its reader may know it. Three queries."""
    return load_report(event).preview(moved)


# What a change would move


@frozen_dataclass
class GrowthPreview:
    """Everything a change would move, as sentences; none where nothing moves.

    ``more`` further lines are left out.
    """

    lines: Texts
    more: int = 0


NUMBERS = {
    "rating": "rating",
    "count": "models",
    "experience": "experience",
    # Lasting injuries are counted under the plurals of their verbs.
    **{f"{verb}s": f"{verb.replace('_', ' ')}s" for verb in LASTING},
}
"""Figures and what they are called. What is not there has none of any."""
FLAGS = {
    "closed": ("disbanded", "no longer disbanded"),
    "gone": ("out of the campaign", "back in the warband"),
    "leader": ("leads", "no longer leads"),
}
"""What is said of something that is so now, or no longer."""


def change_phrases(campaign: CampaignPresenter, change: WarbandChange) -> list[str]:
    """Return what moves in a warband without its name: figures, then its units."""
    token = change.warband
    phrases = _describe_changes(campaign, token, change.figures.items())
    for unit in change.warriors:
        name = unit.name or campaign.unit(token, unit.key)
        if unit.before is None:
            phrases.append(f"{name} joins")
        elif unit.after is None:
            phrases.append(f"{name} is no longer there")
        elif changes := _describe_changes(campaign, token, unit.changed.items()):
            phrases.append(f"{name}: {'; '.join(changes)}")
    return phrases


def _describe_changes(
    campaign: CampaignPresenter, warband: str, changes: Iterable[tuple[str, Any]]
) -> list[str]:
    """Return what is said of figures of a warband, or of a unit's: each key before and after."""
    phrases = []
    for key, (old, new) in changes:
        if key in NUMBERS:
            phrases.append(f"{NUMBERS[key]} {old or 0} → {new or 0}")
        elif key in FLAGS:
            phrases.append(FLAGS[key][0 if new else 1])
        elif key == "treasury":
            phrases += _describe_treasury(campaign, old or {}, new or {})
        elif key in ("skills", "territories", "stash", "gear"):
            phrases.append(f"{key}: {_name_items(campaign, warband, key, new or ())}")
        else:
            phrases += _describe_condition(campaign, key, old, new)
    return phrases


def _describe_treasury(
    campaign: CampaignPresenter, old: NumberByKey, new: NumberByKey
) -> list[str]:
    """Return each currency of which there is more or less than before."""
    return [
        f"{campaign.currency(key)} {old.get(key, 0)} → {new.get(key, 0)}"
        for key in {**old, **new}
        if old.get(key) != new.get(key)
    ]


def _name_items(
    campaign: CampaignPresenter, warband: str, key: str, items: Iterable[str]
) -> str:
    """Return the names of skills, territories, or pieces of gear."""
    if key == "skills":
        items = map(campaign.trait, items)
    elif key != "territories":
        items = (campaign.gear(warband, item) for item in items)
    return ", ".join(items) or "none"


def _describe_condition(
    campaign: CampaignPresenter, key: str, old: Any, new: Any
) -> list[str]:
    """Return what is said of the condition of a unit; nothing of what has no phrase."""
    match key:
        case "misses":
            return [f"games to miss {sum(old or ())} → {sum(new or ())}"]
        case "kind":
            return [f"now: {campaign.kind(new)}"]
        case "captive_of":
            return [f"held by {campaign.warband(new)}" if new else "free"]
        case "stats" if new:
            stats = ", ".join(f"{stat} {figure}" for stat, figure in new.items())
            return [f"characteristics: {stats}"]
        case "stats":
            return ["characteristics as in the list"]
    return []


def difference_json(moved: GrowthDifference) -> JsonObject:
    """Return what a change would move, as plain JSON."""
    dues: dict[str, Iterable[DueKey]] = {
        "opened": [(due.warband, due.key) for due in moved.opened],
        "closed": [(due.warband, due.key) for due in moved.closed],
        "set_aside": moved.superseded,
        "counts_again": moved.counts_again,
    }
    return {
        "warbands": [
            {
                "warband": warband.warband,
                "figures": {key: list(pair) for key, pair in warband.figures.items()},
                "warriors": [
                    {
                        "warrior": unit.key,
                        "name": unit.name,
                        "changed": {key: list(pair) for key, pair in unit.changed.items()},
                    }
                    for unit in warband.warriors
                ],
            }
            for warband in moved.warbands
        ],
        **{
            name: [{"warband": warband, "due": due} for warband, due in keys]
            for name, keys in dues.items()
        },
        "acts_aside": list(moved.superseded_acts),
        "acts_again": list(moved.acts_again),
    }
