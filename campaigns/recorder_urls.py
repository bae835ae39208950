"""Addresses of the live recorder. The worker's own address is its scope: every page below /battles/."""

from django.urls import path

from campaigns.views import recorder

urlpatterns = [
    path("sw.js", recorder.recorder_worker, name="recorder-worker"),
    path("offline/", recorder.recorder_shell, name="recorder-shell"),
    path("<token:token>/record/", recorder.battle_record, name="battle-record"),
]
