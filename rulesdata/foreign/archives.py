"""Several files that somebody sent together, opened: loose ones, and those of zips.

Nothing is written to disk. Raises Refusal that names the limit.
"""

import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence

from engine.errors import Refusal
from rulesdata.foreign.files import (
    BROKEN,
    NAME_SHOWN,
    ZIP_SIGNS,
    OpenedFile,
    check_member,
    content_of,
    decoded,
    form_of,
    megabytes,
    members_of,
    refusal,
)

FILES_MAX = 10
SENT_MAX = 4_508_876
ALL_UNPACKED_MAX = 33_554_432
NamedBytes = tuple[str, bytes]
# A zip of these may stand in a zip, and nothing else that is packed.
_PACKED_NAMES = (".catz", ".gstz")
_READ_NAMES = (".cat", ".gst", *_PACKED_NAMES)


def open_archives(sent: Iterable[NamedBytes]) -> list[OpenedFile]:
    """Return the text of each file, also of those within zips, in their order."""
    files = list(sent)
    check_sent(files)
    opened: list[OpenedFile] = []
    size = 0
    for name, data in _all_unpacked(files):
        size += len(data)
        if size > ALL_UNPACKED_MAX:
            raise Refusal(
                f"Files: unpacked they are larger than {megabytes(ALL_UNPACKED_MAX)} together. "
                "Send one catalogue with what it needs.",
                field="files",
            )
        text = decoded(name, data)
        opened.append(OpenedFile(name, form_of(text), text))
    return opened


def check_sent(files: Sequence[NamedBytes]) -> None:
    """Refuse too many files, and such that are too large together."""
    if not 1 <= len(files) <= FILES_MAX:
        raise Refusal(f"Files: choose 1 to {FILES_MAX} files.", field="files")
    if sum(len(data) for _, data in files) > SENT_MAX:
        raise Refusal(
            f"Files: together they are larger than {megabytes(SENT_MAX)}. Pack them as a zip file.",
            field="files",
        )


def _all_unpacked(files: Iterable[NamedBytes]) -> Iterator[NamedBytes]:
    """Yield every file, those of zips by themselves. Raises Refusal for zips within zips."""
    for name, data in files:
        if not data.startswith(ZIP_SIGNS):
            yield _short(name), data
            continue
        for inner, content in _members(data):
            if not content.startswith(ZIP_SIGNS):
                yield inner, content
            elif inner.lower().endswith(_PACKED_NAMES):
                yield from _plain_members(content)
            else:
                raise _nested(inner)


def _plain_members(data: bytes) -> Iterator[NamedBytes]:
    """Yield the files of a zip that may hold no further zip."""
    for name, content in _members(data):
        if content.startswith(ZIP_SIGNS):
            raise _nested(name)
        yield name, content


def _nested(name: str) -> Refusal:
    return refusal(
        f"{name[:NAME_SHOWN]} is a zip file within a zip file. Send the inner one by itself."
    )


def _members(data: bytes) -> Iterator[NamedBytes]:
    """Yield the files of a zip by the last part of their names; other kinds are passed over."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = members_of(archive)
            for member in members:
                check_member(member)
            # Repositories hold pictures and notes beside their catalogues.
            wanted = [one for one in members if one.filename.lower().endswith(_READ_NAMES)]
            for member in wanted or members:
                yield _short(member.filename), content_of(archive, member)
    except BROKEN as error:
        raise refusal(
            "This zip file is damaged: its sizes, checks or compression do not fit its content. "
            "Pack the files again and send the new zip file."
        ) from error


def _short(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2][:120]
