"""The rule book's pages, and those on which clubs write content of their own."""
