"""Print-all. Each table that is drawn is kept, so that a job that was broken off goes on from there."""

from __future__ import annotations

import hashlib
from pathlib import Path

from accounts.owner import Owner
from campaigns.packs import TablePack
from campaigns.pdf import PdfPart, join_parts, pack_documents
from campaigns.queries.events.packs import RoundPacks, load_pack, round_packs
from jobs.errors import JobFailed, JobLater
from jobs.folders import write_file
from jobs.handlers import JobResult, Work
from warbands.pdf import Documents, Paper, PdfFailed, PdfTooLarge, pages_pdf

RESULT = "tables.pdf"
GONE = (
    "There is nothing to print any more: the round was withdrawn, or you no longer run this club."
)


def print_round(work: Work) -> JobResult:
    """Every table's papers drawn one by one, then joined. One table is in memory at a time."""
    asked = work.payload
    packs = round_packs(Owner(user_id=asked["person"]), asked["event"], asked["round"])
    if packs is None or not packs.fixtures:
        raise JobFailed(GONE)
    parts: list[PdfPart] = []
    for number, fixture in enumerate(packs.fixtures, 1):
        pack = load_pack(fixture, asked["site"])
        if pack is not None:
            parts.append(PdfPart(_drawn_papers(work.folder, pack, asked["paper"]), _line(pack)))
        work.progress(number, len(packs.fixtures))
    join_parts(parts, packs.title, work.folder / RESULT)
    for part in parts:
        part.path.unlink(missing_ok=True)
    return _outcome(packs, len(parts))


def _outcome(packs: RoundPacks, tables: int) -> JobResult:
    words = (
        f"{tables} table{'' if tables == 1 else 's'}, each with scenario, result slip and sheets."
    )
    return JobResult(
        words=words, file=RESULT, name=f"round-{packs.number}-tables.pdf", type="application/pdf"
    )


def _line(pack: TablePack) -> str:
    return f"{pack.place.partition(',')[0]}: {pack.title}"


def _drawn_papers(folder: Path, pack: TablePack, paper: Paper) -> Path:
    """The drawn papers of a table. Named by what they show: what changed since is drawn anew, the rest is there."""
    try:
        documents = pack_documents(pack)
        path = folder / "parts" / f"{_drawing_key(documents, paper)}.pdf"
        if not path.exists():
            write_file(path, pages_pdf(documents, paper))
        return path
    except PdfTooLarge as error:
        raise JobFailed(f"{_line(pack)} cannot be printed. {error}") from error
    except PdfFailed as error:
        raise JobLater(str(error)) from error


def _drawing_key(documents: Documents, paper: Paper) -> str:
    text = "\0".join([paper, *(html for html, _ in documents)])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
