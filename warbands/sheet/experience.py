"""Boxes of experience: those of a warband in a campaign, and those that a first sheet begins with."""

from engine.growth.campaign import matches
from engine.growth.rules import CampaignRules
from engine.growth.warriors import Joiner
from engine.records import Numbers, frozen_dataclass
from engine.roster import EntryGrowth
from engine.selection import Selection
from engine.types.lists import Army
from engine.types.systems import System
from rulesdata.campaign_documents import find_default_rules, packed_rules

BOXES_MOST = 30
BOXES_AHEAD = 3
"""Blank boxes behind the experience of now: what the next battles may fill."""
TRACK_MOST = 90


@frozen_dataclass
class ExperienceBox:
    """A point of experience; a step is where an advance is due."""

    number: int
    is_filled: bool
    is_step: bool


@frozen_dataclass
class ExperienceTrack:
    """The boxes of an entry up to the last step of its kind: once for a group, else for each model."""

    experience: int
    steps: Numbers
    is_group: bool = False

    @property
    def boxes(self) -> tuple[ExperienceBox, ...]:
        """At most 90, the last of them still blank."""
        last = max(self.experience + BOXES_AHEAD, min(self.steps[-1], TRACK_MOST))
        return _boxes_to(last, TRACK_MOST, self.experience, self.steps)


def experience_boxes(growth: EntryGrowth) -> tuple[ExperienceBox, ...]:
    """The boxes up to the next step, at least three of them blank; none for who cannot grow.

    At most 30: those before stand in the words alone.
    """
    if not growth.steps:
        return ()
    # Who has taken every step still writes experience down: the rating counts it.
    last = max(growth.experience + BOXES_AHEAD, growth.next_step or 0)
    return _boxes_to(last, BOXES_MOST, growth.experience, growth.steps)


def _boxes_to(
    last: int, most: int, experience: int, steps: Numbers
) -> tuple[ExperienceBox, ...]:
    return tuple(
        ExperienceBox(number, number <= experience, number in steps)
        for number in range(max(1, last - most + 1), last + 1)
    )


def find_preset_rules(system: System, army: Army) -> CampaignRules | None:
    """The campaign rules of the system's own, where the list says who begins with experience."""
    packed = packed_rules().get(find_default_rules(system))
    is_ready = any(profile.joining.experience for profile in army.profiles.values())
    return packed.rules if packed and is_ready else None


def track_experience(
    selection: Selection, army: Army, rules: CampaignRules
) -> ExperienceTrack | None:
    """The boxes of an entry: of its campaign, else what it begins with; None for who never learns."""
    entry, profile = selection.entry, selection.profile
    if profile is None or not profile.joining.gains_experience:
        return None
    category = army.category(profile.category)
    joiner = Joiner(
        key="",
        profile=profile.key,
        price=0,
        stats={},
        category=profile.category,
        troop_type=profile.troop_type,
        is_leader=entry.is_leader,
        is_hired=profile.is_hired,
        headings=(category.name, category.plural) if category else (),
    )
    kind = next(kind for kind in rules.kinds.values() if matches(kind, joiner))
    steps = entry.growth.steps if entry.growth else kind.steps
    if not steps:
        return None
    now = entry.growth.experience if entry.growth else profile.joining.experience
    return ExperienceTrack(now, steps, kind.is_group)
