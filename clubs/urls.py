"""Addresses of clubs. A club is found by its slug, somebody in it by the id of their membership."""

from django.urls import path

from clubs import views

urlpatterns = [
    path("", views.club_list, name="club-list"),
    path("new/", views.club_new, name="club-new"),
    path("join/", views.club_find, name="club-find"),
    path("join/<str:code>/", views.club_join, name="club-join"),
    path("<slug:slug>/", views.club_read, name="club-read"),
    path("<slug:slug>/edit/", views.club_edit, name="club-edit"),
    path("<slug:slug>/leave/", views.club_leave, name="club-leave"),
    path("<slug:slug>/invitation/", views.club_invite, name="club-invite"),
    path("<slug:slug>/invitation/renew/", views.club_renew, name="club-renew"),
    path("<slug:slug>/members/", views.club_members, name="club-members"),
    path("<slug:slug>/members/<rowid:member_id>/role/", views.member_role, name="member-role"),
    path(
        "<slug:slug>/members/<rowid:member_id>/remove/",
        views.member_remove,
        name="member-remove",
    ),
    path(
        "<slug:slug>/members/<rowid:member_id>/hand-over/",
        views.member_hand_over,
        name="member-hand-over",
    ),
]
