"""Lists of other tools: read into one neutral tree, matched with an army, and written out."""
