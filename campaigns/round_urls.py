"""Addresses of rounds and of the games in them, below an event's own."""

from django.urls import path

from campaigns.views.events import fixtures, night, rounds

ROUND = "<token:token>/rounds/<int:number>/"
GAME = f"{ROUND}games/<token:fixture>/"

urlpatterns = [
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
    path(f"{ROUND}present/", night.round_present, name="round-present"),
    path(f"{ROUND}check-in/", night.round_check_in, name="round-check-in"),
    path(f"{ROUND}guest/", night.round_guest, name="round-guest"),
    path(f"{ROUND}games/new/", fixtures.fixture_new, name="fixture-new"),
    path(GAME, fixtures.fixture_change, name="fixture-change"),
    path(f"{GAME}swap/", fixtures.fixture_swap, name="fixture-swap"),
    path(f"{GAME}remove/", fixtures.fixture_remove, name="fixture-remove"),
    path(f"{GAME}keep/", fixtures.fixture_keep, name="fixture-keep"),
]
