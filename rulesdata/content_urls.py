"""Addresses of what clubs have written, below the slug of the club and the token of the list."""

from django.urls import path, register_converter

from rulesdata import addresses
from rulesdata.views import content, records

register_converter(addresses.UrlPart, "part")
register_converter(addresses.Gear, "gear")

LIST = "<slug:slug>/lists/<slug:token>/"

urlpatterns = [
    path("<slug:slug>/", content.content_list, name="content-list"),
    path("<slug:slug>/levels/<slug:system>/", content.levels_edit, name="levels-edit"),
    path("<slug:slug>/lists/new/", content.list_new, name="own-list-new"),
    path("<slug:slug>/lists/upload/", content.list_upload, name="own-list-upload"),
    path(LIST, content.own_list, name="own-list"),
    path(f"{LIST}edit/", content.list_edit, name="own-list-edit"),
    path(f"{LIST}retire/", content.list_retire, name="own-list-retire"),
    path(f"{LIST}restore/", content.list_restore, name="own-list-restore"),
    path(f"{LIST}file/", content.list_file, name="own-list-file"),
    path(f"{LIST}upload/", content.list_upload, name="own-list-replace"),
    path(f"{LIST}profiles/new/", records.profile_edit, name="own-profile-new"),
    path(f"{LIST}profiles/<slug:key>/", records.profile_read, name="own-profile"),
    path(f"{LIST}profiles/<slug:key>/edit/", records.profile_edit, name="own-profile-edit"),
    path(f"{LIST}<gear:part>/new/", records.gear_edit, name="own-gear-new"),
    path(f"{LIST}<gear:part>/<slug:key>/edit/", records.gear_edit, name="own-gear-edit"),
    path(f"{LIST}<part:part>/<slug:key>/retire/", records.record_retire, name="own-record-retire"),
    path(
        f"{LIST}<part:part>/<slug:key>/restore/", records.record_restore, name="own-record-restore"
    ),
]
