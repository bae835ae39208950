"""A printer whose document takes all memory there is."""

import sys
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "warbands" / "pdf"))

import render


def draw(pages: object, paper: str) -> bytes:
    held = []
    while True:
        held.append(bytearray(10_000_000))


render.serve(Connection(int(sys.argv[1])), draw)
