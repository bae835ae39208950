"""Addresses of clubs. A club is found by its slug, somebody in it by the id of their membership."""

from django.urls import path

from campaigns.views.clubs import inviting, lists, managing, reading

urlpatterns = [
    path("", lists.club_list, name="club-list"),
    path("new/", lists.club_new, name="club-new"),
    path("join/", inviting.club_find, name="club-find"),
    path("join/<str:code>/", inviting.club_join, name="club-join"),
    path("<slug:slug>/", reading.club_read, name="club-read"),
    path("<slug:slug>/edit/", managing.club_edit, name="club-edit"),
    path("<slug:slug>/leave/", managing.club_leave, name="club-leave"),
    path("<slug:slug>/invitation/", inviting.club_invite, name="club-invite"),
    path("<slug:slug>/invitation/renew/", inviting.club_renew, name="club-renew"),
    path("<slug:slug>/members/", managing.club_members, name="club-members"),
    path("<slug:slug>/members/<rowid:member_id>/role/", managing.member_role, name="member-role"),
    path(
        "<slug:slug>/members/<rowid:member_id>/remove/",
        managing.member_remove,
        name="member-remove",
    ),
    path(
        "<slug:slug>/members/<rowid:member_id>/hand-over/",
        managing.member_hand_over,
        name="member-hand-over",
    ),
]
