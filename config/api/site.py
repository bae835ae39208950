"""The site itself for programs: its version, and who may create an account."""

from typing import Any

from django.conf import settings

from accounts.api.endpoints import ApiCall, Endpoint, Section
from accounts.api.serializers import Answer, OneOf, Text
from accounts.api_tokens.authentication import BearerToken

SITE = Section("site", authentication=BearerToken)


class SiteAnswer(Answer):
    """What a program may want to know of the site before it asks for more."""

    version = Text(help_text="The release, named by its day, such as 2026.11.22.")
    registration = OneOf(
        choices=["open", "invited", "closed"], help_text="Who can create an account."
    )


@Endpoint("GET", SiteAnswer)
def read_site(call: ApiCall) -> dict[str, Any]:
    """Read the release of the site, and who can create an account."""
    return {"version": settings.VERSION, "registration": settings.REGISTRATION}


urlpatterns = [SITE.address("site/", read_site, name="api-site")]
