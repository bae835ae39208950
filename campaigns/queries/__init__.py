"""The only readers of leagues, club nights and campaigns: a fixed number of queries each, frozen
values out.
"""
