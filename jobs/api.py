"""Jobs for programs: how far one is that its person asked for, and the file that it made."""

from typing import Any

from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework.exceptions import APIException, NotFound
from rest_framework.reverse import reverse

from accounts.api.endpoints import ApiCall, Endpoint, Section, found, token_in_path
from accounts.api.serializers import Answer, Joined, Moment, OneOf, Text, Whole
from jobs.models import JobStatus
from jobs.queries import load_job
from jobs.storage import StoreAway, open_file

RETRY_SECONDS = 60
JOBS = Section("jobs", noun="job")
ID = token_in_path("token", "The job's id.")
NO_FILE = "This job has made no file, or it is not kept any more. Ask for it anew."
AWAY = "The store of finished files does not answer. Try again in a minute."


class JobAnswer(Answer):
    """A piece of work that takes longer than a call: how far it is, and what came of it."""

    id = Text(source="token")
    kind = Text()
    title = Text()
    status = OneOf(choices=JobStatus.values)
    done = Whole("So many parts of total are done.")
    total = Whole("0 until it is known.")
    percent = Whole()
    words = Text("What came of it, or why it failed.")
    file = Text("Its address, null while there is none.", allow_null=True)
    file_name = Text()
    file_type = Text("The media type, such as application/pdf.")
    created_at = Moment()
    started_at = Moment(allow_null=True)
    ended_at = Moment(allow_null=True)


class _StoreAway(APIException):
    status_code = 503
    default_detail = AWAY
    wait = RETRY_SECONDS  # the framework's handler makes Retry-After of it


@Endpoint("GET", JobAnswer, parameters=(ID,), needs_person=True)
def read_job(call: ApiCall, token: str) -> Any:
    """Read how far one of your jobs is, and the address of its file."""
    return shown_job(call, token)


@Endpoint(
    "GET",
    OpenApiTypes.BINARY,
    refusals=(503,),
    parameters=(ID,),
    needs_person=True,
    media_type="application/octet-stream",
)
def read_job_file(call: ApiCall, token: str) -> FileResponse:
    """Download the file of a job. The job has its name and type."""
    job = found("job", load_job(call.actor, token))
    if not job.file:
        raise NotFound(NO_FILE)
    try:
        file = open_file(job.file)
    except StoreAway:
        raise _StoreAway from None
    except OSError:
        raise NotFound(NO_FILE) from None
    # One type for all files, so that a generated client can read each of them.
    return FileResponse(
        file,
        as_attachment=True,
        filename=job.file_name,
        content_type="application/octet-stream",
    )


def shown_job(call: ApiCall, token: str) -> Any:
    """Return a job as its answer shows it; raises NotFound for one of somebody else's."""
    job = found("job", load_job(call.actor, token))
    address = reverse("api-job-file", args=[token], request=call.request)
    return Joined(job, file=address if job.file else None)


urlpatterns = [
    JOBS.address("jobs/<str:token>/", read_job, name="api-job"),
    JOBS.address("jobs/<str:token>/file/", read_job_file, name="api-job-file"),
]
