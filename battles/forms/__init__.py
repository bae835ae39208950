"""Shapes of what people type about battles.

What may be done with it is decided by the operations.
"""
