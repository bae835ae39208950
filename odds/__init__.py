"""Odds in the product: warriors of rosters and lists as the engine's dice see them, and what is
asked about them.
"""
