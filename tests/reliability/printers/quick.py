"""A printer that does not draw at all."""

import sys
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "warbands" / "pdf"))

import render


def draw(pages: object, paper: str) -> bytes:
    return b"%PDF-"


render.serve(Connection(int(sys.argv[1])), draw)
