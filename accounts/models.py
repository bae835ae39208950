"""People, clubs, who belongs to which club, one-time sign-in links, and the tokens of programs."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.utils import timezone

from accounts.fields import (
    LowerCaseEmailField,
    check,
    choice_field,
    moment_of_creation,
    optional_moment,
    optional_text,
    unique,
)

NAME_MAX = 60
CLUB_NAME_MAX = 80
CLUB_DESCRIPTION_MAX = 2000
CLUB_CODE_LENGTH = 6
MEMBERS_MAX = 2000
TOKEN_NAME_MAX = 60
REQUEST_KEY_MAX = 40
PATH_MAX = 200


class UserManager(BaseUserManager["User"]):
    """Creates people for Django's own commands; everything else uses `operations`."""

    def create_user(self, email: str, password: str | None = None, **extra: Any) -> User:
        """A new person; without a password nobody can sign in with one."""
        if not email:
            raise ValueError("An account needs an email address.")
        user = self.model(email=email.strip().lower(), **extra)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(
        self, email: str, password: str | None = None, **extra: Any
    ) -> User:
        """A new person who may use the whole administration."""
        return self.create_user(
            email, password, **{**extra, "is_staff": True, "is_superuser": True}
        )


def display_name_of(pk: int | None, name: str | None) -> str:
    """Return what others see of a person by the columns of their row; "" for nobody."""
    return "" if pk is None else name or f"Player {pk}"


class User(AbstractBaseUser, PermissionsMixin):
    """One person. Signs in with the email address; others see only `name`."""

    email = LowerCaseEmailField("e-mail address", unique=True)
    name = models.CharField("display name", max_length=NAME_MAX, blank=True)
    is_active = models.BooleanField("may sign in", default=True)
    is_staff = models.BooleanField("may use the administration", default=False)
    created_at = moment_of_creation()
    # The page they came from when they signed up, such as an invitation, until they are back there.
    goes_to = optional_text(PATH_MAX)

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS = []

    objects = UserManager()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.display_name

    @property
    def display_name(self) -> str:
        """What others see. Never the e-mail address."""
        return display_name_of(self.pk, self.name)

    def get_full_name(self) -> str:
        return self.display_name

    def get_short_name(self) -> str:
        return self.display_name


class Club(models.Model):
    """A group of players.

    An unlisted club is found only by its members and by those who have its code. ``rulings`` are
    those it plays otherwise, by the address of a rule system, and ``house_rules`` those that are on
    or off there.
    """

    name = models.CharField(max_length=CLUB_NAME_MAX)
    slug = models.SlugField(max_length=CLUB_NAME_MAX, unique=True)
    code = models.CharField(max_length=CLUB_CODE_LENGTH, unique=True)
    description = models.TextField(max_length=CLUB_DESCRIPTION_MAX, blank=True)
    is_public = models.BooleanField("listed", default=False)
    rulings = models.JSONField(default=dict, blank=True)
    house_rules = models.JSONField(default=dict, blank=True)
    created_at = moment_of_creation()
    members = models.ManyToManyField(User, through="Membership", related_name="clubs")

    class Meta:
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name

    @property
    def text_hash(self) -> str:
        """Tells one state of what the club says about itself from another."""
        # Sixteen digits are enough: only states of one club are told from each other.
        return sha256(
            repr((self.name, self.description, self.is_public)).encode()
        ).hexdigest()[:16]


class Role(models.TextChoices):
    """What somebody may do in a club; an owner may do all that an organiser may."""

    OWNER = "owner", "Owner"
    ORGANISER = "organiser", "Organiser"
    MEMBER = "member", "Member"


class Membership(models.Model):
    """One person in one club, in one role."""

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = choice_field(Role.MEMBER, 10)
    joined_at = moment_of_creation()

    class Meta:
        ordering = ["joined_at", "id"]
        constraints = [
            unique("membership_once_per_club", "club", "user"),
            check("membership_role", models.Q(role__in=Role.values)),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.club} ({self.get_role_display()})"


class OneTimeLink(models.Model):
    """A link that signs one person in once. Only a hash of its token is kept."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="one_time_links")
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = moment_of_creation()
    expires_at = models.DateTimeField()
    used_at = optional_moment()

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"Sign-in link for {self.user}"


class Scope(models.TextChoices):
    """What a program may change for somebody; reading needs none of them."""

    WARBANDS = "warbands:write", "Warbands"
    BATTLES = "battles:write", "Battles"
    EVENTS = "events:write", "Events"
    CLUBS = "clubs:write", "Clubs"


class ApiToken(models.Model):
    """What a program shows to act for one person; of the secret only a hash is kept.

    ``prefix`` finds the row. ``scopes`` are what it may change; without any it only reads.
    ``request_key`` is that of the form that made it. ``text`` is the whole token, only where it was
    made just now: nobody can be shown it again.
    """

    text = ""
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=TOKEN_NAME_MAX)
    prefix = models.CharField(max_length=10, unique=True)
    secret_hash = models.CharField(max_length=64)
    scopes = models.JSONField(default=list, blank=True)
    request_key = optional_text(REQUEST_KEY_MAX)
    created_at = moment_of_creation()
    expires_at = models.DateTimeField()
    last_used_at = optional_moment()
    revoked_at = optional_moment()

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            unique(
                "api_token_once_per_form",
                "user",
                "request_key",
                condition=~models.Q(request_key=""),
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix})"

    @property
    def is_live(self) -> bool:
        """Whether it works: neither revoked nor expired."""
        return self.revoked_at is None and self.expires_at > timezone.now()

    @property
    def changes(self) -> list[str]:
        """What it may change, in words; a scope of an older release is none by now."""
        return [str(Scope(scope).label) for scope in self.scopes if scope in Scope.values]
