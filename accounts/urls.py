"""Addresses of the account pages.

Those of allauth follow; a page listed here stands before allauth's own.
"""

from allauth.account import views as allauth_views
from allauth.mfa.base import views as mfa_views
from allauth.mfa.totp import views as totp_views
from django.urls import path, re_path

from accounts import views
from accounts.views import telling_refusals

urlpatterns = [
    path("profile/", views.profile, name="account_profile"),
    path("delete/", views.close, name="account_close"),
    path("link/<str:token>/", views.link, name="account_link"),
    path("email/", views.email, name="account_email"),
    path("tokens/", views.programs, name="account_tokens"),
    path(
        "tokens/<int:token_id>/revoke/", views.revoke_program, name="account_token_revoke"
    ),
    path("signup/", views.signup, name="account_signup"),
    path("login/", telling_refusals(allauth_views.login), name="account_login"),
    path(
        "reauthenticate/",
        telling_refusals(allauth_views.reauthenticate),
        name="account_reauthenticate",
    ),
    path(
        "password/change/",
        telling_refusals(allauth_views.password_change),
        name="account_change_password",
    ),
    path(
        "password/set/",
        telling_refusals(allauth_views.password_set),
        name="account_set_password",
    ),
    path("password/reset/", views.password_reset, name="account_reset_password"),
    re_path(
        r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        telling_refusals(allauth_views.password_reset_from_key),
        name="account_reset_password_from_key",
    ),
    path(
        "2fa/authenticate/",
        telling_refusals(mfa_views.authenticate),
        name="mfa_authenticate",
    ),
    path(
        "2fa/reauthenticate/",
        telling_refusals(mfa_views.reauthenticate),
        name="mfa_reauthenticate",
    ),
    path(
        "2fa/totp/activate/",
        telling_refusals(totp_views.activate_totp),
        name="mfa_activate_totp",
    ),
]
