"""Chances in the product: combat profiles, fight modes, the calculator, dice. No rows."""

from django.apps import AppConfig


class OddsConfig(AppConfig):
    name = "odds"
    verbose_name = "Odds"
