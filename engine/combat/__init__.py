"""Blows, shots, injuries, falls and nerve: the rules that decide by dice what becomes of a warrior."""
