"""Addresses of jobs."""

from django.urls import path

from jobs import views

urlpatterns = [
    path("<str:token>/", views.job_read, name="job-read"),
    path("<str:token>/state.json", views.job_state, name="job-state"),
    path("<str:token>/file/", views.job_file, name="job-file"),
    path("<str:token>/stop/", views.job_stop, name="job-stop"),
    path("<str:token>/again/", views.job_retry, name="job-retry"),
]
