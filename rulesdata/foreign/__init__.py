"""Files of other list builders, opened within limits; nothing is written to disk."""
