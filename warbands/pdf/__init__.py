"""The printed documents: roster sheet, quick reference, cards and a blank sheet, as PDF or as HTML
to print.

Only this package knows WeasyPrint. The text is measured and broken here, boxes are characters of a
small font of our own, and columns are blocks laid over one another; the layout engine meets only
short lines.
"""
