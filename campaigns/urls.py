"""Addresses of leagues, club nights and campaigns, their rounds, lists and files."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from campaigns.exports import WHATS
from campaigns.views import entries, events, exports, fixtures, round_lists, rounds
from engine.tournament.campaign_steps import KINDS


class WhatConverter(StringConverter):
    """What of an event a file holds."""

    regex = "|".join(WHATS)


class DataConverter(StringConverter):
    """A kind of file for programs."""

    regex = "|".join(exports.DRAW)


register_converter(WhatConverter, "what")
register_converter(DataConverter, "data")


class StepConverter(StringConverter):
    """A kind of step after a battle in an address."""

    regex = "|".join(KINDS)


class AnswerConverter(StringConverter):
    """An answer to a challenge in an address."""

    regex = "|".join(entries.ANSWERS)


register_converter(StepConverter, "step")
register_converter(AnswerConverter, "answer")

_LIST = "<token:token>/lists/<int:number>/"
_PLAYER = "<token:token>/players/<token:entry>/"


ROUND = "<token:token>/rounds/<int:number>/"
GAME = f"{ROUND}games/<token:fixture>/"

urlpatterns = [
    path("<token:token>/lists/", round_lists.event_lists, name="event-lists"),
    path(_LIST, round_lists.list_hand_in, name="list-hand-in"),
    path(f"{_LIST}show/", round_lists.list_publish, {"is_shown": True}, name="list-publish"),
    path(f"{_LIST}hide/", round_lists.list_publish, {"is_shown": False}, name="list-withdraw"),
    path(f"{_LIST}unlock/", round_lists.list_unlock, name="list-unlock"),
    path(f"{_LIST}<token:entry>/", round_lists.list_read, name="list-read"),
    path(f"{_LIST}<token:entry>/hand-in/", round_lists.list_hand_in, name="list-hand-in-for"),
    path(f"{_LIST}<token:entry>/sheet.pdf", round_lists.list_sheet, name="list-pdf"),
    path(_PLAYER, entries.entry_read, name="entry-read"),
    path(f"{_PLAYER}waive/", round_lists.waiver_new, name="waiver-new"),
    path(f"{_PLAYER}waivers/<str:guideline>/", round_lists.waiver_revoke, name="waiver-revoke"),
    path(f"{_PLAYER}steps/<step:sort>/", entries.step_take, name="step-take"),
    path(f"{_PLAYER}steps/<int:step_id>/", entries.step_revoke, name="step-revoke"),
    path("<token:token>/steps/", events.event_steps, name="event-steps"),
    path("<token:token>/challenges/", entries.challenge_new, name="challenge-new"),
    path(
        "<token:token>/challenges/<token:fixture>/<answer:answer>/",
        entries.challenge_answer,
        name="challenge-answer",
    ),
    path("<token:token>/rounds/", rounds.round_list, name="round-list"),
    path("<token:token>/rounds/new/", rounds.round_new, name="round-new"),
    path("<token:token>/rounds/plan/", rounds.rounds_plan, name="rounds-plan"),
    path(ROUND, rounds.round_read, name="round-read"),
    path(f"{ROUND}edit/", rounds.round_edit, name="round-edit"),
    path(f"{ROUND}remove/", rounds.round_remove, name="round-remove"),
    path(f"{ROUND}draw/", rounds.round_draw, name="round-draw"),
    path(f"{ROUND}late/", rounds.round_late, name="round-late"),
    path(f"{ROUND}publish/", rounds.round_step, {"verb": "publish"}, name="round-publish"),
    path(f"{ROUND}close/", rounds.round_step, {"verb": "close"}, name="round-close"),
    path(f"{ROUND}reopen/", rounds.round_step, {"verb": "reopen"}, name="round-reopen"),
    path(f"{ROUND}withdraw/", rounds.round_step, {"verb": "withdraw"}, name="round-withdraw"),
    path(f"{ROUND}present/", rounds.round_present, name="round-present"),
    path(f"{ROUND}check-in/", rounds.round_check_in, name="round-check-in"),
    path(f"{ROUND}guest/", rounds.round_guest, name="round-guest"),
    path(f"{ROUND}games/new/", fixtures.fixture_new, name="fixture-new"),
    path(GAME, fixtures.fixture_change, name="fixture-change"),
    path(f"{GAME}swap/", fixtures.fixture_swap, name="fixture-swap"),
    path(f"{GAME}remove/", fixtures.fixture_remove, name="fixture-remove"),
    path(f"{GAME}keep/", fixtures.fixture_keep, name="fixture-keep"),
    path("", events.event_list, name="event-list"),
    path("public/", events.event_public, name="event-public"),
    path("new/", events.event_new, name="event-new"),
    path("<token:token>/edit/", events.event_edit, name="event-edit"),
    path("<token:token>/archive/", events.event_settle, {"verb": "archive"}, name="event-archive"),
    path("<token:token>/restore/", events.event_settle, {"verb": "restore"}, name="event-restore"),
    path("<token:token>/finish/", events.event_settle, {"verb": "finish"}, name="event-finish"),
    path("<token:token>/reopen/", events.event_settle, {"verb": "reopen"}, name="event-reopen"),
    path("<token:token>/entries/", entries.event_entries, name="event-entries"),
    path("<token:token>/entries/<token:entry>/", entries.entry_edit, name="entry-edit"),
    path("<token:token>/entries/<token:entry>/drop/", entries.entry_drop, name="entry-drop"),
    path("<token:token>/entries/<token:entry>/rejoin/", entries.entry_rejoin, name="entry-rejoin"),
    path("<token:token>/enter/", entries.event_enter, name="event-enter"),
    path("<token:token>/", events.event_read, name="event-read"),
    path("<token:token>/fixtures.ics", exports.event_calendar, name="event-calendar"),
    path("<token:token>/files/", exports.event_files, name="event-files"),
    path("<token:token>/summary.md", exports.event_summary, name="event-summary"),
    path("<token:token>/<what:what>.<data:kind>", exports.event_export, name="event-export"),
    path("<token:token>/standings/", events.standings_read, name="standings-read"),
    path("<token:token>/log/", events.event_log, name="event-log"),
    path("<token:token>/fixtures/<token:fixture>/", fixtures.fixture_read, name="fixture-read"),
    path(
        "<token:token>/fixtures/<token:fixture>/open/", fixtures.fixture_open, name="fixture-open"
    ),
    path(
        "<token:token>/fixtures/<token:fixture>/result/",
        fixtures.fixture_result,
        name="fixture-result",
    ),
    path(
        "<token:token>/fixtures/<token:fixture>/decide/",
        fixtures.fixture_decide,
        name="fixture-decide",
    ),
    path(
        "<token:token>/fixtures/<token:fixture>/slip.pdf",
        fixtures.fixture_slip,
        name="fixture-slip",
    ),
    path("<token:token>/rounds/<int:number>/print/", exports.round_print, name="round-print"),
]
