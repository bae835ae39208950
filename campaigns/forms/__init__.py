"""Shapes of what people type about battles. What may be done with it is decided by the operations."""

from campaigns.forms.aftermath import AftermathForm
from campaigns.forms.deciding import ResultForm
from campaigns.forms.setting_up import BattleForm, BattleListForm, BattleSideForm, side_count

__all__ = [
    "AftermathForm",
    "BattleForm",
    "BattleListForm",
    "BattleSideForm",
    "ResultForm",
    "side_count",
]
