"""The only readers of warbands: a fixed number of queries each, frozen values out."""
