"""Files of another app that a club is sent: read by a job, then taken into a list of the club.

The files are held until they are read, whatever comes of it. What is kept are names and figures.
"""

import hashlib
import json
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
from interchange.files import NamedBytes, check_sent
from interchange.reader import ReadingLimits, read_apart
from interchange.translation import Frame, ReadFiles, ReadingWishes, read_files
from jobs.handlers import JobFailed, JobResult, Work
from jobs.queries import is_under_way, live_jobs
from jobs.queue import JobDraft, enqueue
from rulesdata import own_store
from rulesdata.catalogue_lists.versions import unit_keys, with_kept
from rulesdata.models import READ_CATALOGUE, Army, SentCatalogue
from rulesdata.operations.own_lists import find_printed_lists, lock_list, upload_list
from rulesdata.own_lists import dump
from rulesdata.queries.clubs import load_club_to_write
from rulesdata.queries.drafts import load_list_to_write
from rulesdata.queries.sent_catalogues import (
    NOT_THERE,
    CatalogueDraft,
    ListState,
    UnreadFiles,
    digests_of,
    find_sent,
    last_taken,
    offers_of,
    read_draft,
    report_of,
    short,
)

READINGS_MAX = 20
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
    wishes = _wishes(slug, draft)
    with transaction.atomic():
        club = load_club_to_write(actor, slug)
        # Of two sendings at once the second meets the job of the first.
        list(Club.objects.select_for_update().filter(pk=club.id).order_by())
        known = _known(actor, key, wishes)
        if known:
            return known
        club_id = club.id
        if is_under_way(READ_CATALOGUE, str(club_id)):
            raise Refusal(BUSY, field="files")
        recent = SentCatalogue.objects.filter(club_id=club_id, at__gt=timezone.now() - DAY)
        check_readings(recent.count() + 1)
        row = SentCatalogue(
            club_id=club.id, author_id=actor.user_id, key=key, wishes=wishes
        )
        return _store(row, draft, actor, slug)


def _wishes(slug: str, draft: CatalogueDraft) -> Fields:
    """Return what is asked for, as its row keeps it; ``printed`` tells it from other askings."""
    asked = ("collection", "base", "catalogue", "price_type", "token")
    wishes = {**named_values(draft, *asked), "also": list(draft.also)}
    printed = hashlib.sha256(json.dumps([slug, wishes], sort_keys=True).encode())
    for name, data in draft.files:
        printed.update(name.encode("utf-8", "replace") + b"\0" + data)
    return {**wishes, "printed": printed.hexdigest()}


def _known(actor: Owner, key: str, wishes: Fields) -> str:
    """Return what was sent with this key before, "" for nothing. Raises KeyReused."""
    if not key:
        return ""
    rows = SentCatalogue.objects.filter(author_id=actor.user_id, key=key)
    row = rows.only("token", "wishes").first()
    if row is not None and row.wishes.get("printed") != wishes["printed"]:
        raise KeyReused
    return row.token if row else ""


def _store(row: SentCatalogue, draft: CatalogueDraft, actor: Owner, slug: str) -> str:
    """Keep the files and ask for their job, under the lock of the club."""
    row.army = Army.objects.filter(token=draft.token).first() if draft.token else None
    sizes = [[name, len(data)] for name, data in draft.files]
    row.wishes = {**row.wishes, "files": sizes}
    row.files = b"".join(data for _, data in draft.files)
    asked = JobDraft(
        READ_CATALOGUE,
        "Read a catalogue",
        {"sent": row.token},
        key=str(row.club_id),
        back=reverse("catalogue-read", args=[slug, row.token]),
        back_label="Catalogue of another app",
    )
    row.job = enqueue(actor, asked)
    row.save()
    return row.token


def check_readings(count: int) -> None:
    """Refuse more readings in a day than a club may ask for."""
    if count > READINGS_MAX:
        raise Refusal(
            f"Files: your club has had {READINGS_MAX} catalogues read in a day, the maximum. Try "
            "again tomorrow.",
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
        except Refusal as refusal:
            told: Fields = {
                "message": refusal.message,
                "field": refusal.field,
                "faults": [],
            }
            if isinstance(refusal, FaultyDocument):
                told["faults"] = [str(one)[:300] for one in refusal.faults[:FAULTS_TOLD]]
            if isinstance(refusal, UnreadFiles):
                told |= {"offers": short(offers_of(refusal.read))}
            _keep(row, outcome={"refusal": told})
            raise JobFailed(refusal.message) from refusal
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
    """Read the files of a row, and keep what they come to. Raises Refusal."""
    state = _state(row)

    def read(sent: Sequence[NamedBytes], wishes: ReadingWishes, frame: Frame) -> ReadFiles:
        # A sign of life every few seconds, or another worker takes the job up.
        wait = partial(work.progress, 0, 0)
        return read_apart(LIMITS, read_files, tuple(sent), wishes, frame, sign=wait)

    asked = {key: row.wishes[key] for key in ("collection", "base", "catalogue", "token")}
    content, found, start = bytes(row.files or b""), [], 0
    for name, size in row.wishes["files"]:
        found.append((name, content[start : start + size]))
        start += size
    draft = CatalogueDraft(
        tuple(found),
        **asked,
        may_use=True,
        also=tuple(row.wishes["also"]),
        price_type=row.wishes["price_type"],
    )
    reading = read_draft(draft, state, read)
    _keep(
        row,
        outcome={"report": report_of(reading)},
        document=reading.document,
        stamp=state.own.stamp if state else "",
    )


def _keep(row: SentCatalogue, **columns: object) -> None:
    for name, value in columns.items():
        setattr(row, name, value)
    row.wishes = {key: one for key, one in row.wishes.items() if key != "files"}
    row.save(update_fields=[*columns, "wishes"])


def _state(row: SentCatalogue) -> ListState | None:
    """Return the list that the files are read for, with what the last reading made of it."""
    token = row.wishes["token"]
    own = own_store.find(token) if token else None
    if own is None:
        return None
    last = last_taken(token)
    return ListState(own, last.outcome.get("made", {}) if last else {})


# Taking


def take_catalogue(actor: Owner, slug: str, token: str, choice: TakeChoice) -> str:
    """Make the list of what was read, or take the changes; returns the list's token.

    What was taken before is not taken again. Raises Refusal, FaultyList, Stale where the list has
    changed since, NotAllowed, NotInRuleBook.
    """
    with transaction.atomic():
        club = load_club_to_write(actor, slug)
        sent = find_sent(club.id, token)
        row = SentCatalogue.objects.select_for_update().defer("files").get(pk=sent.pk)
        if row.taken_at is not None and row.army is not None:
            return str(row.army.token)
        if row.document is None:
            raise Refusal(NOT_THERE, field="files")
        # The list as it is, locked; an empty one where there is none.
        token = row.wishes["token"]
        if not token:
            before = {}
        else:
            army = lock_list(actor, token)
            if army.stamp != row.stamp:
                raise Stale("record", army.stamp, row.stamp, STALE)
            before = dump(own_store.own_list_of(army).file)
        kept = _kept(row, before, choice)
        document = with_kept(before, row.document, kept)
        text = json.dumps(document, ensure_ascii=False)
        done = upload_list(actor, slug, text, token=row.wishes["token"])
        _mark_taken(row, done.token, kept)
        return done.token


def _kept(row: SentCatalogue, before: Fields, choice: TakeChoice) -> frozenset[str]:
    """Return the keys of the units that stay as they are."""
    document, report = row.document or {}, row.outcome["report"]
    if choice.is_only:
        found = {*unit_keys(before), *unit_keys(document)}
    else:
        found = {one["id"] for one in report["edits"]}
        found |= {one["key"] for one in report["places"] if not one["is_taken"]}
    return frozenset(found - set(choice.ticked))


def _mark_taken(row: SentCatalogue, token: str, kept: frozenset[str]) -> None:
    """Keep the report with the list, and what the reading made of each unit."""
    army = Army.objects.select_related("club", "collection").get(token=token)
    last = last_taken(token)
    before = last.outcome.get("made", {}) if last else {}
    now = digests_of(dump(own_store.own_list_of(army).file))
    # What was kept is still measured by what an older reading made of it.
    made = {key: before.get(key, one) if key in kept else one for key, one in now.items()}
    row.army, row.taken_at, row.document = army, timezone.now(), None
    row.outcome = {**row.outcome, "made": made}
    row.save(update_fields=["army", "taken_at", "document", "outcome"])


# Forgetting


def forget_sent(work: Work) -> JobResult:
    """Delete files that no job reads any more, and what nobody took within a day."""
    held = SentCatalogue.objects.filter(files__isnull=False)
    jobs = dict(held.values_list("pk", "job"))
    live = live_jobs(jobs.values())
    over = [pk for pk, job in jobs.items() if job not in live]
    SentCatalogue.objects.filter(pk__in=over).update(files=None)
    old = Q(at__lt=timezone.now() - DAY, taken_at=None)
    number, _ = SentCatalogue.objects.filter(old, files=None).delete()
    return JobResult(words=f"{len(over)} files and {number} previews deleted.")
