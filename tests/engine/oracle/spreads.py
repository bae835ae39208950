"""Chances as plain dictionaries from what comes out to how likely it is."""

from fractions import Fraction


def certain(value):
    return {value: Fraction(1)}


def die(sides):
    return {face: Fraction(1, sides) for face in range(1, sides + 1)}


def bind(spread, step):
    """What comes of a spread when ``step`` makes a spread of each of its values."""
    found = {}
    for value, chance in spread.items():
        for after, more in step(value).items():
            found[after] = found.get(after, 0) + chance * more
    return found


def throw(*dice):
    """The sum of several dice, each given by its sides."""
    spread = certain(0)
    for sides in dice:
        spread = bind(
            spread,
            lambda so_far, sides=sides: {
                so_far + face: Fraction(1, sides) for face in die(sides)
            },
        )
    return spread


def faces(count, law):
    """Every way several dice of this law can fall, in order."""
    spread = certain(())
    for _ in range(count):
        spread = bind(
            spread, lambda so_far: {(*so_far, face): chance for face, chance in law.items()}
        )
    return spread


def chance(spread, is_so):
    """How likely it is that a value of the spread is so."""
    return sum((c for value, c in spread.items() if is_so(value)), Fraction(0))
