"""The accounts app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = "People and clubs"

    def ready(self) -> None:
        from accounts import requests

        requests.connect()
