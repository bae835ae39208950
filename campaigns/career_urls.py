"""Addresses below a warband's that tell of its battles."""

from django.urls import path

from campaigns.views import careers

urlpatterns = [path("<token:token>/career/", careers.warband_career, name="warband-career")]
