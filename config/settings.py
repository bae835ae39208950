"""Every setting, each value from the environment through `config.env`.

docs/deploy.md lists the variables.
"""

import tomllib
import zoneinfo
from pathlib import Path
from typing import Any

import re2
from csp.constants import NONE, SELF

from config import env, logs

BASE_DIR = Path(__file__).resolve().parent.parent

with (BASE_DIR / "pyproject.toml").open("rb") as _file:
    VERSION: str = tomllib.load(_file)["project"]["version"]

# --- Where it runs -----------------------------------------------------------------------------------------------

DEBUG = env.flag("DEBUG", default=False)
DATA_DIR = env.folder("DATA_DIR", BASE_DIR / "var")
SECRET_KEY = env.secret("SECRET_KEY", DATA_DIR / "secret_key")

HOST = env.text("HOST", "127.0.0.1")
PORT = env.whole("PORT", 8000, low=1, high=65535)
THREADS = env.whole("THREADS", 8, low=1, high=256)
PROCESSES = env.whole("WEB_CONCURRENCY", 1, low=1, high=64)
# A club sits behind one router: 50 phones with a page and an event stream each are one address.
CONNECTIONS_PER_ADDRESS = env.whole("CONNECTIONS_PER_ADDRESS", 600, low=64, high=2000)

_SITE = env.site_url("SITE_URL", f"http://localhost:{PORT}")
SITE_URL = _SITE.geturl()
IS_HTTPS = _SITE.scheme == "https"
TRUST_PROXY = env.flag("TRUST_PROXY", default=False)

ALLOWED_HOSTS = list(
    dict.fromkeys(
        [
            "localhost",
            "127.0.0.1",
            "[::1]",
            _SITE.hostname or "localhost",
            *env.words("MUSTER_HOSTS"),
        ]
    )
)
CSRF_TRUSTED_ORIGINS = [SITE_URL]

# --- Parts -------------------------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "config",
    "clubs",
    "campaigns",
    "battles",
    "warbands",
    "odds",
    "rulesdata",
    "notices",
    "jobs",
    "accounts",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.usersessions",
    "corsheaders",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.sitemaps",
    "django.contrib.staticfiles",
    "django.forms",
    "django_htmx",
    "django_structlog",
    "drf_spectacular",
    "rest_framework",
    "template_partials",
]

MIDDLEWARE = [
    "config.middleware.SecurityHeadersMiddleware",
    "config.middleware.SiteAddressMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.ProbesMiddleware",
    "corsheaders.middleware.CorsMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.middleware.CompressionMiddleware",
    "config.middleware.PrivacyMiddleware",
    "config.middleware.RequestLogMiddleware",
    "config.middleware.RateHeadersMiddleware",
    "config.middleware.RequestLimitsMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.middleware.MethodPageMiddleware",
    "config.middleware.RefusalPageMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
ASGI_APPLICATION = "config.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": [
                *("config.ui.buttons", "config.ui.figures"),
                *("config.ui.forms", "config.ui.blocks"),
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.pages.site_foot",
                "notices.views.unread",
            ],
        },
    }
]
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"  # so that templates/ can replace a widget's HTML
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

# --- Database ----------------------------------------------------------------------------------------------------

SQLITE_JOURNAL_MODE = env.SQLITE_JOURNAL_MODE
_DATABASE = env.with_options(
    env.database("DATABASE_URL", f"sqlite:///{DATA_DIR / 'db.sqlite3'}"), THREADS
)
DATABASES = {"default": _DATABASE}

# --- Cache and sessions --------------------------------------------------------------------------------------------

REDIS_URL = env.text("REDIS_URL", "")
_SHARED = {"LOCATION": REDIS_URL, "KEY_PREFIX": "muster"}
_OWN = {
    "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
    "OPTIONS": {"MAX_ENTRIES": 20_000},
}
CACHES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "config.cache.PatientCache", **_SHARED} if REDIS_URL else _OWN,
    "sessions": {"BACKEND": "config.cache.SessionCache", **_SHARED} if REDIS_URL else _OWN,
    # The printed documents each process drew last.
    "documents": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "documents",
        "OPTIONS": {"MAX_ENTRIES": 64},
    },
}
if REDIS_URL and not REDIS_URL.startswith(("redis://", "rediss://", "unix://")):
    env.refuse("REDIS_URL", "must look like redis://host:6379/0.")

# Work behind the pages: done by a thread of the server, or by Celery workers where there is a Redis
# (docs/deploy.md).
JOBS_RUNNER = "celery" if REDIS_URL else "thread"
JOBS_DIR = DATA_DIR / "jobs"

_HOST_ONLY = "__Host-" if IS_HTTPS else ""
SESSION_ENGINE = "django.contrib.sessions.backends.cached_db"
SESSION_CACHE_ALIAS = "sessions"
SESSION_COOKIE_AGE = 90 * 24 * 3600  # seconds; as long as an unclaimed warband is kept
SESSION_COOKIE_NAME = f"{_HOST_ONLY}session"
CSRF_COOKIE_NAME = f"{_HOST_ONLY}csrf"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = IS_HTTPS
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "config.pages.csrf_failure"

# --- Security ------------------------------------------------------------------------------------------------------

# All that follows the scheme of SITE_URL, so that plain http on a club's own network works.
SECURE_SSL_REDIRECT = IS_HTTPS
SECURE_SSL_HOST = _SITE.netloc
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_HSTS_SECONDS = (
    env.whole("HSTS_SECONDS", 365 * 24 * 3600, low=0, high=10 * 365 * 24 * 3600)
    if IS_HTTPS
    else 0
)
SECURE_HSTS_INCLUDE_SUBDOMAINS = IS_HTTPS and env.flag("HSTS_SUBDOMAINS", default=True)
SECURE_HSTS_PRELOAD = False
# Preloading binds a whole domain for years and is its owner's to ask for.
SILENCED_SYSTEM_CHECKS = ["security.W021"]
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
PERMISSIONS_POLICY = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"

# Forwarded headers can be typed by anyone; they count only behind a proxy that overwrites them.
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUST_PROXY else None
USE_X_FORWARDED_HOST = TRUST_PROXY
ALLAUTH_TRUSTED_PROXY_COUNT = 1 if TRUST_PROXY else 0

CONTENT_SECURITY_POLICY: dict[str, Any] = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "worker-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "upgrade-insecure-requests": IS_HTTPS,
    }
}

# --- What a request may hold ---------------------------------------------------------------------------------------

DATA_UPLOAD_MAX_MEMORY_SIZE = 2_621_440  # bytes, files not counted
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000
DATA_UPLOAD_MAX_NUMBER_FILES = 10
FILE_UPLOAD_MAX_MEMORY_SIZE = DATA_UPLOAD_MAX_MEMORY_SIZE
REQUEST_MAX_BYTES = (
    4_300_000  # the whole body, files counted; the API takes 4 MiB of events at once
)

HEADER_MAX_BYTES = 32_768  # of the first line and all headers of a request
ADDRESS_MAX_LENGTH = 8190  # characters; gunicorn and most proxies take no longer line

# What visitors store: a battle, one address in a day, all battles and all rosters.
UNCLAIMED_BATTLE_BYTES = env.whole("UNCLAIMED_BATTLE_MB", 2, low=1, high=10) * 1_000_000
UNCLAIMED_ADDRESS_BYTES = (
    env.whole("UNCLAIMED_ADDRESS_MB", 50, low=1, high=10_000) * 1_000_000
)
UNCLAIMED_SITE_BYTES = (
    env.whole("UNCLAIMED_SITE_MB", 2000, low=1, high=1_000_000) * 1_000_000
)

# --- Accounts ------------------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = LOGOUT_REDIRECT_URL = "/"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.ScryptPasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ["email", "name"]},
    },
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]

EMAIL_SETTINGS = env.mail("EMAIL_URL")
globals().update(EMAIL_SETTINGS)
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.text(
    "EMAIL_FROM", f"Muster Roll <noreply@{_SITE.hostname}>"
)

# Without a mail server nobody could confirm an address or be sent a link.
SENDS_MAIL = bool(env.text("EMAIL_URL", ""))
ACCOUNT_ADAPTER = "accounts.entrance.AccountAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_SIGNUP_FORM_CLASS = "accounts.forms.NameAtSignUp"
ACCOUNT_FORMS = {
    "login": "accounts.entrance.LoginForm",
    "signup": "accounts.entrance.SignupForm",
    "add_email": "accounts.entrance.AddEmailForm",
    "change_password": "accounts.entrance.ChangePasswordForm",
    "set_password": "accounts.entrance.SetPasswordForm",
    "reset_password": "accounts.entrance.ResetPasswordForm",
    "reset_password_from_key": "accounts.entrance.ResetPasswordKeyForm",
    "reauthenticate": "accounts.entrance.ReauthenticateForm",
}
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if SENDS_MAIL else "none"
ACCOUNT_EMAIL_NOTIFICATIONS = SENDS_MAIL
ACCOUNT_CHANGE_EMAIL = True  # one address for each account
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Muster Roll: "
ACCOUNT_DEFAULT_HTTP_PROTOCOL = _SITE.scheme
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = False
ACCOUNT_REAUTHENTICATION_REQUIRED = True
# By address alone: a limit by e-mail would let a stranger lock the owner out.
ACCOUNT_RATE_LIMITS = {"login_failed": "10/5m/ip"}
# Wrong codes of one account, from whatever addresses.
SECOND_STEP_RATES = {"second_step": "5/5m/key"}
MFA_ADAPTER = "accounts.entrance.MFAAdapter"
MFA_FORMS = {
    "authenticate": "accounts.entrance.AuthenticateForm",
    "reauthenticate": "accounts.entrance.MFAReauthenticateForm",
    "activate_totp": "accounts.entrance.ActivateTOTPForm",
}
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Muster Roll"
MFA_ALLOW_UNVERIFIED_EMAIL = not SENDS_MAIL

# --- Language and time ---------------------------------------------------------------------------------------------

LANGUAGE_CODE = "en-gb"
LANGUAGES = [("en-gb", "English")]
USE_I18N = True
USE_TZ = True
TIME_ZONE = env.text("TIME_ZONE", "Europe/London")
try:
    zoneinfo.ZoneInfo(TIME_ZONE)
except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
    env.refuse(
        "TIME_ZONE", f"must be a time zone such as Europe/London, not {TIME_ZONE[:40]!r}."
    )

# --- Static files --------------------------------------------------------------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.statics.StaticFiles"},
    "finished": {"BACKEND": "jobs.storage.DatabaseFiles"},
}
MEDIA_ROOT = DATA_DIR / "media"
WHITENOISE_USE_FINDERS = DEBUG
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_ALLOW_ALL_ORIGINS = False

# --- Hosting --------------------------------------------------------------------------------

IS_LOCAL = (_SITE.hostname or "") in {"localhost", "127.0.0.1", "::1"}
DEMO = env.flag("DEMO", default=IS_LOCAL)
REGISTRATION = env.choice("REGISTRATION", "open", ("open", "invited", "closed"))
IMPRINT = env.text_file("IMPRINT_FILE")
PRIVACY = env.text_file("PRIVACY_FILE")

# Where finished files of jobs lie: the database, or a bucket.
S3_BUCKET = env.text("S3_BUCKET", "")
if S3_BUCKET:
    STORAGES["finished"] = {
        "BACKEND": "jobs.object_store.ObjectStore",
        "OPTIONS": {
            "bucket_name": S3_BUCKET,
            "endpoint_url": env.text("S3_ENDPOINT", "") or None,
            "region_name": env.text("S3_REGION", "") or None,
            "access_key": env.text("S3_ACCESS_KEY"),
            "secret_key": env.text("S3_SECRET_KEY"),
        },
    }

# Signing in with an account of another site, where its keys are set.
SOCIALACCOUNT_ADAPTER = "accounts.entrance.SocialAccountAdapter"
SOCIALACCOUNT_FORMS = {"signup": "accounts.entrance.SocialSignupForm"}
SOCIALACCOUNT_PROVIDERS: dict[str, dict[str, Any]] = {}
_PROVIDERS = (("google", "https://accounts.google.com"), ("discord", "https://discord.com"))
for _name, _origin in _PROVIDERS:
    _client = env.text(f"{_name.upper()}_CLIENT_ID", "")
    if _client:
        _secret = env.text(f"{_name.upper()}_CLIENT_SECRET")
        SOCIALACCOUNT_PROVIDERS[_name] = {
            "APPS": [{"client_id": _client, "secret": _secret}],
            "OAUTH_PKCE_ENABLED": True,
        }
        INSTALLED_APPS.append(f"allauth.socialaccount.providers.{_name}")
        # A browser counts where a form's answer leads to as a target of the form.
        CONTENT_SECURITY_POLICY["DIRECTIVES"]["form-action"].append(_origin)

# Figures for Prometheus, on an address of their own; several processes take the ports from it on.
METRICS = env.address("METRICS")
if METRICS:
    INSTALLED_APPS.append("django_prometheus")
    MIDDLEWARE.insert(0, "django_prometheus.middleware.PrometheusBeforeMiddleware")
    MIDDLEWARE.append("django_prometheus.middleware.PrometheusAfterMiddleware")

SENTRY_DSN = env.text("SENTRY_DSN", "")
if SENTRY_DSN:
    logs.begin_error_reports(SENTRY_DSN, VERSION)

# --- Logs ----------------------------------------------------------------------------------------------------------

LOGGING = logs.settings("DEBUG" if DEBUG else "INFO")
DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False
DJANGO_STRUCTLOG_COMMAND_LOGGING_ENABLED = False
logs.configure()

# --- API ---------------------------------------------------------------------------------------------------------

API_RATE = env.text("API_RATE", "600/min")
if not re2.fullmatch(r"[1-9][0-9]{0,8}/(sec|min|hour|day)", API_RATE):
    env.refuse("API_RATE", "must look like 600/min (or /sec, /hour, /day).")
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["accounts.api_tokens.http.BearerToken"],
    "DEFAULT_PERMISSION_CLASSES": ["accounts.api_tokens.http.TokenScope"],
    "UNAUTHENTICATED_USER": None,
    "DEFAULT_PARSER_CLASSES": ["config.api.base.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "config.api.base.AlwaysFirstRenderer",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_PAGINATION_CLASS": "config.api.base.Pages",
    "DEFAULT_THROTTLE_CLASSES": ["config.api.base.PerAddress"],
    "DEFAULT_THROTTLE_RATES": {"address": API_RATE},
    "EXCEPTION_HANDLER": "config.api.errors.exception_handler",
    "NUM_PROXIES": 1 if TRUST_PROXY else 0,
}
_API_TAGS = {
    "rosters": "Nothing is stored.",
    "odds and dice": "Nothing is stored.",
    "warbands": "With a token: your warbands, and warbands shared with you.",
    "clubs": "Public clubs. With a token: your clubs as well.",
    "leagues": "Leagues, club nights, campaigns and tournaments: players, rounds, games, standings.",
    "campaign rules": "How warbands grow in a campaign: the site's rules and those of clubs.",
    "battles": "Set up battles, record them, report results. The key of a battle lets its holder record.",
    "jobs": "What takes longer than a call: how far it is, and the file it made.",
    "interchange": "Lists of other apps, and army lists that clubs have written.",
    "rule books": "Army lists, units, weapons, charts and scenarios. Read only, in pages.",
    "site": "The release, and who can create an account.",
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
    "TAGS": [{"name": name, "description": text} for name, text in _API_TAGS.items()],
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {
        "LevelEnum": ["error", "warning", "note"],
        "FormatEnum": ["muster-roll/1"],
        "JobStatusEnum": ["waiting", "running", "done", "failed", "cancelled"],
        "BattleStatusEnum": ["open", "proposed", "confirmed", "disputed", "void"],
        "BattleVisibilityEnum": ["private", "link", "public"],
        "KindEnum": ["league", "night", "campaign", "one_day"],
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
