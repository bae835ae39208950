"""Django's SQLite backend, with turns for the threads of one process:
docs/decisions/0001-turns-on-sqlite.md.
"""
