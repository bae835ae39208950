"""Every address of the site, found by walking the URLconf."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from django.urls import URLPattern, URLResolver, get_resolver, resolve
from django.urls.resolvers import RegexPattern, RoutePattern

_ARGUMENT = re.compile(r"<(?:\w+:)?(\w+)>")
_GROUP = re.compile(r"\(\?P<(\w+)>[^()]*\)")


@dataclass(frozen=True, slots=True)
class Route:
    """One pattern. ``name`` is the URL name, or the pattern itself where it has none."""

    name: str
    template: str
    arguments: tuple[str, ...]

    def url(self, values: Mapping[str, object]) -> str:
        """The address with these arguments; raises KeyError for one that is missing."""
        return "/" + self.template.format(**{name: values[name] for name in self.arguments})


@cache
def routes() -> tuple[Route, ...]:
    """Each pattern once; of two with the same name the one that answers."""
    found: dict[str, Route] = {}
    for route in _walk(get_resolver().url_patterns):
        found.setdefault(route.name, route)
    return tuple(found.values())


def _walk(
    patterns: Iterable[URLPattern | URLResolver], before: str = "", space: str = ""
) -> Iterator[Route]:
    for pattern in patterns:
        here = before + _template(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(
                pattern.url_patterns,
                here,
                f"{pattern.namespace}:" if pattern.namespace else space,
            )
        else:
            arguments = tuple(dict.fromkeys(re.findall(r"{(\w+)}", here)))
            yield Route(
                f"{space}{pattern.name}" if pattern.name else f"/{here}", here, arguments
            )


def _template(pattern: object) -> str:
    """The pattern as a format string; raises TypeError for a kind of pattern this walk does not
    know.
    """
    if isinstance(pattern, RoutePattern):
        return _ARGUMENT.sub(r"{\1}", str(pattern))
    if isinstance(pattern, RegexPattern):
        text = str(pattern).removeprefix("^").removesuffix("$")
        return _GROUP.sub(r"{\1}", text)
    raise TypeError(f"A URL pattern of an unknown kind: {pattern!r}")


def named(name: str) -> Route:
    return next(route for route in routes() if route.name == name)


def leads_to(url: str) -> str:
    found = resolve(re.split("[?#]", url)[0])
    return (
        found.view_name
        if found.url_name
        else "/" + _GROUP.sub(r"{\1}", _ARGUMENT.sub(r"{\1}", found.route)).rstrip("$")
    )
