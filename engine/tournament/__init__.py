"""Leagues and club nights: pairings and standings.

Pure: seeds and matchings are handed in.
"""
