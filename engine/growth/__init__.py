"""Warbands that grow: rules as data, one log a campaign, and the fold that makes its state.

The fold asks and people answer: each roll or choice is a due under a stable key, so that an
answer survives whatever is corrected before it.
"""
