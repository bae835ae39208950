"""Files of another app that a club is sent: read by a job, then taken into a list of the club.

The files are held until they are read, whatever comes of it. What is kept are names and figures.
"""

import hashlib
import io
import json
import resource
from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from accounts.errors import FaultyDocument, KeyReused, Stale
from accounts.models import Club
from accounts.owner import Owner
from engine.errors import Refusal
from engine.records import Fields, Texts, frozen_dataclass, named_values
from interchange.files import NamedBytes, ReadingLimits, check_sent, read_apart
from interchange.translation import Frame, ReadFiles, ReadingWishes, read_files
from jobs.handlers import JobFailed, JobResult, Work
from jobs.queries import is_under_way, live_jobs
from jobs.queue import JobDraft, enqueue
from rulesdata import own_store
from rulesdata.catalogue_lists.versions import unit_digests, unit_keys, with_staying
from rulesdata.models import READ_CATALOGUE, Army, SentCatalogue
from rulesdata.operations.own_lists import lock_list, upload_list
from rulesdata.own_lists import dump
from rulesdata.queries.clubs import load_club_to_write, load_list_to_write
from rulesdata.queries.lookup import find_printed_lists
from rulesdata.queries.sent_catalogues import (
    NOT_THERE,
    CatalogueDraft,
    UnreadFiles,
    cut_texts,
    find_sent,
    last_taken,
    read_draft,
)

READINGS_MAX = 20
READING_SECONDS_MAX = 1200
_WISHES = ("collection", "base", "catalogue", "price_type", "token")
LIMITS = ReadingLimits(60, "files", "Send one catalogue with what it needs.")
DAY = timedelta(days=1)
FAULTS_TOLD = 20
MAY_USE = "Confirm that your club may use these files here."
BUSY = "Files: your club has other files being read. Wait until they are read."
GONE = "Files: we do not keep them. Choose them again."
STALE = (
    "Somebody changed this list after the files were read. Read the files again to see what "
    "changes now."
)


@frozen_dataclass
class TakeChoice:
    """What is taken of a reading.

    Units that the club changed, and those that would take an army's place, are taken where
    ``ticked`` names them. With ``is_only`` no other unit changes either.
    """

    ticked: Texts = ()
    is_only: bool = False


# Sending


def send_catalogue(actor: Owner, slug: str, draft: CatalogueDraft, *, key: str = "") -> str:
    """Hold files until a job has read them; returns the token of what was sent.

    The same ``key`` of the same person gives the same token. Raises Refusal naming the field,
    KeyReused, NotAllowed, NotInRuleBook.
    """
    load_club_to_write(actor, slug)  # before what is faulty, who may write
    if draft.token:
        load_list_to_write(actor, slug, draft.token)
    if not draft.may_use:
        raise Refusal(MAY_USE, field="may_use")
    check_sent(draft.files)
    if not draft.token:
        find_printed_lists(draft.collection, draft.base)
    wishes = {**named_values(draft, *_WISHES), "also": list(draft.also)}
    fingerprint = hashlib.sha256(json.dumps([slug, wishes], sort_keys=True).encode())
    for name, data in draft.files:
        fingerprint.update(name.encode("utf-8", "replace") + b"\0" + data)
    wishes |= {
        "printed": fingerprint.hexdigest(),
        "files": [[name, len(data)] for name, data in draft.files],
    }
    with transaction.atomic():
        club = load_club_to_write(actor, slug)
        # Of two sendings at once the second meets the job of the first.
        list(Club.objects.select_for_update().filter(pk=club.id).order_by())
        if key:
            repeated = SentCatalogue.objects.filter(author_id=actor.user_id, key=key)
            previous = repeated.only("token", "wishes").first()
            if previous is not None:
                if previous.wishes.get("printed") != wishes["printed"]:
                    raise KeyReused
                return previous.token
        if is_under_way(READ_CATALOGUE, str(club.id)):
            raise Refusal(BUSY, field="files")
        check_readings(*_readings_of_day(club.id))
        row = SentCatalogue(
            club_id=club.id,
            author_id=actor.user_id,
            key=key,
            wishes=wishes,
            files=b"".join(data for _, data in draft.files),
        )
        if draft.token:
            row.army = Army.objects.filter(token=draft.token).first()
        job = JobDraft(
            READ_CATALOGUE,
            "Read a catalogue",
            {"sent": row.token},
            key=str(club.id),
            back=reverse("catalogue-read", args=[slug, row.token]),
            back_label="Catalogue of another app",
        )
        row.job = enqueue(actor, job)
        row.save()
        return row.token


def _readings_of_day(club_id: int) -> tuple[int, float]:
    """Return how many catalogues a club took within a day, and the processor's seconds of all that
    it had read, previews and refused files too.
    """
    since = timezone.now() - DAY
    recent = SentCatalogue.objects.filter(club_id=club_id)
    seconds = recent.filter(at__gt=since).values_list("outcome__seconds", flat=True)
    taken = recent.filter(taken_at__gt=since).count()
    return taken, sum(second or 0 for second in seconds)


def check_readings(taken: int, seconds: float = 0) -> None:
    """Refuse another reading to a club that took too many in a day, or had read too long."""
    if taken >= READINGS_MAX:
        raise Refusal(
            f"Files: your club has taken {READINGS_MAX} catalogues in a day, the maximum. Try "
            "again tomorrow.",
            field="files",
        )
    if seconds >= READING_SECONDS_MAX:
        raise Refusal(
            f"Files: reading your club's catalogues has taken {READING_SECONDS_MAX // 60} minutes "
            "of the processor in a day, the maximum. Try again tomorrow.",
            field="files",
        )


# Reading


def read_sent(work: Work) -> JobResult:
    """Read what was sent. Raises JobFailed with the sentence that stands beside the field.

    The files are deleted, whatever comes of it.
    """
    row = SentCatalogue.objects.filter(token=work.payload["sent"]).first()
    if row is None or (row.files is None and not row.outcome):
        raise JobFailed(GONE)
    if row.files is not None:
        try:
            _read(row, work)
            row.wishes = {key: wish for key, wish in row.wishes.items() if key != "files"}
            row.save(update_fields=["outcome", "document", "stamp", "wishes"])
        finally:
            SentCatalogue.objects.filter(pk=row.pk).update(files=None)
    if "refusal" in row.outcome:
        raise JobFailed(row.outcome["refusal"]["message"])
    counts = row.outcome["report"]["counts"]
    return JobResult(
        words=f"{counts['units']} units, {counts['options']} options, {counts['doubts']} figures "
        "to check."
    )


def _read(row: SentCatalogue, work: Work) -> None:
    """Read the files of a row in a process of its own, and put into it what they come to."""

    def read(sent: Sequence[NamedBytes], wishes: ReadingWishes, frame: Frame) -> ReadFiles:
        # A sign of life every few seconds, or another worker takes the job up.
        wait = partial(work.progress, 0, 0)
        return read_apart(LIMITS, read_files, tuple(sent), wishes, frame, sign=wait)

    content = io.BytesIO(row.files or b"")
    files = tuple((name, content.read(size)) for name, size in row.wishes["files"])
    wishes = {key: row.wishes[key] for key in _WISHES}
    draft = CatalogueDraft(files, **wishes, may_use=True, also=tuple(row.wishes["also"]))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        reading = read_draft(draft, read)
    except Refusal as refusal:
        outcome: Fields = {"message": refusal.message, "field": refusal.field, "faults": []}
        if isinstance(refusal, FaultyDocument):
            outcome["faults"] = [str(fault)[:300] for fault in refusal.faults[:FAULTS_TOLD]]
        if isinstance(refusal, UnreadFiles):
            outcome["offers"] = cut_texts(refusal.offers)
        row.outcome = {"refusal": outcome}
    else:
        row.outcome = {"report": reading.report}
        row.document, row.stamp = reading.document, reading.stamp
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    row.outcome["seconds"] = round(spent, 2)


# Taking


def take_catalogue(actor: Owner, slug: str, token: str, choice: TakeChoice) -> str:
    """Make the list of what was read, or take the changes; returns the list's token.

    What was taken before is not taken again. Raises Refusal, FaultyList, Stale where the list has
    changed since, NotAllowed, NotInRuleBook.
    """
    with transaction.atomic():
        sent = find_sent(load_club_to_write(actor, slug).id, token)
        row = SentCatalogue.objects.select_for_update().defer("files").get(pk=sent.pk)
        if row.taken_at is not None and row.army is not None:
            return str(row.army.token)
        if row.document is None:
            raise Refusal(NOT_THERE, field="files")
        list_token = row.wishes["token"]
        before: Fields = {}
        if list_token:
            army = lock_list(actor, list_token)
            if army.stamp != row.stamp:
                raise Stale("record", army.stamp, row.stamp, STALE)
            before = dump(own_store.load_own_list(army).file)
        report = row.outcome["report"]
        if choice.is_only:
            units = {*unit_keys(before), *unit_keys(row.document)}
        else:
            units = {edit["id"] for edit in report["edits"]}
            units |= {unit["key"] for unit in report["places"] if not unit["is_taken"]}
        staying = frozenset(units - set(choice.ticked))
        text = json.dumps(with_staying(before, row.document, staying), ensure_ascii=False)
        list_token = upload_list(actor, slug, text, token=list_token).token
        _mark_taken(row, list_token, staying)
        return list_token


def _mark_taken(row: SentCatalogue, token: str, staying: frozenset[str]) -> None:
    """Keep the report with the list, and what the reading made of each unit."""
    army = Army.objects.select_related("club", "collection").get(token=token)
    last = last_taken(token)
    before = last.outcome.get("made", {}) if last else {}
    digests = unit_digests(dump(own_store.load_own_list(army).file))
    # What was kept is still measured by what an older reading made of it.
    made = {
        key: before.get(key, new) if key in staying else new for key, new in digests.items()
    }
    row.army, row.taken_at, row.document = army, timezone.now(), None
    row.outcome = {**row.outcome, "made": made}
    row.save(update_fields=["army", "taken_at", "document", "outcome"])


# Forgetting


def forget_sent(work: Work) -> JobResult:
    """Delete files that no job reads any more, and what nobody took within a day."""
    unread = SentCatalogue.objects.filter(files__isnull=False)
    jobs = dict(unread.values_list("pk", "job"))
    live = live_jobs(jobs.values())
    over = [pk for pk, job in jobs.items() if job not in live]
    SentCatalogue.objects.filter(pk__in=over).update(files=None)
    old = Q(at__lt=timezone.now() - DAY, taken_at=None)
    number, _ = SentCatalogue.objects.filter(old, files=None).delete()
    return JobResult(words=f"{len(over)} files and {number} previews deleted.")
