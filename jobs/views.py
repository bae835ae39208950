"""A job's page: its progress, its result, the file it made. Without script it reloads itself."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.requests import owner_of, read_page, record_or_404, refused_as_message
from jobs import queries
from jobs.personal_data import ask_for_data
from jobs.queue import cancel, retry
from jobs.storage import StoreAway, open_file

AWAY = "The file store does not answer. Try again in a minute."
GONE = "This file has been deleted. Create it again."


@login_required
@read_page
def job_read(request: HttpRequest, token: str) -> HttpResponse:
    """Show how far a job is; htmx gets the part that changes."""
    _, job = record_or_404(queries.load_job, request, token)
    is_part = getattr(request, "htmx", False)
    if job.leads_on and is_part:
        return HttpResponse(headers={"HX-Redirect": job.back})
    if job.leads_on:
        return redirect(job.back)
    template = "jobs/read.html#progress" if is_part else "jobs/read.html"
    return render(request, template, {"job": job})


@login_required
@read_page
def job_file(request: HttpRequest, token: str) -> HttpResponseBase:
    """The file a job made; back to its page where it is not kept any more."""
    _, job = record_or_404(queries.load_job, request, token)
    if not job.file:
        raise Http404
    try:
        file = open_file(job.file)
    except OSError as error:
        messages.error(request, AWAY if isinstance(error, StoreAway) else GONE)
        return redirect("job-read", token=token)
    return FileResponse(file, filename=job.file_name, content_type=job.file_type)


@login_required
@require_POST
def job_personal_data(request: HttpRequest) -> HttpResponse:
    """Begin to collect everything that is kept of whoever asks."""
    token = ask_for_data(owner_of(request), reverse("account_profile"))
    return redirect("job-read", token=token)


@login_required
@require_POST
def job_stop(request: HttpRequest, token: str) -> HttpResponse:
    """Stop a job that is not over."""
    cancel(owner_of(request), token)
    return redirect("job-read", token=token)


@login_required
@require_POST
def job_retry(request: HttpRequest, token: str) -> HttpResponse:
    """Do a job again that failed or was stopped."""
    with refused_as_message(request):
        retry(owner_of(request), token)
    return redirect("job-read", token=token)
