"""The code of a club, typed or sent: which club has it, and how many wrong ones may be tried."""

from allauth.core.internal.ratelimit import RateLimitUsage, consume
from django.http import HttpRequest

from accounts.errors import UnknownCode
from accounts.operations.clubs import NO_SUCH_CODE
from accounts.owner import Owner
from accounts.queries import ClubRecord, load_club_of_code
from accounts.tokens import read_code

# Wrong codes from one address. Right ones do not count: a whole club may join behind one router on
# one evening.
RATES = {"club_code": "10/5m/ip"}
WAIT_SECONDS = 300


def find_club(
    request: HttpRequest, owner: Owner, typed: str
) -> tuple[ClubRecord | None, str]:
    """The club of a code and the code itself; None once too many wrong ones came from this address.

    Raises Refusal for what can be no code, UnknownCode for one that no club has. Only wrong ones
    count.
    """
    code = read_code(typed)
    usage: RateLimitUsage | None = consume(
        request, app="campaigns", action="club_code", config=RATES, limit_get=True
    )
    if usage is None:
        return None, code
    club = load_club_of_code(owner, code)
    if club is None:
        raise UnknownCode(NO_SUCH_CODE, field="code")
    # A right code is not counted.
    usage.rollback()
    return club, code
