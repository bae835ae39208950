"""What a site keeps of one person, as a zip of JSON files that they download.

It is a job, so that its size holds up no request. An app with data of its own adds a part when it
is ready; its files are written one after the other.
"""

import json
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from allauth.socialaccount.models import SocialAccount
from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone

from accounts.models import ApiToken, Membership, User
from accounts.owner import Owner
from engine.records import named_values
from jobs.handlers import JobFailed, JobResult, Work
from jobs.queue import JobDraft, enqueue

PERSONAL_DATA = "personal-data"
FILE = "your-data.zip"
GONE = "This account has been deleted."
DataFile = tuple[str, Any]
"""The name of a file without its ending, and what stands in it as JSON."""
DataPart = Callable[[int], Iterator[DataFile]]

# Filled when the apps are ready, and never changed afterwards.
_PARTS: list[DataPart] = []


def add_part(part: DataPart) -> None:
    """Add what an app keeps of a person: the files for a person's number."""
    _PARTS.append(part)


def ask_for_data(actor: Owner, back: str) -> str:
    """Ask for everything that is kept of this person; returns the job's token.

    Of one that is being made already it is that one's.
    """
    draft = JobDraft(
        PERSONAL_DATA,
        "Your data",
        {"person": actor.user_id},
        key=str(actor.user_id),
        back=back,
        back_label="Your account",
    )
    return enqueue(actor, draft)


def collect(work: Work) -> JobResult:
    """Write the zip. Raises JobFailed where the account was closed in the meantime."""
    user_id = work.payload["person"]
    if not User.objects.filter(pk=user_id).exists():
        raise JobFailed(GONE)
    work.folder.mkdir(parents=True, exist_ok=True)
    draft = work.folder / f".{FILE}"
    count = 0
    with ZipFile(draft, "w", ZIP_DEFLATED) as archive:
        parts = (part(user_id) for part in (account_files, *_PARTS))
        for name, content in chain.from_iterable(parts):
            text = json.dumps(content, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2)
            archive.writestr(f"{name}.json", text)
            count += 1
            work.progress(count, 0)
    draft.replace(work.folder / FILE)
    day = timezone.localdate().isoformat()
    return JobResult(
        words=f"{count} files. They hold personal data: do not share them.",
        file=FILE,
        name=f"muster-roll-{day}.zip",
        type="application/zip",
    )


def account_files(user_id: int) -> Iterator[DataFile]:
    """The account itself, its clubs and its programs, without any secret."""
    user = User.objects.get(pk=user_id)
    memberships = Membership.objects.filter(user=user).select_related("club")
    tokens = ApiToken.objects.filter(user=user)
    account = {
        **named_values(user, "email", "name", "created_at", "last_login"),
        "clubs": [
            {"name": row.club.name, "role": row.role, "joined_at": row.joined_at}
            for row in memberships
        ],
        "programs": list(
            tokens.values("name", "prefix", "scopes", "created_at", "expires_at")
        ),
        "other_sites": list(
            SocialAccount.objects.filter(user=user).values("provider", "uid", "last_login")
        ),
        "written_at": timezone.now(),
    }
    yield "account", account
