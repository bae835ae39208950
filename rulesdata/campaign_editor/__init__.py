"""Campaign rules as a text with a form of figures: what the form writes, and what differs."""
