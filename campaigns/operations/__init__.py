"""The only writers of leagues, club nights and campaigns.

`ledger` says how every change of one is made.
"""
