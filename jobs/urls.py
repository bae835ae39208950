"""Addresses of jobs."""

from accounts.requests import page
from jobs import views

urlpatterns = [
    page("your-data/", views.job_personal_data),
    page("<str:token>/", views.job_read),
    page("<str:token>/file/", views.job_file),
    page("<str:token>/stop/", views.job_stop),
    page("<str:token>/again/", views.job_retry),
]
