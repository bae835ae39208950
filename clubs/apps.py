"""The pages and the API of clubs. Their rows stand in `accounts`."""

from django.apps import AppConfig


class ClubsConfig(AppConfig):
    name = "clubs"
    verbose_name = "Club pages"
