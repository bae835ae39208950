"""Static files as they are served: compressed, and under names that say what is in them."""

from whitenoise.storage import CompressedManifestStaticFilesStorage

MODULES = "js/battle/*.js"
IMPORT = r"""(?P<matched>from "(?P<url>\./[\w-]+\.js)")"""


class StaticFiles(CompressedManifestStaticFilesStorage):
    """Also renames what our JavaScript modules import from each other.

    An open page fetches its modules one after the other, and must never mix those of two releases.
    """

    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        (MODULES, ((IMPORT, 'from "%(url)s"'),)),
    )
