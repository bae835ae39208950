"""Catalogues that a club was sent: one of them, and the one that a list was last made of."""

from datetime import datetime

from accounts.owner import Owner
from engine.records import Fields, frozen_dataclass
from jobs.queries import live_jobs
from rulesdata.models import SentCatalogue
from rulesdata.queries.clubs import ClubHead, load_club, load_club_list, refuse_readers
from rulesdata.queries.lookup import NotInRuleBook

NOT_THERE = "These files are not kept any more, or are not your club's. Choose them again."


@frozen_dataclass
class SentRecord:
    """Files that were sent, as the organisers of the club see them.

    ``list_token`` is the list they were read for, or that was made of them; "" where there is none.
    ``job`` is the token of the job while it is not over, else "". ``who`` confirmed ``at`` that
    moment that the club may use them.
    """

    club: ClubHead
    token: str
    list_token: str
    list_name: str
    is_newer: bool
    job: str
    who: str
    at: datetime
    wishes: Fields
    report: Fields | None
    refusal: Fields | None
    document: Fields | None
    is_taken: bool


def load_sent(actor: Owner, slug: str, token: str) -> SentRecord:
    """Return what files came to, for those who run the club.

    Raises NotAllowed for its other members, NotInRuleBook.
    """
    club = load_club(actor, slug)
    refuse_readers(club)
    return sent_record(club, find_sent(club.id, token))


def load_earlier(
    actor: Owner, slug: str, token: str, again: str | None
) -> SentRecord | None:
    """Return what a form of files begins with: those sent before, else those a list was made of.

    Raises as load_sent.
    """
    if again is not None:
        return load_sent(actor, slug, again)
    row = last_taken(token) if token else None
    return sent_record(load_club(actor, slug), row) if row else None


def find_sent(club_id: int, token: str) -> SentCatalogue:
    """Return the row of files that a club was sent. Raises NotInRuleBook."""
    rows = SentCatalogue.objects.filter(club_id=club_id, token=token).defer("files")
    row = rows.select_related("army", "author").first()
    if row is None:
        raise NotInRuleBook(NOT_THERE)
    return row


def load_list_report(actor: Owner, slug: str, token: str) -> SentRecord:
    """Return the report of the files that a list was last made of, for those who run its club.

    Raises NotAllowed for its other members, NotInRuleBook.
    """
    club, _ = load_club_list(actor, slug, token)
    refuse_readers(club)
    row = last_taken(token)
    if row is None:
        raise NotInRuleBook("This list was made without a catalogue.")
    return sent_record(club, row)


def last_taken(token: str) -> SentCatalogue | None:
    """Return the row of the files that a list was last made of."""
    rows = SentCatalogue.objects.filter(army__token=token, taken_at__isnull=False)
    return (
        rows.defer("files").select_related("army", "author").order_by("-taken_at").first()
    )


def sent_record(club: ClubHead, row: SentCatalogue) -> SentRecord:
    """Return a row as its readers see it. One query, for its job."""
    is_live = bool(row.job) and not row.outcome and row.job in live_jobs([row.job])
    return SentRecord(
        club=club,
        token=row.token,
        list_token=str(row.army.token) if row.army else "",
        list_name=row.army.name if row.army else "",
        is_newer=bool(row.wishes.get("token")),
        job=row.job if is_live else "",
        who=str(row.author) if row.author else "",
        at=row.at,
        wishes=row.wishes,
        report=row.outcome.get("report"),
        refusal=row.outcome.get("refusal"),
        document=row.document,
        is_taken=row.taken_at is not None,
    )
