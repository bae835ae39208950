"""Addresses of leagues, club nights and campaigns, their rounds, lists and files."""

from collections.abc import Iterable

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from accounts.requests import page
from campaigns.exports import ALL_FILES
from campaigns.growth import views as growth
from campaigns.views import entries, events, exports, fixtures, round_lists, rounds, screens

WORDS: dict[str, Iterable[str]] = {
    "what": ALL_FILES,
    "data": exports.DRAW,
    "answer": entries.ANSWERS,
}
"""Parts of addresses that are one of some words."""

for name, choices in WORDS.items():
    register_converter(type(name, (StringConverter,), {"regex": "|".join(choices)}), name)

EVENT = "<token:token>/"
LIST = f"{EVENT}lists/<int:number>/"
PLAYER = f"{EVENT}players/<token:entry>/"
ROUND = f"{EVENT}rounds/<int:number>/"
GAME = f"{ROUND}games/<token:fixture>/"
ENTRY = f"{EVENT}entries/<token:entry>/"
FIXTURE = f"{EVENT}fixtures/<token:fixture>/"


urlpatterns = [
    page(f"{EVENT}lists/", round_lists.event_lists),
    page(LIST, round_lists.list_hand_in),
    path(f"{LIST}show/", round_lists.list_publish, {"is_shown": True}, name="list-publish"),
    path(
        f"{LIST}hide/", round_lists.list_publish, {"is_shown": False}, name="list-withdraw"
    ),
    page(f"{LIST}unlock/", round_lists.list_unlock),
    page(f"{LIST}remind/", round_lists.list_remind),
    page(f"{LIST}<token:entry>/", round_lists.list_read),
    page(f"{LIST}<token:entry>/check/", round_lists.list_check),
    path(
        f"{LIST}<token:entry>/hand-in/", round_lists.list_hand_in, name="list-hand-in-for"
    ),
    path(f"{LIST}<token:entry>/sheet.pdf", round_lists.list_sheet, name="list-pdf"),
    page(PLAYER, entries.entry_read),
    page(f"{PLAYER}waive/", round_lists.waiver_new),
    page(f"{PLAYER}waivers/<str:guideline>/", round_lists.waiver_revoke),
    page(f"{EVENT}challenges/", entries.challenge_new),
    page(f"{EVENT}challenges/<token:fixture>/<answer:answer>/", entries.challenge_answer),
    page(f"{EVENT}rounds/", rounds.round_list),
    page(f"{EVENT}rounds/new/", rounds.round_new),
    page(f"{EVENT}rounds/plan/", rounds.rounds_plan),
    page(ROUND, rounds.round_read),
    page(f"{ROUND}edit/", rounds.round_edit),
    page(f"{ROUND}seats/", rounds.round_seats),
    page(f"{ROUND}slips.pdf", exports.round_slips),
    page(f"{ROUND}remove/", rounds.round_remove),
    page(f"{ROUND}draw/", rounds.round_draw),
    page(f"{ROUND}late/", rounds.round_late),
    page(f"{ROUND}accept/", rounds.round_accept),
    page(f"{ROUND}results/", rounds.round_results),
    page(f"{ROUND}present/", rounds.round_present),
    page(f"{ROUND}check-in/", rounds.round_check_in),
    page(f"{ROUND}guest/", rounds.round_guest),
    page(f"{ROUND}print/", rounds.round_print),
    page(f"{ROUND}games/new/", fixtures.fixture_new),
    page(GAME, fixtures.fixture_change),
    page(f"{GAME}swap/", fixtures.fixture_swap),
    page(f"{GAME}remove/", fixtures.fixture_remove),
    page(f"{GAME}keep/", fixtures.fixture_keep),
    page("", events.event_list),
    page("public/", events.event_public),
    page("new/", events.event_new),
    page(EVENT, events.event_read),
    page(f"{EVENT}edit/", events.event_edit),
    page(f"{EVENT}rules/", events.event_rules),
    page(f"{EVENT}copy/", events.event_copy),
    page(f"{EVENT}entries/", entries.event_entries),
    page(f"{EVENT}scores/", entries.event_scores),
    page(ENTRY, entries.entry_edit),
    page(f"{ENTRY}drop/", entries.entry_drop),
    page(f"{ENTRY}rejoin/", entries.entry_rejoin),
    page(f"{ENTRY}admit/", entries.entry_admit),
    page(f"{EVENT}desk/", entries.event_desk),
    page(f"{EVENT}enter/", entries.event_enter),
    page(f"{EVENT}fixtures.ics", exports.event_calendar),
    page(f"{EVENT}files/", exports.event_files),
    page(f"{EVENT}calendar/renew/", exports.calendar_renew),
    page(f"{EVENT}calendar/renew-all/", exports.calendar_renew_all),
    page(f"{EVENT}summary.md", exports.event_summary),
    page(f"{EVENT}preview.png", exports.event_preview),
    page(f"{EVENT}<what:what>.<data:kind>", exports.event_export),
    page(f"{EVENT}standings/", events.standings_read),
    page("screens/<token:screen>/", screens.screen_read),
    page(f"{EVENT}screen/", screens.event_screen),
    page(f"{EVENT}discord/", screens.event_discord),
    page(f"{EVENT}log/", events.event_log),
    page(f"{EVENT}messages/", entries.event_messages),
    page(FIXTURE, fixtures.fixture_read),
    page(f"{FIXTURE}open/", fixtures.fixture_open),
    page(f"{FIXTURE}result/", fixtures.fixture_result),
    page(f"{FIXTURE}decide/", fixtures.fixture_decide),
    page(f"{FIXTURE}accept/", fixtures.fixture_accept),
    page(f"{FIXTURE}undo/", fixtures.fixture_undo),
    page(f"{FIXTURE}slip.pdf", exports.fixture_slip),
    page(f"{FIXTURE}field/", growth.fixture_field),
    page(f"{FIXTURE}after/", growth.fixture_after),
    page(f"{FIXTURE}after/answer/", growth.after_answer),
    page(f"{FIXTURE}after/objectives/", growth.after_objectives),
    page(f"{EVENT}growth/", growth.growth_book),
    page(f"{EVENT}growth/rules/", growth.growth_rules),
    page(f"{EVENT}growth/remind/", growth.growth_remind),
    page(f"{ENTRY}found/", growth.warband_found),
    page(f"{PLAYER}warband/", growth.campaign_warband),
    page(f"{PLAYER}warband/units/<str:unit>/", growth.campaign_unit),
    page(f"{PLAYER}warband/ledger/", growth.warband_ledger),
    page(f"{PLAYER}warband/trade/", growth.warband_trade),
    page(f"{PLAYER}warband/take-back/", growth.growth_take_back),
]
for verb in rounds.STEPS:
    address, name = f"{ROUND}{verb}/", f"round-{verb}"
    urlpatterns.append(path(address, rounds.round_step, {"verb": verb}, name=name))
for verb in events.STEPS:
    address, name = f"{EVENT}{verb}/", f"event-{verb}"
    urlpatterns.append(path(address, events.event_settle, {"verb": verb}, name=name))
