"""The only writers of warbands: one verb, one transaction, one lock, one event.

`transaction` says how.
"""
