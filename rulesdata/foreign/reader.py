"""Reading catalogues in a process of its own, which the system itself ends at its limits.

The process is this file: it reads what is asked from its input, answers on its output and ends. It
knows no database and no secret.
"""

import os
import pickle
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from engine.errors import Refusal
from rulesdata.foreign.archives import NamedBytes
from rulesdata.foreign.readings import ReadFiles, ReadingWishes, read_files
from rulesdata.foreign.translation import Frame

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 60
MEMORY_BYTES = 402_653_184
SIGN_SECONDS = 5
NICE = 5  # whoever reads a page goes first
TOO_SLOW = (
    f"Files: reading them took longer than {SECONDS} seconds, so we stopped it. Send one "
    "catalogue with what it needs."
)
TOO_LARGE = (
    f"Files: reading them takes more than {MEMORY_BYTES // 1_048_576} MB of memory. Send one "
    "catalogue with what it needs."
)
# What the process ends with where the memory does not suffice.
_NO_MEMORY = 3


def read_apart(
    sent: Sequence[NamedBytes],
    wishes: ReadingWishes,
    frame: Frame,
    sign: Callable[[], None],
) -> ReadFiles:
    """Return what files come to, read within `SECONDS` and `MEMORY_BYTES`.

    ``sign`` is called every few seconds. Raises Refusal where a limit is met.
    """
    limits = [str(MEMORY_BYTES), str(SECONDS)]
    process = subprocess.Popen(  # noqa: S603  (our own file)
        [sys.executable, "-m", "rulesdata.foreign.reader", *limits],
        cwd=ROOT,
        env={"PATH": os.environ.get("PATH", "")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    asked = pickle.dumps((tuple(sent), wishes, frame))
    with process:
        try:
            answer = _answer(process, asked, sign, time.monotonic() + SECONDS)
        finally:
            process.kill()
    if process.returncode == _NO_MEMORY:
        raise Refusal(TOO_LARGE, field="files")
    if process.returncode == -signal.SIGALRM:
        raise Refusal(TOO_SLOW, field="files")
    if process.returncode != 0:
        raise OSError(f"the reader of catalogues ended with {process.returncode}")
    read: ReadFiles = pickle.loads(answer)  # noqa: S301  (our own process wrote it)
    return read


def _answer(
    process: subprocess.Popen[bytes], asked: bytes, sign: Callable[[], None], end: float
) -> bytes:
    """Return what the process wrote. Raises Refusal where it takes too long."""
    unsent: bytes | None = asked
    while True:
        left = end - time.monotonic()
        if left <= 0:
            raise Refusal(TOO_SLOW, field="files")
        try:
            return process.communicate(unsent, timeout=min(SIGN_SECONDS, left))[0]
        except subprocess.TimeoutExpired:
            # What was sent once goes on by itself.
            unsent = None
            sign()


def serve(memory: int, seconds: int) -> None:
    """Read what stands on the input, and write what it comes to."""
    signal.alarm(seconds)  # also where the one who asks was killed meanwhile
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    os.nice(NICE)
    try:
        answer = pickle.dumps(read_files(*pickle.load(sys.stdin.buffer)))  # noqa: S301
    except MemoryError:
        os._exit(_NO_MEMORY)
    sys.stdout.buffer.write(answer)


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]))
