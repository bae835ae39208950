"""Addresses of lists and waivers, of one entry's page, and of what only campaigns have."""

from django.urls import path, register_converter

from campaigns.views.events import campaigning, handing_in, player, waivers
from engine.events.steps import KINDS


class StepConverter:
    """A kind of step after a battle in an address."""

    regex = "|".join(KINDS)

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class AnswerConverter(StepConverter):
    """An answer to a challenge in an address."""

    regex = "|".join(campaigning.ANSWERS)


register_converter(StepConverter, "step")
register_converter(AnswerConverter, "answer")

_LIST = "<token:token>/lists/<int:number>/"
_PLAYER = "<token:token>/players/<token:entry>/"

urlpatterns = [
    path("<token:token>/lists/", handing_in.event_lists, name="event-lists"),
    path(_LIST, handing_in.list_hand_in, name="list-hand-in"),
    path(f"{_LIST}show/", handing_in.list_publish, {"is_shown": True}, name="list-publish"),
    path(f"{_LIST}hide/", handing_in.list_publish, {"is_shown": False}, name="list-withdraw"),
    path(f"{_LIST}unlock/", handing_in.list_unlock, name="list-unlock"),
    path(f"{_LIST}<token:entry>/", handing_in.list_read, name="list-read"),
    path(f"{_LIST}<token:entry>/hand-in/", handing_in.list_hand_in, name="list-hand-in-for"),
    path(f"{_LIST}<token:entry>/sheet.pdf", handing_in.list_sheet, name="list-pdf"),
    path(_PLAYER, player.entry_read, name="entry-read"),
    path(f"{_PLAYER}waive/", waivers.waiver_new, name="waiver-new"),
    path(f"{_PLAYER}waivers/<str:guideline>/", waivers.waiver_revoke, name="waiver-revoke"),
    path(f"{_PLAYER}steps/<step:sort>/", player.step_take, name="step-take"),
    path(f"{_PLAYER}steps/<int:step_id>/", player.step_revoke, name="step-revoke"),
    path("<token:token>/steps/", campaigning.event_steps, name="event-steps"),
    path("<token:token>/challenges/", campaigning.challenge_new, name="challenge-new"),
    path(
        "<token:token>/challenges/<token:fixture>/<answer:answer>/",
        campaigning.challenge_answer,
        name="challenge-answer",
    ),
]
