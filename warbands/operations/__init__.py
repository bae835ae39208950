"""The only writers of warbands: one verb, one transaction, one lock, one event.

`ledger` says how.
"""
