"""The component tags of the site: one way to draw a button, a field, a finding, a stat line.

Listed in TEMPLATES builtins as ``config.ui``, so no page loads it. Every tag takes keyword
arguments only, and a misspelt one raises. Where a tag takes ``**attrs``, these are htmx, data and
aria attributes written with underscores (``hx_post``, ``data_say``); None, False and the empty text
leave an attribute out.
"""

from django.template import Library

from config.ui import blocks, buttons, controls, figures, forms

register = Library()
for _part in (buttons, figures, controls, forms, blocks):
    register.tags.update(_part.register.tags)
    register.filters.update(_part.register.filters)
