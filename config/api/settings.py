"""Settings of the API: its rate, what other sites' pages may read, and its document."""

from typing import Any

import re2

from config import env

API_RATE = env.text("API_RATE", "600/min")
if not re2.fullmatch(r"[1-9][0-9]{0,8}/(sec|min|hour|day)", API_RATE):
    env.refuse("API_RATE", "must look like 600/min (or /sec, /hour, /day).")
REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["accounts.api_tokens.authentication.BearerToken"],
    "DEFAULT_PERMISSION_CLASSES": ["accounts.api_tokens.authentication.TokenScope"],
    "UNAUTHENTICATED_USER": None,
    "DEFAULT_PARSER_CLASSES": ["config.api.base.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "config.api.base.AlwaysFirstRenderer",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_PAGINATION_CLASS": "config.api.base.Pages",
    "DEFAULT_THROTTLE_CLASSES": ["config.api.base.PerAddress"],
    "DEFAULT_THROTTLE_RATES": {"address": API_RATE},
    "EXCEPTION_HANDLER": "config.api.errors.exception_handler",
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Muster Roll",
    "VERSION": "1",
    "LICENSE": {"name": "MIT"},
    "DESCRIPTION": "Without an account: read rule books, price, check and print rosters, and work out odds. "
    "With the key of a battle: record it. With a token: use your warbands, clubs and events.",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVERS": [{"url": "/"}],
    "SERVE_PUBLIC": True,
    "SORT_OPERATIONS": False,
    "AUTHENTICATION_WHITELIST": [],  # one token for everything: `config.api.schema.complete_document` tells of it
    "TAGS": [
        {"name": "rosters", "description": "Nothing is stored."},
        {"name": "odds and dice", "description": "Nothing is stored."},
        {
            "name": "warbands",
            "description": "With a token: your warbands, and warbands shared with you.",
        },
        {
            "name": "clubs",
            "description": "Public clubs. With a token: your clubs as well.",
        },
        {
            "name": "leagues",
            "description": "Leagues, club nights and campaigns: players, rounds, games, standings.",
        },
        {
            "name": "campaign rules",
            "description": "How warbands grow in a campaign: the site's rules and those of clubs.",
        },
        {
            "name": "battles",
            "description": "Set up battles, record them, report results. The key of a battle lets its holder record.",
        },
        {
            "name": "jobs",
            "description": "What takes longer than a call: how far it is, and the file it made.",
        },
        {
            "name": "interchange",
            "description": "Lists of other apps, and army lists that clubs have written.",
        },
        {
            "name": "rule books",
            "description": "Army lists, units, weapons, charts and scenarios. Read only, in pages.",
        },
        {"name": "site", "description": "The release, and who can create an account."},
    ],
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {
        "LevelEnum": ["error", "warning", "note"],
        "FormatEnum": ["muster-roll/1"],
        "JobStatusEnum": ["waiting", "running", "done", "failed", "cancelled"],
        "BattleStatusEnum": ["open", "proposed", "confirmed", "disputed", "void"],
        "BattleVisibilityEnum": ["private", "link", "public"],
        "KindEnum": ["league", "night", "campaign"],
        "ActKindEnum": [
            *("recruit", "buy", "search", "sell", "give", "dismiss", "disband"),
            *("adjust", "unfought"),
        ],
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "config.api.schema.complete_document",
    ],
}

# Pages of other sites may read what everybody may, and ask what stores nothing; without cookies.
CORS_ALLOW_ALL_ORIGINS = True
CORS_ALLOW_CREDENTIALS = False
CORS_URLS_REGEX = (
    r"^/api/v1/(site|schema|systems|armies|profiles|weapons|armour|magic-items|scenarios"
    r"|rulings|guidelines|charts|check|sheet|odds|roll)/"
)
CORS_ALLOW_METHODS = ["GET", "HEAD", "OPTIONS", "POST"]
CORS_ALLOW_HEADERS = ["accept", "content-type", "if-none-match"]
CORS_EXPOSE_HEADERS = [
    "ETag",
    "RateLimit-Limit",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    "Retry-After",
]
