"""Addresses of notices."""

from django.urls import path

from notices import views

urlpatterns = [
    path("", views.notice_list, name="notice-list"),
    path("read/", views.notice_read_all, name="notice-read-all"),
    path("mail/", views.notice_mail, name="notice-mail"),
    path("stop/<str:token>/", views.notice_stop, name="notice-stop"),
    path("<int:notice_id>/open/", views.notice_open, name="notice-open"),
]
