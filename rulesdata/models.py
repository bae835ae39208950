"""Rows of the rule books, for lists and search.

The files are the source; ``data`` holds each record as in its file.

A row with a club is that club's own content and never touched by the load. It belongs to one of the
club's lists, an ``Army`` with a token: an army of its own, or one laid over an army of the packs
(``base``). A retired row is no longer in the files, or was put away by its club, but may still be
used somewhere.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from accounts.fields import (
    PART_OF,
    PART_OF_SOME,
    TOKEN_LENGTH,
    check,
    choice_field,
    index,
    moment_of_creation,
    optional_moment,
    optional_text,
    optional_user,
    token_field,
    unique,
)
from accounts.tokens import new_token

KEY_MAX = 100
# As long as a name may be in the files.
NAME_MAX = 120
# Kinds of jobs: the reading of files that were sent, and what is left of them.
READ_CATALOGUE = "read-catalogue"
FORGET_CATALOGUES = "forget-catalogues"


class Pack(models.Model):
    """Fields of what has files of its own: its name, and which version of them was loaded."""

    key = models.CharField(max_length=KEY_MAX, unique=True)
    name = models.CharField(max_length=NAME_MAX)
    summary = models.CharField(max_length=1000, blank=True)
    data_hash = models.CharField(max_length=64, editable=False)
    loaded_at = models.DateTimeField(editable=False)
    retired_at = optional_moment(editable=False)

    class Meta:
        abstract = True
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name


class System(Pack):
    """A rule system. Its mechanics stay in files."""

    collections: models.ManyToManyField[Collection, models.Model] = models.ManyToManyField(
        "Collection", related_name="systems", blank=True
    )


class Collection(Pack):
    """Army lists that belong together and that any system may field."""


class Content(models.Model):
    """Fields of everything the files project into rows."""

    key = models.CharField(max_length=KEY_MAX)
    name = models.CharField(max_length=NAME_MAX)
    club = models.ForeignKey("accounts.Club", related_name="+", null=True, **PART_OF_SOME)
    data = models.JSONField(default=dict)
    retired_at = optional_moment(editable=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.name


def unique_key_constraints(
    owner: str, name: str, *, of_club: str = ""
) -> list[models.BaseConstraint]:
    """A key stands once in its owner for the packs, and once for each club; there in ``of_club``
    where it is named.
    """
    return [
        unique(f"{name}_once_in_packs", owner, "key", condition=Q(club__isnull=True)),
        unique(
            f"{name}_once_in_a_club",
            of_club or owner,
            "key",
            "club",
            condition=Q(club__isnull=False),
        ),
    ]


class Army(Content):
    """An army list of a collection.

    A club's own has a ``token``, by which rosters name it, and a new ``stamp`` whenever anything in
    it changes. ``base`` is the key of the pack's army it lies over, empty for an army of its own.
    """

    collection = models.ForeignKey(
        Collection, on_delete=models.PROTECT, related_name="armies"
    )
    token = models.CharField(
        max_length=40, unique=True, null=True, blank=True, default=None, editable=False
    )
    base = optional_text(KEY_MAX)
    stamp = optional_text(32, editable=False)
    changed_at = optional_moment(editable=False)

    class Meta:
        ordering = ["name", "id"]
        verbose_name_plural = "armies"
        constraints = [
            *unique_key_constraints("collection", "army"),
            check("army_of_a_club_token", Q(club__isnull=True) | Q(token__isnull=False)),
        ]
        indexes = [index("army_of_club", "club", "name", "id")]


class Profile(Content):
    """A kind of warrior, or a mount, of an army list.

    ``points`` buys one entry; ``search`` is lower-case text.
    """

    army = models.ForeignKey(Army, on_delete=models.PROTECT, related_name="profiles")
    model_name = models.CharField(max_length=NAME_MAX, blank=True)
    category = models.CharField(max_length=20)
    troop_type = models.CharField(max_length=30)
    points = models.IntegerField()
    miniatures = models.PositiveSmallIntegerField(default=1)
    position = models.PositiveSmallIntegerField(default=0)
    is_offered = models.BooleanField(default=True)
    is_mount = models.BooleanField(default=False)
    is_special_character = models.BooleanField(default=False)
    is_wizard = models.BooleanField(default=False)
    is_incomplete = models.BooleanField(default=False)
    has_doubts = models.BooleanField(default=False)
    search = models.TextField(blank=True)

    class Meta:
        ordering = ["army", "position", "id"]
        constraints = unique_key_constraints("army", "profile")
        indexes = [
            index("profile_in_list_order", "army", "position", "id"),
            index("profile_by_name", "name", "id"),
            index("profile_by_kind", "category", "troop_type"),
        ]


class Weapon(Content):
    """A weapon of a collection, a club's own of one ``army``.

    ``range`` in inches and ``strength`` are as printed.
    """

    collection = models.ForeignKey(
        Collection, on_delete=models.PROTECT, related_name="weapons"
    )
    army = models.ForeignKey(Army, related_name="weapons", null=True, **PART_OF_SOME)
    type = models.CharField(max_length=20)
    range = models.CharField(max_length=12, blank=True)
    strength = models.CharField(max_length=12, blank=True)

    class Meta:
        ordering = ["name", "id"]
        constraints = unique_key_constraints("collection", "weapon", of_club="army")


class Armour(Content):
    """A piece of armour of a collection, a club's own of one ``army``."""

    collection = models.ForeignKey(
        Collection, on_delete=models.PROTECT, related_name="armour"
    )
    army = models.ForeignKey(Army, related_name="armour", null=True, **PART_OF_SOME)
    save_value = models.PositiveSmallIntegerField(null=True, blank=True)
    improves = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["name", "id"]
        verbose_name_plural = "armour"
        constraints = unique_key_constraints("collection", "armour", of_club="army")


class MagicItem(Content):
    """A magic item of an army: name, type and price."""

    army = models.ForeignKey(Army, on_delete=models.PROTECT, related_name="magic_items")
    type = models.CharField(max_length=40)
    points = models.IntegerField()
    is_unique = models.BooleanField(default=False)

    class Meta:
        ordering = ["army", "type", "name", "id"]
        constraints = unique_key_constraints("army", "magic_item")


class ClubLevels(models.Model):
    """How seriously a club takes a system's guidelines: code to error, warning, note or off.

    Its events begin so.
    """

    club = models.ForeignKey("accounts.Club", on_delete=models.CASCADE, related_name="+")
    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="+")
    levels = models.JSONField(default=dict)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name_plural = "club levels"
        constraints = [unique("levels_once_in_a_club", "club", "system")]

    def __str__(self) -> str:
        return f"{self.club}, {self.system}"


class CampaignRules(models.Model):
    """One version of a club's own campaign rules. Written once; the next one is another row.

    ``token`` is the same in all versions of a set, ``key`` the id that its documents give it.
    """

    club = models.ForeignKey("accounts.Club", related_name="+", **PART_OF)
    token = models.CharField(max_length=TOKEN_LENGTH, editable=False)
    key = models.CharField(max_length=40)
    version = models.PositiveIntegerField(default=1)
    name = models.CharField(max_length=NAME_MAX)
    document = models.JSONField()
    digest = models.CharField(max_length=32)
    author = optional_user()
    at = moment_of_creation()
    archived_at = optional_moment()

    class Meta:
        ordering = ["club", "key", "-version"]
        constraints = [
            unique("campaign_rules_version_once", "token", "version"),
            unique("campaign_rules_key_once_in_a_club", "club", "key", "version"),
        ]

    def __str__(self) -> str:
        return f"{self.name}, version {self.version}"


class CampaignRulesDraft(models.Model):
    """Campaign rules that a club is writing: the text as it was typed, right or wrong.

    ``base`` is the token of the set whose next version it will be, "" for a new set. ``name`` is
    that of the last text that could be read.
    """

    club = models.ForeignKey("accounts.Club", related_name="+", **PART_OF)
    token = token_field(new_token)
    base = models.CharField(max_length=TOKEN_LENGTH, blank=True, editable=False)
    name = models.CharField(max_length=NAME_MAX, default="", blank=True)
    text = models.TextField(default="", blank=True)
    author = optional_user()
    at = moment_of_creation()
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["club", "-changed_at"]
        constraints = [
            unique(
                "campaign_rules_one_draft_of_a_set", "club", "base", condition=~Q(base="")
            )
        ]
        indexes = [index("campaign_rules_drafts_of_club", "club", "changed_at")]

    def __str__(self) -> str:
        return f"Draft {self.token}"


class SentCatalogue(models.Model):
    """Files of another app that somebody sent for a club, and what they came to.

    ``author`` confirmed ``at`` that moment that the club may use them. ``files`` are held until
    they are read, and no longer. ``army`` is the list that they are read for, or that was made of
    them at ``taken_at``. ``outcome`` is a report or a refusal (names and figures only),
    ``document`` the list until it is taken. ``stamp`` is that of the list when it was read.
    """

    club = models.ForeignKey("accounts.Club", related_name="+", **PART_OF)
    token = token_field(new_token)
    army = models.ForeignKey(Army, related_name="+", null=True, **PART_OF_SOME)
    author = optional_user()
    at = moment_of_creation()
    key = optional_text(100, editable=False)
    wishes = models.JSONField(default=dict)
    files = models.BinaryField(null=True, editable=False)
    job = optional_text(TOKEN_LENGTH, editable=False)
    stamp = optional_text(32, editable=False)
    outcome = models.JSONField(default=dict, blank=True)
    document = models.JSONField(null=True, blank=True)
    taken_at = optional_moment(editable=False)

    class Meta:
        ordering = ["club", "-at"]
        constraints = [unique("catalogue_sent_once", "author", "key", condition=~Q(key=""))]
        indexes = [index("catalogues_of_club", "club", "at")]

    def __str__(self) -> str:
        return f"Files of {self.at:%Y-%m-%d}"


class Origin(models.TextChoices):
    """Where a scenario is from."""

    PACK = "pack", "Rule book"
    OWN = "own", "Written by a player"


class ScenarioVisibility(models.TextChoices):
    """Who may find a player's own scenario."""

    PRIVATE = "private", "Only me"
    LINK = "link", "Anyone with the link"
    CLUB = "club", "My club"
    PUBLIC = "public", "Public"


class Scenario(models.Model):
    """A scenario of a system: from its pack, or written by a person, for themselves or for their
    club.
    """

    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="scenarios")
    key = models.CharField(max_length=KEY_MAX)
    name = models.CharField(max_length=NAME_MAX)
    summary = models.CharField(max_length=1000, blank=True)
    sides = models.JSONField(default=list)
    setup = models.TextField(max_length=4000, blank=True)
    objectives = models.TextField(max_length=4000, blank=True)
    special_rules = models.JSONField(default=list)
    length = models.CharField(max_length=1000, blank=True)
    waives = models.JSONField(default=list)
    source = models.CharField(max_length=NAME_MAX, blank=True)
    search = models.TextField(
        blank=True, editable=False, help_text="Name and summary folded for search."
    )
    origin = choice_field(Origin.PACK, 10)
    visibility = choice_field(ScenarioVisibility.PRIVATE, 10)
    position = models.PositiveSmallIntegerField(default=0)
    club = models.ForeignKey(
        "accounts.Club", related_name="scenarios", null=True, **PART_OF_SOME
    )
    author = optional_user("scenarios")
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)
    retired_at = optional_moment(editable=False)

    class Meta:
        ordering = ["system", "position", "name", "id"]
        constraints = [
            unique("scenario_once_in_packs", "system", "key", condition=Q(origin="pack")),
            unique(
                "scenario_once_for_an_author",
                "system",
                "key",
                "author",
                condition=Q(origin="own"),
            ),
            check("scenario_origin", Q(origin__in=Origin.values)),
            check("scenario_visibility", Q(visibility__in=ScenarioVisibility.values)),
        ]
        indexes = [
            index("scenario_in_system", "system", "origin", "position", "id"),
            index("scenario_by_author", "author", "id"),
        ]

    def __str__(self) -> str:
        return self.name
