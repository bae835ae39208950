"""The only readers of battles: a fixed number of queries each, frozen values out."""
