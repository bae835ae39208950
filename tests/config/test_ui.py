"""The component tags: what they refuse, what they escape, where the ruler's marks stand."""

import re
from pathlib import Path

import pytest
from django import forms
from django.template import Context, Template, TemplateSyntaxError

from config.ui.buttons import icon_names
from config.ui.figures import measure, printed, rule_section

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = "<script>alert('x')</script>\"'&{{ 7 }}"


def draw(source: str, **context: object) -> str:
    return Template(source).render(Context(context))


def test_misspelt_argument_raises() -> None:
    with pytest.raises(TemplateSyntaxError, match="lable"):
        draw('{% badge lable="x" %}')


@pytest.mark.parametrize("source", [
    '{% button label="x" onclick="y" %}',
    '{% button label="x" hx_psot="/y" %}',
    '{% stepper action="/" label="x" value=1 style="y" %}',
    '{% versioned_form version=1 hx_psot="/y" %}{% endversioned_form %}',
])  # fmt: skip
def test_unknown_attribute_raises(source: str) -> None:
    with pytest.raises(TypeError, match="unexpected argument"):
        draw(source)


@pytest.mark.parametrize("source", [
    '{% page_head titel="x" %}{% endpage_head %}',
    '{% page_head "x" %}{% endpage_head %}',
    '{% tabs label="x" itmes=y %}',
])  # fmt: skip
def test_misspelt_head_raises(source: str) -> None:
    with pytest.raises(TemplateSyntaxError):
        draw(source)


@pytest.mark.parametrize("source", [
    "{% page_head title=nothing %}{% endpage_head %}",
    "{% versioned_form version=nothing key=nothing %}{% endversioned_form %}",
    "{% versioned_form %}{% endversioned_form %}",
])  # fmt: skip
def test_variable_that_is_not_there_raises(source: str) -> None:
    with pytest.raises(ValueError, match="misspelt"):
        draw(source)


def test_versioned_form_brings_version_and_key() -> None:
    source = (
        '{% versioned_form action="/a" css="row" novalidate=True hx_target="#b" version=3 key="k" %}'
        "{{ x }}{% endversioned_form %}"
    )
    assert draw(source, x="<", csrf_token="t") == (
        '<form method="post" action="/a" class="row" novalidate hx-target="#b" hx-post="/a">'
        '<input type="hidden" name="csrfmiddlewaretoken" value="t">'
        '<input type="hidden" name="version" value="3"><input type="hidden" name="key" value="k">'
        "&lt;</form>"
    )


def test_head_of_a_page_says_its_title_once() -> None:
    source = '{% page_head title=x lead="Why." %}<nav></nav>{% endpage_head %}'
    assert draw(source, x="A & B") == (
        '<header class="head"><div><nav></nav><h1>A &amp; B</h1><p class="mute">Why.</p></div>'
        "</header>"
    )


@pytest.mark.parametrize("source", [
    '{% icon name="pluss" %}',
    '{% button label="x" variant="loud" %}',
    '{% badge label="x" level="fatal" %}',
])  # fmt: skip
def test_unknown_choice_raises(source: str) -> None:
    with pytest.raises(ValueError, match="is not one of"):
        draw(source)


TEXT_TAGS = [
    "{% icon name='plus' label=x %}", "{% button label=x value=x href=x data_say=x %}",
    "{% post_button action=x label=x name=x value=x fields=d %}",
    "{% copy_button text=x label=x %}", "{% badge label=x %}",
    "{% statline stats=d caption=x save=x %}", "{% stat_head names=d %}",
    "{% plate rows=rows caption=x head=x %}", "{% points_ruler used=1 limit=2 good=x %}",
    "{% dots label=x value=x note=x %}",
    "{% chart caption=x corner=x columns=d rows=chart row=x %}",
    "{% stepper action=x label=x value=1 name=x fields=d %}",
    "{% opt name=x value=x label=x price=1 why=x %}",
    "{% opt_out label=x why=x %}{% endopt_out %}",
    "{% include 'ui/pick.html' with name=x value=x label=x note=x %}",
    "{% seg legend=x name=x choices=d.items %}", "{% tabs label=x items=items %}",
    "{% input_field name=x label=x value=x help=x error=x placeholder=x %}",
    "{% finding level='error' message=x title=x source=x %}{% endfinding %}",
    "{% section title=x aside=x aside_url=x %}{% endsection %}",
    "{% empty_state text=x %}{% endempty_state %}", "{% menu label=x %}{% endmenu %}",
    "{% toast message=x level=x %}",
]  # fmt: skip


@pytest.mark.parametrize("source", TEXT_TAGS)
def test_text_is_escaped(source: str) -> None:
    html = draw(
        source,
        x=HOSTILE,
        d={HOSTILE: HOSTILE},
        rows=[{"name": HOSTILE, "note": HOSTILE, "stats": {HOSTILE: HOSTILE}}],
        chart=[(HOSTILE, [HOSTILE])],
        items=[{"label": HOSTILE, "url": HOSTILE}],
    )
    assert "alert(" in html
    assert "<script" not in html
    assert not re.search(r"[\w-]=\"[^\"]*<", html)
    assert " style=" not in html


def test_block_content_is_not_escaped_twice() -> None:
    html = draw(
        '{% finding level="note" message="m" %}{% button label="Fix" %}{% endfinding %}'
    )
    assert '<button class="btn" type="submit">Fix</button>' in html


@pytest.mark.parametrize(
    "title, shown",
    [("No leader", "No leader."), ("Who leads?", "Who leads?"), ("", "Note.")],
)
def test_title_of_a_finding_ends_before_its_sentence(title: str, shown: str) -> None:
    html = draw(
        '{% finding level="note" title=title message="Nobody leads." %}{% endfinding %}',
        title=title,
    )
    assert f"{shown}</strong> Nobody leads." in html


def test_line_without_a_figure_leads_nowhere() -> None:
    assert "<i>" not in draw('{% dots label="Pike" value=" " %}')
    assert "<i></i><b>6</b>" in draw('{% dots label="Pike" value=6 %}')


@pytest.mark.parametrize("text, shown", [
    ('Within 4" or 2D6"', "Within 4″ or 2D6″"),
    ("-1 each, D6-1", "−1 each, D6-1"),
    ('the "Action Phase"', None),
])  # fmt: skip
def test_rules_are_shown_as_print_sets_them(text: str, shown: str | None) -> None:
    assert printed(text) == (shown or text)


def test_chart_with_words_for_heads_gives_them_room() -> None:
    rows = [("Cuirassier armour", ["4+"]), ("None", ["–"])]
    assert 'class="chart single words"' in draw(
        '{% chart caption="c" columns=c rows=r %}', c=["Save"], r=rows
    )
    assert 'class="chart"' in draw(
        '{% chart caption="c" columns=c rows=r %}', c=["1", "2"], r=[("1–3", ["4+", "5+"])]
    )


def test_htmx_attributes_of_a_post_button_go_on_its_form() -> None:
    html = draw(
        '{% post_button action="/a" label="Go" hx_target="#roll" %}', csrf_token="tok"
    )
    form = html[: html.index(">")]
    assert 'hx-post="/a"' in form
    assert 'hx-target="#roll"' in form
    assert 'name="csrfmiddlewaretoken" value="tok"' in html


def test_stepper_sends_its_neighbours_and_locks_at_the_ends() -> None:
    html = draw('{% stepper action="/a" label="Archer" value=1 minimum=1 maximum=2 %}')
    less, more = re.findall(r"<button[^>]*>", html)
    assert 'value="0"' in less
    assert "disabled" in less
    assert 'value="2"' in more
    assert "disabled" not in more


class _Form(forms.Form):
    limit = forms.IntegerField(min_value=100, help_text="100 to 250")


def test_field_names_its_help_and_its_error() -> None:
    html = draw("{% field field=form.limit %}", form=_Form({"limit": "90"}))
    described = re.search(r'aria-describedby="([^"]+)"', html)
    assert described
    assert all(f'id="{name}"' in html for name in described[1].split())
    assert len(described[1].split()) == 2
    assert 'aria-invalid="true"' in html


@pytest.mark.parametrize("used, limit, words", [
    (147, 150, "3 pts available"),
    (262, 250, "12 pts too many"),
    (150, 150, "all points spent"),
    (41, None, "41 pts, no limit"),
])  # fmt: skip
def test_points_are_said_in_words(used: int, limit: int | None, words: str) -> None:
    assert draw("{% points_words used=u limit=l %}", u=used, l=limit) == words


@pytest.mark.parametrize("value, text", [(4, "+4"), (-5, "−5"), (0, "0"), ("2D6", "2D6")])
def test_signed(value: object, text: str) -> None:
    assert draw("{{ v|signed }}", v=value) == text


def test_ruler_within_its_limit() -> None:
    ruler = measure(75, 150)
    assert (ruler["used"], ruler["limit"], ruler["over"]) == ("50.00%", "100.00%", "0.00%")
    assert len(ruler["ticks"]) == 16
    assert [(at, text) for at, text, _ in ruler["labels"]] == [
        ("0.00%", "0"),
        ("33.33%", "50"),
        ("66.67%", "100"),
        ("100.00%", "150"),
    ]


def test_ruler_past_its_limit_grows_to_the_next_tick() -> None:
    ruler = measure(262, 250)
    assert ruler["limit"] == "92.59%"
    assert ruler["over"] == "4.44%"
    assert len(ruler["ticks"]) == 28


@pytest.mark.parametrize(
    "used, limit", [(0, 0), (5, 0), (-3, 100), (0, 7), (100_000, 100_000), (10**9, 1)]
)
def test_ruler_of_any_size_stays_drawable(used: int, limit: int) -> None:
    ruler = measure(used, limit)
    assert 1 <= len(ruler["ticks"]) <= 42
    assert len(ruler["labels"]) <= 10
    assert all(
        0 <= float(mark.rstrip("%")) <= 100
        for mark in (*ruler["ticks"], ruler["used"], ruler["limit"], ruler["over"])
    )


def test_every_icon_that_a_template_names_is_in_the_sprite() -> None:
    named = {
        name
        for path in (ROOT / "templates").rglob("*.html")
        for name in re.findall(
            r'icon(?: name)?="([a-z-]+)"', path.read_text(encoding="utf-8")
        )
    }
    assert len(named) > 10
    assert named <= icon_names()


def test_no_template_carries_a_style_or_an_inline_script() -> None:
    pages = list((ROOT / "templates").rglob("*.html"))
    assert len(pages) > 20
    for path in pages:
        if "print" in path.parts:
            continue
        text = path.read_text(encoding="utf-8")
        assert not re.search(
            r"\sstyle=|<style|\son[a-z]+=\"|<script(?![^>]*\ssrc=)", text
        ), path


@pytest.mark.parametrize("source,told", [
    ("Warhammer Skirmish, LEADERS (F000-07)", "Warhammer Skirmish: “Leaders”"),
    ("Warhammer Skirmish, LEADERS (F000-07, G11)", "Warhammer Skirmish: “Leaders”"),
    ("English Civil War, The phases (C20)", "English Civil War, The phases"),
    ("ARMOUR:", "“Armour”"),
    ("Ruling “Who strikes first”", "Ruling “Who strikes first”"),
    ("CHARGE!", "“Charge!”"),
    ("SWARMS (House Rule)", "“Swarms” (House Rule)"),
    ("TO HIT CHART (under SHOOTING CHART)", "“To hit chart” (under “Shooting chart”)"),
    ("MIDDENHEIM, REIKLAND", "“Middenheim, Reikland”"),
    ("Mordheim (White Dwarf draft)", "Mordheim (White Dwarf draft)"),
    ("Mordheim", "Mordheim"), ("", ""),
])  # fmt: skip
def test_rule_section_is_told_without_codes(source: str, told: str) -> None:
    assert rule_section(source) == told
