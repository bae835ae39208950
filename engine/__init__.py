"""The rules as plain values and pure functions: no database, no files, no clock, no dice of its
own.
"""
