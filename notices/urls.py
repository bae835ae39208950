"""Addresses of notices."""

from accounts.requests import page
from notices import views

urlpatterns = [
    page("", views.notice_list),
    page("read/", views.notice_read_all),
    page("mail/", views.notice_mail),
    page("stop/<str:token>/", views.notice_stop),
    page("<int:notice_id>/open/", views.notice_open),
]
