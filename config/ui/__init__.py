"""The component tags of the site: one way to draw a button, a field, a finding, a stat line.

Listed in TEMPLATES builtins, so no page loads them. Every tag takes keyword arguments only, and a
misspelt one raises. Where a tag takes ``**attrs``, these are htmx, data and aria attributes written
with underscores (``hx_post``, ``data_say``); None, False and the empty text leave an attribute out.
"""
