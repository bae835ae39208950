"""Endpoints: one declaration reads the body, calls, shows the answer and feeds the document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypeVar

from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.serializers import Answer, Body, Text
from accounts.api_tokens.http import (
    IF_MATCH,
    PAGE_SIZE,
    PAGE_SIZE_MAX,
    PAGES,
    PAGES_MAX,
    BearerToken,
    TokenScope,
    Visitor,
    calling_owner,
    calling_person,
    expected,
    page_answer,
    page_shape,
    read_number,
    unless_read,
)
from accounts.errors import NotFound
from accounts.owner import Owner
from engine.records import JsonObject, Numbers, TextByKey, Texts, frozen_dataclass

T = TypeVar("T")


class RefusedField(Answer):
    """One thing that is wrong."""

    field = Text()
    message = Text()


class RefusalAnswer(Answer):
    """Why something was refused."""

    detail = Text("The first sentence of what is wrong.")
    errors = RefusedField(many=True)  # type: ignore[assignment]  # a key of ours
    code = Text()  # which there are `config.api.schema` writes


REFUSALS = {
    400: "Refused: which fields are wrong, and their limits.",
    401: "The token is not known, is out of date or was revoked; or one is needed and none was sent.",
    403: "Not the caller's to do, or not among the scopes of the token.",
    404: "There is no such thing or page, or it is not shared with the caller.",
    409: "It does not go with how things stand, or these have changed since.",
    412: "It has changed since it was read.",
    413: "The body is too large.",
    415: "The body is not sent as application/json.",
    422: "The Idempotency-Key was used before for something else.",
    428: "If-Match is missing.",
    429: "Too many calls from this address, or too much stored by it in a day.",
    503: "It took too long; try again.",
    507: "There is no room left for what is to be stored.",
}
KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="Sent again, it is done once.",
)


def token_in_path(name: str, description: str) -> OpenApiParameter:
    """Return the part of an address that is a row's token."""
    shape = {"type": "string", "pattern": "^[A-Za-z0-9_-]{16}$"}
    return OpenApiParameter(name, shape, OpenApiParameter.PATH, description=description)


def choice_in_path(name: str, choices: Iterable[str]) -> OpenApiParameter:
    """Return the part of an address that is one of a few words."""
    shape = {"type": "string", "enum": [*choices]}
    return OpenApiParameter(name, shape, OpenApiParameter.PATH)


def choice_in_query(
    name: str, choices: Iterable[str], description: str = ""
) -> OpenApiParameter:
    """Return a parameter that is one of a few, the first if left out; see `ApiCall.choice`."""
    values = [*choices]
    shape = {"type": "string", "enum": values, "default": values[0]}
    return OpenApiParameter(name, shape, description=description)


FLAG = ("0", "1")
UNKNOWN_MOST = 20  # parameters that a refusal names; an address may hold thousands


@frozen_dataclass
class ApiCall:
    """One call: who makes it, what its body says, and the version that If-Match names."""

    request: Request
    actor: Owner
    body: JsonObject
    version: int | None = None

    @property
    def key(self) -> str:
        """The request's own key, "" where none was sent."""
        return self.request.headers.get("Idempotency-Key", "")

    @property
    def data(self) -> JsonObject:
        """The body as it was sent, for whoever reads it whole."""
        sent: Any = self.request.data
        return dict(sent)

    @property
    def page(self) -> dict[str, int]:
        """The ``page`` and ``per_page`` asked for; raises 400."""
        return {
            "page": read_number(self.request, "page", 1, PAGES_MAX),
            "per_page": read_number(self.request, "page_size", PAGE_SIZE, PAGE_SIZE_MAX),
        }

    def person(self) -> Owner:
        """Return who calls; raises 401 where nobody does."""
        return calling_person(self.request)

    def text(self, name: str, default: str = "") -> str:
        """Return a parameter of the address."""
        return self.request.query_params.get(name, default)

    def choice(self, name: str, choices: Texts) -> str:
        """Return a parameter that is one of a few, the first if left out; raises 400."""
        value = self.text(name, choices[0])
        if value not in choices:
            raise exceptions.ValidationError(
                {name: [f"{name} must be {' or '.join(choices)}."]}
            )
        return value

    def flag(self, name: str) -> bool:
        """Return a parameter that is 0 or 1, 0 if left out; raises 400."""
        return self.choice(name, FLAG) == "1"


@frozen_dataclass
class Versioned:
    """An answer with the version that its ETag names."""

    record: Any
    version: int | str


@dataclass(frozen=True)
class Endpoint:
    """One method of an address: a decorator of the function that does it.

    ``answer`` is an Answer (of one row where ``is_paged``), a shape for the document, whose value
    goes as it is, or None where nothing is answered; ``beside`` are answers of other statuses, which
    the function returns as a response. ``refusals`` are statuses beside those that
    follow from the rest. A path parameter with an enumeration is checked before the body is read.
    """

    method: str
    answer: Any
    body: type[Body] | None = None
    status: int = 200
    refusals: Numbers = ()
    parameters: tuple[OpenApiParameter, ...] = ()
    is_paged: bool = False
    needs_person: bool = False
    needs_version: bool = False
    takes_key: bool = False
    request: Any = None
    media_type: str = ""
    beside: Mapping[int, Any] = field(default_factory=dict)
    run: Callable[..., Any] = id  # the function, whose name is the operation's id

    def __call__(self, run: Callable[..., Any]) -> Endpoint:
        return replace(self, run=run)

    @cached_property
    def shown(self) -> Any:
        """The answer's one instance, None where values go as they are."""
        return self.answer() if isinstance(self.answer, type) else self.answer

    def statuses(self) -> set[int]:
        """Return every status this refuses with."""
        locations = {parameter.location for parameter in self.parameters}
        statuses = {400, 401, 429, *self.refusals}
        if self.is_paged or OpenApiParameter.PATH in locations:
            statuses |= {404}
        if self.method != "GET":
            statuses |= {403}
        if self.body or self.request:
            statuses |= {413, 415}
        return statuses | {412, 428} if self.needs_version else statuses

    def all_parameters(self) -> list[OpenApiParameter]:
        """Return its parameters with those that follow from the rest."""
        return [
            *self.parameters,
            *(PAGES if self.is_paged else ()),
            *([IF_MATCH] if self.needs_version else ()),
            *([KEY] if self.takes_key else ()),
        ]

    def answers(self) -> dict[Any, Any]:
        """Return what it answers, by status, for the document."""
        shape: Any = self.shown
        if self.is_paged:
            row: Any = type(self.shown)
            shape = page_shape(row)
        if shape is None:
            shape = OpenApiResponse(description="Done; there is nothing to say.")
        success: Any = (self.status, self.media_type) if self.media_type else self.status
        refused = {
            status: OpenApiResponse(RefusalAnswer, description=REFUSALS[status])
            for status in sorted(self.statuses())
        }
        return {success: shape, **self.beside, **refused}

    def handler(self, tag: str) -> Callable[..., HttpResponseBase]:
        """Return the method of a view, which tells the document about itself."""
        text = (self.run.__doc__ or "").strip()

        def answer(view: Any, request: Request, **arguments: Any) -> HttpResponseBase:
            call = self.read(request, arguments)
            return self.respond(request, self.run(call, **arguments))

        described = extend_schema(
            operation_id=self.run.__name__,
            summary=text.split("\n")[0].rstrip("."),
            description=" ".join(text.split()),
            parameters=self.all_parameters(),
            request=self.request or self.body,
            responses=self.answers(),
            tags=[tag],
        )
        return described(answer)

    def read(self, request: Request, arguments: JsonObject) -> ApiCall:
        """Return the call; raises 404, 401, 428 and 400, in this order."""
        for parameter in self.parameters:
            steps = parameter.type.get("enum") if isinstance(parameter.type, dict) else None
            is_in_path = parameter.location == OpenApiParameter.PATH
            if steps and is_in_path and arguments[parameter.name] not in steps:
                raise exceptions.NotFound(f"The steps are {', '.join(steps)}.")
        actor = calling_person(request) if self.needs_person else calling_owner(request)
        version = expected(request) if self.needs_version else None
        self.refuse_unknown(request)
        body: JsonObject = {}
        if self.body:
            is_partial = self.method == "PATCH"
            body = self.body.read(request.data, is_partial=is_partial, **arguments)
        return ApiCall(request, actor, body, version)

    def respond(self, request: Request, done: Any) -> HttpResponseBase:
        """Return the answer of what was done."""
        if isinstance(done, HttpResponseBase):
            return done
        if isinstance(done, Versioned):
            response = self.respond(request, done.record)
            response["ETag"] = f'"{done.version}"'
            return response
        if self.is_paged:
            return page_answer(request, done, self.shown.to_representation)
        is_read = isinstance(self.shown, Answer)
        data = self.shown.to_representation(done) if is_read else done
        return Response(data, status=self.status)

    def refuse_unknown(self, request: Request) -> None:
        """Raise 400 naming the parameters of the address that are none of this endpoint."""
        parameters = self.all_parameters()
        names = [p.name for p in parameters if p.location == OpenApiParameter.QUERY]
        hint = f"the parameters are {', '.join(names)}" if names else "there are none"
        unknown = [key for key in request.query_params if key not in names]
        if unknown:
            sentence = f"is not a parameter here; {hint}."
            raise exceptions.ValidationError(
                {key: [sentence] for key in unknown[:UNKNOWN_MOST]}
            )


class PublicView(APIView):
    """Answers that depend on nobody: caches may store them, and ask each time whether they hold.

    So what is read is never out of date, and each answer tells its caller's own rate.
    """

    is_for_everybody = True

    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """Return the answer; a success is validated by its ETag once it is drawn."""
        response = super().finalize_response(request, response, *args, **kwargs)
        if request.method in ("GET", "HEAD") and response.status_code == 200:
            response.add_post_render_callback(partial(unless_read, request._request))
        return response


@frozen_dataclass
class Section:
    """The endpoints of one subject: how they are called, who may call them, and how often.

    ``noun`` names what is not there in a 404; ``fields`` tell keys of the API for the words by
    which an operation's refusal names them. ``view`` is what its addresses are made of. ``parts``
    describe what addresses hold: each endpoint has those that its route names.
    """

    tag: str
    noun: str = "page"
    scope: str = ""
    authentication: type[BearerToken] = Visitor
    permission: type[TokenScope] = TokenScope
    fields: TextByKey = field(default_factory=dict)
    settings: JsonObject = field(default_factory=dict)
    view: type[APIView] = APIView
    parts: tuple[OpenApiParameter, ...] = ()

    def address(self, route: str, *endpoints: Endpoint, name: str) -> URLPattern:
        """Return the address of these endpoints, one for each method."""
        parts = tuple(part for part in self.parts if f":{part.name}>" in route)
        methods = {}
        for endpoint in endpoints:
            parameters = (*parts, *endpoint.parameters)
            method = replace(endpoint, parameters=parameters).handler(self.tag)
            methods[endpoint.method.lower()] = method
        # An address that only reads answers HEAD too, as it always has.
        is_read = list(methods) == ["get"]
        names = [*methods, *(["head"] if is_read else []), "options"]
        attributes = {
            "http_method_names": names,
            "authentication_classes": [self.authentication],
            "permission_classes": [self.permission],
            "scope": "" if is_read else str(self.scope),
            "section": self,
            **self.settings,
            **methods,
        }
        view = type("Address", (self.view,), attributes)
        return path(route, view.as_view(), name=name)  # type: ignore[attr-defined]


def found(what: str, record: T | None) -> T:
    """Return the record; raises NotFound where there is none."""
    if record is None:
        raise NotFound(what)
    return record
