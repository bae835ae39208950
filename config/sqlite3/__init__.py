"""Django's SQLite backend with turns for a process's threads: docs/decisions/sqlite-turns.md."""
