"""The draft of an alias file."""

import pytest
import yaml

from tests.factories import EMPIRE
from tools.learn_origins import main

CATALOGUE = """<catalogue id="c" name="Rivers"><sharedSelectionEntries>
<selectionEntry id="e-1" name="Halberdiers" type="unit"/><selectionEntry id="e-2" name="Imp"/>
</sharedSelectionEntries><entryLinks><entryLink id="l-1" name="Captain"/></entryLinks>
</catalogue>"""
LIST = """<roster battleScribeVersion="2.03"><forces><force><selections>
<selection name="Captain" type="model" number="1" entryId="l::e-9"/>
</selections></force></forces></roster>"""


def test_origins_are_drafted_from_catalogues_and_lists(tmp_path, capsys):
    catalogue, roster = tmp_path / "a.cat", tmp_path / "a.ros"
    catalogue.write_text(CATALOGUE, encoding="utf-8")
    roster.write_text(LIST, encoding="utf-8")
    assert main([str(catalogue), str(roster), "--army", EMPIRE]) == 0
    assert yaml.safe_load(capsys.readouterr().out) == {
        "army": EMPIRE,
        "origins": {"e-1": "halberdiers", "l-1": "captain", "e-9": "captain"},
    }


@pytest.mark.parametrize(
    "text,army,message", [(LIST, "imps", "has the army"), ("<a", EMPIRE, "malformed")]
)
def test_what_cannot_be_read_is_named(tmp_path, capsys, text, army, message):
    roster = tmp_path / "a.ros"
    roster.write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit):
        main([str(roster), "--army", army])
    assert message in capsys.readouterr().err
