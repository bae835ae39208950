"""The only readers of the rule books: one module for each kind of page, gathered here by name."""
