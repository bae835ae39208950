"""The edge between a request and the keys of battles.

Views and API use it; domain code takes the key.

A key comes with the request (a header) or was kept in the session when somebody joined. It is never
part of an address that a server sees: on a QR code it stands behind the "#".
"""

from django.http import HttpRequest

from accounts.tokens import without_separators
from battles.access import is_key
from battles.queries.battles import tokens_of_key

SESSION_NAME = "battle_keys"
KEPT_MAX = 100


def read_key(typed: str) -> str:
    """A key as somebody types it (small letters, in groups) as it is stored; "" for what cannot be
    one.
    """
    key = without_separators(typed[:60])
    return key if is_key(key) else ""


def sent_key(request: HttpRequest) -> str:
    """The key that stands in a header of this request, "" without one."""
    kind, _, bearer = request.headers.get("Authorization", "").partition(" ")
    return read_key(
        request.headers.get("X-Battle-Key", "")
        or (bearer if kind.lower() == "bearer" else "")
    )


def find_key(request: HttpRequest, token: str) -> str:
    """The key this request brings for that battle, or the one its session keeps. Reads only."""
    if sent := sent_key(request):
        return sent
    keys = request.session.get(SESSION_NAME, {})
    return str(keys.get(token, "")) if isinstance(keys, dict) else ""


def keep_key(request: HttpRequest, token: str, typed: str) -> bool:
    """Keep the key of a battle in the session, if it is its key; returns whether it is.

    One query.
    """
    key = read_key(typed)
    if token not in tokens_of_key(key):
        return False
    # The latest key goes last, and the oldest ones fall out where there are too many.
    stored = dict(request.session.get(SESSION_NAME, {}))
    stored.pop(token, None)
    request.session[SESSION_NAME] = {**dict([*stored.items()][1 - KEPT_MAX :]), token: key}
    return True
