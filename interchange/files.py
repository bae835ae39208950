"""Files of other apps, opened: from their zips, by their content, in their encoding; and read in a
process of their own.

Whatever a name says, the content decides. Nothing is written to disk. Raises Refusal that names the
limit.
"""

import codecs
import io
import os
import pickle
import resource
import signal
import subprocess
import sys
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from engine.errors import Refusal
from engine.records import frozen_dataclass

FILE_MAX = 4_194_304
UNPACKED_MAX = 16_777_216
MEMBERS_MAX = 60
RATIO_MAX = 100
NAME_SHOWN = 80  # in a sentence
PIECE = 65_536
ZIP_SIGNS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_ENCRYPTED = 1
_PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
)


@frozen_dataclass
class OpenedFile:
    """The text of a file that somebody sent; ``form`` is xml, json or text, by its first sign."""

    name: str
    form: str
    text: str


def refusal(sentence: str) -> Refusal:
    """Return what a file is refused with: it is the field to correct."""
    return Refusal(sentence, field="file")


def megabytes(size: int) -> str:
    """Return a limit in bytes as people say it: "4 MB (4,194,304 bytes)"."""
    return f"{size // 1_048_576} MB ({size:,} bytes)"


def open_file(name: str, data: bytes) -> OpenedFile:
    """Return the text in a file, or in the one file of a zip."""
    if len(data) > FILE_MAX:
        raise refusal(
            f"This file is larger than {megabytes(FILE_MAX)}. Choose a smaller one."
        )
    if data.startswith(ZIP_SIGNS):
        with opened_zip(data, "Save the list again and send the new file.") as archive:
            # Folders do not count. Everything is checked before anything is unpacked.
            files = members_of(archive)
            if len(files) != 1:
                raise refusal(
                    f"This zip file holds {len(files)} files. A list is one file: unpack the zip "
                    "file and choose one."
                )
            check_member(files[0])
            data = content_of(archive, files[0])
        name = files[0].filename.rpartition("/")[2]
        if data.startswith(ZIP_SIGNS):
            raise refusal(
                "This zip file holds another zip file. Send the inner one by itself."
            )
    text = decoded(name, data)
    return OpenedFile(name, form_of(text), text)


def form_of(text: str) -> str:
    """Return xml, json or text, by the first sign that is no blank."""
    first = text.lstrip()[:1]
    return {"<": "xml", "{": "json", "[": "json"}.get(first, "text")


def decoded(name: str, data: bytes) -> str:
    """Return the text of a file in UTF-8, or in UTF-16 where it says so by its mark.

    What is text in neither is no list: a picture, a document of an office program.
    """
    called = name[:NAME_SHOWN] or "This file"
    # Without a mark a file is taken for UTF-8.
    encoding = "utf-8-sig"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise refusal(
            f"{called} is not text in UTF-8 or UTF-16: byte {error.start + 1:,} fits neither. "
            "Choose a file that was saved by a list builder."
        ) from None
    if "\0" in text:
        place = text.index("\0") + 1
        raise refusal(
            f"{called} holds a NUL at character {place:,}, which no such file has."
        )
    if not text.strip():
        raise refusal(f"{called} is empty. Choose another one.")
    return text


@contextmanager
def opened_zip(data: bytes, advice: str) -> Iterator[zipfile.ZipFile]:
    """Open a zip; one that is damaged is refused with the advice, also while it is read."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield archive
    except BROKEN as error:
        raise refusal(
            "This zip file is damaged: its sizes, checks or compression do not fit its content. "
            f"{advice}"
        ) from error


def members_of(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the files of a zip, not its folders or a system's notes; refuse too many."""
    members = archive.infolist()
    if len(members) > MEMBERS_MAX:
        raise refusal(
            f"This zip file holds {len(members):,} files; at most {MEMBERS_MAX} are read."
        )
    # A Mac adds notes of its own beside each file.
    return [
        member
        for member in members
        if not member.is_dir()
        and not member.filename.startswith("__MACOSX/")
        and not member.filename.rpartition("/")[2].startswith(("._", ".DS_Store"))
    ]


def check_member(member: zipfile.ZipInfo) -> None:
    """Refuse a file of a zip that cannot be unpacked safely.

    Nothing is written to disk, so a name that leads elsewhere could do no harm; it is still a
    sign that somebody means some.
    """
    name = member.orig_filename.replace("\\", "/")
    if name.startswith("/") or ":" in name or ".." in name.split("/"):
        raise refusal(
            "A name in this zip file leads out of its folder, so it is not opened."
        )
    if member.flag_bits & _ENCRYPTED:
        raise refusal("This zip file has a password. Save the list without one.")
    if member.compress_type not in _PLAIN:
        raise refusal(
            "This zip file is packed in a way that is not read. Use an ordinary zip file."
        )


def content_of(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return what a member holds, counted while it is read: its stated size may be untrue."""
    # An empty file is packed to nothing.
    packed = max(1, member.compress_size)
    called = member.filename.rpartition("/")[2][:NAME_SHOWN]
    content = bytearray()
    with archive.open(member) as source:
        while piece := source.read(PIECE):
            content += piece
            if len(content) > UNPACKED_MAX:
                raise refusal(
                    f"Unpacked, {called} is larger than {megabytes(UNPACKED_MAX)}."
                )
            if len(content) > packed * RATIO_MAX and len(content) > PIECE:
                raise refusal(
                    f"{called} unpacks to more than {RATIO_MAX} times its size, so it is not "
                    "opened."
                )
    return bytes(content)


# Several files that somebody sent together: loose ones, and those of zips

FILES_MAX = 10
SENT_MAX = FILE_MAX
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
                for innermost, text in _members(content):
                    if text.startswith(ZIP_SIGNS):
                        raise _nested(innermost)
                    yield innermost, text
            else:
                raise _nested(inner)


def _nested(name: str) -> Refusal:
    return refusal(
        f"{name[:NAME_SHOWN]} is a zip file within a zip file. Send the inner one by itself."
    )


def _members(data: bytes) -> Iterator[NamedBytes]:
    """Yield the files of a zip by the last part of their names; other kinds are passed over."""
    with opened_zip(data, "Pack the files again and send the new zip file.") as archive:
        members = members_of(archive)
        for member in members:
            check_member(member)
        # Repositories hold pictures and notes beside their catalogues.
        wanted = [
            member for member in members if member.filename.lower().endswith(_READ_NAMES)
        ]
        for member in wanted or members:
            yield _short(member.filename), content_of(archive, member)


def _short(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2][:120]


ROOT = Path(__file__).resolve().parent.parent
MEMORY_BYTES = 402_653_184
SIGN_SECONDS = 5
NICE = 5  # whoever reads a page goes first
# What the process ends with where the memory does not suffice.
_NO_MEMORY = 3

T = TypeVar("T")


@frozen_dataclass
class ReadingLimits:
    """How long a reading may take, and the field and the advice of a refusal beyond its limits."""

    seconds: int
    field: str
    advice: str

    def refusal(self, limit: str) -> Refusal:
        """Return what a reading beyond a limit is refused with."""
        sentence = f"Reading the {self.field} takes more than {limit}, so we stopped it."
        return Refusal(f"{sentence} {self.advice}", field=self.field)


def read_apart(
    limits: ReadingLimits,
    read: Callable[..., T],
    *sent: object,
    sign: Callable[[], None] = lambda: None,
) -> T:
    """Return what ``read`` makes of what was sent, within `limits` and `MEMORY_BYTES`.

    ``read`` is a function of a module that needs no Django. ``sign`` is called every few seconds.
    Raises Refusal where a limit is met, or where ``read`` does.
    """
    process = subprocess.Popen(  # noqa: S603  (our own file)
        [sys.executable, "-m", __name__, str(MEMORY_BYTES), str(limits.seconds)],
        cwd=ROOT,
        env={"PATH": os.environ.get("PATH", "")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    too_slow = limits.refusal(f"{limits.seconds} seconds")
    end = time.monotonic() + limits.seconds
    unsent: bytes | None = pickle.dumps((read, sent))
    with process:
        try:
            while True:
                left = end - time.monotonic()
                if left <= 0:
                    raise too_slow
                with suppress(subprocess.TimeoutExpired):
                    answer = process.communicate(unsent, min(SIGN_SECONDS, left))[0]
                    break
                unsent = None  # what was sent once goes on by itself
                sign()
        finally:
            process.kill()
    if process.returncode in (_NO_MEMORY, -signal.SIGKILL):
        raise limits.refusal(f"{MEMORY_BYTES // 1_048_576} MB of memory")
    if process.returncode == -signal.SIGALRM:
        raise too_slow
    if process.returncode != 0:
        raise OSError(f"the reader of files ended with {process.returncode}")
    result: T | Refusal = pickle.loads(answer)  # noqa: S301  (our own process wrote it)
    if isinstance(result, Refusal):
        raise result
    return result


def serve(memory: int, seconds: int) -> None:
    """Read what stands on the input, and write what it comes to."""
    signal.alarm(seconds)  # also where the one who asks was killed meanwhile
    os.nice(NICE)
    read, sent = pickle.load(sys.stdin.buffer)  # noqa: S301
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    try:
        result = read(*sent)
    except Refusal as refusal:
        result = refusal
    except MemoryError:
        os._exit(_NO_MEMORY)
    sys.stdout.buffer.write(pickle.dumps(result))


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]))
