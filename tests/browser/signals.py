"""The signal of one device: a relay between its browser and the site, which can be cut.

A browser's own switch for being offline reaches a page or a worker that has just been started a
moment late. Here nothing gets through at all, whoever in the browser asks.
"""

import contextlib
import socket
import threading
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext

CHUNK = 65536


class Relay:
    """A port of its own that passes on to the site's; while it is cut every connection is dropped."""

    def __init__(self, url: str) -> None:
        site = urlsplit(url)
        self._site = (site.hostname or "localhost", site.port or 80)
        self._door = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._is_cut = False
        self.port: int = self._door.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def cut(self) -> None:
        with self._lock:
            self._is_cut = True
            for one in self._open:
                _drop(one)

    def mend(self) -> None:
        with self._lock:
            self._is_cut = False

    def close(self) -> None:
        self.cut()
        self._door.close()

    def _serve(self) -> None:
        while True:
            try:
                near, _ = self._door.accept()
            except OSError:
                return  # closed
            threading.Thread(target=self._carry, args=(near,), daemon=True).start()

    def _carry(self, near: socket.socket) -> None:
        with (
            near,
            contextlib.suppress(OSError),
            socket.create_connection(self._site) as far,
        ):
            with self._lock:
                if self._is_cut:
                    return
                self._open |= {near, far}
            back = threading.Thread(target=_pass_on, args=(far, near), daemon=True)
            back.start()
            _pass_on(near, far)
            back.join()
            with self._lock:
                self._open -= {near, far}


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(CHUNK):
            target.sendall(data)
    _drop(target)


def _drop(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)


class Signal:
    """What one device hears of the site. ``url`` is where it finds it."""

    def __init__(self, context: BrowserContext, site: str, host: str = "localhost") -> None:
        self.context = context
        self._relay = Relay(site)
        self.url = f"http://{host}:{self._relay.port}"

    def lose(self) -> None:
        self._relay.cut()
        self.context.set_offline(True)

    def find(self) -> None:
        self._relay.mend()
        self.context.set_offline(False)

    def close(self) -> None:
        self.context.close()
        self._relay.close()
