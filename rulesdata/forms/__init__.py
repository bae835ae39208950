"""Shapes of what people type into the rule book: scenarios, and the content of clubs."""
