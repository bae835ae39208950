"""No address takes another's requests."""

import re
from collections.abc import Iterator
from contextlib import suppress

from django.urls import Resolver404, URLPattern, URLResolver, get_resolver, resolve

PART = re.compile(r"<(?:(\w+):)?\w+>")
VALUES = {"int": "7", "token": "A" * 16}


def routes(resolver: URLResolver, above: str = "") -> Iterator[tuple[str, URLPattern]]:
    for pattern in resolver.url_patterns:
        route = f"{above}{pattern.pattern}"
        if isinstance(pattern, URLResolver):
            yield from routes(pattern, route)
        elif not set(route) & set("^(\\"):  # regular expressions are of other packages
            yield route, pattern


def test_every_address_leads_to_its_own_view() -> None:
    addresses = [*routes(get_resolver())]
    assert len(addresses) > 250
    shadowed = []
    for route, pattern in addresses:
        path = "/" + PART.sub(lambda part: VALUES.get(part[1], "word"), route)
        with suppress(Resolver404):  # what a converter of its own refuses
            if resolve(path).url_name != pattern.name:
                shadowed.append(route)
    assert shadowed == []
