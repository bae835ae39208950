"""Rosters going out and coming in: the open JSON document, text, Markdown, compact text."""
