"""Programs that act for a person: their tokens, what a token may do, and the page where they are
made.
"""
