"""The roster sheet: one structure for page, print, PDF, text and JSON.

Nothing that draws it works anything out.

``build_sheet`` reads a roster through the engine and returns the whole of it; whoever draws it only
lays it out.
"""
