"""Versions of things over HTTP: the ETag of an answer, and the If-Match that a change must bring."""

from __future__ import annotations

import re

from drf_spectacular.utils import OpenApiParameter
from rest_framework import exceptions, status
from rest_framework.request import Request
from rest_framework.response import Response

_ETAG = re.compile(r'"([0-9]{1,9})"', re.ASCII)

IF_MATCH = OpenApiParameter(
    "If-Match",
    {"type": "string"},
    OpenApiParameter.HEADER,
    description='The ETag that was read, such as "3"; * for whatever it is now. Without it the answer is 428.',
)


class PreconditionFailed(exceptions.APIException):
    """It has changed since it was read."""

    status_code = status.HTTP_412_PRECONDITION_FAILED


class PreconditionRequired(exceptions.APIException):
    """A change that does not say which version it is of."""

    status_code = status.HTTP_428_PRECONDITION_REQUIRED
    default_detail = (
        "Send the ETag you have read with the header If-Match, so that nobody's change is lost."
    )


def expected(request: Request) -> int | None:
    """The version a change is of, None for whatever it is now (``*``).

    Raises PreconditionRequired without the header, and 400 for one that is no ETag of ours.
    """
    sent = request.headers.get("If-Match", "").strip()
    if not sent:
        raise PreconditionRequired
    if sent == "*":
        return None
    match = _ETAG.fullmatch(sent)
    if match is None:
        raise exceptions.ValidationError(
            {"If-Match": ['If-Match must be one ETag as it was read, such as "3", or *.']}
        )
    return int(match[1])


def versioned(response: Response, version: int) -> Response:
    """The answer with its ETag."""
    response["ETag"] = f'"{version}"'
    return response
