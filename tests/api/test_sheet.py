"""`sheet/`: a PDF of any roster on either paper, in the parts and the order asked for."""

from io import BytesIO

import pytest
from pypdf import PdfReader

from config.api.docs import EXAMPLE
from tests.api.conftest import SHEET, document, is_refusal, warrior

A4, LETTER = (595, 842), (612, 792)
TROOPS = [
    warrior("captain", "halberd", leader=True, name="Ostwin Brandt"),
    warrior("halberdiers", count=4),
]


def pages_of(answer):
    assert answer.status_code == 200, answer.content[:300]
    assert answer.headers["Content-Type"] == "application/pdf"
    assert answer.content.startswith(b"%PDF-")
    return PdfReader(BytesIO(answer.content)).pages


def sizes(pages):
    return {(round(page.mediabox.width), round(page.mediabox.height)) for page in pages}


@pytest.mark.parametrize(
    "query,size", [("", A4), ("?paper=a4", A4), ("?paper=letter", LETTER)]
)
def test_paper_has_its_size(post, query, size):
    pages = pages_of(post(EXAMPLE, SHEET + query))
    assert sizes(pages) == {size}
    # The roster and the reference, unless something else is asked for.
    assert len(pages) == 2
    assert "Ostwin Brandt" in pages[0].extract_text()


@pytest.mark.parametrize("parts,count,first", [
    ("cards", 1, "cards"),
    ("reference,roster", 2, "reference"),
    ("roster,reference,cards", 3, "roster"),
    ("roster,roster,roster", 1, "roster"),
    ("%20roster%20,%20reference", 2, "roster"),
])  # fmt: skip
def test_parts_come_in_the_order_asked_for(post, parts, count, first):
    pages = pages_of(post(document(*TROOPS), f"{SHEET}?parts={parts}"))
    assert len(pages) == count
    alone = pages_of(post(document(*TROOPS), f"{SHEET}?parts={first}"))
    assert pages[0].extract_text() == alone[0].extract_text()


@pytest.mark.parametrize("query,field", [
    ("paper=A4", "paper"), (f"paper={'x' * 5000}", "paper"), ("parts=,", "parts"),
    ("parts=roster,", "parts"), ("parts=cover", "parts"),
    (f"parts={'roster,' * 1000}x", "parts"),
])  # fmt: skip
def test_wrong_paper_and_parts_are_named(post, query, field):
    answer = post(document(*TROOPS), f"{SHEET}?{query}")
    assert answer.status_code == 400
    assert is_refusal(answer)
    (error,) = answer.json()["errors"]
    assert error["field"] == field
    assert len(error["message"]) < 200


@pytest.mark.parametrize(
    "warriors",
    [
        [],
        [warrior("nobody")],
        [warrior("nobody", "nothing", count=200)] * 200,
        [warrior("captain", "nothing", "magic/none")],
        [warrior("halberdiers", "shields", count=200)] * 200,
        [warrior("halberdiers", count=200, name="Otto, Karl, " * 16)] * 50,
        [warrior("hellcannon"), warrior("steam-tank"), warrior("great-cannon")],
    ],
    ids=[
        "empty",
        "unknown",
        "200 unknown",
        "unknown options",
        "200 x 200",
        "names",
        "machines",
    ],
)
@pytest.mark.parametrize(
    "parts", ["roster,reference", pytest.param("cards", marks=pytest.mark.soak)]
)
def test_any_roster_can_be_printed(post, warriors, parts):
    for paper in ("a4", "letter"):
        pages = pages_of(
            post(
                document(*warriors, points_limit=150),
                f"{SHEET}?paper={paper}&parts={parts}",
            )
        )
        assert 1 <= len(pages) <= 120


def test_nothing_of_a_roster_is_kept(post):
    """A second roster's sheet holds nothing of the first."""
    post(document(warrior("captain", name="Secret Sigmund")), SHEET)
    text = "".join(page.extract_text() for page in pages_of(post(document(*TROOPS), SHEET)))
    assert "Sigmund" not in text


def test_file_has_a_name(post):
    answer = post(document(*TROOPS), SHEET)
    assert answer.headers["Content-Disposition"] == 'inline; filename="roster.pdf"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
