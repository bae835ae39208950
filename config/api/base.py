"""What every endpoint of the API shares: strict JSON in, JSON out, one shape of error, pages of
results.

The stock parser accepts things no database can store or no reader can trust (lone surrogates, NUL,
NaN, repeated keys, nesting without end); here each of them is an answer 400 that says what is
wrong.
"""

from collections.abc import Iterable
from typing import IO, Any

from django.core.exceptions import RequestDataTooBig
from rest_framework import exceptions, status
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.pagination import PageNumberPagination
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request

from accounts.api_tokens.http import PAGE_SIZE, PAGE_SIZE_MAX, ToldRate, read_number
from accounts.api_tokens.operations import Caller
from engine.records import JsonObject, NamedValues, Texts
from interchange.strict_json import read_json

MAX_BODY = 1_048_576


class StrictJSONParser(BaseParser):
    """JSON of at most 1 MiB, an object at the top, every key once, only text a
    database can hold.

    An endpoint that answers for each part of a body by itself takes a larger one (``max_body``,
    bytes) and looks at the texts on its own (``refuses_texts`` False).
    """

    media_type = "application/json"
    renderer_class = JSONRenderer
    max_body = MAX_BODY
    refuses_texts = True

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: NamedValues | None = None,
    ) -> JsonObject:
        try:
            body = stream.read(self.max_body + 1)
        except RequestDataTooBig:
            raise _too_large(self.max_body) from None
        except OSError:  # the caller hung up
            raise exceptions.ParseError("The body ended before it was complete.") from None
        return decode(body, self.max_body, refuses_texts=self.refuses_texts)


def decode(
    body: bytes, max_body: int = MAX_BODY, *, refuses_texts: bool = True
) -> JsonObject:
    """The object in ``body``; raises ParseError (400) with a sentence for anything else."""
    if len(body) > max_body:
        raise _too_large(max_body)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise exceptions.ParseError(
            f"The body is not UTF-8 text (byte {error.start})."
        ) from None
    try:
        data = read_json(text, "The body")
    except ValueError as error:
        raise exceptions.ParseError(str(error)) from None
    if not isinstance(data, dict):
        raise exceptions.ParseError("The JSON must be an object, with { at the start.")
    if refuses_texts and (path := _unstorable(data)):
        where = printable("".join(path).removeprefix("."))
        raise exceptions.ValidationError(
            {where: ["This text holds a character that cannot be stored."]}
        )
    return data


def _too_large(max_body: int) -> exceptions.APIException:
    error = exceptions.APIException(f"The body is larger than {max_body:,} bytes.")
    error.status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    return error


def _unstorable(value: Any) -> Texts:
    """The way to the first text with NUL or half a surrogate pair, which no database keeps and no
    reader shows.

    Names are put together on the way back only: a long key over a long list would otherwise be
    copied for each item.
    """
    if isinstance(value, str):
        whole = value.encode("utf-8", "ignore").decode().replace("\0", "")
        return ("",) if whole != value else ()
    if isinstance(value, dict):
        for key, inner in value.items():
            if path := _unstorable(key) or _unstorable(inner):
                return (f".{key}", *path)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            if path := _unstorable(inner):
                return (f"[{index}]", *path)
    return ()


def printable(text: str, most: int = 80) -> str:
    """The text as it can be sent back: replaced where it is not valid, shortened where it is long."""
    safe = text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "?")
    return safe if len(safe) <= most else safe[: most - 1] + "…"


class AlwaysFirstRenderer(BaseContentNegotiation):
    """Answers in the view's own format whatever the Accept header says: a program gets JSON, never
    a 406.
    """

    def select_parser(
        self, request: Request, parsers: Iterable[BaseParser]
    ) -> BaseParser | None:
        content_type = (request.content_type or "").split(";")[0].strip().lower()
        return next((p for p in parsers if p.media_type == content_type), None)

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, str(first.media_type)


class PerAddress(ToldRate):
    """So many calls a minute for each address, signed in or not; of programs for each person,
    whatever their tokens.
    """

    scope = "address"

    def get_cache_key(self, request: Request, view: Any) -> str:
        caller: Any = getattr(request, "auth", None)
        is_program = isinstance(caller, Caller) and caller.is_program
        ident = f"person-{caller.owner.user_id}" if is_program else self.get_ident(request)
        return str(self.cache_format % {"scope": self.scope, "ident": ident})


class Pages(PageNumberPagination):
    """Fifty results a page; ``page_size`` up to 200.

    Raises 400 for a number that is none, 404 past the last page.
    """

    def get_page_size(self, request: Request) -> int:
        return read_number(request, "page_size", PAGE_SIZE, PAGE_SIZE_MAX)

    def get_page_number(self, request: Request, paginator: Any) -> int:
        number = request.query_params.get(self.page_query_param, "1")
        digits = number.lstrip("0")
        if not (number.isascii() and number.isdigit() and digits):
            raise exceptions.ValidationError({"page": ["A whole number from 1."]})
        # No list has so many pages, and Python reads no number of some thousand digits.
        if len(digits) > 9 or int(digits) > paginator.num_pages:
            raise exceptions.NotFound(
                f"There are {paginator.num_pages} pages; there is no page {printable(digits)}."
            )
        return int(digits)


def words_of_rate(rate: str) -> str:
    """``600/min`` as people say it."""
    number, _, period = rate.partition("/")
    names = {"s": "second", "m": "minute", "h": "hour", "d": "day"}
    return f"{int(number):,} calls a {names[period[0]]}"
