"""Parameters of guidelines: their keys in guidelines.yaml and what each may be.

A key means the same for every kind. This file imports nothing of the engine, because the shape of
guidelines.yaml is made of it.
"""

from enum import Enum, auto


class ParameterType(Enum):
    """What a parameter may be; ``rulesdata.schema`` gives each type its limits."""

    NUMBER = auto()
    PART = auto()  # one part of so many: 10 is a tenth
    SWITCH = auto()
    KEYS = auto()
    STATS = auto()
    FLAGS = auto()
    COMMAND = auto()  # champion, musician or standard-bearer
    NAMES = auto()  # words as they are printed


class Parameter(Enum):
    """One parameter: its key in a guideline and its type."""

    MINIMUM = ("minimum", ParameterType.NUMBER)
    MAXIMUM = ("maximum", ParameterType.NUMBER)
    UP_TO = ("up_to", ParameterType.NUMBER)
    PART = ("part", ParameterType.PART)
    CATEGORIES = ("categories", ParameterType.KEYS)
    STATS = ("stats", ParameterType.STATS)
    TYPES = ("types", ParameterType.KEYS)
    FLAGS = ("flags", ParameterType.FLAGS)
    MOUNTED = ("mounted", ParameterType.SWITCH)
    MOUNTS = ("mounts", ParameterType.SWITCH)
    COMMANDS = ("commands", ParameterType.COMMAND)
    OPTIONS = ("options", ParameterType.KEYS)
    ITEMS = ("items", ParameterType.KEYS)
    ARMIES = ("armies", ParameterType.KEYS)
    WORDS = ("words", ParameterType.NAMES)
    RULES = ("rules", ParameterType.NAMES)

    def __init__(self, key: str, of_type: ParameterType) -> None:
        self.key, self.of_type = key, of_type
