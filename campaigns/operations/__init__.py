"""The only writers of leagues, club nights and campaigns.

`log` says how every change of one is made.
"""
