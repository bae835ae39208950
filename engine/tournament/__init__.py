"""Leagues and club nights: who meets whom, and who stands where.

Pure: seeds and matchings are handed in.
"""
