"""How often the API may be called, and how much of that is left, for the headers of each answer."""

from collections.abc import Mapping
from time import time
from typing import Any

from rest_framework.request import Request
from rest_framework.throttling import AnonRateThrottle


class ToldRate(AnonRateThrottle):
    """A rate that the answer tells, whether the call was taken or refused."""

    history: list[float] = []
    duration: int  # seconds
    num_requests: int

    def allow_request(self, request: Request, view: Any) -> bool:
        """Count the call; returns whether it is taken."""
        is_allowed = super().allow_request(request, view)
        # Django's request, which the middleware sees.
        request._request.rate_headers = self.headers()  # type: ignore[attr-defined]
        return is_allowed

    def headers(self) -> Mapping[str, str]:
        """Return the limit, the calls that are left, and the seconds until one more is."""
        now = time()
        used = [at for at in self.history if at > now - self.duration]
        wait = used[-1] + self.duration - now if used else 0
        return {
            "RateLimit-Limit": str(self.num_requests),
            "RateLimit-Remaining": str(max(0, self.num_requests - len(used))),
            "RateLimit-Reset": str(round(wait)),
        }

    def headers_without_count(self, request: Any) -> Mapping[str, str]:
        """Return the headers of an answer that came before its call was counted, such as a 401."""
        key = self.get_cache_key(request, None)  # type: ignore[arg-type]
        self.history = self.cache.get(key, [])
        return self.headers()
