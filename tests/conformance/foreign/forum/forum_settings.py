"""The settings of a site that has more in its middleware than sessions."""

from pathlib import Path
from tempfile import TemporaryDirectory

FOLDER = TemporaryDirectory(prefix="forum")
SECRET_KEY = "only-for-this-test"  # noqa: S105 - it signs nothing that lasts
ALLOWED_HOSTS = ["forum.example", "127.0.0.1"]
ROOT_URLCONF = "forum_app"
USE_TZ = True
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": Path(FOLDER.name) / "forum.sqlite",
        "OPTIONS": {"timeout": 20},
    }
}
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
]
MIDDLEWARE = [
    "forum_middleware.maintenance",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "forum_middleware.TenantMiddleware",
    "forum_middleware.stand_in",
]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
