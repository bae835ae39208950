"""The roster sheet on the screen, and the same on paper: the same words, boxes counted out, charts
as rows and cells.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date
from functools import lru_cache
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

from accounts.requests import (
    PRINT_SECONDS,
    PRINTED_TOO_MUCH,
    may_print,
    owner_of,
    without_robots,
)
from engine.equipment import CarriedWeapon
from engine.records import TextPairs, Texts, frozen_dataclass
from engine.text import capital
from rulesdata import registry
from rulesdata.queries.campaign_book import load_rules_book
from rulesdata.queries.tables import corner, is_modifier
from rulesdata.text import modifier_words, score_words
from warbands.pdf.documents import (
    DEFAULT_PARTS,
    PARTS,
    blank_pdf,
    campaign_rules_pdf,
    kept_roster_pdf,
)
from warbands.pdf.phrases import (
    arm_lines,
    inches,
    move_words,
    other_gear,
    save_words,
    strength,
)
from warbands.pdf.press import PAPERS, RETRY_SECONDS, PdfFailed, PdfTooLarge, hold_place
from warbands.pdf.preview import draw_preview, kept_preview, roster_preview
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import sheet_of
from warbands.sheet.structure import (
    ExperienceBox,
    RosterSheet,
    SheetLine,
    SheetWarrior,
    experience_boxes,
    head_lines,
)
from warbands.views.manage import as_file, file_name
from warbands.views.presenters import (
    build_tabs,
    reader_address,
    record_for,
    render_line,
    without_place,
)

BLANK_LINES = 12
BOXES_MAX = 12
MODELS_MAX = 60
TICKS_EACH = 30
TICKS_MAX = 400
TRACKS_MAX = 40


@frozen_dataclass
class PaperFrame:
    """What all lines of one sheet share."""

    stats: Texts
    leader_name: str
    shows_saves: bool
    shows_points: bool
    price_unit: str

    @property
    def boxes_span(self) -> int:
        return len(self.stats) + self.shows_saves

    @property
    def notes_span(self) -> int:
        return 1 + self.shows_points

    @property
    def tracks_span(self) -> int:
        return self.boxes_span + self.notes_span

    @property
    def text_span(self) -> int:
        return 1 + self.shows_saves + self.shows_points


@frozen_dataclass
class DrawnWarrior:
    """One entry with what its line and its card say, as both are kept once drawn.

    ``ticks`` are the labels of its lines of boxes, ``more`` the miniatures that got none.
    ``learners`` are the labels of its rows of experience.
    """

    frame: PaperFrame
    warrior: SheetWarrior
    save: str
    arms: TextPairs
    moves: str
    rules: str
    boxes: SafeString
    others: str
    ticks: Texts
    learners: Texts
    more: int

    @property
    def row(self) -> SafeString:
        """Its lines of the roster table."""
        return render_line("warbands/sheet/row.html", self)

    @property
    def card(self) -> SafeString:
        return render_line("warbands/sheet/card.html", self)

    @property
    def subtitle(self) -> str:
        """What stands under the title: the leader, what it is besides, its lore, its ranks, the
        price of one.
        """
        warrior, leader_name = self.warrior, self.frame.leader_name
        subtitle, leads, each = warrior.subtitle, "", ""
        if not warrior.is_leader:
            subtitle = capital(subtitle)
        elif warrior.title != leader_name:
            leads = leader_name
        if warrior.count > 1 and self.frame.shows_points:
            each = f"{warrior.points_each} each"
        ranks = warrior.ranks.words if warrior.ranks else ""
        return ", ".join(filter(None, (leads, subtitle, warrior.lore, ranks, each)))

    @property
    def experience(self) -> tuple[ExperienceBox, ...]:
        """The boxes of what its campaign made of it, where it has no row of them."""
        growth = None if self.warrior.track else self.warrior.growth
        return experience_boxes(growth) if growth else ()

    @property
    def figures(self) -> SafeString:
        """The cells of the first stat line, dashes where there is none."""
        line = self.warrior.main_line
        if line is None:
            return _figures(tuple((name, "–") for name in self.frame.stats), frozenset())
        return _figures(line.cells, line.changed, dict(line.bases))

    @property
    def more_lines(self) -> tuple[tuple[SheetLine, SafeString], ...]:
        """The stat lines behind the first, each with its cells."""
        return tuple(
            (line, _figures(line.cells, frozenset())) for line in self.warrior.lines[1:]
        )


def _figures(
    cells: Iterable[tuple[str, str]],
    changed: Collection[str],
    bases: Mapping[str, str] | None = None,
) -> SafeString:
    """Cells put together by hand: a sheet has hundreds.

    ``bases`` are the printed figures of what a campaign has changed; they stand small beside.
    """
    parts: list[str] = []
    for name, figure in cells:
        kind, css = "s" if parts else "s first", ' class="up"' if name in changed else ""
        head, text = conditional_escape(name), conditional_escape(figure)
        base = conditional_escape((bases or {}).get(name, ""))
        beside = f'<sub><span class="vh">printed </span>{base}</sub>' if base else ""
        parts.append(f'<td class="{kind}" data-h="{head}"><b{css}>{text}</b>{beside}</td>')
    return mark_safe("".join(parts))


@frozen_dataclass
class DrawnChart:
    name: str
    caption: str
    corner: str
    columns: Texts
    rows: tuple[tuple[str, tuple[str | None, ...]], ...]
    who: Texts
    note: str = ""

    @property
    def section(self) -> SafeString:
        """The chart with its heading."""
        return render_line("warbands/sheet/chart.html", self)


def drawn_warriors(sheet: RosterSheet) -> Iterator[DrawnWarrior]:
    """Every entry with its boxes, as many as a page can hold."""
    # A page of 200 entries with 200 miniatures each would hold 40,000 lines of boxes.
    room = TICKS_MAX
    tracks_room = TRACKS_MAX if sheet.has_records else 0
    wounds_key = registry.load_base(sheet.system_key).wounds_stat
    stats = tuple(stat.key for stat in sheet.stats)
    frame = PaperFrame(
        stats,
        sheet.leader_name,
        sheet.shows_saves,
        sheet.shows_points,
        sheet.currency.short,
    )
    states = (state.name for state in sheet.states)
    names = tuple(name.lower() for name in (*states, *sheet.marks))
    for warrior in sheet.warriors:
        # A unit falls as one body and has one line of boxes.
        lines = 1 if warrior.is_unit else warrior.miniatures
        label = "Losses" if warrior.is_unit else wounds_key
        boxed = min(lines, TICKS_EACH, room)
        room -= boxed
        labels = tuple(_label(warrior, place) for place in range(boxed))
        learners: Texts = ()
        if track := warrior.track:
            learners = (("",) if track.is_group or lines == 1 else labels)[:tracks_room]
            tracks_room -= len(learners)
        yield DrawnWarrior(
            frame=frame,
            # Equal warriors of any warband share a drawn line.
            warrior=without_place(warrior, id=None),
            save=save_words(warrior),
            arms=tuple(map(_name_arm, warrior.arms)),
            moves=move_words(warrior),
            rules=", ".join(warrior.rules),
            others=", ".join(other_gear(warrior)),
            boxes=_boxes(label, _count_boxes(warrior, sheet), names),
            ticks=labels,
            learners=learners,
            more=lines - boxed,
        )


def _count_boxes(warrior: SheetWarrior, sheet: RosterSheet) -> int:
    """How many boxes it has: for each wound, or for each model of a unit; none where nobody counts
    wounds.
    """
    if warrior.is_unit:
        return min(warrior.miniatures, MODELS_MAX)
    return min(warrior.wounds or 1, BOXES_MAX) if sheet.shows_wounds else 0


def _name_arm(arm: CarriedWeapon) -> tuple[str, str]:
    """A weapon with its range, its Strength and its notes."""
    reach = " ".join(filter(None, (inches(arm.range), strength(arm.strength))))
    return arm.name, ", ".join(filter(None, (reach, *arm.notes)))


@lru_cache(maxsize=400)
def _boxes(label: str, count: int, names: Texts) -> SafeString:
    """The boxes of one miniature: its wounds, then its states and marks.

    Most have the same, so they are kept.
    """
    states = format_html_join(
        "", '<span><i class="d"></i>{}</span>', ((name,) for name in names)
    )
    if not count:
        return states
    wounds = mark_safe("<i></i>" * count)
    return format_html("<span>{} {}</span>{}", label, wounds, states)


def _label(warrior: SheetWarrior, place: int) -> str:
    if place < len(warrior.names):
        return warrior.names[place]
    return "" if warrior.miniatures == 1 or warrior.is_unit else str(place + 1)


def drawn_charts(sheet: RosterSheet) -> Iterator[DrawnChart]:
    """The charts the roster looks up, then its armour saves by Strength."""
    for rows in sheet.reference.charts:
        chart = rows.chart
        draw = modifier_words if is_modifier(chart) else score_words
        yield DrawnChart(
            name=chart.name,
            caption=f"{chart.name}: {chart.row_label} by {chart.column_label}",
            corner=corner(chart),
            columns=chart.columns,
            rows=tuple((key, tuple(map(draw, cells))) for key, cells, _ in rows.rows),
            who=tuple(
                f"{chart.row_label} {key}: {', '.join(who)}" for key, _, who in rows.rows
            ),
            note=chart.note,
        )
    saves = sheet.reference.saves
    if saves:
        yield DrawnChart(
            name="Armour saves by Strength",
            caption="Armour saves by Strength of the hit",
            corner="Save\u00a0↓ S\u00a0→",
            columns=sheet.reference.save_strengths,
            rows=tuple((head, tuple(map(score_words, cells))) for head, cells, _ in saves),
            who=tuple(f"{head}: {', '.join(who)}" for head, _, who in saves),
        )


# URL name, label, template, and what its PDF is asked for with
TABS = (
    ("sheet-read", "Roster", "roster", ""),
    ("sheet-reference", "Quick reference", "reference", "&parts=reference"),
    ("sheet-cards", "Cards", "cards", "&parts=cards"),
    ("sheet-opponent", "Opponent’s copy", "roster", "&copy=opponent"),
    ("sheet-blank", "Blank", "blank", ""),
)


def _tab_view(
    name: str, label: str, template: str, pdf_query: str
) -> Callable[..., HttpResponse]:
    """The view of one face of the sheet."""

    @require_safe
    def view(request: HttpRequest, token: str) -> HttpResponse:
        record = record_for(request, token)
        is_opponents = name == "sheet-opponent"
        sheet = sheet_of(record, is_opponents_copy=is_opponents, printed_on=today())
        context = {
            "record": record,
            "sheet": sheet,
            "drawn": list(drawn_warriors(sheet)),
            "charts": list(drawn_charts(sheet)),
            "head_lines": head_lines(sheet.growth),
            "weapons": arm_lines(sheet.reference.arms),
            "tabs": build_tabs(
                [(tab[0], tab[1], reverse(tab[0], args=[token])) for tab in TABS], name
            ),
            "pdf_query": pdf_query,
            "is_blank": name == "sheet-blank",
            "lines": range(BLANK_LINES),
        }
        page = f"warbands/sheet/{template}.html"
        return without_robots(render(request, page, context))

    return view


sheet_read, sheet_reference, sheet_cards, sheet_opponent, sheet_blank = (
    _tab_view(*tab) for tab in TABS
)


def today() -> date:
    return timezone.localdate()


def read_choice(request: HttpRequest, name: str, choices: Texts, default: str) -> Any:
    """What a request asks for by this name; raises BadRequest for anything but the choices."""
    value = request.GET.get(name) or default
    if value not in choices:
        raise BadRequest(f"“{name}” must be {' or '.join(choices)}.")
    return value


def as_pdf(
    request: HttpRequest, draw: Callable[[], bytes], name: str, back: tuple[str, str]
) -> HttpResponse:
    """A PDF as it is drawn, at most `PRINT_RATES` from one address; a page that says why
    where it fails.

    ``back`` is where that page leads to, an address and what stands there.
    """
    if not may_print(request):
        limit = {"status": 429, "title": "Too many prints", "message": PRINTED_TOO_MUCH}
        response = render(request, "429.html", limit, status=429)
        response.headers["Retry-After"] = str(PRINT_SECONDS)
        return without_robots(response)
    try:
        with hold_place():
            pdf = draw()
    except PdfFailed as error:
        context = {"back_url": back[0], "back": back[1], "sentence": str(error)}
        response = render(request, "warbands/sheet/failed.html", context, status=503)
        if isinstance(error, PdfTooLarge):
            response.status_code = 400
        else:
            response.headers["Retry-After"] = str(RETRY_SECONDS)
        return without_robots(response)
    return as_file(pdf, "application/pdf", name, attached=False)


def _back_to(record: WarbandRecord) -> tuple[str, str]:
    return reverse("sheet-read", args=[record.token]), record.display_name


@require_safe
def sheet_pdf(request: HttpRequest, token: str) -> HttpResponse:
    """The sheet as a PDF: ``paper`` a4 or letter, ``parts`` of it, ``copy=opponent``, ``big=1``
    large.
    """
    record = record_for(request, token)
    paper = read_choice(request, "paper", PAPERS, "a4")
    sent = request.GET.get("parts") or ",".join(DEFAULT_PARTS)
    parts: Any = tuple(dict.fromkeys(part.strip() for part in sent.split(",")))
    if not set(parts) <= set(PARTS):
        raise BadRequest(
            f"“parts” must be one or more of {', '.join(PARTS)}, with commas between."
        )
    is_opponents = read_choice(request, "copy", ("own", "opponent"), "own") == "opponent"
    big = read_choice(request, "big", ("0", "1"), "0") == "1"
    url = reader_address(request, record)

    def draw() -> bytes:
        sheet = sheet_of(
            record, is_opponents_copy=is_opponents, printed_on=today(), url=url
        )
        return kept_roster_pdf(sheet, paper, parts, big=big)

    return as_pdf(request, draw, file_name(record.display_name, "pdf"), _back_to(record))


@require_safe
def blank_sheet_pdf(request: HttpRequest, token: str) -> HttpResponse:
    """The empty sheet of this warband's system as a PDF."""
    record = record_for(request, token)
    paper = read_choice(request, "paper", PAPERS, "a4")
    system = registry.system_of(record.roster)
    return as_pdf(
        request,
        lambda: blank_pdf(system, paper),
        f"blank-{record.roster.system}.pdf",
        _back_to(record),
    )


def as_preview(request: HttpRequest, html: str) -> HttpResponse:
    """The picture of a link, drawn at most `PRINT_RATES` for one address."""
    png = kept_preview(html)
    if png is None:
        if not may_print(request):
            return without_robots(HttpResponse(PRINTED_TOO_MUCH, status=429))
        try:
            with hold_place():
                png = draw_preview(html)
        except PdfFailed as error:
            return without_robots(HttpResponse(str(error), status=503))
    return as_file(png, "image/png", "preview.png", attached=False)


@require_safe
def warband_preview(request: HttpRequest, token: str) -> HttpResponse:
    """The picture of a link to a warband, for whoever may read it: a chat asks signed out."""
    record = record_for(request, token)
    return as_preview(request, roster_preview(sheet_of(record)))


# Campaign rules


@require_safe
def campaign_pdf(request: HttpRequest, rules: str = "", token: str = "") -> HttpResponse:
    """A set of the site, or by its token one of the reader's clubs; ``paper`` a4 or letter."""
    book = load_rules_book(owner_of(request), f"own/{token}" if token else rules)
    name = "campaign-own" if token else "campaign-read"
    back = reverse(name, args=[token or rules])
    paper = read_choice(request, "paper", PAPERS, "a4")
    return without_robots(
        as_pdf(
            request,
            lambda: campaign_rules_pdf(book, paper),
            file_name(book.record.name, "pdf"),
            (back, book.record.name),
        )
    )


campaign_own_pdf = login_required(campaign_pdf)
