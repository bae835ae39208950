"""Addresses of odds and dice."""

from django.urls import path

from warbands.views import odds

urlpatterns = [
    path("", odds.odds_read, name="odds-read"),
    path("choose/", odds.odds_choose, name="odds-choose"),
    path("match-up/", odds.match_up_read, name="match-up-read"),
    path("tests/", odds.test_read, name="test-read"),
    path("dice/", odds.dice_read, name="dice-read"),
    path("dice/clear/", odds.dice_clear, name="dice-clear"),
]
