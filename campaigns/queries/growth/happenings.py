"""What befell warbands of a growing campaign, in words: for its chronicle, careers and files."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from campaigns.queries.growth.names import CampaignNames
from engine.growth import happenings as kinds
from engine.growth.happenings import Happening
from engine.growth.state import CampaignState
from engine.records import NumberByKey, Texts, frozen_dataclass

PHRASES_MOST = 8
"""What is told of a warband in a round; more of it is counted."""
ADVANCES = (kinds.RAISED, kinds.LEARNED, kinds.PROMOTED)
INJURIES = (kinds.LOWERED, kinds.WOUNDED)


@frozen_dataclass
class WarbandStory:
    """What befell the warband of a player in a round."""

    name: str
    phrases: Texts

    @property
    def words(self) -> str:
        """All of it in a sentence; what is too much is counted."""
        shown, more = self.phrases[:PHRASES_MOST], len(self.phrases[PHRASES_MOST:])
        return "; ".join([*shown, *([f"{more} more"] if more else [])]) + "."


def round_of(one: Happening, state: CampaignState, rounds: NumberByKey) -> int:
    """Return the round of what happened, by the rounds of games; 0 before the first one.

    What belongs to no game belongs to the last one of its warband.
    """
    if one.fixture:
        return rounds.get(one.fixture, 0)
    before = [
        battle.fixture
        for battle in state.battles_of(one.warband)
        if battle.position <= one.position
    ]
    return rounds.get(before[-1], 0) if before else 0


def stories_of(names: CampaignNames, rounds: NumberByKey) -> dict[int, list[WarbandStory]]:
    """Return what befell warbands, by rounds, in the order in which they were founded.

    ``rounds`` are those of games.
    """
    state, found = names.ledger.state, dict[int, list[WarbandStory]]()
    for token, row in names.rows.items():
        phrases: dict[int, list[str]] = {}
        for one in state.happenings:
            if one.warband == token and one.what in WORDS:
                number = round_of(one, state, rounds)
                phrases.setdefault(number, []).append(happening_words(names, one))
        for number, said in phrases.items():
            story = WarbandStory(row.entry.name, tuple(said))
            found.setdefault(number, []).append(story)
    return found


# In words


def happening_words(names: CampaignNames, one: Happening) -> str:
    """Return what befell a warband, in a phrase without its name."""
    return WORDS[one.what](names, one)


def gain_words(names: CampaignNames, one: Happening) -> str:
    """Return what an advance gave: "+1 WS", a skill, or another kind."""
    if one.what == kinds.RAISED:
        return f"+1 {one.choice}"
    if one.what == kinds.LEARNED:
        return names.skill(one.choice)
    return f"becomes {names.kind(one.choice)}"


def _advanced(names: CampaignNames, one: Happening) -> str:
    """Return who advanced, and how."""
    who = names.unit(one.warband, one.warrior)
    if one.what == kinds.PROMOTED:
        # Out of a group it is one of several.
        head = f"one of {who}" if is_group(names, one.warband, one.warrior) else who
        return f"{head} {gain_words(names, one)}"
    verb = "learns" if one.what == kinds.LEARNED else "gains"
    return f"{who} {verb} {gain_words(names, one)}"


def is_group(names: CampaignNames, warband: str, key: str) -> bool:
    """Return whether a unit joined as several models, or is several now."""
    warrior = names.ledger.state.warbands[warband].warriors.get(key)
    return warrior is not None and (warrior.joined.count > 1 or warrior.count > 1)


def _lost(names: CampaignNames, one: Happening) -> str:
    """Return who is gone; of a group it is one model."""
    who = names.unit(one.warband, one.warrior)
    lost = f"one of {who}" if is_group(names, one.warband, one.warrior) else who
    return f"loses {lost} ({one.row})"


def _hurt(names: CampaignNames, one: Happening) -> str:
    """Return who is hurt for good, and how."""
    return f"{names.unit(one.warband, one.warrior)} is injured ({one.row})"


def _held(verb: str) -> Callable[[CampaignNames, Happening], str]:
    """Return the writer of what befell a captive."""

    def write(names: CampaignNames, one: Happening) -> str:
        who = names.unit(one.warband, one.warrior)
        return f"{who} {verb} {names.warband(one.other)}"

    return write


def _claimed(names: CampaignNames, one: Happening) -> str:
    """Return which territory was claimed, and from whom."""
    return f"claims {one.choice}" + (f" from {names.warband(one.other)}" * bool(one.other))


def _counted(verb: str) -> Callable[[CampaignNames, Happening], str]:
    """Return the writer of models that came or went."""

    def write(names: CampaignNames, one: Happening) -> str:
        who = names.unit(one.warband, one.warrior)
        return f"{verb} {who}" + (f" ({one.models} models)" * (one.models > 1))

    return write


WORDS: Mapping[str, Callable[[CampaignNames, Happening], str]] = {
    kinds.RAISED: _advanced,
    kinds.LEARNED: _advanced,
    kinds.PROMOTED: _advanced,
    kinds.LOWERED: _hurt,
    kinds.WOUNDED: _hurt,
    kinds.LOST: _lost,
    kinds.CAPTURED: _held("is captured by"),
    kinds.RANSOMED: _held("is ransomed from"),
    kinds.REFUSED: _held("is not ransomed from"),
    kinds.LEADS: lambda names, one: f"{names.unit(one.warband, one.warrior)} leads now",
    kinds.CLAIMED: _claimed,
    kinds.JOINED: _counted("recruits"),
    kinds.ENLARGED: lambda names, one: (
        f"recruits {one.models} more for {names.unit(one.warband, one.warrior)}"
    ),
    kinds.DISMISSED: _counted("dismisses"),
    kinds.DISBANDED: lambda names, one: "disbands",
}
"""What is said of each kind of happening."""
