"""Addresses of odds and dice."""

from django.urls import path

from warbands.views import odds, odds_tools

urlpatterns = [
    path("", odds.odds_read, name="odds-read"),
    path("choose/", odds.odds_choose, name="odds-choose"),
    path("match-up/", odds_tools.match_up_read, name="match-up-read"),
    path("tests/", odds_tools.test_read, name="test-read"),
    path("dice/", odds_tools.dice_read, name="dice-read"),
    path("dice/clear/", odds_tools.dice_clear, name="dice-clear"),
]
