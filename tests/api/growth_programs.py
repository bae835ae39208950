"""A growing campaign, and the programs of its people."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from accounts.owner import Owner
from tests.campaigns.growing import Campaign

Call = Callable[..., Any]
Caller = Callable[[Owner], Call]
Item = dict[str, Any]
ACT_KEYS = ["position", "act", "words", "paid", "warrior", "faces", "warband"]
STATE_KEYS = {"id", "entry", "name", "position", "treasury", "rating", "stash", "warriors"}


@dataclass
class Programs:
    """A campaign of Ada and Ben, and the programs of an organiser and of both players."""

    campaign: Campaign
    olga: Call
    ada: Call
    ben: Call

    @property
    def growth(self) -> str:
        return f"events/{self.campaign.league.token}/growth/"

    def own(self, name: str, part: str = "") -> str:
        return f"{self.growth}warbands/{self.campaign.warbands[name]}/{part}"

    @property
    def position(self) -> int:
        return self.campaign.ledger.position

    def fight(self) -> str:
        """Ada beats Ben, whose engineer and first swordsman are put out; returns the game."""
        fixture = self.campaign.game("Ada", "Ben")
        entries = {name: self.campaign.league.entry(name).token for name in ("Ada", "Ben")}
        out = [{"who": "w2", "by": f"{entries['Ada']}/w1"}, {"who": "w3#1", "by": None}]
        sent = {
            "winner": entries["Ada"],
            "how": "rout",
            "fates": {entries["Ben"]: out, entries["Ada"]: []},
        }
        told = self.olga("POST", f"fixtures/{fixture}/result/", sent, If_Match="*").json()
        assert told["position"] == self.position
        assert {one["kind"] for one in told["dues"]} == {"injury", "income", "claim"}
        return fixture

    def act(self, **act: Any) -> Item:
        told: Item = self.ada("POST", self.own("Ada", "acts/"), act, 201).json()
        assert list(told) == ACT_KEYS
        assert told["position"] == self.position
        return told


def make_programs(campaign: Campaign, caller: Caller) -> Programs:
    league = campaign.league
    players = (league.player(name) for name in ("Ada", "Ben"))
    return Programs(campaign, caller(league.organiser), *map(caller, players))
