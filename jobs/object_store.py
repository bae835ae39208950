"""S3-compatible storage for finished files. Only a site with `S3_BUCKET` loads this, and boto3."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from storages.backends.s3 import S3Storage

from jobs.storage import StoreAway

# Seconds. A job's worker counts as dead after 40 of silence, and a page waits in a thread.
CONNECT, READ = 3, 15


@contextmanager
def _answering() -> Iterator[None]:
    """Raise StoreAway for whatever boto3 raises."""
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        # Its own words name the address of the file.
        raise StoreAway(type(error).__name__) from error


class ObjectStore(S3Storage):
    """A private bucket, whose failures are errors of files: StoreAway, or FileNotFoundError."""

    def get_default_settings(self) -> dict[str, Any]:
        """Return short waits, and nothing that anybody may read."""
        return super().get_default_settings() | {
            "client_config": Config(
                connect_timeout=CONNECT,
                read_timeout=READ,
                retries={"total_max_attempts": 2},
                signature_version="s3v4",
            ),
            "default_acl": None,
            "file_overwrite": True,
            "max_memory_size": 1_048_576,
        }

    def _open(self, name: str, mode: str = "rb") -> Any:
        with _answering():
            file = super()._open(name, mode)
            _ = file.file  # fetched whole, so that a failure comes before the answer begins
            return file

    def _save(self, name: str, content: Any) -> str:
        with _answering():
            return super()._save(name, content)

    def delete(self, name: str) -> None:
        """Delete all files of a job: the name is its token."""
        with _answering():
            for file in self.listdir(name)[1]:
                super().delete(f"{name}/{file}")
