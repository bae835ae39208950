"""A printer whose document never ends."""

import sys
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "warbands" / "pdf"))

import render


def draw(pages: object, paper: str) -> bytes:
    while True:
        pass


render.serve(Connection(int(sys.argv[1])), draw)
