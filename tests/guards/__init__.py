"""Rules for everything: each guard finds its cases by itself, and one test of each asserts that it
found some.
"""
