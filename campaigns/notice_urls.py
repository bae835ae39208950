"""Addresses of notices."""

from django.urls import path

from campaigns.views import notices

urlpatterns = [
    path("", notices.notice_list, name="notice-list"),
    path("read/", notices.notice_read_all, name="notice-read-all"),
    path("mail/", notices.notice_mail, name="notice-mail"),
    path("stop/<str:token>/", notices.notice_stop, name="notice-stop"),
    path("<int:notice_id>/open/", notices.notice_open, name="notice-open"),
]
