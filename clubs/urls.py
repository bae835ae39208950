"""Addresses of clubs. A club is found by its slug, somebody in it by the id of their membership."""

from accounts.requests import page
from clubs import views

urlpatterns = [
    page("", views.club_list),
    page("new/", views.club_new),
    page("join/", views.club_find),
    page("join/<str:code>/", views.club_join),
    page("<slug:slug>/", views.club_read),
    page("<slug:slug>/edit/", views.club_edit),
    page("<slug:slug>/leave/", views.club_leave),
    page("<slug:slug>/invitation/", views.club_invite),
    page("<slug:slug>/invitation/renew/", views.club_renew),
    page("<slug:slug>/rulings/<str:system>/", views.club_rulings),
    page("<slug:slug>/seasons/", views.season_list),
    page("<slug:slug>/seasons/new/", views.season_new),
    page("<slug:slug>/seasons/<token:season>/", views.season_read),
    page("<slug:slug>/seasons/<token:season>/edit/", views.season_edit),
    page("<slug:slug>/seasons/<token:season>/remove/", views.season_remove),
    page("<slug:slug>/players/<token:entry>/", views.player_record),
    page("<slug:slug>/members/", views.club_members),
    page("<slug:slug>/members/<rowid:member_id>/role/", views.member_role),
    page("<slug:slug>/members/<rowid:member_id>/remove/", views.member_remove),
    page("<slug:slug>/members/<rowid:member_id>/hand-over/", views.member_hand_over),
]
