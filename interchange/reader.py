"""Reading files of other apps in a process of its own, which the system itself ends at its limits.

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
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from engine.errors import Refusal
from engine.records import frozen_dataclass

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
