"""Two round robins of chess as they were published, with every Sonneborn-Berger.

A game is worth twice what chess gives it, so a table of ours has the published points doubled.
"""

from fractions import Fraction
from itertools import combinations

import pytest

from engine.tournament.standings import standings
from engine.tournament.types import Entrant, Result, Scoring

# The wins of the Sinquefield Cup of 2016; all other games were drawn. The final ranking of the
# organisers has points and Sonneborn-Berger.
SINQUEFIELD = (
    ("So", "5.5", "24.50"),
    ("Anand", "5", "22.25"),
    ("Aronian", "5", "21.75"),
    ("Caruana", "5", "21.50"),
    ("Topalov", "5", "21"),
    ("Vachier", "4.5", "20.25"),
    ("Nakamura", "4.5", "18.50"),
    ("Ding", "4", "17.50"),
    ("Svidler", "3.5", "15.25"),
    ("Giri", "3", "14.50"),
)
SINQUEFIELD_WINS = (
    "So-Nakamura Topalov-Svidler Aronian-Svidler Nakamura-Giri Anand-Vachier "
    "Topalov-Ding Ding-Svidler So-Topalov Vachier-Aronian Aronian-Nakamura "
    "Svidler-Giri Nakamura-Ding Caruana-Giri"
)
# The Candidates Tournament of 2014, where everybody met twice: the crosstable line by line.
CANDIDATES = (
    ("Anand", "8.5", "57.25", "** == == == 1= == 1= =1"),
    ("Karjakin", "7.5", "51.75", "== ** 01 == == =1 01 =="),
    ("Kramnik", "7", "49.25", "== 10 ** == 1= =0 == 01"),
    ("Andreikin", "7", "48.50", "== == == ** 0= 0= =1 1="),
    ("Mamedyarov", "7", "48", "0= == 0= 1= ** 1= 01 =="),
    ("Svidler", "6.5", "46", "== =0 =1 1= 0= ** 0= 10"),
    ("Aronian", "6.5", "45", "0= 10 == =0 10 1= ** =="),
    ("Topalov", "6", "42.25", "=0 == 10 0= == 01 == **"),
)


def played_at_sinquefield() -> list[Result]:
    wins = [win.split("-") for win in SINQUEFIELD_WINS.split()]
    winners = {frozenset(pair): pair[0] for pair in wins}
    assert len(winners) == 13
    pairs = combinations([line[0] for line in SINQUEFIELD], 2)
    return [Result(1, *pair, winners.get(frozenset(pair))) for pair in pairs]


def played_by_candidates() -> list[Result]:
    names, results = [line[0] for line in CANDIDATES], []
    tables = [line[3].split() for line in CANDIDATES]
    for (row, one), (column, other) in combinations(enumerate(names), 2):
        for number, sign in enumerate(tables[row][column]):
            theirs = tables[column][row][number]
            assert sign + theirs in ("10", "01", "==")
            winner = {"1": one, "0": other, "=": None}[sign]
            results.append(Result(number + 1, one, other, winner))
    return results


@pytest.mark.parametrize(
    "published, results",
    [(SINQUEFIELD, played_at_sinquefield()), (CANDIDATES, played_by_candidates())],
    ids=["Sinquefield Cup 2016", "Candidates 2014"],
)
def test_published_crosstable_has_its_sonneborn_berger(published, results):
    entries = [Entrant(line[0], line[0]) for line in published]
    scoring = Scoring(win=2, draw=1, loss=0)
    table = standings(entries, results, scoring, ["sonneborn_berger", "buchholz"])
    assert [
        (line.name, Fraction(line.points, 2), Fraction(line.ties[0]) / 2) for line in table
    ] == [(line[0], Fraction(line[1]), Fraction(line[2])) for line in published]
    # Whoever met everybody as often has the others' points as opponents.
    games = len(results) * 2 // len(published) // (len(published) - 1)
    total = sum(line.points for line in table)
    assert [line.ties[1] for line in table] == [
        str(games * (total - line.points)) for line in table
    ]
