"""Campaigns in which warbands grow, made through the real operations. Keyword arguments only."""

from dataclasses import dataclass, field

from accounts.owner import Owner
from campaigns.growth.operations.answers import GivenAnswer, answer_dues, roll_dues
from campaigns.growth.operations.setup import (
    FoundingDraft,
    RulesDraft,
    found_warband,
    set_growth_rules,
)
from campaigns.growth.queries.ledger import CampaignLedger, load_ledger
from campaigns.operations.fixtures import FixtureDraft, add_fixture
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import report_result
from campaigns.operations.rounds import publish_round
from campaigns.queries.records import Outcome
from engine.records import JsonObject
from tests.campaigns.leagues import League, make_campaign, make_round
from tests.factories import SYSTEM

RULES = "muster-campaign"


def roster(
    *, name: str = "River patrol", army: str = "the-empire", singles: int = 0
) -> JsonObject:
    """A roster of 198 crowns: a captain, an engineer and two groups.

    Or a captain and so many single swordsmen, at 7 crowns each.
    """
    alone: list[JsonObject] = [
        {"profile": "swordsmen", "name": f"Sword {n}"} for n in range(singles)
    ]
    troop = alone or [
        {"profile": "master-engineer", "name": "Ilse"},
        {"profile": "swordsmen", "count": 5},
        {"profile": "crossbowmen", "count": 4},
    ]
    return {
        "format": "muster-roll/1",
        "system": SYSTEM,
        "army": army,
        "name": name,
        "warriors": [
            {"profile": "captain", "name": "Otto", "leader": True, "options": ["shield"]},
            *troop,
        ],
    }


@dataclass
class Campaign:
    """A campaign whose players have founded: its league, and their warbands by name."""

    league: League
    warbands: dict[str, str] = field(default_factory=dict)

    @property
    def asked(self) -> ChangeRequest:
        return ChangeRequest(self.league.organiser, self.league.token)

    @property
    def ledger(self) -> CampaignLedger:
        return load_ledger(self.league.fresh())

    def found(self, name: str, *, singles: int = 0) -> str:
        entry = self.league.entry(name).token
        draft = FoundingDraft(entry, roster(name=name, singles=singles))
        self.warbands[name] = found_warband(self.asked, draft)
        return self.warbands[name]

    def game(self, one: str, other: str) -> str:
        """Add a game between two players to the first round; returns its token."""
        pair = (self.league.entry(one).token, self.league.entry(other).token)
        return add_fixture(self.asked, 1, FixtureDraft(entries=pair))

    def report(self, fixture: str, winner: str = "", **told: object) -> None:
        """Report a game as an organiser; ``told`` as of `Outcome`, by players' names."""
        by_entry = {
            key: {self.league.entry(name).token: value for name, value in said.items()}
            for key, said in told.items()
            if isinstance(said, dict)
        }
        outcome = Outcome(
            how="rout" if winner else "drawn",
            winner=self.league.entry(winner).token if winner else "",
            **by_entry,
        )
        asked = ChangeRequest(self.league.organiser, self.league.token, reason="It was so.")
        report_result(asked, fixture, outcome)

    def settle(self, name: str) -> None:
        """Let the site throw all that a warband owes, and choose what comes first of each choice."""
        warband = self.warbands[name]
        roll_dues(self.asked, warband)
        while chosen := self._first_choices(warband):
            answer_dues(self.asked, warband, chosen)

    def _first_choices(self, warband: str) -> list[GivenAnswer]:
        owed = [due for due in self.ledger.state.open if due.warband == warband]
        return [
            GivenAnswer(due.key, choice=due.choices[0][0]) for due in owed if due.choices
        ]


def make_growing(
    *, players: int = 2, organiser: Owner | None = None, singles: int = 0
) -> Campaign:
    """A campaign with a published round, whose players have founded warbands."""
    league = make_campaign(players=players, organiser=organiser)
    make_round(league)
    campaign = Campaign(league)
    set_growth_rules(campaign.asked, RulesDraft(RULES))
    publish_round(campaign.asked, 1)
    for entry in league.entries:
        campaign.found(entry.name, singles=singles)
    return campaign
