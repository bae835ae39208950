"""Two players, somebody who runs their club, and the battle between them."""

from dataclasses import dataclass
from datetime import timedelta

from accounts.models import Role
from accounts.operations.clubs import add_member
from accounts.owner import Owner
from battles.models import Battle, ResultEntry
from battles.queries.index import ResultRecord
from tests.battles.ledger import faults
from tests.factories import battle_record, make_club, make_duel, make_person

WON = {"winner": "a", "how": "conceded"}
LOST = {"winner": "b", "how": "objective"}


@dataclass
class Table:
    """Ada's battle against Ben, with somebody who runs their club."""

    ada: Owner
    ben: Owner
    organiser: Owner
    battle: Battle

    @property
    def token(self) -> str:
        return self.battle.token

    def result(self, actor: Owner | None = None, key: str = "") -> ResultRecord:
        assert faults(self.battle) == []
        return battle_record(self.battle, actor=actor or self.ada, key=key).result

    def told(self) -> tuple[str, str | None, str]:
        found = self.result()
        return found.status, found.winner, found.how

    def time_passes(self, **delta: float) -> None:
        moved = timedelta(**delta)
        for model in (
            Battle.objects.filter(pk=self.battle.pk),
            ResultEntry.objects.filter(battle=self.battle),
        ):
            for row in model.exclude(confirm_by=None):
                model.filter(pk=row.pk).update(confirm_by=row.confirm_by - moved)


def sit_down(*, with_club: bool = False) -> Table:
    ada, ben, organiser = make_person(), make_person(), make_person()
    club = make_club(members=[ada, ben])
    add_member(club.pk, organiser.user_id or 0, Role.ORGANISER)
    battle = make_duel(ada=ada, ben=ben, club_id=club.pk if with_club else None)
    return Table(ada, ben, organiser, battle)


def may(result: ResultRecord) -> set[str]:
    verbs = ("propose", "confirm", "dispute", "correct", "void", "restore")
    return {verb for verb in verbs if result.may[verb]}
